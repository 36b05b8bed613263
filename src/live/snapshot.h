#pragma once
// The state of all assets at one group of the journal, as one file that is replaced as a whole.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cmr::live {

struct Snapshot {
    uint64_t group = 0;                                       // of the journal: what came after it is to be replayed
    std::vector<std::pair<std::string, std::string>> assets;  // name, Asset::save()
};

void write_snapshot(const std::filesystem::path& file, const Snapshot& snapshot);
// Nothing where there is none yet; InputError where it is damaged.
std::optional<Snapshot> read_snapshot(const std::filesystem::path& file);

}  // namespace cmr::live
