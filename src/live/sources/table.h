#pragma once
// All kinds of sources: a row each, a file each.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "live/clock.h"
#include "live/source.h"
#include "live/sources/settings.h"

namespace cmr::live {

// What a source may use besides its settings.
struct SourceContext {
    std::filesystem::path folder;          // its own, made already, to keep its place in over a restart
    std::string place;                     // of its table in the configuration, for messages: "plant.toml:12"
    const Clock* clock = &system_clock();  // for arrival times and waiting
};

struct SourceKind {
    std::string_view name;
    std::string_view help;  // in one line
    // Checks the settings (InputError) and touches nothing outside.
    std::unique_ptr<Source> (*make)(const SourceSettings& settings, const SourceContext& context);
};

std::span<const SourceKind> source_kinds();

// InputError with `context.place` where there is no such kind or the settings are impossible.
std::unique_ptr<Source> make_source(const SourceSettings& settings, const SourceContext& context);

}  // namespace cmr::live
