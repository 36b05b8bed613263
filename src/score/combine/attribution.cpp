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
    for (size_t k = 0; k < combined.voices().size(); ++k) {
        const std::string& name = combined.voices()[k];
        const Matrix& parts = parts_of(kinds, judged, name);
        if (parts.columns == 0) continue;
        const bool learned = scorer_named(name).learned() && !rows.empty();
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
            {name, static_cast<int64_t>(k), linear::to_float_precision(median), linear::to_float_precision(deviation)});
    }
    CMR_ASSERT(!voices_.empty(), "some voice has parts");
}

Attribution::Attribution(const Archive& from, const Combined& combined, int64_t effects) {
    for (size_t k = 0; k < combined.voices().size(); ++k) {
        const std::string& name = combined.voices()[k];
        const Archive own = from.below(name);
        if (!own.has("median")) continue;
        own.require(scorer_named(name).parts, "this score has no parts");
        voices_.push_back({name, static_cast<int64_t>(k), own.vector("median"), own.vector("deviation")});
        own.require(voices_.back().median.size() == effects && voices_.back().deviation.size() == effects &&
                        (voices_.back().deviation.array() > 0).all(),
                    "its scales do not fit the effects");
    }
    from.whole("voices", std::ssize(voices_), std::ssize(voices_));
    from.require(!voices_.empty(), "no score tells one effect from another");
}

void Attribution::save(Archive& to) const {
    to.put("voices", static_cast<double>(voices_.size()));
    for (const Voice& voice : voices_) {
        Archive own = to.below(voice.name);
        own.put("median", voice.median);
        own.put("deviation", voice.deviation);
    }
}

Matrix Attribution::operator()(const std::function<const Matrix*(const std::string&)>& parts,
                               const MatrixView& voices) const {
    const int64_t effects = voices_.front().median.size();
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(voices.rows, effects);
    Eigen::VectorXd all = Eigen::VectorXd::Zero(voices.rows);
    for (const Voice& voice : voices_) {
        const Matrix& own = *parts(voice.name);
        CMR_ASSERT(own.rows == voices.rows && own.columns == effects, "the windows that were judged");
        for (int64_t i = 0; i < own.rows; ++i) {
            const double says = evidence_of(voices.row(i)[voice.column]);
            all(i) += says;
            for (int64_t c = 0; c < effects; ++c)
                sum(i, c) += says * evidence_of(LogScale{voice.median(c), voice.deviation(c)}.z(own.row(i)[c]));
        }
    }
    Matrix out(voices.rows, effects);
    for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t c = 0; c < effects; ++c)
            out.row(i)[c] = all(i) > 0 ? static_cast<float>(sum(i, c) / all(i)) : 0.0f;
    return out;
}

}  // namespace cmr::score
