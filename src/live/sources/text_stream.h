#pragma once
// Text that comes in pieces, from a file that grows or from standard input: pieces are cut into whole lines, and these
// become readings by the format of the source.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "live/sources/common.h"

namespace cmr::live {

// Of one text from its beginning on.
class TextFormat {
  public:
    virtual ~TextFormat() = default;

    struct Start {
        size_t bytes = 0;  // of the head that are no data
        int64_t line = 1;  // where these begin
    };
    // `head`: whole lines from the beginning of the text. Nothing where these do not show enough yet. InputError where
    // they are not of the format.
    virtual std::optional<Start> begin(std::string_view head) = 0;
    // Whole lines behind the start.
    virtual void decode(std::string_view lines, int64_t first_line, double arrival_s, Decoded& out) = 0;
};

// csv, json (one document per line) or line-protocol. `asset`: of all rows, over that of the settings; empty: none.
std::unique_ptr<TextFormat> make_text_format(const std::string& format, const SourceSettings& settings,
                                             const std::string& name, const std::string& asset = "");

}  // namespace cmr::live
