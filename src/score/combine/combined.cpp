#include "score/combine/combined.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "linear/float_precision.h"
#include "linear/symmetric.h"

namespace cmr::score {
namespace {

// S^-½ of the rows of z, usual ones.
Eigen::MatrixXd whitening_of(const Eigen::MatrixXd& z) {
    constexpr double kLeastVariance = 1e-6;
    const Eigen::MatrixXd centred = z.rowwise() - z.colwise().mean();
    Eigen::MatrixXd covariance =
        centred.transpose() * centred / std::max<double>(1.0, static_cast<double>(z.rows()) - 1);
    const Eigen::VectorXd variances = covariance.diagonal();
    covariance *= 1 - Combined::kShrunk;
    covariance.diagonal() += Combined::kShrunk * variances;
    const linear::SymmetricEigen eigen = linear::symmetric_eigen(covariance);
    const Eigen::VectorXd scale = eigen.values.cwiseMax(kLeastVariance).cwiseSqrt().cwiseInverse();
    return eigen.vectors * scale.asDiagonal() * eigen.vectors.transpose();
}

}  // namespace

int64_t NamedScores::column(const std::string& name) const {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw InputError("there is no score \"{}\"", name);
    return found - names.begin();
}

Combined::Combined(const NamedScores& healthy, double least)
    : names_(healthy.names.begin(), healthy.names.end()), least_(least) {
    const int64_t rows = healthy.values.rows, voices = healthy.values.columns;
    CMR_ASSERT(rows > 0 && voices > 0 && voices == std::ssize(names_),
               "some healthy windows, and a name for each voice");
    median_.resize(voices);
    deviation_.resize(voices);
    Eigen::MatrixXd z(rows, voices);
    for (int64_t k = 0; k < voices; ++k) {
        std::vector<double> column;
        for (int64_t i = 0; i < rows; ++i) column.push_back(healthy.values.row(i)[k]);
        const LogScale scale = to_float_precision(log_scale(column));
        median_(k) = scale.median;
        deviation_(k) = scale.deviation;
        for (int64_t i = 0; i < rows; ++i) z(i, k) = std::clamp(z_of(k, column[i]), -kUsual, kUsual);
    }
    mean_ = linear::to_float_precision(Eigen::VectorXd(z.colwise().mean()));
    whitening_ = linear::to_float_precision(whitening_of(z));
}

Combined::Combined(const Archive& from, std::span<const std::string> names) {
    for (const std::string& name : names)
        if (from.below(name).has("voice")) {
            from.below(name).whole("voice", 1, 1);
            names_.push_back(name);
        }
    from.whole("voices", std::ssize(names_), std::ssize(names_));
    const auto voices = std::ssize(names_);
    from.require(voices > 0, "none of its scores counts");
    // Files of before there was a limit.
    least_ = from.has("least") ? from.number("least") : -std::numeric_limits<double>::infinity();
    median_ = from.vector("median");
    deviation_ = from.vector("deviation");
    mean_ = from.vector("mean");
    const Matrix whitening = from.matrix("whitening");
    from.require(median_.size() == voices && deviation_.size() == voices && mean_.size() == voices &&
                     whitening.rows == voices && whitening.columns == voices,
                 "its scales do not fit its voices");
    from.require((deviation_.array() > 0).all(), "a deviation is not positive");
    whitening_.resize(voices, voices);
    for (int64_t i = 0; i < voices; ++i)
        for (int64_t k = 0; k < voices; ++k) whitening_(i, k) = whitening.row(i)[k];
}

void Combined::save(Archive& to) const {
    to.put("voices", static_cast<double>(names_.size()));
    for (const std::string& name : names_) {
        Archive own = to.below(name);
        own.put("voice", 1.0);
    }
    if (std::isfinite(least_)) to.put("least", least_);
    to.put("median", median_);
    to.put("deviation", deviation_);
    to.put("mean", mean_);
    Matrix whitening(whitening_.rows(), whitening_.cols());
    for (int64_t i = 0; i < whitening.rows; ++i)
        for (int64_t k = 0; k < whitening.columns; ++k) whitening.row(i)[k] = static_cast<float>(whitening_(i, k));
    to.put("whitening", whitening);
}

double Combined::z_of(int64_t voice, double score) const {
    return std::max(LogScale{median_(voice), deviation_(voice)}.z(score), least_);
}

Matrix Combined::voices_of(const NamedScores& scores) const {
    std::vector<int64_t> columns;
    for (const std::string& name : names_) columns.push_back(scores.column(name));
    const auto voices = std::ssize(names_);
    Matrix out(scores.values.rows, voices);
    Eigen::VectorXd z(voices);
    for (int64_t i = 0; i < out.rows; ++i) {
        for (int64_t k = 0; k < voices; ++k) z(k) = z_of(k, scores.values.row(i)[columns[k]]) - mean_(k);
        for (int64_t k = 0; k < voices; ++k) out.row(i)[k] = static_cast<float>(whitening_.row(k).dot(z));
    }
    return out;
}

std::vector<float> Combined::join(const MatrixView& voices) {
    std::vector<float> out;
    for (int64_t i = 0; i < voices.rows; ++i)
        out.push_back(static_cast<float>(evidence_of(*std::ranges::max_element(voices.row(i)))));
    return out;
}

bool Combined::holds(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

}  // namespace cmr::score
