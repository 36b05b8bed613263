#include "live/marked.h"

#include <algorithm>
#include <map>

namespace cmr::live {

std::vector<Marked> marked(Ledger& ledger, const std::string& asset) {
    struct Episode {
        double end_s = 0;  // 0: it is on
        bool marked = false;
        Marked mark;
    };
    std::map<double, Episode> episodes;  // by when they began
    auto entries = ledger.entries({.asset = asset, .limit = 1'000'000, .events = {"raise", "clear", "mark", "unmark"}});
    std::ranges::reverse(entries);  // the latest came first
    for (const Entry& entry : entries) {
        if (entry.step.event == Event::kRaise) episodes[entry.raised_s] = {};
        const auto at = episodes.find(entry.raised_s);
        if (at == episodes.end()) continue;  // forgotten, or never there
        Episode& episode = at->second;
        if (entry.step.event == Event::kClear) episode.end_s = entry.event_s;
        if (entry.step.event == Event::kUnmark) episode.marked = false;
        if (entry.step.event != Event::kMark) continue;
        episode.marked = true;
        episode.mark = {asset, entry.raised_s, episode.end_s > 0 ? episode.end_s : entry.event_s, entry.who, entry.why};
    }
    std::vector<Marked> out;
    for (const auto& [raised_s, episode] : episodes)
        if (episode.marked) out.push_back(episode.mark);
    return out;
}

}  // namespace cmr::live
