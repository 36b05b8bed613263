#include "live/sources/text_stream.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::live {
namespace {

class CsvText final : public TextFormat {
  public:
    CsvText(const std::string& name, CsvOptions options) : rows_(name, std::move(options)) {}

    std::optional<Start> begin(std::string_view head) override {
        // A header is told by what stands below it.
        if (std::ranges::count(head, '\n') < 2 || !rows_.begin(head)) return std::nullopt;
        return Start{rows_.data_begin(), rows_.data_line()};
    }
    void decode(std::string_view lines, int64_t first_line, double arrival_s, Decoded& out) override {
        rows_.decode(lines, first_line, arrival_s, out);
    }

  private:
    CsvRows rows_;
};

// Lines that each say all of it, without a header.
template <typename Options, auto kDecode>
class LinesText final : public TextFormat {
  public:
    explicit LinesText(Options options) : options_(std::move(options)) {}
    std::optional<Start> begin(std::string_view) override { return Start{}; }
    void decode(std::string_view lines, int64_t first_line, double arrival_s, Decoded& out) override {
        kDecode(lines, options_, first_line, arrival_s, out);
    }

  private:
    Options options_;
};

using JsonText = LinesText<JsonOptions, decode_json_lines>;
using LineProtocolText = LinesText<LineProtocolOptions, decode_line_protocol>;

}  // namespace

std::unique_ptr<TextFormat> make_text_format(const std::string& format, const SourceSettings& settings,
                                             const std::string& name, const std::string& asset) {
    SourceSettings own = settings;
    if (!asset.empty()) own.asset = asset;
    if (format == "csv") return std::make_unique<CsvText>(name, csv_options(own));
    if (format == "json") return std::make_unique<JsonText>(json_options(own));
    CMR_ASSERT(format == "line-protocol", "the formats of texts are known");
    return std::make_unique<LineProtocolText>(line_protocol_options(own));
}

}  // namespace cmr::live
