#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "live/action.h"

// What a client of the web API says: an action that may be taken, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace cmr;
    try {
        const live::Action action = live::parse_action(std::string(reinterpret_cast<const char*>(data), size));
        if (action.asset.empty() || action.who.empty() || action.who.size() > 500) std::abort();
        if (action.event == live::Event::kRaise || action.event == live::Event::kStale) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
