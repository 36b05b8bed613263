#pragma once
// What several kinds of sources share: their settings as options of the formats, and what they say of themselves.

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "live/formats/csv_rows.h"
#include "live/formats/json_rows.h"
#include "live/formats/line_protocol.h"
#include "live/sources/table.h"

namespace cmr::live {

// InputError where a key is set that is not among these; name, kind, asset, asset_field and time_unit go with all.
void refuse_unused(const SourceSettings& settings, const SourceContext& context,
                   const std::vector<std::string_view>& used);
// InputError where a key that the kind needs is empty.
void require(const std::string& value, const char* key, const SourceSettings& settings, const SourceContext& context);
// The format that is set, or `usual`; InputError where it is none of these.
std::string chosen_format(const SourceSettings& settings, const SourceContext& context, const std::string& usual,
                          const std::vector<std::string>& known);

CsvOptions csv_options(const SourceSettings& settings);
JsonOptions json_options(const SourceSettings& settings);
LineProtocolOptions line_protocol_options(const SourceSettings& settings);

// A status that threads of the source write and others read.
class StatusBoard {
  public:
    explicit StatusBoard(const Clock& clock) : clock_(clock) {}

    void set(bool connected, const std::string& detail);
    // The detail stays as it is.
    void count_bytes(size_t bytes);
    // Of what the sink has taken; the reason of a refusal becomes the detail.
    void count(const Decoded& decoded);
    void count_refused(const std::string& why);
    SourceStatus get() const;

  private:
    const Clock& clock_;
    mutable std::mutex mutex_;
    SourceStatus status_;
};

}  // namespace cmr::live
