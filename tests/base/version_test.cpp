#include "base/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cmr {
namespace {

TEST(Version, IsTheReleaseAndTheCommit) {
    EXPECT_THAT(std::string(version()), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+(\\+[0-9a-f]{7,}(\\.dirty)?)?"));
}

}  // namespace
}  // namespace cmr
