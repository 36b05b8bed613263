#include "score/features/pooled.h"

#include <gtest/gtest.h>

#include "score/small_plant.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

using test::SmallPlant;

const SmallPlant& plant() {
    static const SmallPlant plant([](recipe::Recipe& recipe) { recipe.score.pooling = "cause-encoder"; });
    return plant;
}

Features windows() { return plant().features(plant().fold.train); }

TEST(Pooled, StandsBesideEachOtherAsItsNameSays) {
    const Features f = windows();
    const auto pooled = [&](const char* name) { return Pooled(name, f)(f).values; };
    EXPECT_EQ(pooled("std"), f.std.values);
    EXPECT_EQ(pooled("mean"), f.mean.values);
    EXPECT_EQ(pooled("max"), f.max.values);
    EXPECT_EQ(pooled("mean+std"), concat_columns(f.mean, f.std).values);
    EXPECT_EQ(pooled("mean+std+max"), concat_columns(f.mean, concat_columns(f.std, f.max)).values);
    EXPECT_EQ(pooled("effect+cause"), concat_columns(f.std, f.cause_std).values);
    EXPECT_EQ(pooled("cause-encoder"), f.cause_encoded.values);
    EXPECT_EQ(pooled("mean-pca"), linear::fit_pca(f.mean, 64).transform(f.mean).values);
}

TEST(Pooled, KnowsItsWidth) {
    const Features f = windows();
    const int64_t causes = 2 * 16, effects = 3 * 16;
    for (const std::string_view name : pooled_names()) {
        const Pooled pooled(std::string(name), f);
        EXPECT_EQ(pooled(f).columns, pooled.columns(causes, effects)) << name;
        EXPECT_EQ(pooled(f).rows, f.rows());
    }
    EXPECT_EQ(Pooled("mean+std+max", f).columns(causes, effects), 3 * effects);
    EXPECT_EQ(Pooled("effect+cause", f).columns(causes, effects), causes + effects);
}

TEST(Pooled, ComesBackFromAFileWithTheSameBits) {
    const Features f = windows();
    ASSERT_EQ(pooled_names().size(), 8u);
    for (const std::string_view name : pooled_names()) {
        const Pooled pooled(std::string(name), f);
        io::Safetensors file;
        Archive archive(file, "test");
        pooled.save(archive);
        const Pooled loaded(archive, 3 * 16);
        EXPECT_EQ(loaded.name(), name);
        EXPECT_EQ(loaded(f).values, pooled(f).values) << name;
    }
}

TEST(Pooled, RefusesWhatItDoesNotKnow) {
    test::expect_input_error([] { Pooled("median", windows()); }, {"median", "cause-encoder"});
    for (const double number : {-1.0, 8.0, 0.5, 1e30}) {
        io::Safetensors file{.source = "a.cmr", .metadata = {}, .tensors = {}};
        Archive archive(file, "test");
        archive.put("pooling", number);
        test::expect_input_error([&] { Pooled(archive, 48); }, {"a.cmr", "test.pooling", "0 to 7"});
    }
}

}  // namespace
}  // namespace cmr::score
