#pragma once
// The kinds of sources, for the table.

#include <memory>

#include "live/sources/table.h"

namespace cmr::live {

std::unique_ptr<Source> make_file_source(const SourceSettings& settings, const SourceContext& context);
std::unique_ptr<Source> make_stdin_source(const SourceSettings& settings, const SourceContext& context);
std::unique_ptr<Source> make_http_source(const SourceSettings& settings, const SourceContext& context);
std::unique_ptr<Source> make_mqtt_source(const SourceSettings& settings, const SourceContext& context);

}  // namespace cmr::live
