#include "live/sources/table.h"

#include <vector>

#include "base/error.h"

namespace cmr::live {

std::span<const SourceKind> source_kinds() {
    static const std::vector<SourceKind> kinds = {};
    return kinds;
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
