// A detector as one safetensors file: the network as model_file.h has it; all else below "detector.", and as JSON and
// TOML in the metadata.

#include <cmath>

#include "base/error.h"
#include "base/version.h"
#include "io/json_fields.h"
#include "model/model_file.h"
#include "score/combine/robust.h"
#include "score/detector.h"
#include "score/file/ridge_archive.h"

namespace cmr::score {
namespace {

// What a file tells of each channel; numbers in full, because a float would round large offsets away.
struct ChannelFile {
    std::string name, group;
    bool effect = false, used = false;
    double mean = 0, deviation = 1, least = 0, most = 0;
};

struct StretchFile {
    double first_end_s = 0;
    int64_t windows = 0;
};

struct DetectorFile {
    int64_t schema = 1;
    std::string fold, fingerprint;
    int64_t fold_index = 0, seed = 0;
    std::vector<ChannelFile> channels;
    std::vector<ScorerReport> standings;
    std::vector<StretchFile> healthy;  // stretches of healthy windows
    double period_s = 0;
    std::vector<Calibration> calibration;  // none or one
    AlarmRule alarm;
};

template <typename C, typename T>
concept Is = std::is_same_v<std::remove_const_t<C>, T>;

template <Is<ChannelFile> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "");
    visit("group", c.group, "");
    visit("effect", c.effect, "");
    visit("used", c.used, "");
    visit("mean", c.mean, "");
    visit("deviation", c.deviation, "");
    visit("least", c.least, "");
    visit("most", c.most, "");
}

template <Is<StretchFile> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("first_end_s", c.first_end_s, "");
    visit("windows", c.windows, "");
}

template <Is<DetectorFile> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("schema", c.schema, "");
    visit("fold", c.fold, "");
    visit("fold_index", c.fold_index, "");
    visit("seed", c.seed, "");
    visit("fingerprint", c.fingerprint, "");
    visit("channels", c.channels, "");
    visit("standings", c.standings, "");
    visit("healthy", c.healthy, "");
    visit("period_s", c.period_s, "");
    visit("calibration", c.calibration, "");
    visit("alarm", c.alarm, "");
}

constexpr const char* kPrefix = "detector";

std::string metadata(const io::Safetensors& file, const std::string& key) {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end())
        throw InputError("{}: no \"{}\" in its metadata; it is not a detector that `cmr fit` wrote", file.source, key);
    return found->second;
}

void check(const DetectorFile& facts, const std::string& source) {
    const auto require = [&](bool condition, const std::string& what) {
        if (!condition) throw InputError("{}: {}", source, what);
    };
    require(facts.fold_index >= 0, "its fold has a negative number");
    for (const ChannelFile& c : facts.channels)
        require(c.deviation >= 0 && std::isfinite(c.deviation + c.mean + c.least + c.most),
                fmt::format("channel {} has mean {} and deviation {}", c.name, c.mean, c.deviation));
    require(facts.period_s > 0 && std::isfinite(facts.period_s), "its period is not positive");
    for (const StretchFile& s : facts.healthy)
        require(s.windows > 0 && std::isfinite(s.first_end_s), "a stretch of healthy windows is empty or has no time");
    require(facts.calibration.size() <= 1, "it is calibrated twice");
    for (const Calibration& c : facts.calibration)
        require(c.threshold > 0 && std::isfinite(c.threshold), fmt::format("its threshold is {}", c.threshold));
    check(facts.alarm);
}

std::vector<StretchFile> stretches_of(const HealthyTrace& trace) {
    std::vector<StretchFile> out;
    for (size_t i = 0; i < trace.stretch.size(); ++i) {
        if (i == 0 || trace.stretch[i] != trace.stretch[i - 1]) out.push_back({trace.end_s[i], 0});
        ++out.back().windows;
    }
    return out;
}

}  // namespace

