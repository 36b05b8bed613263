#include "live/sources/http_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/error.h"
#include "live/secrets.h"

namespace cmr::live {
namespace {

constexpr double kBody_s = 10;  // for a whole body to come, however large

// In a time that does not tell how much of it is right.
bool equal_secrets(std::string_view a, std::string_view b) {
    unsigned different = a.size() == b.size() ? 0 : 1;
    for (size_t i = 0; i < a.size(); ++i)
        different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(i < b.size() ? b[i] : 0);
    return different == 0;
}

// What stands behind the colon of a Basic credential; empty where it is none.
std::string password_in(std::string_view base64) {
    std::string text;
    unsigned bits = 0, value = 0;
    for (const char c : base64.substr(0, 1024)) {
        constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const size_t letter = kLetters.find(c);
        if (letter == std::string_view::npos) break;
        value = (value << 6 | static_cast<unsigned>(letter)) & 0xffffff;
        bits += 6;
        if (bits >= 8) text += static_cast<char>(value >> (bits -= 8) & 0xff);
    }
    const size_t colon = text.find(':');
    return colon == std::string::npos ? "" : text.substr(colon + 1);
}

// Of the query of a write; InputError for another word.
io::TimeUnit precision(const httplib::Request& request, io::TimeUnit usual) {
    const std::string word = request.get_param_value("precision");
    if (word.empty()) return usual;
    if (word == "ns" || word == "n") return io::TimeUnit::kNanoseconds;
    if (word == "us" || word == "u") return io::TimeUnit::kMicroseconds;
    if (word == "ms") return io::TimeUnit::kMilliseconds;
    if (word == "s") return io::TimeUnit::kSeconds;
    throw InputError("the precision is '{}', expected ns, us, ms or s", word);
}

// As InfluxDB words it.
void refuse(httplib::Response& response, int status, const char* code, const std::string& message) {
    response.status = status;
    const nlohmann::json body = {{"code", code}, {"message", message}};
    response.set_content(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "application/json");
}

std::vector<std::string> tokens_of(const SourceSettings& settings, const SourceContext& context) {
    require(settings.token_file, "token_file", settings, context);
    return read_secrets(settings.token_file);
}

}  // namespace

HttpWriter::HttpWriter(const SourceSettings& settings, const SourceContext& context)
    : max_body_(settings.max_message),
      clock_(*context.clock),
      lines_(line_protocol_options(settings)),
      rows_(json_options(settings)),
      tokens_(tokens_of(settings, context)),
      status_(clock_) {}

void HttpWriter::add_routes(httplib::Server& server) {
    const auto add = [&](const char* path, const Decode& decode) {
        server.Post(path, [this, decode](const httplib::Request& request, httplib::Response& response,
                                         const httplib::ContentReader& content) {
            answer(request, response, content, decode);
        });
    };
    const Decode lines = [this](const httplib::Request& request, std::string_view body, Decoded& out) {
        decode_lines(request, body, out);
    };
    add("/api/v2/write", lines);
    add("/write", lines);
    add("/api/rows", [this](const httplib::Request&, std::string_view body, Decoded& out) {
        decode_json(body, rows_, clock_.wall_s(), out);
    });
}

void HttpWriter::close() {
    sink_ = nullptr;
    while (writing_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool HttpWriter::may_write(const httplib::Request& request) const {
    const std::string header = request.get_header_value("Authorization");
    const size_t blank = header.find(' ');
    if (blank == std::string::npos) return false;
    const std::string_view scheme = std::string_view(header).substr(0, blank);
    const std::string_view rest = std::string_view(header).substr(blank + 1);
    std::string shown;
    if (scheme == "Token" || scheme == "Bearer") shown = rest;
    if (scheme == "Basic") shown = password_in(rest);
    bool right = false;
    for (const std::string& token : tokens_) right |= equal_secrets(token, shown);
    return right;
}

// False where it is not to be read, which the response tells.
bool HttpWriter::read_body(const httplib::Request& request, httplib::Response& response,
                           const httplib::ContentReader& content, std::string& body) const {
    const double end_s = clock_.steady_s() + kBody_s;
    bool too_large = false, too_slow = false;
    const bool whole = content([&](const char* bytes, size_t count) {
        too_large = static_cast<int64_t>(body.size() + count) > max_body_;
        too_slow = clock_.steady_s() > end_s;
        if (too_large || too_slow) return false;
        body.append(bytes, count);
        return true;
    });
    if (whole) return true;
    response.set_header("Connection", "close");  // what is left of the body would be taken for a request
    if (too_large || response.status == 413)
        refuse(response, 413, "request too large", fmt::format("more than {} bytes, unpacked", max_body_));
    else if (too_slow)
        refuse(response, 408, "request timeout", fmt::format("the body did not come within {} s", kBody_s));
    else
        refuse(response, 400, "invalid",
               request.has_header("Content-Encoding") ? "the body cannot be unpacked" : "the body did not come");
    return false;
}

void HttpWriter::decode_lines(const httplib::Request& request, std::string_view body, Decoded& out) const {
    LineProtocolOptions options = lines_;
    options.unit = precision(request, options.unit);
    decode_line_protocol(body, options, 1, clock_.wall_s(), out);
}

void HttpWriter::answer(const httplib::Request& request, httplib::Response& response,
                        const httplib::ContentReader& content, const Decode& decode) {
    struct Busy {
        explicit Busy(std::atomic<int>& requests) : count(requests) { ++count; }
        ~Busy() { --count; }
        std::atomic<int>& count;
    };
    if (!may_write(request)) {
        response.set_header("Connection", "close");
        return refuse(response, 401, "unauthorized", "writes need a token: Authorization: Token ...");
    }
    std::string body;
    if (!read_body(request, response, content, body)) return status_.count_refused("a request that was not read");
    status_.count_bytes(body.size());
    Decoded decoded;
    try {
        decode(request, body, decoded);
        const Busy busy(writing_);
        Sink* sink = sink_;
        if (!sink) throw SystemError("not running now");
        if (!decoded.readings.empty()) sink->take(decoded.readings);
    } catch (const InputError& error) {
        decoded = {};
        decoded.refuse(error.what());
    } catch (const SystemError& error) {
        response.set_header("Retry-After", "5");
        return refuse(response, 503, "unavailable", error.what());
    }
    status_.count(decoded);
    response.status = 204;
    if (decoded.refused > 0)
        refuse(response, 400, "invalid",
               decoded.readings.empty() ? decoded.why
                                        : fmt::format("partial write: {} of the lines were not taken, the first: {}",
                                                      decoded.refused, decoded.why));
}

}  // namespace cmr::live
