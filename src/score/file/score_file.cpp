#include "score/file/score_file.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "io/table.h"

namespace cmr::score {

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
    const std::string prefix = "deviation of ";
    for (int64_t column = table->find("alarm") + 1; column < std::ssize(table->columns()); ++column)
        if (const std::string& name = table->columns()[column]; name.starts_with(prefix)) {
            out.channels.push_back(name.substr(prefix.size()));
            wanted.push_back({column, io::ColumnKind::kNumber});
        }
    table->select(wanted);
    out.scores.resize(out.names.size());
    const size_t scores = out.names.size(), numbers = wanted.size() - 4;
    for (io::TableBlock block; table->read(block);)
        for (int64_t i = 0; i < block.rows; ++i) {
            const std::string* texts = block.texts.data() + 4 * i;
            if (texts[3] != "test" && texts[3] != "new") continue;
            if (texts[1] != "healthy" && texts[1] != "faulty")
                throw InputError(
                    "{}: the state is {}, so there are no labels to judge by; `cmr score MODEL` without a file scores "
                    "the data of the recipe with their labels",
                    table->place(block.lines[i]), texts[1]);
            out.recording.push_back(texts[0]);
            out.faulty.push_back(texts[1] == "faulty");
            out.stratum.push_back(texts[2]);
            const double* values = block.numbers.data() + static_cast<int64_t>(numbers) * i;
            for (size_t k = 0; k < scores; ++k) {
                if (!std::isfinite(values[k]))
                    throw InputError("{}: score {} is {}", table->place(block.lines[i]), out.names[k], values[k]);
                out.scores[k].push_back(values[k]);
            }
            out.p_value.push_back(values[scores]);
            out.level.push_back(values[scores + 1]);
            out.alarm.push_back(values[scores + 2] > 0.5);
            out.end_s.push_back(values[scores + 3]);
            for (size_t c = scores + 4; c < numbers; ++c)
                out.deviations.values.push_back(static_cast<float>(values[c]));
        }
    if (out.faulty.empty())
        throw InputError("{}: no window with split test or new, so nothing to evaluate", file.string());
    out.deviations.rows = std::ssize(out.faulty);
    out.deviations.columns = std::ssize(out.channels);
    return out;
}

}  // namespace cmr::score
