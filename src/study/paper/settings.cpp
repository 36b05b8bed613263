// The paper's data, settings and networks beside those that our runs were made with.

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/text.h"
#include "io/table.h"
#include "model/parameters.h"
#include "study/paper/items.h"

namespace cmr::study::paper {
namespace {

using recipe::Recipe;

// Ours stays empty: it is fixed in code that this module does not see (AdamW and its betas in
// train/networks/optimiser.h) or that no constant names (where norms and activations stand, and how the decoders pad,
// in model and train/networks).
constexpr auto kFixed = nullptr;

struct Question {
    const char* name;
    std::array<const char*, 3> published;  // Paderborn, ZeMA, SWaT
    // Of cmr: its resolved recipe and its finished fits, one at least.
    std::string (*ours)(const Recipe& recipe, const Fits& fits);
};

std::string text(double value) { return fmt::format("{:g}", value); }

// All of a few, the number of many.
std::string listed(const std::vector<std::string>& names) {
    return names.size() > 3 ? std::to_string(names.size()) : fmt::format("{}", fmt::join(names, ", "));
}

std::string weights(const Recipe& r, const Fits&) {
    return fmt::format("{:g}, {:g}, {:g}", r.model.mechanism_weight, r.model.effect_weight, r.model.cause_weight);
}
std::string main_score(const Recipe& r, const Fits&) { return r.score.main; }
std::string k_and_metric(const Recipe& r, const Fits&) { return fmt::format("{}, {}", r.score.k, r.score.metric); }
std::string learning_rate(const Recipe& r, const Fits&) { return text(r.train.learning_rate); }
std::string weight_decay(const Recipe& r, const Fits&) { return text(r.train.weight_decay); }
std::string clip(const Recipe& r, const Fits&) { return text(r.train.clip); }
std::string max_epochs(const Recipe& r, const Fits&) { return std::to_string(r.train.max_epochs); }
std::string train_windows(const Recipe&, const Fits& fits) { return with_commas(fits.front()->train_windows); }
std::string rate(const Recipe& r, const Fits&) { return text(r.data.rate_hz); }
std::string window(const Recipe& r, const Fits&) { return with_commas(r.window.length); }

// Seeds or folds, in the order of the study.
std::vector<int64_t> different(const Fits& fits, int64_t Result::*number) {
    std::vector<int64_t> out;
    for (const Result* fit : fits)
        if (std::ranges::find(out, fit->*number) == out.end()) out.push_back(fit->*number);
    return out;
}
std::string seeds(const Recipe&, const Fits& fits) {
    return fmt::format("{}", fmt::join(different(fits, &Result::seed), ", "));
}
std::string runs(const Recipe&, const Fits& fits) {
    const size_t folds = different(fits, &Result::fold).size(), runs_of_each = different(fits, &Result::seed).size();
    const auto counted = [](size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
    return (folds == 1 ? "" : counted(folds, "fold") + ", ") + counted(runs_of_each, "seed");
}
std::string split(const Recipe& r, const Fits&) {
    const std::string& kind = r.split.kind;
    return kind == "leave-units-out" ? fmt::format("{}, {}", kind, r.split.leave_out) : kind;
}
const ScoreResult* reported(const Fits& fits) { return fits.front()->score(fits.front()->main_score); }
std::string primary_metric(const Recipe&, const Fits& fits) {
    const ScoreResult* main = reported(fits);
    return main && std::isfinite(main->point_f1) ? "AUROC, point-wise F1" : "AUROC";
}
std::string strata(const Recipe&, const Fits& fits) {
    const ScoreResult* main = reported(fits);
    if (!main) return "";
    if (!main->stealth.empty()) return "stealthy, blunt";
    std::vector<std::string> out;
    for (const StratumResult& stratum : main->strata) out.push_back(stratum.name);
    return listed(out);
}
// By the protocol "strict" rows that stand for others are left out, and no result says how many.
std::string reference_bank(const Recipe& r, const Fits& fits) {
    return r.split.protocol == "paper" ? with_commas(fits.front()->train_windows) + " training windows" : "";
}

std::string amount(const Recipe& r, const char* state, int64_t windows) {
    int64_t machines = 0;
    for (const recipe::Unit& unit : r.data.unit)
        if (unit.state == state) machines += std::ssize(io::expand_names(unit.names));
    const std::string count = with_commas(windows) + " windows";
    return machines > 0 ? fmt::format("{} machines, {}", machines, count) : count;
}
// As the paper counts them: those of training, and those held out where they are tested. By the protocol "strict" there
// are others then, for validation, of which no result keeps the number.
std::string healthy_data(const Recipe& r, const Fits& fits) {
    const Result& fit = *fits.front();
    const bool held_out_tested = r.split.held_out == "validation+test";
    if (held_out_tested && r.split.protocol != "paper") return "";
    return amount(r, "healthy", fit.train_windows + (held_out_tested ? fit.healthy_windows : 0));
}
std::string faulty_data(const Recipe& r, const Fits& fits) { return amount(r, "faulty", fits.front()->faulty_windows); }

std::string channels(const Recipe& r, const char* role) {
    std::vector<std::string> out;
    for (const recipe::Channels& some : r.channels)
        if (some.role == role)
            for (std::string& name : io::expand_names(some.names)) out.push_back(std::move(name));
    return listed(out);
}
std::string causes(const Recipe& r, const Fits&) { return channels(r, "cause"); }
std::string effects(const Recipe& r, const Fits&) { return channels(r, "effect"); }

// No result says which channels [screening] left out.
constexpr const char* kScreening = "Channels of ours are those of the recipe, before what never moves is left out. ";
model::Config network(const Recipe& r) {
    model::Config out;
    static_cast<recipe::Model&>(out) = r.model;
    for (const recipe::Channels& some : r.channels)
        out.groups.push_back({some.group, some.role == "effect", std::ssize(io::expand_names(some.names))});
    return out;
}
std::string encoders(const Recipe& r, bool of_effects) {
    std::vector<std::string> out;
    for (const model::ChannelGroup& group : network(r).groups)
        if (group.effect == of_effects)
            out.push_back(group.name +
                          (group.channels == 1 ? " (dedicated)" : fmt::format(" (shared on {})", group.channels)));
    return listed(out);
}
int64_t receptive_tokens(const Recipe& r) { return 1 + r.model.predictor_blocks * (r.model.predictor_kernel - 1); }
std::string receptive_field(const Recipe& r, const Fits&) {
    const auto samples = static_cast<double>(receptive_tokens(r) * r.model.stem_stride);
    return fmt::format("{} tokens, {:.3g} s", receptive_tokens(r), samples / r.data.rate_hz);
}

// Tensors whose names begin and end so.
std::vector<model::ParameterSpec> tensors(const Recipe& r, std::string_view begin, std::string_view end) {
    std::vector<model::ParameterSpec> out = model::parameter_specs(network(r));
    std::erase_if(out, [&](const auto& spec) { return !spec.name.starts_with(begin) || !spec.name.ends_with(end); });
    return out;
}
// The weight of a decoder's layer, of which the first is as all are; none where nothing is decoded.
std::vector<int64_t> decoder_shape(const Recipe& r, const std::string& layer) {
    const auto found = tensors(r, "decoders.", "." + layer + ".weight");
    return found.empty() ? std::vector<int64_t>() : found.front().shape;
}
std::string features(int64_t in, int64_t out) { return fmt::format("{} → {}", in, out); }
std::string convolution(const Recipe& r, const char* layer) {
    const auto shape = decoder_shape(r, layer);  // [out, in, taps]
    return shape.empty() ? "" : features(shape[1], shape[0]);
}
std::string transposed(const Recipe& r, const char* layer) {
    const auto shape = decoder_shape(r, layer);  // [in, out, taps]
    return shape.empty() ? "" : features(shape[0], shape[1]);
}

void ask(const Sets& sets, const std::vector<Question>& questions, Exhibit& out) {
    out.corner = "setting";
    out.columns = {"pu", "zema", "swat"};
    const std::array<const Set*, 3> all = {&sets.pu, &sets.zema, &sets.swat};
    for (const Question& question : questions) {
        std::vector<Entry> cells;
        for (size_t i = 0; i < all.size(); ++i) {
            const Fits fits = all[i]->fits("cmr");
            Entry& cell = cells.emplace_back(words("", question.published[i]));
            cell.asked = question.ours != kFixed;
            if (cell.asked && all[i]->recipe() && !fits.empty()) cell.words = question.ours(*all[i]->recipe(), fits);
        }
        out.add(question.name, std::move(cells));
    }
}

}  // namespace

void settings_summary(const Sets& sets, Exhibit& out) {
    ask(sets,
        {{"γ, α_y, α_x", {"0.2, 1, 0.75", "0.2, 1, 0", "0.2, 1, 0"}, weights},
         {"optimiser", {"AdamW", "AdamW", "AdamW"}, kFixed},
         {"learning rate", {"0.0005", "0.0005", "0.0005"}, learning_rate},
         {"weight decay", {"1e-05", "1e-05", "1e-05"}, weight_decay},
         {"gradient clip", {"1", "1", "1"}, clip},
         {"epochs at most", {"100", "200", "150"}, max_epochs},
         {"reported score", {"knn", "knn", "residual"}, main_score},
         {"k, metric", {"1, cosine", "20, l2", "5, l2"}, k_and_metric},
         {"runs reported", {"15 folds", "3 seeds", "3 seeds"}, runs},
         {"primary metric", {"AUROC", "AUROC", "AUROC, point-wise F1"}, primary_metric}},
        out);
}

void training_inference(const Sets& sets, Exhibit& out) {
    ask(sets,
        {{"γ, α_y, α_x", {"0.2, 1, 0.75", "0.2, 1, 0", "0.2, 1, 0"}, weights},
         {"optimiser", {"AdamW", "AdamW", "AdamW"}, kFixed},
         {"learning rate", {"0.0005", "0.0005", "0.0005"}, learning_rate},
         {"weight decay", {"1e-05", "1e-05", "1e-05"}, weight_decay},
         {"β₁, β₂", {"0.9, 0.999", "0.9, 0.999", "0.9, 0.999"}, kFixed},
         {"warm-up, epochs",
          {"5", "5", "5"},
          [](const Recipe& r, const Fits&) { return std::to_string(r.train.warmup_epochs); }},
         {"schedule", {"cosine", "plateau", "plateau"}, [](const Recipe& r, const Fits&) { return r.train.schedule; }},
         {"gradient clip", {"1", "1", "1"}, clip},
         {"batch", {"12", "32", "32"}, [](const Recipe& r, const Fits&) { return std::to_string(r.train.batch); }},
         {"epochs at most", {"100", "200", "150"}, max_epochs},
         {"patience, epochs",
          {"10", "15", "15"},
          [](const Recipe& r, const Fits&) { return std::to_string(r.train.patience); }},
         {"training windows", {"≈ 4,500", "415", "3,142"}, train_windows},
         {"seconds of a fit",
          {"≈ 3 h", "≈ 20 min", "≈ 3.3 h"},
          [](const Recipe&, const Fits& fits) { return fmt::format("{:.0f}", fits.front()->fit_seconds); }},
         {"hardware",
          {"Shared cluster (RTX A4000, RTX 4000/4500 Ada, L40S, A100 40 GB)",
           "Shared cluster (RTX A4000, RTX 4000/4500 Ada, L40S, A100 40 GB)",
           "Shared cluster (RTX A4000, RTX 4000/4500 Ada, L40S, A100 40 GB)"},
          [](const Recipe&, const Fits& fits) {
              return fmt::format("{} threads, {}", fits.front()->threads, fits.front()->isa);
          }},
         {"reported score", {"knn", "knn", "residual, knn"}, main_score},
         {"pooling", {"std", "std", "std"}, [](const Recipe& r, const Fits&) { return r.score.pooling; }},
         {"k, metric", {"1, cosine", "20, l2", "5, l2"}, k_and_metric},
         {"reference bank", {"all training windows", "415 healthy cycles", "3,142 healthy windows"}, reference_bank},
         {"validation", {"leave-two-out", "temporal split", "normal/attack split"}, split},
         {"runs reported", {"15 (6 choose 2 pairs)", "3 seeds", "3 seeds"}, runs},
         {"seeds", {"deterministic", "1337, 9999, 777", "1337, 9999, 777"}, seeds},
         {"primary metric", {"AUROC", "AUROC", "AUROC, point-wise F1"}, primary_metric},
         {"stratified metric", {"artificial vs. real", "weak vs. severe", "stealthy vs. blunt"}, strata}},
        out);
}

void architecture(const Sets& sets, Exhibit& out) {
    out.note += kScreening;
    ask(sets,
        {{"samples per second", {"64000", "100", "1"}, rate},
         {"window, samples", {"32,768", "6,000", "256"}, window},
         {"channels of a window",
          {"3", "2", "37 (12 cause + 25 effect)"},
          [](const Recipe& r, const Fits&) { return std::to_string(network(r).channels()); }},
         {"causes", {"Current phase A, B", "EPS1 (motor power)", "12 active actuators (pumps, valves)"}, causes},
         {"effects", {"Vibration", "PS1 (pump pressure)", "25 process sensors"}, effects},
         {"stem: in, out",
          {"1 → 128", "1 → 128", "1 → 128"},
          [](const Recipe& r, const Fits&) { return features(network(r).stem().in, network(r).stem().out); }},
         {"stem: kernel, stride",
          {"7, 4", "7, 4", "7, 4"},
          [](const Recipe& r, const Fits&) { return fmt::format("{}, {}", r.model.stem_kernel, r.model.stem_stride); }},
         {"stem: padding",
          {"3", "3", "3"},
          [](const Recipe& r, const Fits&) { return std::to_string(network(r).stem().pad_left); }},
         {"stem: norm, activation", {"BatchNorm1d, GELU", "BatchNorm1d, GELU", "BatchNorm1d, GELU"}, kFixed},
         {"tokens",
          {"8,192", "1,500", "64"},
          [](const Recipe& r, const Fits&) { return with_commas(network(r).tokens(r.window.length)); }},
         {"encoders",
          {"2", "2", "2"},
          [](const Recipe& r, const Fits&) { return std::to_string(network(r).groups.size()); }},
         {"encoder of effects",
          {"enc_vib (dedicated)", "enc_ps1 (dedicated)", "enc_effect (shared on 25 sensors)"},
          [](const Recipe& r, const Fits&) { return encoders(r, true); }},
         {"encoder of causes",
          {"enc_curr (shared on A, B)", "enc_eps1 (dedicated)", "enc_cause (shared on 12 actuators)"},
          [](const Recipe& r, const Fits&) { return encoders(r, false); }},
         {"blocks", {"4", "4", "4"}, [](const Recipe& r, const Fits&) { return std::to_string(r.model.layers); }},
         {"width", {"128", "128", "128"}, [](const Recipe& r, const Fits&) { return std::to_string(r.model.width); }},
         {"state", {"16", "16", "16"}, [](const Recipe& r, const Fits&) { return std::to_string(r.model.state); }},
         {"convolution", {"4", "4", "4"}, [](const Recipe& r, const Fits&) { return std::to_string(r.model.conv); }},
         {"expansion", {"2", "2", "2"}, [](const Recipe& r, const Fits&) { return std::to_string(r.model.expand); }},
         {"inner width",
          {"256", "256", "256"},
          [](const Recipe& r, const Fits&) { return std::to_string(r.model.expand * r.model.width); }},
         {"norm of a block", {"pre-norm", "pre-norm", "pre-norm"}, kFixed},
         {"final LayerNorm after the stack",
          {"yes", "yes", "yes"},
          [](const Recipe& r, const Fits&) {
              const std::string encoder = "encoders." + network(r).groups.front().name;
              return std::string(tensors(r, encoder + ".norm", ".weight").empty() ? "no" : "yes");
          }},
         {"dropout", {"0.1", "0.1", "0.1"}, [](const Recipe& r, const Fits&) { return text(r.model.dropout); }},
         {"predictor: blocks, kernel",
          {"3, 5", "3, 5", "3, 5"},
          [](const Recipe& r, const Fits&) {
              return fmt::format("{}, {}", r.model.predictor_blocks, r.model.predictor_kernel);
          }},
         {"predictor: in, out",
          {"256, 128", "128, 128", "1,536, 3,200"},
          [](const Recipe& r, const Fits&) {
              return fmt::format("{}, {}", with_commas(network(r).cause_channels() * r.model.width),
                                 with_commas(network(r).effect_channels() * r.model.width));
          }},
         {"predictor: receptive field",
          {"13 tokens, 0.81 ms", "13 tokens, 520 ms", "13 tokens, 52 s"},
          receptive_field},
         {"predictor: padding", {"left-only (causal)", "left-only (causal)", "left-only (causal)"}, kFixed},
         {"predictor: output begins as",
          {"identity", "identity", "default"},
          [](const Recipe& r, const Fits&) {
              const auto output = tensors(r, "predictor.output", ".weight");
              return std::string(output.front().init == model::Init::identity ? "identity" : "default");
          }},
         {"decoder, stage 1: convolution",
          {"128 → 128", "128 → 128", "128 → 128"},
          [](const Recipe& r, const Fits&) { return convolution(r, "mix"); }},
         {"decoder, stage 2: ×2 upsample",
          {"128 → 64", "128 → 64", "128 → 64"},
          [](const Recipe& r, const Fits&) { return transposed(r, "up1"); }},
         {"decoder, stage 3: ×2 upsample",
          {"64 → 32", "64 → 32", "64 → 32"},
          [](const Recipe& r, const Fits&) { return transposed(r, "up2"); }},
         {"decoder, stage 4: projection",
          {"32 → 1", "32 → 1", "32 → 1"},
          [](const Recipe& r, const Fits&) { return convolution(r, "output"); }},
         {"decoder, stage 4: kernel",
          {"7", "7", "7"},
          [](const Recipe& r, const Fits&) {
              const auto shape = decoder_shape(r, "output");
              return shape.empty() ? "" : std::to_string(shape.back());
          }},
         {"decoder, stage 4: padding", {"3", "3", "3"}, kFixed},
         {"decoder: output, samples",
          {"32,768", "6,000", "256"},
          [](const Recipe& r, const Fits& fits) {
              return decoder_shape(r, "output").empty() ? "" : window(r, fits);  // it is asked for those of the window
          }},
         {"decoder: norm, activation", {"BatchNorm1d, GELU", "BatchNorm1d, GELU", "BatchNorm1d, GELU"}, kFixed},
         {"decoder sharing",
          {"cause decoder shared on {A, B}", "none", "effect decoder per sensor, and cause decoder omitted (α_x = 0)"},
          [](const Recipe& r, const Fits&) {
              return fmt::format("{} for {} channels", tensors(r, "decoders.", ".output.weight").size(),
                                 network(r).channels());
          }},
         {"parameters",
          {"1.67 million", "1.59 million", "5.41 million"},
          [](const Recipe&, const Fits& fits) { return with_commas(fits.front()->parameters); }}},
        out);
}

void datasets(const Sets& sets, Exhibit& out) {
    out.note += kScreening;
    out.note += "Windows of the first fold.";
    ask(sets,
        {{"domain",
          {"Electromechanical", "Electro-hydraulic", "Cyber-physical"},
          [](const Recipe& r, const Fits&) { return r.description; }},
         {"cause channel", {"Motor current (A, B)", "Motor power (EPS1)", "12 active actuators"}, causes},
         {"effect channel", {"Bearing vibration", "Pump pressure (PS1)", "25 process sensors"}, effects},
         {"samples per second", {"64000", "100", "1"}, rate},
         {"window, samples", {"32,768", "6,000", "256"}, window},
         {"window, seconds",
          {"0.512", "60", "256"},
          [](const Recipe& r, const Fits&) { return text(static_cast<double>(r.window.length) / r.data.rate_hz); }},
         {"stride, samples",
          {"16,384", "6,000", "128"},
          [](const Recipe& r, const Fits&) { return with_commas(r.window.stride); }},
         {"causes, effects",
          {"2, 1", "1, 1", "12, 25"},
          [](const Recipe& r, const Fits&) {
              return fmt::format("{}, {}", network(r).cause_channels(), network(r).effect_channels());
          }},
         {"fault", {"Bearing damage", "Internal pump leakage", "Process-control attack"}, kFixed},
         {"healthy data", {"6 bearings, 6,727 windows", "489 stable cycles", "3,142 windows"}, healthy_data},
         {"faulty data", {"19 bearings, 21,337 windows", "960 cycles", "496 attack windows"}, faulty_data},
         {"split",
          {"Bearing-level, 15 folds", "Temporal, 3 seeds", "Temporal, 3 seeds"},
          [](const Recipe& r, const Fits& fits) { return split(r, fits) + ", " + runs(r, fits); }},
         {"training windows", {"≈ 4,486", "415", "3,142"}, train_windows},
         {"healthy test windows",
          {"≈ 2,241", "74", "3,017"},
          [](const Recipe&, const Fits& fits) { return with_commas(fits.front()->healthy_windows); }},
         {"faulty test windows",
          {"21,337", "960", "496"},
          [](const Recipe&, const Fits& fits) { return with_commas(fits.front()->faulty_windows); }}},
        out);
}

}  // namespace cmr::study::paper
