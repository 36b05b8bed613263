#pragma once
// Real recordings to read where they are at hand: the folder in CMR_SHARED_DATA, else ../shared/data beside the
// repository. They are no part of it, so a test that finds none skips:
//   const auto folder = shared_data();
//   if (folder.empty()) GTEST_SKIP() << kNoSharedData;

#include <cstdlib>
#include <filesystem>

namespace cmr::test {

inline constexpr const char* kNoSharedData = "no recordings at CMR_SHARED_DATA or ../shared/data";

inline std::filesystem::path shared_data() {
    // This file is <root>/tests/support/shared_data.h.
    const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
    const char* chosen = std::getenv("CMR_SHARED_DATA");
    const std::filesystem::path folder = chosen ? std::filesystem::path(chosen) : root / "../shared/data";
    return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

}  // namespace cmr::test