void Detector::save(const std::filesystem::path& path) const {
    io::Safetensors file = model::to_safetensors(network_, path.string());
    file.metadata["recipe"] = origin_.recipe;
    DetectorFile facts{.fold = origin_.fold,
                       .fingerprint = origin_.fingerprint,
                       .fold_index = origin_.fold_index,
                       .seed = origin_.seed,
                       .channels = {},
                       .standings = reports_,
                       .healthy = stretches_of(healthy_),
                       .period_s = healthy_.period_s,
                       .calibration = {},
                       .alarm = rule_};
    if (calibration_) facts.calibration.push_back(*calibration_);
    const data::Scaler& scaler = preprocessing_->scaler;
    for (size_t i = 0; i < channels_.size(); ++i) {
        const auto& side = channels_[i].effect ? preprocessing_->effects : preprocessing_->causes;
        facts.channels.push_back({channels_[i].name, channels_[i].group, channels_[i].effect,
                                  std::ranges::find(side, static_cast<int64_t>(i)) != side.end(), scaler.mean[i],
                                  scaler.deviation[i], scaler.least[i], scaler.most[i]});
    }
    file.metadata["detector"] = io::to_json(facts).dump(-1, ' ', false, io::Json::error_handler_t::replace);

    const Archive archive(file, kPrefix);
    if (preprocessing_->inputs.innovation()) {
        Archive to = archive.below("innovation");
        put_ridge(to, preprocessing_->inputs.innovation()->ridge());
        to.put("lags", static_cast<double>(preprocessing_->inputs.innovation()->lags()));
    }
    for (size_t k = 0; k < kinds_.size(); ++k) {
        Archive to = archive.below("scores").below(std::string(kinds_[k]->name));
        scorers_[k]->save(to);
    }
    Archive learned = archive.below("learned"), combined = archive.below("combined"),
            localiser = archive.below("localiser");
    learned_.save(learned);
    combined_.save(combined);
    localiser_.save(localiser);
    Archive novelty = archive.below("novelty"), ranges = archive.below("ranges");
    novelty_->save(novelty);
    ranges_->save(ranges);
    Archive own = archive;
    own.put("healthy_scores", healthy_scores_);
    own.put("golden_causes", golden_causes_);
    own.put("golden_effects", golden_effects_);
    own.put("golden_scores", golden_scores_);
    io::write_safetensors(path, file);
}

