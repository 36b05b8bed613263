// What was promised of false alarms, and what came.

#include <algorithm>
#include <map>

#include "base/duration.h"
#include "base/text.h"
#include "eval/summary.h"
#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<ResultTable> promises(const Outcome& outcome) {
    ResultTable out{
        .name = "promises",
        .title = "Promises of false alarms by the combined score",
        .note =
            "Calibrated on healthy windows of the training part at the smallest rate that they support, counted on the "
            "healthy time of the test. Broken: more than the upper end of the interval makes likely, where one that "
            "lasts counts as often as usual ones would fill its time, and one that a fault raised may go on for as "
            "long as it was on in the fault. Medians over fits.",
        .corner = "dataset",
        .columns = {"fits", "promised a day", "95 % interval", "came a day", "healthy time of the test",
                    "healthy time in alarm", "faults found", "kept", "broken", "void", "too short", "refused"},
        .rows = {}};
    for (const Experiment& e : outcome.plan().experiments)
        for (const std::string method : {"cmr", "untrained"}) {
            std::map<std::string, int64_t> verdicts;
            std::vector<double> promised, low, high, seen, days, in_alarm;
            int64_t fits = 0, found = 0, faults = 0;
            for (const Result* r : outcome.of(e, method))
                for (const PromiseResult& p : r->promise) {
                    ++fits;
                    ++verdicts[p.verdict];
                    if (p.verdict == "refused") continue;
                    promised.push_back(p.promised), low.push_back(p.low), high.push_back(p.high);
                    seen.push_back(p.seen), days.push_back(p.days), in_alarm.push_back(p.in_alarm);
                    found += p.found, faults += p.faults;
                }
            if (fits == 0) continue;
            const auto middle = [](const std::vector<double>& values) {
                return values.empty() ? std::string("–") : short_number(eval::median(values));
            };
            out.rows.push_back(
                {method == "cmr" ? e.name : fmt::format("{}, {}", e.name, method),
                 {fmt::format("{}", fits), middle(promised),
                  promised.empty() ? "–" : middle(low) + " … " + middle(high), middle(seen),
                  days.empty() ? "–" : duration_text(86'400 * eval::median(days)),
                  promised.empty() ? "–" : fmt::format("{:.1f} %", 100 * eval::median(in_alarm)),
                  promised.empty() ? "–" : fmt::format("{} of {}", found, faults), fmt::format("{}", verdicts["kept"]),
                  fmt::format("{}", verdicts["broken"]), fmt::format("{}", verdicts["void"]),
                  fmt::format("{}", verdicts["too short"]), fmt::format("{}", verdicts["refused"])}});
        }
    return {out};
}

}  // namespace cmr::study::tables
