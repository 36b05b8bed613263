#include "score/combine/combined.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "eval/ranking.h"
#include "linear/float_precision.h"
#include "score/combine/rehearsal.h"

namespace cmr::score {
namespace {

constexpr double kTold = 0.75;         // AUROC from which a score can tell a fault
constexpr double kBlind = 0.60;        // and below which it cannot
constexpr double kLeastWeight = 0.15;  // of the largest

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

int64_t NamedScores::column(const std::string& name) const {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw InputError("there is no score \"{}\"", name);
    return found - names.begin();
}

double rehearsed_auroc(const MatrixView& healthy, const MatrixView& faulty, std::span<const int64_t> rows, int64_t k) {
    std::vector<double> scores;
    std::vector<uint8_t> labels;
    for (const int64_t row : rows) scores.push_back(healthy.row(row)[k]);
    for (int64_t i = 0; i < faulty.rows; ++i) scores.push_back(faulty.row(i)[k]);
    labels.resize(rows.size(), 0);
    labels.resize(scores.size(), 1);
    return eval::auroc(scores, labels);
}

Combined::Combined(const NamedScores& healthy, std::span<const Matrix> rehearsed, std::span<const int64_t> rows,
                   const std::vector<bool>& used) {
    const int64_t scores = healthy.values.columns;
    for (const Matrix& faults : rehearsed) CMR_ASSERT(faults.rows == std::ssize(rows), "a fault for each row");
    CMR_ASSERT(!rehearsed.empty() && !rows.empty() && std::ssize(used) == scores && std::ranges::count(used, true) > 0,
               "weights need rehearsed faults and scores that count");
    std::vector<LogScale> scales;
    for (int64_t k = 0; k < scores; ++k) {
        std::vector<double> column;
        for (int64_t i = 0; i < healthy.values.rows; ++i) column.push_back(healthy.values.row(i)[k]);
        scales.push_back(to_float_precision(log_scale(column)));
    }

    std::vector<bool> weighed = used;
    for (size_t kind = 0; kind < std::min(kDecidingRehearsals, rehearsed.size()); ++kind) {
        Eigen::VectorXd auroc = Eigen::VectorXd::Zero(scores);
        for (int64_t k = 0; k < scores; ++k)
            if (used[k]) auroc(k) = rehearsed_auroc(healthy.values, rehearsed[kind], rows, k);
        if (auroc.maxCoeff() < kTold) continue;
        rehearsed = rehearsed.subspan(kind, 1);
        for (int64_t k = 0; k < scores; ++k) weighed[k] = auroc(k) >= kBlind;
        break;
    }
    const int64_t all = std::ssize(rows) * (1 + std::ssize(rehearsed));
    Eigen::MatrixXd x(all, scores);
    Eigen::VectorXd faulty(all);
    int64_t at = 0;
    const auto add = [&](std::span<const float> window, double label) {
        faulty(at) = label;
        for (int64_t k = 0; k < scores; ++k) x(at, k) = weighed[k] ? evidence_of(scales[k].z(window[k])) : 0.0;
        ++at;
    };
    for (const int64_t row : rows) add(healthy.values.row(row), 0);
    for (const Matrix& faults : rehearsed)
        for (int64_t i = 0; i < faults.rows; ++i) add(faults.row(i), 1);
    Eigen::VectorXd weights = logistic_weights(x, faulty);
    if (weights.maxCoeff() <= 0) weights.setOnes();  // nothing was rehearsed well: none is better than another
    weights = weights.cwiseMax(kLeastWeight * weights.maxCoeff());
    for (int64_t k = 0; k < scores; ++k)
        if (!used[k]) weights(k) = 0;
    weights = linear::to_float_precision(Eigen::VectorXd(weights / weights.sum()));
    for (int64_t k = 0; k < scores; ++k)
        if (used[k]) voices_.push_back({healthy.names[k], scales[k], weights(k)});
}

Combined::Combined(const Archive& from, std::span<const std::string> names) {
    for (const std::string& name : names) {
        const Archive voice = from.below(name);
        if (!voice.has("weight")) continue;
        voices_.push_back({name, {voice.number("median"), voice.number("deviation")}, voice.number("weight")});
        voice.require(voices_.back().scale.deviation > 0 && voices_.back().weight > 0,
                      "its deviation or its weight is not positive");
    }
    from.whole("voices", std::ssize(voices_), std::ssize(voices_));
    from.require(!voices_.empty(), "none of its scores counts");
}

void Combined::save(Archive& to) const {
    to.put("voices", static_cast<double>(voices_.size()));
    for (const Voice& voice : voices_) {
        Archive own = to.below(voice.name);
        own.put("median", voice.scale.median);
        own.put("deviation", voice.scale.deviation);
        own.put("weight", voice.weight);
    }
}

std::vector<float> Combined::operator()(const NamedScores& scores) const {
    std::vector<int64_t> columns;
    for (const Voice& voice : voices_) columns.push_back(scores.column(voice.name));
    std::vector<float> out(scores.values.rows);
    for (int64_t i = 0; i < scores.values.rows; ++i) {
        double sum = 0;
        for (size_t v = 0; v < voices_.size(); ++v)
            sum += voices_[v].weight * evidence_of(voices_[v].scale.z(scores.values.row(i)[columns[v]]));
        out[i] = static_cast<float>(sum);
    }
    return out;
}

double Combined::weight(std::string_view name) const {
    const auto found = std::ranges::find(voices_, name, &Voice::name);
    return found == voices_.end() ? 0 : found->weight;
}

}  // namespace cmr::score
