#include "score/explain/localiser.h"

#include <algorithm>

#include "base/error.h"
#include "linear/float_precision.h"
#include "score/combine/robust.h"

namespace cmr::score {

Localiser::Localiser(std::span<const ScorerKind* const> kinds, std::span<const CrossFitted> judgements,
                     std::span<const std::vector<int64_t>> channels, std::span<const int64_t> rows,
                     const std::vector<bool>& eligible) {
    CMR_ASSERT(judgements.size() == channels.size() + 1, "channels of the rehearsed faults");
    hit_rate_ = -1;
    for (size_t k = 0; k < kinds.size(); ++k) {
        const Matrix& healthy = judgements[0].by_channel[k];
        // Deviations of single channels name faults of single channels only; the mechanism is asked for.
        if (healthy.columns == 0 || kinds[k]->name == "marginal" || !eligible[k]) continue;
        Localiser candidate;
        candidate.kind_ = static_cast<int64_t>(k);
        candidate.median_ = candidate.deviation_ = Eigen::VectorXd::Zero(healthy.columns);
        for (int64_t c = 0; c < healthy.columns; ++c) {
            std::vector<double> column;
            if (kinds[k]->learned())
                for (const int64_t row : rows) column.push_back(healthy.row(row)[c]);
            else
                for (int64_t row = 0; row < healthy.rows; ++row) column.push_back(healthy.row(row)[c]);
            const LogScale scale = upper_log_scale(column);
            candidate.median_(c) = scale.median;
            candidate.deviation_(c) = scale.deviation;
        }
        candidate.median_ = linear::to_float_precision(candidate.median_);
        candidate.deviation_ = linear::to_float_precision(candidate.deviation_);
        int64_t hits = 0, all = 0;
        for (size_t set = 1; set < judgements.size(); ++set) {
            const Matrix parts = candidate(judgements[set].by_channel[k]);
            for (const int64_t row : rows) {
                hits += std::ranges::max_element(parts.row(row)) - parts.row(row).begin() == channels[set - 1][row];
                ++all;
            }
        }
        candidate.hit_rate_ = static_cast<double>(hits) / static_cast<double>(all);
        if (candidate.hit_rate_ > hit_rate_) *this = candidate;
    }
    CMR_ASSERT(hit_rate_ >= 0, "some score has parts");
}

Localiser::Localiser(const Archive& from)
    : kind_(from.whole("kind", 0, std::ssize(scorer_kinds()))),
      hit_rate_(from.number("hit_rate")),
      median_(from.vector("median")),
      deviation_(from.vector("deviation")) {
    from.require(median_.size() == deviation_.size() && (deviation_.array() > 0).all(),
                 "the parts of the localiser do not fit together");
}

void Localiser::save(Archive& to) const {
    to.put("kind", static_cast<double>(kind_));
    to.put("hit_rate", hit_rate_);
    to.put("median", median_);
    to.put("deviation", deviation_);
}

Matrix Localiser::operator()(const MatrixView& parts) const {
    CMR_ASSERT(parts.columns == median_.size(), "the channels that were fitted");
    Matrix out(parts.rows, parts.columns);
    for (int64_t i = 0; i < parts.rows; ++i)
        for (int64_t c = 0; c < parts.columns; ++c)
            out.row(i)[c] = static_cast<float>((log_of(parts.row(i)[c]) - median_(c)) / deviation_(c));
    return out;
}

}  // namespace cmr::score
