#include "score/pipeline.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>

#include "base/error.h"
#include "data/memory.h"
#include "score/health/absent.h"

namespace cmr::score {
namespace {

// Calls visit(some windows) from the first to the last.
template <typename Visit>
void for_some(const FeatureExtractor& features, const std::vector<data::Window>& windows, const Visit& visit) {
    const model::Preprocessing& used = features.preprocessing();
    const int64_t some = data::windows_at_a_time(std::ssize(used.causes) + std::ssize(used.effects), features.length());
    for (int64_t first = 0; first < std::ssize(windows); first += some)
        visit(std::vector(windows.begin() + first, windows.begin() + std::min(std::ssize(windows), first + some)));
}

Matrix append_column(const MatrixView& to, const std::vector<float>& column) {
    Matrix out(to.rows, to.columns + 1);
    for (int64_t i = 0; i < out.rows; ++i) {
        std::ranges::copy(to.row(i), out.row(i).begin());
        out.row(i)[to.columns] = column[i];
    }
    return out;
}

}  // namespace

std::vector<float> Scores::column(const std::string& name) const {
    const int64_t k = NamedScores{names, values}.column(name);
    std::vector<float> out(values.rows);
    for (int64_t i = 0; i < values.rows; ++i) out[i] = values.row(i)[k];
    return out;
}

void Scores::append(const std::string& name, const std::vector<float>& column) {
    values = append_column(values, column);
    names.push_back(name);
}

Pipeline::Pipeline(FeatureExtractor features, std::vector<NamedScorer> scorers, Combined combined,
                   Attribution attribution, CauseNovelty novelty)
    : features_(std::move(features)),
      scorers_(std::move(scorers)),
      combined_(std::move(combined)),
      attribution_(std::move(attribution)),
      novelty_(std::move(novelty)) {
    for (const NamedScorer& each : scorers_) names_.push_back(each.name());
    names_.emplace_back("combined");
}

Gates Pipeline::gates() const {
    for (const NamedScorer& each : scorers_)
        if (each.kind->learned() && each.scorer->gates()) return *each.scorer->gates();
    return {};
}

const linear::LaggedRidge& Pipeline::mechanism() const {
    for (const NamedScorer& each : scorers_)
        if (const linear::LaggedRidge* found = each.scorer->mechanism()) return *found;
    throw InternalError("no score has a mechanism, though one is always fitted");
}

Eigen::MatrixXd Pipeline::drives() const {
    for (const NamedScorer& each : scorers_)
        if (const linear::DynamicRidge* found = each.scorer->memory()) return found->drives();
    return {};
}

Matrix Pipeline::unexplained(const Features& windows) const {
    Matrix out;
    for (const NamedScorer& each : scorers_) {
        const bool replaced = std::ranges::any_of(
            scorers_, [&](const NamedScorer& other) { return other.kind->instead_of == each.kind->name; });
        if (replaced || out.columns > 0) continue;
        out = each.scorer->unexplained(windows);
    }
    return out;
}

Matrix Pipeline::with_combined(const MatrixView& single) const {
    return append_column(single, combined_({std::span(names_).first(scorers_.size()), single}));
}

Scores Pipeline::score(const Features& windows) const {
    Scores out{names_, {}, {}, {}, novelty_.levels(windows)};
    Matrix single(windows.rows(), std::ssize(scorers_));
    std::map<std::string, Matrix> parts;
    for (size_t k = 0; k < scorers_.size(); ++k) {
        Judged judged = scorers_[k].scorer->judge(windows);
        for (int64_t i = 0; i < single.rows; ++i) single.row(i)[k] = judged.scores[i];
        parts[names_[k]] = std::move(judged.by_channel);
    }
    const Matrix voices = combined_.voices_of({std::span(names_).first(scorers_.size()), single});
    out.values = append_column(single, Combined::join(voices));
    out.residuals = attribution_([&](const std::string& name) { return &parts.at(name); }, voices);
    for (const data::Channel& channel : preprocessing().inputs.effects()) out.channels.push_back(channel.name);
    return out;
}

template <typename Embed>
Scores Pipeline::score_cut(Features cut, const Embed& embed) const {
    const std::vector<Absence> absent = fill_absent(mechanism(), cut, features_.length());
    Scores out = score(embed(std::move(cut)));
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    for (int64_t i = 0; i < out.values.rows; ++i) {
        for (const int64_t effect : absent[i].effects) out.residuals.row(i)[effect] = kNone;
        if (!absent[i].unjudged()) continue;
        std::ranges::fill(out.values.row(i), kNone);
        std::ranges::fill(out.residuals.row(i), kNone);
        out.cause_levels[i] = kNone;
    }
    return out;
}

Features Pipeline::samples_of(const data::Dataset& dataset, const std::vector<data::Window>& windows) const {
    Features cut = features_.samples(dataset, windows);
    fill_absent(mechanism(), cut, features_.length());
    return cut;
}

Features Pipeline::features_of(const data::Dataset& dataset, const std::vector<data::Window>& windows) const {
    Features cut = samples_of(dataset, windows);
    return features_(std::move(cut.causes), std::move(cut.effects));
}

Scores Pipeline::score(const MatrixView& raw) const {
    Features cut;
    cut.causes = preprocessing().cause_windows(raw, features_.length());
    cut.effects = preprocessing().effect_windows(raw, features_.length());
    return score_cut(std::move(cut),
                     [&](Features own) { return features_(std::move(own.causes), std::move(own.effects)); });
}

Scores Pipeline::score(const data::Dataset& dataset, const std::vector<data::Window>& windows,
                       EmbeddingCapture* capture) const {
    std::optional<Embedder> own;
    if (capture && features_.has_network()) own.emplace(features_.embedder(capture->options));
    Scores out = score(features_(dataset, {}));
    using Clock = std::chrono::steady_clock;
    const auto between = [](Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double>(to - from).count();
    };
    for_some(features_, windows, [&](const std::vector<data::Window>& some) {
        Features all;
        const auto start = Clock::now();
        Features samples = features_.samples(dataset, some);
        const auto cut_at = Clock::now();
        double network = 0;
        const Scores more = score_cut(std::move(samples), [&](Features cut) -> const Features& {
            const auto begin = Clock::now();
            all = own ? own->embed(std::move(cut.causes), std::move(cut.effects))
                      : features_(std::move(cut.causes), std::move(cut.effects));
            network = between(begin, Clock::now());
            return all;
        });
        out.seconds.samples += between(start, cut_at);
        out.seconds.network += network;
        out.seconds.scorers += between(cut_at, Clock::now()) - network;
        append_rows(out.values, more.values);
        append_rows(out.residuals, more.residuals);
        out.cause_levels.insert(out.cause_levels.end(), more.cause_levels.begin(), more.cause_levels.end());
        if (!capture) return;
        all.drop_samples();
        all.drop(kUnforetold);
        capture->pooled.append(all);
    });
    return out;
}

Features embed(const FeatureExtractor& features, const data::Dataset& dataset, const std::vector<data::Window>& windows,
               const EmbedOptions& options) {
    if (!features.has_network()) return {};
    const Embedder own = features.embedder(options);
    Features out;
    for_some(features, windows, [&](const std::vector<data::Window>& some) {
        Features cut = features.samples(dataset, some);
        Features more = own.embed(std::move(cut.causes), std::move(cut.effects));
        more.drop_samples();
        out.append(more);
    });
    return out;
}

}  // namespace cmr::score
