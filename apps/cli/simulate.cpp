#include "simulate.h"

#include <fmt/format.h>

#include "base/text.h"
#include "progress.h"

namespace cmr::cli {
namespace {

struct Written {
    int64_t files = 0;
    uint64_t bytes = 0;
};

Written count_files(const std::filesystem::path& folder) {
    Written out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) {
            ++out.files;
            out.bytes += entry.file_size();
        }
    return out;
}

template <typename Options, typename Simulate>
std::string run(const std::filesystem::path& folder, const Options& options, const char* what, const char* recipe,
                const Simulate& simulate) {
    {
        ProgressBar bar(fmt::format("simulating {}", what));
        simulate(folder, options, [&](double fraction) { bar.update(static_cast<int64_t>(1000 * fraction), 1000); });
    }
    const Written written = count_files(folder);
    return fmt::format(
        "{}: {} files, {:.1f} MB\n"
        "What is wrong in them, where and since when: {}\n"
        "They are in the format of the original, which recipes/{}.toml reads when they lie in DATA_ROOT/{}/.\n",
        folder.string(), with_commas(written.files), static_cast<double>(written.bytes) / 1e6,
        (folder / "ground_truth.json").string(), recipe, recipe);
}

}  // namespace

std::string simulate(const std::filesystem::path& folder, const simulate::BearingOptions& options) {
    return run(folder, options, "a bearing rig", "pu", simulate::simulate_bearing);
}

std::string simulate(const std::filesystem::path& folder, const simulate::HydraulicOptions& options) {
    return run(folder, options, "a hydraulic rig", "zema", simulate::simulate_hydraulic);
}

std::string simulate(const std::filesystem::path& folder, const simulate::WaterOptions& options) {
    return run(folder, options, "a water plant", "swat", simulate::simulate_water);
}

}  // namespace cmr::cli
