#include "live/sources/table.h"

#include <array>
#include <vector>

#include "base/error.h"
#include "live/sources/make.h"

namespace cmr::live {

std::span<const SourceKind> source_kinds() {
    static constexpr std::array<SourceKind, 4> kKinds = {{
        {"file", "files that grow", make_file_source},
        {"stdin", "standard input", make_stdin_source},
        {"http", "a port for line protocol (Telegraf) and JSON", make_http_source},
        {"mqtt", "an MQTT 5 broker: JSON, line protocol or Sparkplug B", make_mqtt_source},
    }};
    return kKinds;
}

std::unique_ptr<Source> make_source(const SourceSettings& settings, const SourceContext& context) {
    std::vector<std::string_view> known;
    for (const SourceKind& kind : source_kinds()) {
        if (kind.name == settings.kind) return kind.make(settings, context);
        known.push_back(kind.name);
    }
    throw InputError("{}: source '{}' is of the kind '{}'; known are {}", context.place, settings.name, settings.kind,
                     fmt::join(known, ", "));
}

}  // namespace cmr::live
