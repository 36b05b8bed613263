#include "live/action.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "io/json_fields.h"

namespace cmr::live {
namespace {

constexpr size_t kLongestText = 500;
constexpr std::array kActions = {Event::kAcknowledge, Event::kReset,   Event::kShelve, Event::kUnshelve,
                                 Event::kRemove,      Event::kRestore, Event::kMark,   Event::kUnmark};

struct ActionFields {
    std::string asset, event, who, why;
    double hours = 0, raised_s = 0;
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, ActionFields>
void visit_fields(C& c, const Visit& visit) {
    visit("asset", c.asset, "");
    visit("event", c.event, "");
    visit("who", c.who, "");
    visit("why", c.why, "");
    visit("hours", c.hours, "");
    visit("raised_s", c.raised_s, "");
}

}  // namespace

Action parse_action(const std::string& body) {
    ActionFields fields;
    io::from_json(body, "the request", "field", fields, io::Missing::kKeepsItsValue);
    const auto event = event_named(fields.event);
    if (!event || std::ranges::find(kActions, *event) == kActions.end()) {
        std::vector<std::string_view> known;
        for (const Event action : kActions) known.push_back(name(action));
        throw InputError("event is '{}'; known are {}", fields.event, fmt::join(known, ", "));
    }
    for (const auto& [key, text] : {std::pair{"asset", &fields.asset}, {"who", &fields.who}, {"why", &fields.why}}) {
        if (text->size() > kLongestText)
            throw InputError("{} has {} letters, at most {}", key, text->size(), kLongestText);
        if (std::ranges::any_of(*text, [](char letter) { return static_cast<unsigned char>(letter) < ' '; }))
            throw InputError("{} holds control characters", key);
    }
    if (fields.asset.empty()) throw InputError("asset is empty: whose alarm?");
    if (fields.who.empty()) throw InputError("who is empty: the ledger says who did it");
    return {fields.asset, *event, fields.hours, fields.raised_s, fields.who, fields.why};
}

}  // namespace cmr::live
