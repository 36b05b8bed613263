#include "model/preprocessing.h"

#include <gtest/gtest.h>

#include "data/synthetic.h"

namespace cmr::model {
namespace {

// Of machine number i the effect stands at 10 · i.
data::Dataset four_machines() {
    data::Dataset out = test::make_dataset({false, true});
    out.channels[1].group = "effects";
    for (int i = 0; i < 4; ++i) {
        data::Recording& recording = test::add_recording(out, 80, i + 1);
        recording.unit = "K" + std::to_string(i);
        for (float& value : recording.channels[1].values()) value += static_cast<float>(10 * i);
    }
    return out;
}

double mean_of_the_effect(const data::Dataset& dataset, const std::string& kind, const std::string& protocol) {
    recipe::Recipe recipe = test::make_recipe(8, 8);
    recipe.split.kind = kind;
    recipe.split.leave_out = 1;
    recipe.split.held_out = "validation+test";
    recipe.split.protocol = protocol;
    return prepare(dataset, recipe, data::make_folds(dataset, recipe).front()).scaler.mean[1];
}

TEST(Preprocessing, ByThePapersProtocolTheScaleIsThatOfAllHealthyMachines) {
    const data::Dataset dataset = four_machines();
    EXPECT_NEAR(mean_of_the_effect(dataset, "leave-units-out", "paper"), 15, 0.5) << "of 0, 10, 20, 30";
    // Some of their windows validate, so their shares are not quite equal.
    EXPECT_NEAR(mean_of_the_effect(dataset, "leave-units-out", "strict"), 20, 3) << "of 10, 20, 30";
    EXPECT_LT(mean_of_the_effect(dataset, "chronological", "paper"), 13.5)
        << "of a plant it is that of the training windows: not of the end, where the effect is at 30";
}

}  // namespace
}  // namespace cmr::model
