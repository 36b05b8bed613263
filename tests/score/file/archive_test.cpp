#include "score/file/archive.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

using test::expect_input_error;

struct Numbers {
    io::Safetensors file{.source = "a.cmr", .metadata = {}, .tensors = {}};
    Archive archive{file, "s"};
};

TEST(Archive, GivesBackWhatWasPut) {
    Numbers n;
    Archive below = n.archive.below("knn");
    below.put("k", 3.0);
    below.put("scale", Eigen::VectorXd(Eigen::Vector2d(0.5, -2)));
    below.put("basis", Eigen::MatrixXd(Eigen::Matrix2d{{1, 2}, {3, 4}}));
    EXPECT_EQ(n.file.tensors.front().name, "s.knn.k");
    EXPECT_EQ(below.whole("k", 1, 3), 3);
    EXPECT_EQ(below.vector("scale"), Eigen::Vector2d(0.5, -2));
    EXPECT_EQ(below.doubles("basis"), (Eigen::Matrix2d{{1, 2}, {3, 4}}));
    EXPECT_EQ(below.matrix("basis").values, (std::vector<float>{1, 2, 3, 4}));
    EXPECT_TRUE(below.has("k"));
    EXPECT_FALSE(n.archive.has("k"));
}

TEST(Archive, RefusesWhatIsNoFiniteNumber) {
    for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        Numbers n;
        n.archive.put("scale", Eigen::VectorXd(Eigen::Vector2d(1, bad)));
        n.archive.put("k", bad);
        expect_input_error([&] { n.archive.vector("scale"); }, {"a.cmr", "s.scale", "holds"});
        expect_input_error([&] { n.archive.number("k"); }, {"a.cmr", "s.k", "holds"});
    }
}

TEST(Archive, RefusesACountThatIsNone) {
    Numbers n;
    n.archive.put("k", 2.5);
    expect_input_error([&] { n.archive.whole("k", 1, 3); }, {"s.k is 2.5", "1 to 3"});
    expect_input_error([&] { n.archive.whole("l", 1, 3); }, {"no tensor s.l"});
    expect_input_error([&] { n.archive.vector("k"); }, {"s.k has 0 dimensions", "1"});
}

}  // namespace
}  // namespace cmr::score
