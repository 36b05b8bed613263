#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace cmr {
namespace {

TEST(InputError, FormatsItsMessage) {
    const InputError error("{}:{}: {} columns, expected {}", "a.csv", 12, 7, 8);
    EXPECT_STREQ(error.what(), "a.csv:12: 7 columns, expected 8");
}

TEST(InputError, TakesAFinishedMessageAsItIs) {
    EXPECT_STREQ(InputError("50 {} %").what(), "50 {} %");
    EXPECT_STREQ(InputError(std::string("{")).what(), "{");
}

TEST(Assertion, IsSilentWhenTrue) { EXPECT_NO_THROW(CMR_ASSERT(1 + 1 == 2, "sums add up")); }

TEST(Assertion, NamesThePlaceTheConditionAndTheReason) {
    try {
        CMR_ASSERT(1 + 1 == 3, "sums add up");
        FAIL() << "did not throw";
    } catch (const InternalError& error) {
        EXPECT_THAT(error.what(),
                    testing::MatchesRegex("error_test.cpp:[0-9]+: sums add up \\(1 \\+ 1 == 3 is false\\)"));
    }
}

TEST(Assertion, EvaluatesItsConditionOnce) {
    int evaluated = 0;
    CMR_ASSERT(++evaluated == 1, "counted");
    EXPECT_EQ(evaluated, 1);
}

TEST(Errors, OfTheUserOfTheMachineAndOfOursAreToldApart) {
    EXPECT_FALSE((std::is_base_of_v<InputError, InternalError>));
    EXPECT_FALSE((std::is_base_of_v<InternalError, InputError>));
    EXPECT_FALSE((std::is_base_of_v<InputError, SystemError>));
    EXPECT_FALSE((std::is_base_of_v<SystemError, InputError>));
    EXPECT_FALSE((std::is_base_of_v<SystemError, Interrupted>));
}

TEST(Errors, OfTheSystemAreTheUsersOnlyWhereTheUserCanMendThem) {
    for (const int error : {ENOENT, EACCES, EISDIR, ENOTDIR, EROFS, ENAMETOOLONG})
        EXPECT_THROW(fail_with(error, "a.csv"), InputError) << error;
    for (const int error : {ENOSPC, EDQUOT, EFBIG, EIO, ENOMEM, EAGAIN, EMFILE, ENFILE})
        EXPECT_THROW(fail_with(error, "a.csv"), SystemError) << error;
    try {
        fail_with(ENOSPC, "a.csv: cannot write");
    } catch (const SystemError& error) {
        EXPECT_STREQ(error.what(), "a.csv: cannot write: No space left on device");
    }
}

}  // namespace
}  // namespace cmr
