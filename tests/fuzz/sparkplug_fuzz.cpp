#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "live/formats/sparkplug.h"

// A conversation: a byte for the kind of the message, one for the length of its payload, the payload, and so on. Any of
// them gives readings or an InputError, and a decoder that was saved and restored goes on as the one that was not.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace cmr::live;
    constexpr std::array<const char*, 8> kTopics = {
        "spBv1.0/g/NBIRTH/n", "spBv1.0/g/DBIRTH/n/d", "spBv1.0/g/NDATA/n",    "spBv1.0/g/DDATA/n/d",
        "spBv1.0/g/NDEATH/n", "spBv1.0/g/DDEATH/n/d", "spBv1.0/g/NBIRTH/n/d", "spBv1.0/STATE/h"};
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    SparkplugDecoder decoder, restored;
    Decoded out, again;
    while (rest.size() >= 2) {
        const char* topic = kTopics[static_cast<uint8_t>(rest[0]) % kTopics.size()];
        const std::string_view payload = rest.substr(2, static_cast<uint8_t>(rest[1]));
        rest.remove_prefix(2 + payload.size());
        try {
            decoder.decode(topic, payload, 7, out);
        } catch (const cmr::InputError&) {
        }
        try {
            restored.decode(topic, payload, 7, again);
        } catch (const cmr::InputError&) {
        }
        decoder.take_commands(7);
        restored.restore(restored.save());
    }
    if (out.readings.size() != again.readings.size() || out.refused != again.refused) std::abort();
    return 0;
}
