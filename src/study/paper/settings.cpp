// The paper's data, settings and networks beside those that our runs were made with.

#include <fmt/ranges.h>

#include <array>

#include "base/text.h"
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
         {"k, metric", {"1, cosine", "20, l2", "5, l2"}, k_and_metric}},
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
         {"blocks", {"4", "4", "4"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.layers); }},
         {"width", {"128", "128", "128"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.width); }},
         {"state", {"16", "16", "16"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.state); }},
         {"convolution", {"4", "4", "4"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.conv); }},
         {"expansion", {"2", "2", "2"}, [](const Recipe& r, const Result&) { return std::to_string(r.model.expand); }},
         {"dropout", {"0.1", "0.1", "0.1"}, [](const Recipe& r, const Result&) { return text(r.model.dropout); }},
         {"predictor: blocks, kernel",
          {"3, 5", "3, 5", "3, 5"},
          [](const Recipe& r, const Result&) {
              return fmt::format("{}, {}", r.model.predictor_blocks, r.model.predictor_kernel);
          }},
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
