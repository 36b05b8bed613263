#include "study/status.h"

#include <algorithm>
#include <limits>

namespace cmr::study {

Status Watch::look(int64_t workers) {
    Status out;
    out.cells = std::ssize(plan_.cells);
    std::vector<const Cell*> open;
    for (const Cell& cell : plan_.cells) {
        auto known = results_.find(cell.id);
        if (known == results_.end())
            if (std::optional<Result> result = folder_.result(cell)) {
                known = results_.emplace(cell.id, std::move(*result)).first;
                news_.push_back(cell.id);
            }
        if (known == results_.end()) {
            open.push_back(&cell);
            out.running += folder_.is_claimed(cell);
        } else {
            ++(known->second.status == "done" ? out.done : out.failed);
        }
    }
    double left = 0;
    for (const Cell* cell : open) left += expected_seconds(*cell);
    out.seconds_left = left / static_cast<double>(std::max<int64_t>(1, workers > 0 ? workers : out.running));
    return out;
}

std::vector<const Result*> Watch::ended() {
    std::vector<const Result*> out;
    for (const std::string& id : news_) out.push_back(&results_.at(id));
    news_.clear();
    return out;
}

// As the finished cells of the same data and method took; else of the same data; else all.
double Watch::expected_seconds(const Cell& cell) const {
    double sums[3] = {}, counts[3] = {};
    for (const auto& [id, r] : results_) {
        if (r.status != "done") continue;
        const int level = r.experiment != cell.experiment ? 2 : r.method != cell.method ? 1 : 0;
        sums[level] += r.fit_seconds + r.score_seconds;
        counts[level] += 1;
    }
    for (int level = 0; level < 3; ++level)
        if (counts[level] > 0) return sums[level] / counts[level];
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace cmr::study
