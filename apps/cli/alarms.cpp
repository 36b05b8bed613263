#include "alarms.h"

#include <cmath>

#include "base/error.h"
#include "io/json_fields.h"
#include "io/text/time.h"
#include "live/http_client.h"
#include "live/ledger.h"
#include "live/notifiers/alert.h"
#include "live/plant/settings.h"
#include "live/web/api.h"
#include "live/words.h"
#include "who.h"

namespace cmr::cli {
namespace {

using live::Entry;

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char letter : text) out += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return out + "\"";
}

std::string as_csv(const std::vector<Entry>& entries) {
    std::string out = "asset,step,event,from,to,event_time,wall_time,level,p_value,who,why,verdict,sentence\n";
    for (const Entry& e : entries)
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(e.asset), e.step.number,
                           live::name(e.step.event), live::name(e.step.from), live::name(e.step.to),
                           live::rfc3339(e.event_s), live::rfc3339(e.wall_s),
                           std::isfinite(e.level) ? fmt::format("{:.4g}", e.level) : "",
                           std::isfinite(e.p_value) ? fmt::format("{:.4g}", e.p_value) : "", quoted(e.who),
                           quoted(e.why), quoted(e.verdict), quoted(e.sentence));
    return out;
}

std::string as_json(const std::vector<Entry>& entries) {
    io::Json out = io::Json::array();
    for (const Entry& entry : entries) out.push_back(live::entry_json(entry));
    return io::to_text(out, 2) + "\n";
}

std::string as_text(const std::vector<Entry>& entries) {
    if (entries.empty()) return "Nothing has happened yet.\n";
    std::string out;
    for (const Entry& e : entries) {
        out += fmt::format("{}  {}\n", live::rfc3339(e.event_s), live::headline(e));
        if (!e.why.empty()) out += fmt::format("    {}\n", e.why);
        if (e.step.event == live::Event::kRaise && !e.sentence.empty()) out += fmt::format("    {}\n", e.sentence);
    }
    return out;
}

// When the alarm began that was on at --at.
double alarm_at(const AlarmsOptions& options, const live::Plant& plant) {
    const auto at_s = io::parse_time(options.at, io::DateOrder::kUnknown);
    if (!at_s) throw InputError("--at {}: expected a date such as 2026-01-09T10:54:33", options.at);
    live::Ledger ledger({plant.ledger.address, live::read_secret(plant.ledger.password_file)});
    for (const Entry& raise : ledger.entries({.asset = options.asset, .limit = 1'000'000, .events = {"raise"}}))
        if (raise.event_s <= *at_s) return raise.raised_s;
    throw InputError("--at {}: {} had no alarm until then", options.at, options.asset);
}

// The monitor that runs owns the alarms; it is asked.
std::string act(const AlarmsOptions& options, const live::Plant& plant) {
    if (options.asset.empty()) throw InputError("--{} needs --asset: whose alarm?", options.act);
    if (plant.web.address.empty()) throw InputError("{}: [web] has no address to ask", plant.file.string());
    const std::string token_file =
        plant.web.token_file.empty() ? plant.storage.folder + "/token" : plant.web.token_file;
    const bool tls = !plant.web.certificate_file.empty();
    const live::HttpTarget target{fmt::format("{}://{}/api/act", tls ? "https" : "http", plant.web.address),
                                  live::read_secret(token_file), tls ? plant.web.certificate_file : "", 15};
    const io::Json body = {{"asset", options.asset},
                           {"event", options.act},
                           {"who", who_acts(options.who)},
                           {"why", options.why},
                           {"hours", options.act == "shelve" ? options.hours : 0},
                           {"raised_s", options.at.empty() ? 0 : alarm_at(options, plant)}};
    try {
        const io::Json answer = io::Json::parse(live::post_json(target, io::to_text(body)));
        if (options.json) return io::to_text(answer, 2) + "\n";
        return answer.at("headline").get<std::string>() + "\n";
    } catch (const live::Refused& refusal) {
        throw InputError(refusal.what());
    }
}

}  // namespace

std::string alarms(const AlarmsOptions& options) {
    const live::Plant plant = live::read_plant(options.plant);
    if (!options.act.empty()) return act(options, plant);
    live::Ledger ledger({plant.ledger.address, live::read_secret(plant.ledger.password_file)});
    const auto entries = ledger.entries({.asset = options.asset, .limit = options.limit});
    return options.json ? as_json(entries) : options.csv ? as_csv(entries) : as_text(entries);
}

}  // namespace cmr::cli
