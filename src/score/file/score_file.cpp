#include "score/file/score_file.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/quantile.h"
#include "io/table.h"
#include "score/file/score_row.h"

namespace cmr::score {
namespace {

// The windows of a file as they stand there, those that are not read too: by recording, in order of time.
struct Order {
    std::vector<int64_t> recording;    // numbered as they come
    std::vector<double> first, end_s;  // first sample, and time of the end
    std::vector<uint8_t> used;
};

// The median step within recordings: that of the stride at which the windows were cut. 0: there is none.
double usual_step(const Order& order, const std::vector<double>& values) {
    std::vector<double> steps;
    for (size_t i = 1; i < values.size(); ++i)
        if (order.recording[i] == order.recording[i - 1]) steps.push_back(values[i] - values[i - 1]);
    if (steps.empty()) return 0;
    return std::max(median_of(std::move(steps)), 0.0);
}

void find_segments(const Order& order, ScoreTable& out) {
    constexpr double kRounding = 0.01;  // of a period, for times that were rounded when written
    const double stride = usual_step(order, order.first);
    out.period_s = usual_step(order, order.end_s);
    int64_t segment = 0;
    for (size_t i = 0; i < order.used.size(); ++i) {
        if (!order.used[i]) continue;
        const bool goes_on = i > 0 && order.used[i - 1] && order.recording[i] == order.recording[i - 1] &&
                             order.first[i] - order.first[i - 1] == stride &&
                             std::abs(order.end_s[i] - order.end_s[i - 1] - out.period_s) <= kRounding * out.period_s;
        out.segment.push_back(goes_on ? segment : ++segment);
    }
}

}  // namespace

const std::vector<double>* ScoreTable::score(const std::string& name) const {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? nullptr : &scores[found - names.begin()];
}

ScoreTable read_scores(const std::filesystem::path& file) {
    io::TableOptions options;
    options.format = "csv";
    options.header = "yes";
    const auto table = io::open_table(file, options);
    const int64_t first = table->find("split") + 1, last = table->find("p_value");
    if (first >= last) throw InputError("{}: no score between the columns split and p_value", file.string());
    ScoreTable out;
    std::vector<io::Selection> wanted;
    for (const char* name : {"recording", "state", "stratum", "split"})
        wanted.push_back({table->find(name), io::ColumnKind::kText});
    for (int64_t column = first; column < last; ++column) {
        out.names.push_back(table->columns()[column]);
        wanted.push_back({column, io::ColumnKind::kNumber});
    }
    wanted.push_back({table->find("p_value"), io::ColumnKind::kNumber});
    wanted.push_back({table->find("level"), io::ColumnKind::kNumber});
    wanted.push_back({table->find("alarm"), io::ColumnKind::kNumber});
    wanted.push_back({table->find("end"), io::ColumnKind::kTime});
    wanted.push_back({table->find("first"), io::ColumnKind::kNumber});
    const bool ranges = std::ranges::count(table->columns(), kOutsideRange) > 0;
    if (ranges) wanted.push_back({table->find(std::string(kOutsideRange)), io::ColumnKind::kNumber});
    for (int64_t column = table->find("alarm") + 1; column < std::ssize(table->columns()); ++column)
        for (const std::string prefix : {"residual of ", "deviation of "})  // the latter in files of before
            if (const std::string& name = table->columns()[column]; name.starts_with(prefix)) {
                out.channels.push_back(name.substr(prefix.size()));
                wanted.push_back({column, io::ColumnKind::kNumber});
            }
    table->select(wanted);
    out.scores.resize(out.names.size());
    const size_t scores = out.names.size(), numbers = wanted.size() - 4;
    Order order;
    std::string recording;
    for (io::TableBlock block; table->read(block);)
        for (int64_t i = 0; i < block.rows; ++i) {
            const std::string* texts = block.texts.data() + 4 * i;
            const double* values = block.numbers.data() + static_cast<int64_t>(numbers) * i;
            const int64_t before = order.recording.empty() ? -1 : order.recording.back();
            order.recording.push_back(before < 0 || texts[0] != recording ? before + 1 : before);
            recording = texts[0];
            order.end_s.push_back(values[scores + 3]);
            order.first.push_back(values[scores + 4]);
            order.used.push_back((texts[3] == "test" || texts[3] == "new") && texts[1] != kUnjudged);
            if (!order.used.back()) continue;
            if (texts[1] != "healthy" && texts[1] != "faulty")
                throw InputError(
                    "{}: the state is {}, so there are no labels to judge by; `cmr score MODEL` without a file scores "
                    "the data of the recipe with their labels",
                    table->place(block.lines[i]), texts[1]);
            out.recording.push_back(texts[0]);
            out.faulty.push_back(texts[1] == "faulty");
            out.stratum.push_back(texts[2]);
            for (size_t k = 0; k < scores; ++k) {
                if (!std::isfinite(values[k]))
                    throw InputError("{}: score {} is {}", table->place(block.lines[i]), out.names[k], values[k]);
                out.scores[k].push_back(values[k]);
            }
            out.p_value.push_back(values[scores]);
            out.level.push_back(values[scores + 1]);
            out.alarm.push_back(values[scores + 2] > 0.5);
            out.end_s.push_back(values[scores + 3]);
            if (ranges) out.outside.push_back(values[scores + 5] > 0.5);
            for (size_t c = scores + 5 + (ranges ? 1 : 0); c < numbers; ++c)
                out.residuals.values.push_back(static_cast<float>(values[c]));
        }
    if (out.faulty.empty())
        throw InputError("{}: no window with split test or new, so nothing to evaluate", file.string());
    find_segments(order, out);
    out.residuals.rows = std::ssize(out.faulty);
    out.residuals.columns = std::ssize(out.channels);
    return out;
}

}  // namespace cmr::score
