#include "score_table.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "io/table.h"

namespace cmr::cli {

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
    wanted.push_back({table->find("alarm"), io::ColumnKind::kNumber});
    wanted.push_back({table->find("end"), io::ColumnKind::kTime});
    table->select(wanted);
    out.scores.resize(out.names.size());
    const size_t numbers = out.names.size() + 2;
    for (io::TableBlock block; table->read(block);)
        for (int64_t i = 0; i < block.rows; ++i) {
            const std::string* texts = block.texts.data() + 4 * i;
            if (texts[3] != "test" && texts[3] != "new") continue;
            out.recording.push_back(texts[0]);
            out.faulty.push_back(texts[1] == "faulty");
            out.stratum.push_back(texts[2]);
            const double* values = block.numbers.data() + static_cast<int64_t>(numbers) * i;
            for (size_t k = 0; k < out.names.size(); ++k) {
                if (!std::isfinite(values[k]))
                    throw InputError("{}: score {} is {}", table->place(block.lines[i]), out.names[k], values[k]);
                out.scores[k].push_back(values[k]);
            }
            out.alarm.push_back(values[out.names.size()] > 0.5);
            out.end_s.push_back(values[out.names.size() + 1]);
        }
    if (out.faulty.empty())
        throw InputError("{}: no window with split test or new, so nothing to evaluate", file.string());
    return out;
}

}  // namespace cmr::cli
