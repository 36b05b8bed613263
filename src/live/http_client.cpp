#include "live/http_client.h"

#include <curl/curl.h>

#include <memory>

#include "live/notifier.h"

namespace cmr::live {
namespace {

constexpr size_t kAnswer = 64 << 10;  // letters of an answer that are kept,
constexpr size_t kQuote = 1000;       // and that a message may quote

struct Free {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

size_t collect(char* data, size_t one, size_t size, void* to) {
    auto& answer = *static_cast<std::string*>(to);
    answer.append(data, std::min(one * size, kAnswer - std::min(kAnswer, answer.size())));
    return one * size;
}

// Asked about once a second, and whenever something comes.
int wants_to_end(void* give_up, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return *static_cast<const std::atomic<bool>*>(give_up) ? 1 : 0;
}

}  // namespace

std::string post_json(const HttpTarget& target, const std::string& body) {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    const std::unique_ptr<CURL, Free> curl(ready == CURLE_OK ? curl_easy_init() : nullptr);
    if (!curl) throw SystemError("libcurl does not start");
    std::unique_ptr<curl_slist, Free> headers;
    const auto add = [&](const std::string& line) {
        headers.reset(curl_slist_append(headers.release(), line.c_str()));
    };
    add("Content-Type: application/json");
    if (!target.token.empty()) add("Authorization: Bearer " + target.token);
    std::string answer;
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl.get(), option, value); };
    set(CURLOPT_URL, target.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_POSTFIELDS, body.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(target.timeout_s * 1000));
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, wants_to_end);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(target.give_up.get()));
    set(CURLOPT_USERAGENT, "cmr");
    set(CURLOPT_WRITEFUNCTION, collect);
    set(CURLOPT_WRITEDATA, &answer);
    if (!target.ca_file.empty()) set(CURLOPT_CAINFO, target.ca_file.c_str());
    if (const CURLcode code = curl_easy_perform(curl.get()); code != CURLE_OK)
        throw SystemError("{}: {}", target.url, curl_easy_strerror(code));
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300) return answer;
    const std::string what = fmt::format("{}: status {}: {}", target.url, status, answer.substr(0, kQuote));
    if (status == 400 || status == 413 || status == 422) throw Refused(what);
    throw SystemError(what);
}

}  // namespace cmr::live
