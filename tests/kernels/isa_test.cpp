#include "kernels/isa.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "kernels/every_isa.h"
#include "kernels/kernels.h"

namespace cmr::kernels {

INSTANTIATE_TEST_SUITE_P(Isas, EveryIsa, testing::ValuesIn(available_isas()),
                         [](const auto& isa) { return std::string(name(isa.param)); });

namespace {

TEST(Isa, HasAName) {
    EXPECT_STREQ(name(Isa::portable), "portable");
    EXPECT_STREQ(name(Isa::avx2), "avx2");
    EXPECT_STREQ(name(Isa::avx512), "avx512");
}

TEST(Isa, PortableIsAlwaysThereAndTheSlowest) {
    ASSERT_FALSE(available_isas().empty());
    EXPECT_EQ(available_isas().front(), Isa::portable);
}

TEST_P(EveryIsa, GivesATableOfItsOwn) {
    EXPECT_EQ(current_isa(), GetParam());
    switch (GetParam()) {
        case Isa::portable:
            EXPECT_EQ(kernels().lanes, 4);
            break;
        case Isa::avx2:
            EXPECT_EQ(kernels().lanes, 8);
            break;
        case Isa::avx512:
            EXPECT_EQ(kernels().lanes, 16);
            break;
    }
}

// The choice is made at first use, so each value wants a fresh process.
TEST(IsaVariable, ForcesEverySetThatThisCpuHas) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto choose = [](const char* text) {
        setenv("CMR_ISA", text, 1);
        std::exit(10 + static_cast<int>(current_isa()));
    };
    for (const Isa isa : available_isas())
        EXPECT_EXIT(choose(name(isa)), testing::ExitedWithCode(10 + static_cast<int>(isa)), "");
    EXPECT_EXIT(choose(""), testing::ExitedWithCode(10 + static_cast<int>(available_isas().back())), "");
}

TEST(IsaVariable, IsRefusedWhenNoSetHasThatName) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto choose = [](const char* text) {
        setenv("CMR_ISA", text, 1);
        try {
            current_isa();
        } catch (const InputError& error) {
            std::fputs(error.what(), stderr);
            std::exit(2);
        }
    };
    for (const char* text : {"avx", "AVX2", "portable ", "2"})
        EXPECT_EXIT(choose(text), testing::ExitedWithCode(2), "CMR_ISA=.*unknown instruction set.*portable");
}

TEST(Isa, OfAnotherCpuIsRefused) {
    if (available_isas().size() == 3) GTEST_SKIP() << "this CPU has them all";
    const Isa before = current_isa();
    EXPECT_THROW(use_isa(Isa::avx512), InputError);
    EXPECT_EQ(current_isa(), before) << "the choice stands";
}

}  // namespace
}  // namespace cmr::kernels
