#include "live/address.h"

#include <charconv>

#include "base/error.h"

namespace cmr::live {

Address parse_address(const std::string& text) {
    const size_t colon = text.rfind(':');
    Address out;
    if (colon != std::string::npos) {
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data() + colon + 1, end, out.port);
        out.host = text.substr(0, colon);
        if (out.host.starts_with('[') && out.host.ends_with(']')) out.host = out.host.substr(1, out.host.size() - 2);
        if (parsed.ec == std::errc() && parsed.ptr == end && out.port >= 0 && out.port <= 65535 && !out.host.empty())
            return out;
    }
    throw InputError("'{}' is no address, expected host:port such as 127.0.0.1:8470", text);
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

std::string to_text(const Address& address) {
    const bool brackets = address.host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", brackets ? "[" : "", address.host, brackets ? "]" : "", address.port);
}

}  // namespace cmr::live
