// The weights of the loss, one swept while the others stay.

#include <fmt/format.h>

#include "report/lines.h"
#include "study/paper/items.h"

namespace cmr::study::paper {
namespace {

constexpr const char* kUnnamedSplit = "Published values are of a single split that is not named, ours of fold 0. ";

struct Value {
    const char* value;
    std::vector<const char*> published;  // one per column
};

void sweep(const Set& set, const std::string& key, const std::vector<Number>& numbers, const std::vector<Value>& values,
           Exhibit& out) {
    out.corner = key;
    for (const Value& value : values) {
        const Fits fits = set.swept(key, value.value);
        std::vector<Entry> cells;
        for (size_t i = 0; i < numbers.size(); ++i)
            cells.push_back(number(set.spread(fits, numbers[i]), value.published[i]));
        out.add(value.value, std::move(cells));
    }
}

// Ours and what was printed over the values of one weight.
void draw_curve(const Exhibit& exhibit, size_t column, const std::string& file, std::vector<report::Figure>& out) {
    report::Line ours{.name = "cmr knn", .x = {}, .y = {}}, theirs{.name = "published", .x = {}, .y = {}};
    for (const Exhibit::Row& row : exhibit.rows) {
        const Entry& entry = row.cells[column];
        const double x = *printed_number(row.name);
        if (entry.ours) {
            ours.x.push_back(x);
            ours.y.push_back(entry.ours->mean);
            ours.deviation.push_back(entry.ours->deviation.value_or(0));
        }
        if (const auto printed = printed_number(entry.published)) {
            theirs.x.push_back(x);
            theirs.y.push_back(*printed);
        }
    }
    if (ours.x.empty()) return;
    report::LineChart chart{.description = exhibit.columns[column],
                            .x_name = exhibit.columns[column],
                            .y_name = "AUROC",
                            .lines = {std::move(ours), std::move(theirs)}};
    out.push_back({draw(chart), fmt::format("{}: {}. {}", exhibit.label, exhibit.columns[column], exhibit.note), file});
}

}  // namespace

void pu_mechanism_weight(const Sets& sets, Exhibit& out) {
    out.note += kUnnamedSplit;
    out.columns = {"overall", "artificial", "real"};
    sweep(sets.pu, "model.mechanism_weight", {auroc_of("knn"), auroc_of("knn", "artificial"), auroc_of("knn", "real")},
          {{"0", {"0.9339", "0.8554", "0.9909"}},
           {"0.05", {"0.9203", "0.8330", "0.9838"}},
           {"0.1", {"0.9370", "0.8576", "0.9947"}},
           {"0.2", {"0.9405", "0.8739", "0.9889"}},
           {"0.5", {"0.9229", "0.8302", "0.9903"}},
           {"1", {"0.9324", "0.8462", "0.9950"}}},
          out);
}

void pu_reconstruction_weights(const Sets& sets, Exhibit& out) {
    out.note += kUnnamedSplit;
    out.note += "The text names some points of the curves only.";
    out.corner = "weight";
    out.columns = {"model.cause_weight", "model.effect_weight"};
    struct Row {
        const char *value, *cause, *effect;
    };
    for (const Row& row : {Row{"0", "0.9393", "0.8889"},
                           {"0.25", "", ""},
                           {"0.5", "", "0.9396"},
                           {"0.75", "0.9573 ± 0.0031", "0.9457"},
                           {"1", "", "0.9466"}})
        out.add(row.value,
                {number(sets.pu.spread(sets.pu.swept(out.columns[0], row.value), auroc_of("knn")), row.cause),
                 number(sets.pu.spread(sets.pu.swept(out.columns[1], row.value), auroc_of("knn")), row.effect)});
    draw_curve(out, 0, out.file(), out.charts);
    draw_curve(out, 1, out.file() + "-2", out.charts);
}

void zema_cause_weight(const Sets& sets, Exhibit& out) {
    out.columns = {"overall", "weak", "severe"};
    sweep(sets.zema, "model.cause_weight", {auroc_of("knn"), auroc_of("knn", "weak"), auroc_of("knn", "severe")},
          {{"0", {"0.9977", "0.9954", "1.0000"}},
           {"0.25", {"0.9536", "0.9071", "1.0000"}},
           {"0.5", {"0.9217", "0.8468", "0.9965"}},
           {"0.75", {"0.9178", "0.8417", "0.9939"}},
           {"1", {"0.8262", "0.7479", "0.9044"}}},
          out);
}

void swat_cause_weight(const Sets& sets, Exhibit& out) {
    out.columns = {"knn", "residual"};
    sweep(sets.swat, "model.cause_weight", {auroc_of("knn"), auroc_of("residual")},
          {{"0", {"0.8668", "0.8610"}},
           {"0.25", {"0.8682", "0.8612"}},
           {"0.5", {"0.8693", "0.8644"}},
           {"0.75", {"0.8688", "0.8646"}},
           {"1", {"0.8697", "0.8661"}}},
          out);
}

}  // namespace cmr::study::paper
