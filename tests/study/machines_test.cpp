#include "study/machines.h"

#include <gtest/gtest.h>

#include "data/synthetic.h"

namespace cmr::study {
namespace {

// A healthy machine and three damaged ones, two windows each; nothing is known of how severe the last one is.
struct Machines : testing::Test {
    Machines() {
        for (const char* name : {"K1", "A1", "A2", "B1"}) test::add_recording(dataset, 8, 1).unit = name;
        const auto unit = [&](const std::string& name, int64_t severity) {
            recipe::Unit& out = recipe.data.unit.emplace_back();
            out.names = {name};
            out.kind = "pitting";
            out.place = "outer race";
            out.severity = severity;
        };
        unit("K1", 0);
        unit("A1", 1);
        unit("A2", 2);
        unit("A3", 3);  // no recording of it
        unit("B1", 0);
    }

    data::Dataset dataset = test::make_dataset();
    recipe::Recipe recipe;
    std::vector<int64_t> recording = {0, 0, 1, 1, 2, 2, 3, 3};
    std::vector<uint8_t> faulty = {0, 0, 1, 1, 1, 1, 1, 1};
};

TEST_F(Machines, AreThoseWhoseDamageIsKnownAndTested) {
    const auto found = machines_of(recipe, dataset, recording, faulty);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].name, "A1");
    EXPECT_EQ(found[1].name, "A2");
    EXPECT_EQ(found[1].kind, "pitting");
    EXPECT_EQ(found[1].place, "outer race");
    EXPECT_EQ(found[1].severity, 2);
    EXPECT_EQ(found[1].windows, 2);
}

TEST_F(Machines, AreEachHeldAgainstAllHealthyWindows) {
    const std::vector<double> scores = {1, 3, 2, 4, 5, 6, 0, 0};
    const auto found = by_machine(machines_of(recipe, dataset, recording, faulty), dataset, scores, recording, faulty);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_DOUBLE_EQ(found[0].auroc, 0.75) << "2 above 1, 4 above 1 and 3";
    EXPECT_DOUBLE_EQ(found[0].mean, 3);
    EXPECT_DOUBLE_EQ(found[1].auroc, 1);
    EXPECT_DOUBLE_EQ(found[1].mean, 5.5);
}

}  // namespace
}  // namespace cmr::study
