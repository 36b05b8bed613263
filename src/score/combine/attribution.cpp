#include "score/combine/attribution.h"

#include <algorithm>

#include "base/error.h"
#include "linear/float_precision.h"

namespace cmr::score {
namespace {

const Matrix& parts_of(std::span<const ScorerKind* const> kinds, const CrossFitted& judged, const std::string& name) {
    const auto kind = std::ranges::find(kinds, name, [](const ScorerKind* k) { return k->name; });
    CMR_ASSERT(kind != kinds.end(), "a score that was judged");
    return judged.by_channel[kind - kinds.begin()];
}

}  // namespace

Attribution::Attribution(const Combined& combined, std::span<const ScorerKind* const> kinds, const CrossFitted& judged,
                         std::span<const int64_t> rows) {
    for (const Combined::Voice& voice : combined.voices()) {
        const Matrix& parts = parts_of(kinds, judged, voice.name);
        if (parts.columns == 0) continue;
        const bool learned = scorer_named(voice.name).learned();
        Eigen::VectorXd median(parts.columns), deviation(parts.columns);
        for (int64_t c = 0; c < parts.columns; ++c) {
            std::vector<double> column;
            if (learned)
                for (const int64_t row : rows) column.push_back(parts.row(row)[c]);
            else
                for (int64_t row = 0; row < parts.rows; ++row) column.push_back(parts.row(row)[c]);
            const LogScale scale = upper_log_scale(column);
            median(c) = scale.median;
            deviation(c) = scale.deviation;
        }
        voices_.push_back(
            {voice.name, voice.weight, linear::to_float_precision(median), linear::to_float_precision(deviation)});
    }
    normalise();
}

Attribution::Attribution(const Archive& from, const Combined& combined, int64_t effects) {
    for (const Combined::Voice& voice : combined.voices()) {
        const Archive own = from.below(voice.name);
        if (!own.has("median")) continue;
        voices_.push_back({voice.name, voice.weight, own.vector("median"), own.vector("deviation")});
        own.require(voices_.back().median.size() == effects && voices_.back().deviation.size() == effects &&
                        (voices_.back().deviation.array() > 0).all(),
                    "its scales do not fit the effects");
    }
    from.whole("voices", std::ssize(voices_), std::ssize(voices_));
    from.require(!voices_.empty(), "no score tells one effect from another");
    normalise();
}

void Attribution::normalise() {
    CMR_ASSERT(!voices_.empty(), "some score that counts has parts");
    double sum = 0;
    for (const Voice& voice : voices_) sum += voice.weight;
    for (Voice& voice : voices_) voice.weight /= sum;
}

void Attribution::save(Archive& to) const {
    to.put("voices", static_cast<double>(voices_.size()));
    for (const Voice& voice : voices_) {
        Archive own = to.below(voice.name);
        own.put("median", voice.median);
        own.put("deviation", voice.deviation);
    }
}

Matrix Attribution::operator()(const std::function<const Matrix*(const std::string&)>& parts) const {
    Eigen::MatrixXd sum;
    for (const Voice& voice : voices_) {
        const Matrix& own = *parts(voice.name);
        CMR_ASSERT(own.columns == voice.median.size(), "the effects that were fitted");
        if (sum.size() == 0) sum = Eigen::MatrixXd::Zero(own.rows, own.columns);
        for (int64_t i = 0; i < own.rows; ++i)
            for (int64_t c = 0; c < own.columns; ++c)
                sum(i, c) += voice.weight * evidence_of(LogScale{voice.median(c), voice.deviation(c)}.z(own.row(i)[c]));
    }
    Matrix out(sum.rows(), voices_.front().median.size());
    for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t c = 0; c < out.columns; ++c) out.row(i)[c] = static_cast<float>(sum(i, c));
    return out;
}

double Attribution::hit_rate(std::span<const ScorerKind* const> kinds, std::span<const CrossFitted> rehearsed,
                             std::span<const std::vector<int64_t>> channels) const {
    int64_t hits = 0, faults = 0;
    for (size_t set = 0; set < rehearsed.size(); ++set) {
        const Matrix residuals =
            (*this)([&](const std::string& name) { return &parts_of(kinds, rehearsed[set], name); });
        faults += residuals.rows;
        for (int64_t i = 0; i < residuals.rows; ++i)
            hits += std::ranges::max_element(residuals.row(i)) - residuals.row(i).begin() == channels[set][i];
    }
    return static_cast<double>(hits) / static_cast<double>(faults);
}

}  // namespace cmr::score
