#include "base/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace cmr {
namespace {

TEST(Nearest, FindsASlipOfEachKind) {
    const std::vector<std::string> verbs{"fit", "info", "score"};
    for (const char* typed : {"info", "inf", "infoo", "imfo", "inof"})
        EXPECT_EQ(suggest(typed, verbs), "info") << typed;
}

TEST(Nearest, FindsALongNameByItsBeginning) {
    const std::vector<std::string> names{"decoder.0.weight", "encoder.0.bias", "encoder.0.weight"};
    EXPECT_EQ(suggest("encoder.0.wei", names), "encoder.0.weight");
}

TEST(Nearest, TakesTheFirstOfEquals) { EXPECT_EQ(suggest("cat", std::vector<std::string>{"bat", "hat"}), "bat"); }

TEST(Nearest, StaysSilentWhenNothingIsLike) {
    EXPECT_EQ(suggest("xyz", std::vector<std::string>{"fit", "info"}), std::nullopt);
    EXPECT_EQ(suggest("info", std::vector<std::string>{std::string(1'000'000, 'i')}), std::nullopt);
    EXPECT_EQ(suggest("info", {}), std::nullopt);
}

}  // namespace
}  // namespace cmr
