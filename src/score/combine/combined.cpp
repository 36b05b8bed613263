#include "score/combine/combined.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "eval/ranking.h"
#include "linear/float_precision.h"
#include "score/combine/rehearsal.h"
#include "score/combine/robust.h"

namespace cmr::score {
namespace {

constexpr double kFarOut = 30;  // deviations beyond which more hardly makes it more certain
constexpr double kKnee = 0.90;  // quantile above which the tail is continued

constexpr double kTold = 0.75;         // AUROC from which a score can tell a fault
constexpr double kBlind = 0.60;        // and below which it cannot
constexpr double kLeastWeight = 0.15;  // of the largest

double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

// Weights ≥ 0 of a logistic regression of `faulty` on the columns of x, by coordinate descent; both classes count the
// same. Convex, so the order of steps does not matter for where it ends.
Eigen::VectorXd logistic_weights(const Eigen::MatrixXd& x, const Eigen::VectorXd& faulty) {
    constexpr double kPenalty = 1e-3;
    constexpr int kSweeps = 200;
    const double share = faulty.mean();
    const Eigen::VectorXd importance =
        (faulty.array() / share + (1 - faulty.array()) / (1 - share)) / (2 * static_cast<double>(x.rows()));
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(x.cols());
    Eigen::VectorXd u = Eigen::VectorXd::Zero(x.rows());
    double bias = 0;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        double moved = 0;
        for (int64_t k = -1; k < x.cols(); ++k) {  // -1: the bias
            double slope = 0, curvature = 0;
            for (int64_t i = 0; i < x.rows(); ++i) {
                const double p = 1 / (1 + std::exp(-u(i))), value = k < 0 ? 1.0 : x(i, k);
                slope += importance(i) * (p - faulty(i)) * value;
                curvature += importance(i) * std::max(p * (1 - p), 1e-3) * value * value;
            }
            double& weight = k < 0 ? bias : weights(k);
            if (k >= 0) slope += 2 * kPenalty * weight, curvature += 2 * kPenalty;
            double next = weight - slope / std::max(curvature, 1e-12);
            if (k >= 0) next = std::max(0.0, next);
            const double step = next - weight;
            if (k < 0)
                u.array() += step;
            else
                u += step * x.col(k);
            weight = next;
            moved = std::max(moved, std::abs(step));
        }
        if (moved < 1e-7) break;
    }
    return weights;
}

}  // namespace

double rehearsed_auroc(const MatrixView& healthy, const MatrixView& faulty, std::span<const int64_t> rows, int64_t k) {
    std::vector<double> scores;
    std::vector<uint8_t> labels;
    for (const MatrixView* side : {&healthy, &faulty})
        for (const int64_t row : rows) {
            scores.push_back(side->row(row)[k]);
            labels.push_back(side == &faulty);
        }
    return eval::auroc(scores, labels);
}

Tail::Tail(std::vector<float> healthy) : healthy_(std::move(healthy)) {
    if (healthy_.size() < 10) throw InputError("{} healthy scores, expected at least 10 for p-values", healthy_.size());
    std::ranges::sort(healthy_);
    const auto first = static_cast<size_t>(kKnee * static_cast<double>(healthy_.size()));
    knee_ = log_of(healthy_[first]);
    double excess = 0;
    for (size_t i = first; i < healthy_.size(); ++i) excess += log_of(healthy_[i]) - knee_;
    excess /= static_cast<double>(healthy_.size() - first);
    slope_ = 1 / std::max(excess, 1e-3);  // the maximum likelihood of an exponential tail
}

double Tail::p_value(double score) const {
    const double at = log_of(score);
    // However far out: unlikely, never impossible.
    constexpr double kLeast = std::numeric_limits<double>::min();
    if (at > knee_) return std::max((1 - kKnee) * std::exp(-(at - knee_) * slope_), kLeast);
    const auto above = healthy_.end() - std::ranges::lower_bound(healthy_, static_cast<float>(score));
    return std::max(1 - kKnee, static_cast<double>(above + 1) / static_cast<double>(healthy_.size() + 1));
}

