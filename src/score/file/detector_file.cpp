#include "score/file/detector_file.h"

#include <cmath>

#include "base/error.h"
#include "base/quantile.h"
#include "base/version.h"
#include "io/json_fields.h"
#include "kernels/precision.h"
#include "model/model_file.h"
#include "score/file/facts.h"
#include "score/file/ridge_archive.h"

namespace cmr::score {
namespace {

constexpr const char* kPrefix = "detector";

// A detector while it is loaded, part by part.
struct Loading {
    std::string source;
    DetectorFacts facts;
    recipe::Recipe recipe;
    model::Model network;
    std::vector<data::Channel> channels;
    std::optional<model::Preprocessing> preprocessing;
    std::vector<NamedScorer> scorers;
    std::vector<std::string> names;  // of the scorers
    Combined combined;
    Attribution attribution;
    std::optional<CauseNovelty> novelty;
    std::optional<ChannelRanges> ranges;
    ChannelRanges cause_ranges, residual_ranges;
    Matrix healthy_scores;
    Conditions conditions;
    SensorHealth health;
    GoldenWindows golden;

    Setting setting() const { return {recipe, *preprocessing}; }
};

void save_innovation(const Detector& detector, Archive& to) {
    const auto& innovation = detector.pipeline.preprocessing().inputs.innovation();
    if (!innovation) return;
    put_ridge(to, innovation->ridge());
    to.put("lags", static_cast<double>(innovation->lags()));
}

// Scales, channels and the network's inputs; those of an innovation are all that has tensors.
void load_preprocessing(Loading& into, const Archive& innovation) {
    data::Scaler scaler;
    std::vector<int64_t> causes, effects;
    std::vector<data::Channel> cause_channels, effect_channels;
    for (const ChannelFacts& channel : into.facts.channels) {
        const auto index = std::ssize(scaler.mean);
        scaler.mean.push_back(channel.mean);
        scaler.deviation.push_back(channel.deviation);
        scaler.least.push_back(static_cast<float>(channel.least));
        scaler.most.push_back(static_cast<float>(channel.most));
        into.channels.push_back({channel.name, channel.effect, channel.group});
        if (!channel.used) continue;
        (channel.effect ? effects : causes).push_back(index);
        (channel.effect ? effect_channels : cause_channels).push_back(into.channels.back());
    }
    std::optional<linear::LaggedRidge> mechanism;
    const std::string effect_input = model::effect_input(into.recipe.model);
    if (effect_input != "signal")
        mechanism = lagged_ridge_of(innovation, std::ssize(causes), std::ssize(effects), into.recipe.window.length);
    model::Inputs inputs(cause_channels, effect_channels, effect_input, std::move(mechanism));
    const auto same = [](const model::ChannelGroup& a, const model::ChannelGroup& b) {
        return a.name == b.name && a.effect == b.effect && a.channels == b.channels;
    };
    if (!std::ranges::equal(inputs.groups(), into.network.config.groups, same))
        throw InputError("{}: its channels do not fit its network", into.source);
    into.preprocessing =
        model::Preprocessing{std::move(scaler), causes, effects, std::move(inputs), into.network.config};
}

void save_scorers(const Detector& detector, Archive& to) {
    for (const NamedScorer& each : detector.pipeline.scorers()) {
        Archive own = to.below(each.name());
        each.scorer->save(own);
    }
}

void load_scorers(Loading& into, const Archive& from) {
    for (const std::string& name : into.facts.scorers) {
        const ScorerKind& kind = scorer_named(name);
        if (!kind.possible_with(into.network))
            throw InputError("{}: the score \"{}\" needs a network, but there is none of its kind", into.source,
                             kind.name);
        into.scorers.push_back({&kind, kind.load(from.below(name), into.setting())});
        into.names.push_back(name);
    }
    if (std::ranges::none_of(into.scorers, [](const NamedScorer& each) { return each.scorer->mechanism(); }))
        throw InputError("{}: none of its scores has a mechanism to explain alarms with", into.source);
}

void load_novelty(Loading& into, const Archive& from) {
    const int64_t causes = into.setting().causes(), embedded = into.setting().features().causes;
    const bool embeds_causes = !into.network.tensors.empty() && embedded > 0;
    into.novelty.emplace(from, causes, embeds_causes ? 2 * embedded : CauseNovelty::features(causes));
    if (from.has("still"))
        from.require(from.vector("still").size() == std::ssize(into.channels), "whether each channel stood still");
}

// Schema 5 has none of these: channels are as odd as can be told from their scale.
ChannelRanges ranges_of(const Loading& into, const Archive& from, int64_t channels) {
    return into.facts.schema >= 6 ? ChannelRanges(from, channels) : ChannelRanges(channels);
}

void load_health(Loading& into, const Archive& from) {
    if (into.facts.schema >= 6) into.health = SensorHealth(from, std::ssize(into.channels));
}

// Scaled windows of causes and effects, as schema 5 has them, in the plant's own units.
Matrix unscaled(const model::Preprocessing& preprocessing, const Matrix& causes, const Matrix& effects,
                int64_t length) {
    const data::Scaler& scaler = preprocessing.scaler;
    Matrix out(causes.rows, std::ssize(scaler.mean) * length);
    const auto put = [&](const std::vector<int64_t>& channels, const Matrix& scaled) {
        for (int64_t i = 0; i < out.rows; ++i)
            for (int64_t k = 0; k < std::ssize(channels) * length; ++k) {
                const int64_t c = channels[k / length];
                out.row(i)[c * length + k % length] =
                    static_cast<float>(scaled.row(i)[k] * (scaler.deviation[c] + 1e-8) + scaler.mean[c]);
            }
    };
    put(preprocessing.causes, causes);
    put(preprocessing.effects, effects);
    return out;
}

void load_golden(Loading& into, const Archive& from) {
    into.golden.scores = from.matrix("scores");
    if (into.facts.schema >= 6) {
        into.golden.samples = from.matrix("samples");
        return;
    }
    const Matrix causes = from.matrix("causes"), effects = from.matrix("effects");
    const int64_t length = into.recipe.window.length;
    from.require(causes.rows == effects.rows && causes.columns == length * into.setting().causes() &&
                     effects.columns == length * into.setting().effects(),
                 "its windows do not fit together");
    into.golden.samples = unscaled(*into.preprocessing, causes, effects, length);
}

// What a file holds: each part below a name of its own, in the order in which loading needs them.
struct Part {
    const char* name;
    void (*save)(const Detector& detector, Archive& to);
    void (*load)(Loading& into, const Archive& from);
};

constexpr Part kParts[] = {
    {"innovation", save_innovation, load_preprocessing},
    {"scores", save_scorers, load_scorers},
    {"combined", [](const Detector& d, Archive& to) { d.pipeline.combined().save(to); },
     [](Loading& into, const Archive& from) { into.combined = Combined(from, into.names); }},
    {"attribution", [](const Detector& d, Archive& to) { d.pipeline.attribution().save(to); },
     [](Loading& into, const Archive& from) {
         into.attribution = Attribution(from, into.combined, into.setting().effects());
     }},
    {"healthy", [](const Detector& d, Archive& to) { to.put("scores", d.healthy.scores); },
     [](Loading& into, const Archive& from) { into.healthy_scores = from.matrix("scores"); }},
    {"novelty", [](const Detector& d, Archive& to) { d.pipeline.novelty().save(to); }, load_novelty},
    {"ranges", [](const Detector& d, Archive& to) { d.explainer.ranges.save(to); },
     [](Loading& into, const Archive& from) { into.ranges.emplace(from, into.setting().effects()); }},
    {"cause-ranges", [](const Detector& d, Archive& to) { d.explainer.cause_ranges.save(to); },
     [](Loading& into, const Archive& from) { into.cause_ranges = ranges_of(into, from, into.setting().causes()); }},
    {"residual-ranges", [](const Detector& d, Archive& to) { d.explainer.residual_ranges.save(to); },
     [](Loading& into, const Archive& from) {
         into.residual_ranges = ranges_of(into, from, into.setting().effects());
     }},
    {"conditions", [](const Detector& d, Archive& to) { d.conditions.save(to); },
     [](Loading& into, const Archive& from) { into.conditions = Conditions(from, std::ssize(into.channels)); }},
    {"health", [](const Detector& d, Archive& to) { d.health.save(to); }, load_health},
    {"golden",
     [](const Detector& d, Archive& to) {
         to.put("samples", d.golden.samples);
         to.put("scores", d.golden.scores);
     },
     load_golden},
};

std::string metadata(const io::Safetensors& file, const std::string& key) {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end())
        throw InputError("{}: no \"{}\" in its metadata; it is not a detector that `cmr fit` wrote", file.source, key);
    return found->second;
}

DetectorFacts read_facts(const io::Safetensors& file) {
    const std::string text = metadata(file, "detector");
    // Files of other schemas have other facts, so the schema is read first.
    const io::Json json = io::Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (json.is_object() && json.contains("schema") && json["schema"].is_number_integer() &&
        (json["schema"].get<int64_t>() < kOldestSchema || json["schema"].get<int64_t>() > kDetectorSchema))
        throw InputError(
            "{}: detector schema {}, written by cmr {}; this is cmr {}, which reads schema {} to {}: fit it again "
            "(`cmr fit` with its recipe and data)",
            file.source, json["schema"].get<int64_t>(), metadata(file, "version"), version(), kOldestSchema,
            kDetectorSchema);
    DetectorFacts out;
    io::from_json(text, file.source, "fact", out);
    check(out, file.source);
    return out;
}

// How far the scores of golden windows may be from those in the file, as a share of usual ones. Processors round
// differently; bf16 keeps 8 bits of a number, and a file fitted in another precision was judged with more.
double nearness(const model::Config& config) {
    const kernels::Precision scoring = config.scoring_precision();
    return scoring == kernels::Precision::bf16 && config.precision != kernels::name(scoring) ? 0.3 : 1e-3;
}

void check_golden(const Detector& detector, const std::string& source) {
    const double near = nearness(detector.pipeline.features().network().config);
    const GoldenWindows& golden = detector.golden;
    if (golden.scores.rows == 0 || golden.scores.columns != std::ssize(detector.names()) ||
        golden.samples.rows != golden.scores.rows ||
        golden.samples.columns != detector.recipe.window.length * std::ssize(detector.channels))
        throw InputError("{}: its golden windows do not fit together", source);
    const Matrix found = detector.pipeline.score(golden.samples).values;
    for (int64_t k = 0; k < found.columns; ++k) {
        std::vector<double> healthy;
        for (int64_t i = 0; i < detector.healthy.scores.rows; ++i) healthy.push_back(detector.healthy.scores.row(i)[k]);
        // Golden windows are in the banks, where nothing but rounding may be left of their own score.
        const double usual = std::max(median_of(std::move(healthy)), 1e-3);
        for (int64_t i = 0; i < found.rows; ++i) {
            const double was = golden.scores.row(i)[k], is = found.row(i)[k];
            if (!(std::abs(is - was) <= near * std::max(std::abs(was), usual)))
                throw InputError(
                    "{}: damaged: golden window {} scores {:.6g} by {}, but scored {:.6g} when the file was written",
                    source, i, is, detector.names()[k], was);
        }
    }
}

}  // namespace

