// The paper's data, settings and networks beside those that our runs were made with.

#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <set>

#include "base/text.h"
#include "io/table.h"
#include "study/paper/items.h"

namespace cmr::study::paper {
namespace {

using recipe::Recipe;

struct Question {
    const char* name;
    std::array<const char*, 3> published;  // Paderborn, ZeMA, SWaT
    std::string (*ours)(const Recipe& recipe, const Result& fit);
};

std::string text(double value) { return fmt::format("{:g}", value); }

std::string weights(const Recipe& r, const Result&) {
    return fmt::format("{:g}, {:g}, {:g}", r.model.mechanism_weight, r.model.effect_weight, r.model.cause_weight);
}
std::string main_score(const Recipe& r, const Result&) { return r.score.main; }
std::string k_and_metric(const Recipe& r, const Result&) { return fmt::format("{}, {}", r.score.k, r.score.metric); }
std::string learning_rate(const Recipe& r, const Result&) { return text(r.train.learning_rate); }
std::string weight_decay(const Recipe& r, const Result&) { return text(r.train.weight_decay); }
std::string clip(const Recipe& r, const Result&) { return text(r.train.clip); }
std::string max_epochs(const Recipe& r, const Result&) { return std::to_string(r.train.max_epochs); }
std::string train_windows(const Recipe&, const Result& fit) { return with_commas(fit.train_windows); }
std::string rate(const Recipe& r, const Result&) { return text(r.data.rate_hz); }
std::string window(const Recipe& r, const Result&) { return with_commas(r.window.length); }

int64_t channels(const Recipe& r, const std::string& role) {
    int64_t out = 0;
    for (const recipe::Channels& some : r.channels)
        if (role.empty() || some.role == role) out += std::ssize(io::expand_names(some.names));
    return out;
}
int64_t encoders(const Recipe& r) {
    std::set<std::string> groups;
    for (const recipe::Channels& some : r.channels) groups.insert(some.role + " " + some.group);
    return std::ssize(groups);
}
int64_t receptive_tokens(const Recipe& r) { return 1 + r.model.predictor_blocks * (r.model.predictor_kernel - 1); }
std::string receptive_field(const Recipe& r, const Result&) {
    const auto samples = static_cast<double>(receptive_tokens(r) * r.model.stem_stride);
    return fmt::format("{} tokens, {:.3g} s", receptive_tokens(r), samples / r.data.rate_hz);
}

void ask(const Sets& sets, const std::vector<Question>& questions, Exhibit& out) {
    out.corner = "setting";
    out.columns = {"pu", "zema", "swat"};
    const std::array<const Set*, 3> all = {&sets.pu, &sets.zema, &sets.swat};
    for (const Question& question : questions) {
        std::vector<Entry> cells;
        for (size_t i = 0; i < all.size(); ++i) {
            const Fits fits = all[i]->fits("cmr");
            const bool known = all[i]->recipe() && !fits.empty();
            cells.push_back(words(known ? question.ours(*all[i]->recipe(), *fits.front()) : "", question.published[i]));
        }
        out.add(question.name, std::move(cells));
    }
}

}  // namespace

void settings_summary(const Sets& sets, Exhibit& out) {
    ask(sets,
        {{"γ, α_y, α_x", {"0.2, 1, 0.75", "0.2, 1, 0", "0.2, 1, 0"}, weights},
         {"learning rate", {"0.0005", "0.0005", "0.0005"}, learning_rate},
         {"weight decay", {"1e-05", "1e-05", "1e-05"}, weight_decay},
         {"gradient clip", {"1", "1", "1"}, clip},
         {"epochs at most", {"100", "200", "150"}, max_epochs},
         {"reported score", {"knn", "knn", "residual"}, main_score},
         {"k, metric", {"1, cosine", "20, l2", "5, l2"}, k_and_metric},
         {"primary metric",
          {"AUROC", "AUROC", "AUROC, point-wise F1"},
          [](const Recipe&, const Result& fit) {
              const ScoreResult* main = fit.score(fit.main_score);
              return std::string(main && std::isfinite(main->point_f1) ? "AUROC, point-wise F1" : "AUROC");
          }}},
        out);
}

void training_inference(const Sets& sets, Exhibit& out) {
    ask(sets,
        {{"γ, α_y, α_x", {"0.2, 1, 0.75", "0.2, 1, 0", "0.2, 1, 0"}, weights},
         {"learning rate", {"0.0005", "0.0005", "0.0005"}, learning_rate},
         {"weight decay", {"1e-05", "1e-05", "1e-05"}, weight_decay},
         {"warm-up, epochs",
          {"5", "5", "5"},
          [](const Recipe& r, const Result&) { return std::to_string(r.train.warmup_epochs); }},
         {"schedule",
          {"cosine", "plateau", "plateau"},
          [](const Recipe& r, const Result&) { return r.train.schedule; }},
         {"gradient clip", {"1", "1", "1"}, clip},
         {"batch", {"12", "32", "32"}, [](const Recipe& r, const Result&) { return std::to_string(r.train.batch); }},
         {"epochs at most", {"100", "200", "150"}, max_epochs},
         {"patience, epochs",
          {"10", "15", "15"},
          [](const Recipe& r, const Result&) { return std::to_string(r.train.patience); }},
         {"training windows", {"≈ 4,500", "415", "3,142"}, train_windows},
         {"seconds of a fit",
          {"≈ 3 h", "≈ 20 min", "≈ 3.3 h"},
          [](const Recipe&, const Result& fit) { return fmt::format("{:.0f}", fit.fit_seconds); }},
         {"reported score", {"knn", "knn", "residual, knn"}, main_score},
         {"pooling", {"std", "std", "std"}, [](const Recipe& r, const Result&) { return r.score.pooling; }},
         {"k, metric", {"1, cosine", "20, l2", "5, l2"}, k_and_metric},
         {"seeds",
          {"", "1337, 9999, 777", "1337, 9999, 777"},
          [](const Recipe& r, const Result&) { return fmt::format("{}", fmt::join(r.train.seeds, ", ")); }}},
        out);
}

void architecture(const Sets& sets, Exhibit& out) {
    ask(sets,
        {{"samples per second", {"64000", "100", "1"}, rate},
         {"window, samples", {"32,768", "6,000", "256"}, window},
         {"stem: kernel, stride",
          {"7, 4", "7, 4", "7, 4"},
          [](const Recipe& r, const Result&) {
              return fmt::format("{}, {}", r.model.stem_kernel, r.model.stem_stride);
          }},
         {"tokens",
          {"8,192", "1,500", "64"},
          [](const Recipe& r, const Result&) { return with_commas(r.window.length / r.model.stem_stride); }},
         {"channels of a window",
          {"3", "2", "37"},
          [](const Recipe& r, const Result&) { return std::to_string(channels(r, "")); }},
         {"encoders", {"2", "2", "2"}, [](const Recipe& r, const Result&) { return std::to_string(encoders(r)); }},
         {"blocks", {"4", "4", "4"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.layers); }},
         {"width", {"128", "128", "128"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.width); }},
         {"state", {"16", "16", "16"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.state); }},
         {"convolution", {"4", "4", "4"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.conv); }},
         {"expansion", {"2", "2", "2"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.expand); }},
         {"inner width",
          {"256", "256", "256"},
          [](const Recipe& r, const Result&) { return std::to_string(r.model.expand * r.model.width); }},
         {"dropout", {"0.1", "0.1", "0.1"}, [](const Recipe& r, const Result&) { return text(r.model.dropout); }},
         {"predictor: blocks, kernel",
          {"3, 5", "3, 5", "3, 5"},
          [](const Recipe& r, const Result&) {
              return fmt::format("{}, {}", r.model.predictor_blocks, r.model.predictor_kernel);
          }},
         {"predictor: in, out",
          {"256, 128", "128, 128", "1,536, 3,200"},
          [](const Recipe& r, const Result&) {
              return fmt::format("{}, {}", with_commas(channels(r, "cause") * r.model.width),
                                 with_commas(channels(r, "effect") * r.model.width));
          }},
         {"predictor: receptive field",
          {"13 tokens, 0.81 ms", "13 tokens, 520 ms", "13 tokens, 52 s"},
          receptive_field},
         {"parameters",
          {"1.67 million", "1.59 million", "5.41 million"},
          [](const Recipe&, const Result& fit) { return with_commas(fit.parameters); }}},
        out);
}

void datasets(const Sets& sets, Exhibit& out) {
    out.note += "Windows of the first fold.";
    ask(sets,
        {{"samples per second", {"64000", "100", "1"}, rate},
         {"window, samples", {"32,768", "6,000", "256"}, window},
         {"stride, samples",
          {"16,384", "6,000", "128"},
          [](const Recipe& r, const Result&) { return with_commas(r.window.stride); }},
         {"causes, effects",
          {"2, 1", "1, 1", "12, 25"},
          [](const Recipe& r, const Result&) {
              return fmt::format("{}, {}", channels(r, "cause"), channels(r, "effect"));
          }},
         {"training windows", {"≈ 4,486", "415", "3,142"}, train_windows},
         {"healthy test windows",
          {"≈ 2,241", "74", "3,017"},
          [](const Recipe&, const Result& fit) { return with_commas(fit.healthy_windows); }},
         {"faulty test windows",
          {"21,337", "960", "496"},
          [](const Recipe&, const Result& fit) { return with_commas(fit.faulty_windows); }}},
        out);
}

}  // namespace cmr::study::paper