Combined::Combined(const MatrixView& healthy, std::span<const Matrix> rehearsed, std::span<const int64_t> rows,
                   const std::vector<bool>& used) {
    CMR_ASSERT(!rehearsed.empty() && !rows.empty() && std::ssize(used) == healthy.columns,
               "weights need rehearsed faults");
    const int64_t scores = healthy.columns;
    median_ = deviation_ = Eigen::VectorXd::Zero(scores);
    for (int64_t k = 0; k < scores; ++k) {
        std::vector<double> column;
        for (int64_t i = 0; i < healthy.rows; ++i) column.push_back(healthy.row(i)[k]);
        const LogScale scale = log_scale(column);
        median_(k) = scale.median;
        deviation_(k) = scale.deviation;
    }
    median_ = linear::to_float_precision(median_);
    deviation_ = linear::to_float_precision(deviation_);
    weights_ = Eigen::VectorXd::Ones(scores);

    std::vector<bool> weighed = used;
    for (size_t kind = 0; kind < std::min(kDecidingRehearsals, rehearsed.size()); ++kind) {
        Eigen::VectorXd auroc = Eigen::VectorXd::Zero(scores);
        for (int64_t k = 0; k < scores; ++k)
            if (used[k]) auroc(k) = rehearsed_auroc(healthy, rehearsed[kind], rows, k);
        if (auroc.maxCoeff() < kTold) continue;
        rehearsed = rehearsed.subspan(kind, 1);
        for (int64_t k = 0; k < scores; ++k) weighed[k] = auroc(k) >= kBlind;
        break;
    }
    const int64_t all = std::ssize(rows) * (1 + std::ssize(rehearsed));
    Eigen::MatrixXd x(all, scores);
    Eigen::VectorXd faulty(all);
    int64_t at = 0;
    const auto add = [&](const MatrixView& from, double label) {
        for (const int64_t row : rows) {
            faulty(at) = label;
            for (int64_t k = 0; k < scores; ++k) x(at, k) = weighed[k] ? part(from.row(row)[k], k) : 0.0;
            ++at;
        }
    };
    add(healthy, 0);
    for (const Matrix& faults : rehearsed) add(faults, 1);
    Eigen::VectorXd weights = logistic_weights(x, faulty);
    const double largest = weights.maxCoeff();
    if (largest <= 0) weights.setOnes();  // nothing was rehearsed well: none is better than another
    weights = weights.cwiseMax(kLeastWeight * weights.maxCoeff());
    for (int64_t k = 0; k < scores; ++k)
        if (!used[k]) weights(k) = 0;
    weights_ = linear::to_float_precision(Eigen::VectorXd(weights / weights.sum()));
}

Combined::Combined(const Archive& from)
    : median_(from.vector("median")), deviation_(from.vector("deviation")), weights_(from.vector("weights")) {
    from.require(median_.size() == weights_.size() && deviation_.size() == weights_.size() &&
                     (deviation_.array() > 0).all() && (weights_.array() >= 0).all(),
                 "the parts of the combined score do not fit together");
}

void Combined::save(Archive& to) const {
    to.put("median", median_);
    to.put("deviation", deviation_);
    to.put("weights", weights_);
}

double Combined::part(double score, int64_t k) const {
    const double z = (log_of(score) - median_(k)) / deviation_(k);
    return z > kFarOut ? kFarOut + std::log1p(z - kFarOut) : softplus(z);
}

std::vector<float> Combined::operator()(const MatrixView& scores) const {
    CMR_ASSERT(scores.columns >= weights_.size(), "the scores that were combined come first");
    std::vector<float> out(scores.rows);
    for (int64_t i = 0; i < scores.rows; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < weights_.size(); ++k) sum += weights_(k) * part(scores.row(i)[k], k);
        out[i] = static_cast<float>(sum);
    }
    return out;
}

}  // namespace cmr::score
