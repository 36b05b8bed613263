#pragma once
// Writes over HTTP, as InfluxDB takes them, so that Telegraf and its kin need no more than our address:
//   POST /api/v2/write?precision=ns   line protocol (InfluxDB 2)
//   POST /write?precision=n           line protocol (InfluxDB 1)
//   POST /api/rows                    JSON rows
// The body may be packed (gzip). Who writes shows a token: "Authorization: Token T", "Bearer T", or T as the password
// of Basic. 204: all is safe on disk. 400: what could be read is, the answer tells what could not. 401: no such token.
// 408: too slow. 413: too large. 503: not now, send it again.

#include <httplib.h>

#include <atomic>
#include <string>
#include <vector>

#include "live/sources/common.h"

namespace cmr::live {

class HttpWriter {
  public:
    HttpWriter(const SourceSettings& settings, const SourceContext& context);

    // On a server that listens somewhere else than ours, too. The writer outlives the server.
    void add_routes(httplib::Server& server);

    // Until open, and after close, all is answered with 503.
    void open(Sink& sink) { sink_ = &sink; }
    void close();

    StatusBoard& status() { return status_; }
    const StatusBoard& status() const { return status_; }

  private:
    using Decode = std::function<void(const httplib::Request&, std::string_view body, Decoded& out)>;
    void answer(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& content,
                const Decode& decode);
    bool may_write(const httplib::Request& request) const;
    bool read_body(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& content,
                   std::string& body) const;
    void decode_lines(const httplib::Request& request, std::string_view body, Decoded& out) const;

    const int64_t max_body_;
    const Clock& clock_;
    const LineProtocolOptions lines_;
    const JsonOptions rows_;
    const std::vector<std::string> tokens_;
    StatusBoard status_;
    std::atomic<Sink*> sink_ = nullptr;
    std::atomic<int> writing_ = 0;  // requests that use the sink
};

}  // namespace cmr::live