Detector Detector::load(const std::filesystem::path& path) {
    io::Safetensors file = io::read_safetensors(path);
    Detector out;
    out.network_ = model::from_safetensors(file, /*bare=*/true);
    const bool learned = !out.network_.tensors.empty();
    DetectorFile facts;
    io::from_json(metadata(file, "detector"), file.source, "fact", facts);
    if (facts.schema != 1)
        throw InputError("{}: detector schema {}, but this is cmr {}, which reads schema 1", file.source, facts.schema,
                         kVersion);
    check(facts, file.source);
    out.origin_ = {metadata(file, "recipe"), facts.fold, facts.fold_index, facts.seed, facts.fingerprint,
                   metadata(file, "version")};
    out.recipe_ = recipe::parse_recipe(out.origin_.recipe, file.source);

    data::Scaler scaler;
    std::vector<int64_t> causes, effects;
    std::vector<data::Channel> cause_channels, effect_channels;
    for (const ChannelFile& channel : facts.channels) {
        const auto index = std::ssize(scaler.mean);
        scaler.mean.push_back(channel.mean);
        scaler.deviation.push_back(channel.deviation);
        scaler.least.push_back(static_cast<float>(channel.least));
        scaler.most.push_back(static_cast<float>(channel.most));
        out.channels_.push_back({channel.name, channel.effect, channel.group});
        if (!channel.used) continue;
        (channel.effect ? effects : causes).push_back(index);
        (channel.effect ? effect_channels : cause_channels).push_back(out.channels_.back());
    }
    const Archive archive(file, kPrefix);
    std::optional<linear::LaggedRidge> innovation;
    const std::string effect_input = model::effect_input(out.recipe_.model);
    if (effect_input != "signal") {
        const Archive from = archive.below("innovation");
        innovation = lagged_ridge_of(from, std::ssize(causes), std::ssize(effects), out.recipe_.window.length);
    }
    model::Inputs inputs(cause_channels, effect_channels, effect_input, std::move(innovation));
    out.preprocessing_ = std::make_unique<model::Preprocessing>(
        model::Preprocessing{std::move(scaler), causes, effects, std::move(inputs), out.network_.config});
    const auto same = [](const model::ChannelGroup& a, const model::ChannelGroup& b) {
        return a.name == b.name && a.effect == b.effect && a.channels == b.channels;
    };
    if (!std::ranges::equal(out.preprocessing_->inputs.groups(), out.network_.config.groups, same))
        throw InputError("{}: its channels do not fit its network", file.source);
    if (learned)
        out.embedder_ = std::make_unique<Embedder>(out.network_, out.preprocessing_->inputs,
                                                   EmbedOptions{.poolings = {out.recipe_.score.pooling}});
    out.reports_ = facts.standings;
    const Setting setting{out.recipe_, *out.preprocessing_};
    for (const ScorerReport& standing : facts.standings) {
        const ScorerKind& kind = scorer_named(standing.name);
        if (!kind.possible_with(out.network_))
            throw InputError("{}: the score \"{}\" needs a network, but there is none of its kind", file.source,
                             kind.name);
        out.kinds_.push_back(&kind);
        out.scorers_.push_back(kind.load(archive.below("scores").below(standing.name), setting));
    }
    out.learned_ = Combined(archive.below("learned"));
    out.combined_ = Combined(archive.below("combined"));
    out.localiser_ = Localiser(archive.below("localiser"));
    const bool embeds_causes = learned && setting.cause_features() > 0;
    const int64_t cause_features =
        embeds_causes ? 2 * setting.cause_features() : CauseNovelty::features(std::ssize(causes));
    out.novelty_ = std::make_unique<CauseNovelty>(archive.below("novelty"), std::ssize(causes), cause_features);
    out.ranges_ = std::make_unique<EffectRanges>(archive.below("ranges"), std::ssize(effects));
    const int64_t counted = std::ssize(out.counted());
    if (out.combined_.weights().size() != counted || out.learned_.weights().size() != counted ||
        out.localiser_.kind() >= counted || !out.kinds_[out.localiser_.kind()]->has_parts_with(out.network_) ||
        out.localiser_.channels() != setting.effects())
        throw InputError("{}: its scores do not fit together", file.source);

    out.healthy_scores_ = archive.matrix("healthy_scores");
    out.healthy_.period_s = facts.period_s;
    int64_t missing = out.healthy_scores_.rows;
    for (size_t s = 0; s < facts.healthy.size() && missing >= 0; ++s) {
        missing = facts.healthy[s].windows <= missing ? missing - facts.healthy[s].windows : -1;
        for (int64_t i = 0; missing >= 0 && i < facts.healthy[s].windows; ++i) {
            out.healthy_.end_s.push_back(facts.healthy[s].first_end_s + static_cast<double>(i) * facts.period_s);
            out.healthy_.stretch.push_back(static_cast<int32_t>(s));
        }
    }
    if (missing != 0 || out.healthy_scores_.columns != std::ssize(out.kinds_) + 2)
        throw InputError("{}: its healthy scores do not fit together", file.source);
    std::vector<float> combined;
    for (int64_t i = 0; i < out.healthy_scores_.rows; ++i) combined.push_back(out.healthy_scores_.row(i).back());
    out.healthy_.score.assign(combined.begin(), combined.end());
    out.tail_ = Tail(combined);
    if (!facts.calibration.empty()) out.calibration_ = facts.calibration.front();
    out.rule_ = facts.alarm;

    out.golden_causes_ = archive.matrix("golden_causes");
    out.golden_effects_ = archive.matrix("golden_effects");
    out.golden_scores_ = archive.matrix("golden_scores");
    out.check_golden(file.source);
    return out;
}

void Detector::check_golden(const std::string& source) const {
    constexpr double kNear = 1e-3;  // processors round differently
    const int64_t length = recipe_.window.length;
    if (golden_scores_.rows == 0 || golden_scores_.columns != std::ssize(kinds_) + 2 ||
        golden_causes_.rows != golden_scores_.rows || golden_effects_.rows != golden_scores_.rows ||
        golden_causes_.columns != length * std::ssize(preprocessing_->causes) ||
        golden_effects_.columns != length * std::ssize(preprocessing_->effects))
        throw InputError("{}: its golden windows do not fit together", source);
    const Matrix found = score(golden_causes_, golden_effects_).values;
    for (int64_t k = 0; k < found.columns; ++k) {
        std::vector<double> healthy;
        for (int64_t i = 0; i < healthy_scores_.rows; ++i) healthy.push_back(healthy_scores_.row(i)[k]);
        // Golden windows are in the banks, where nothing but rounding may be left of their own score.
        const double usual = std::max(median_of(std::move(healthy)), 1e-3);
        for (int64_t i = 0; i < found.rows; ++i) {
            const double was = golden_scores_.row(i)[k], is = found.row(i)[k];
            if (!(std::abs(is - was) <= kNear * std::max(std::abs(was), usual)))
                throw InputError(
                    "{}: damaged: golden window {} scores {:.6g} by {}, but scored {:.6g} when the file was written",
                    source, i, is, names()[k], was);
        }
    }
}

}  // namespace cmr::score