void save_detector(const Detector& detector, const std::filesystem::path& path) {
    io::Safetensors file = model::to_safetensors(detector.pipeline.features().network(), path.string());
    file.metadata["recipe"] = detector.provenance.recipe;
    file.metadata["detector"] = io::to_text(io::to_json(facts_of(detector)));
    if (!detector.provenance.added.empty())
        file.metadata["added"] = io::to_text(io::to_json(detector.provenance.added));
    for (const Part& part : kParts) {
        Archive to = Archive(file, kPrefix).below(part.name);
        part.save(detector, to);
    }
    io::write_safetensors(path, file);
}

Detector load_detector(const std::filesystem::path& path) {
    io::Safetensors file = io::read_safetensors(path);
    if (!file.digest)
        throw InputError(
            "{}: no digest in its metadata, so nothing tells whether it is what `cmr fit` wrote: fit it again",
            file.source);
    Loading parts;
    parts.source = file.source;
    parts.facts = read_facts(file);
    Provenance provenance{metadata(file, "recipe"), parts.facts.fold,        parts.facts.fold_index,
                          parts.facts.seed,         parts.facts.fingerprint, metadata(file, "version")};
    if (const auto added = file.metadata.find("added"); added != file.metadata.end())
        io::from_json(added->second, file.source, "addition", provenance.added);
    parts.recipe = recipe::parse_recipe(provenance.recipe, file.source);
    parts.network = model::from_safetensors(file, /*bare=*/true);
    for (const Part& part : kParts) part.load(parts, Archive(file, kPrefix).below(part.name));

    if (parts.healthy_scores.columns != std::ssize(parts.names) + 1)
        throw InputError("{}: its healthy scores do not fit together", file.source);
    HealthyTrace trace = trace_of(parts.facts, parts.healthy_scores.rows, file.source);
    const bool foretelling =
        std::ranges::any_of(parts.scorers, [](const NamedScorer& each) { return each.scorer->needs_foretelling(); });
    FeatureExtractor features(std::move(*parts.preprocessing), std::move(parts.network), parts.recipe.window.length,
                              {.poolings = {parts.recipe.score.pooling}, .foretelling = foretelling});
    HealthyScores healthy(std::move(parts.healthy_scores), std::move(trace), parts.recipe);
    Detector out{
        .provenance = std::move(provenance),
        .recipe = std::move(parts.recipe),
        .channels = std::move(parts.channels),
        .fold = fold_of(parts.facts.windows),
        .pipeline = Pipeline(std::move(features), std::move(parts.scorers), std::move(parts.combined),
                             std::move(parts.attribution), std::move(*parts.novelty)),
        .explainer = {std::move(*parts.ranges), std::move(parts.cause_ranges), std::move(parts.residual_ranges)},
        .healthy = std::move(healthy),
        .alarm = {{}, parts.facts.alarm},
        .conditions = std::move(parts.conditions),
        .health = std::move(parts.health),
        .golden = std::move(parts.golden)};
    if (!parts.facts.calibration.empty()) out.alarm.calibration = parts.facts.calibration.front();
    check_golden(out, file.source);
    return out;
}

}  // namespace cmr::score
