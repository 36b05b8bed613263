// A network that foretells more of an effect than a line can, in the mechanism of a detector.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/fingerprint.h"
#include "score/auroc.h"
#include "score/explain/mechanism.h"
#include "score/file/detector_file.h"
#include "score/fit_detector.h"
#include "support/temporary_folder.h"
#include "train/fit.h"
#include "train/tiny_run.h"

namespace cmr::score {
namespace {

// Two causes; the first effect follows them linearly, the second their product.
struct Machine {
    recipe::Recipe recipe = [] {
        recipe::Recipe out = train::tiny_recipe();
        out.data.rate_hz = 1;
        recipe::Part& part = out.data.part.emplace_back();
        part.name = part.role = "fit";
        part.files = "run.csv";
        part.state = "healthy";
        for (const auto& [role, group, names] :
             {std::tuple{"cause", "drive", std::vector<std::string>{"c0", "c1"}}, {"effect", "answer", {"c2", "c3"}}}) {
            recipe::Channels& channels = out.channels.emplace_back();
            channels.role = role;
            channels.group = group;
            channels.names = names;
        }
        out.window.stride = 8;
        out.split.train_fraction = 0.6;
        out.train.max_epochs = 60;
        out.train.patience = 20;
        return out;
    }();
    data::Dataset dataset = train::tiny_dataset();
    data::Fold fold = data::make_folds(dataset, recipe).front();
    // Windows that nobody trained on, though they chose the epoch and the gates.
    const std::vector<data::Window>& later() const { return fold.validation; }

    Detector fit(bool trained) const {
        model::Preprocessing preprocessing = model::prepare(dataset, recipe, fold);
        model::Model network;
        train::FitOptions options;
        options.seed = 7;
        if (trained) network = train::fit(dataset, recipe, fold, preprocessing, options).model;
        return fit_detector(dataset, recipe, fold, std::move(preprocessing), std::move(network),
                            {recipe::to_toml(recipe), fold.name, 0, 7, data::fingerprint(dataset), "0"});
    }
};

const Machine& machine() {
    static const Machine machine;
    return machine;
}

const Detector& detector() {
    static const Detector detector = machine().fit(true);
    return detector;
}

TEST(Foretelling, CountsForTheEffectThatNoLineForetells) {
    const Gates gates = detector().pipeline.gates();
    ASSERT_EQ(gates.size(), 2u);
    EXPECT_GT(gates[1].open, 0.3) << "the product";
    EXPECT_LT(gates[1].left, 0.8);
    EXPECT_LE(gates[0].left, 1.0);
}

TEST(Foretelling, IsPartOfWhatIsExpected) {
    const auto error = [&](const Detector& by) {
        const data::Window& window = machine().later().front();
        const data::SampleRange samples{window.recording, window.begin, window.begin + machine().recipe.window.length};
        const std::vector<float> expected = expected_effect(by.pipeline, machine().dataset, samples, 1);
        double out = 0;
        for (size_t t = 0; t < expected.size(); ++t)
            out += std::pow(expected[t] - machine().dataset.recordings[0].channels[3].values()[samples.begin + t], 2);
        return out;
    };
    EXPECT_LT(error(detector()), 0.8 * error(machine().fit(false))) << "of the product, which no line foretells";
}

TEST(Foretelling, LeavesLessOfHealthyWindowsAndMakesFaultsStandOut) {
    const Scores healthy = detector().pipeline.score(machine().dataset, machine().later());
    // The product comes with the wrong sign; alone it looks as ever.
    data::Dataset broken = machine().dataset;
    for (float& value : broken.recordings[0].channels[3].values()) value = -value;
    const Scores faulty = detector().pipeline.score(broken, machine().later());
    const double linear = test::auroc(healthy.column("window"), faulty.column("window"));
    const double learned = test::auroc(healthy.column("mechanism"), faulty.column("mechanism"));
    EXPECT_GT(learned, linear + 0.1);
    EXPECT_GT(learned, 0.9);
}

TEST(Foretelling, ComesBackFromAFileAndScoresOneWindowAsMany) {
    const test::TemporaryFolder folder;
    save_detector(detector(), folder / "a.cmr");
    const Detector loaded = load_detector(folder / "a.cmr");
    const Scores all = detector().pipeline.score(machine().dataset, machine().later());
    EXPECT_EQ(loaded.pipeline.score(machine().dataset, machine().later()).values.values, all.values.values);
    EXPECT_EQ(loaded.pipeline.gates().size(), 2u);
    for (const int64_t i : {0, 5}) {
        const Scores alone = loaded.pipeline.score(machine().dataset, {machine().later()[i]});
        EXPECT_TRUE(std::ranges::equal(alone.values.values, all.values.row(i)));
    }
}

TEST(Foretelling, IsThereWhereEmbeddingsAreKept) {
    EmbeddingCapture capture{{.poolings = {"std"}}, {}};
    const Scores with = detector().pipeline.score(machine().dataset, machine().later(), &capture);
    EXPECT_EQ(with.values.values, detector().pipeline.score(machine().dataset, machine().later()).values.values);
    EXPECT_TRUE(capture.pooled.has("effects.std"));
}

// The network knows the windows it was trained on: its mechanism's scores of them lie, in the end, where those of the
// others do, and those of a mechanism without it stay as they are.
TEST(Foretelling, ScoresOfSeenWindowsAreMovedToThoseOfUnseenOnes) {
    const Matrix& healthy = detector().healthy.scores;
    const int64_t seen = std::ssize(machine().fold.train);  // the others come later
    for (const std::string name : {"mechanism", "lagged"}) {
        const int64_t k = NamedScores{detector().names(), healthy}.column(name);
        std::vector<double> here, there;
        for (int64_t i = 0; i < healthy.rows; ++i) (i < seen ? here : there).push_back(healthy.row(i)[k]);
        const LogScale a = log_scale(here), b = log_scale(there);
        const double apart = std::max(std::abs(a.median - b.median), std::abs(a.deviation - b.deviation));
        if (name == "mechanism")
            EXPECT_LT(apart, 1e-5);
        else
            EXPECT_GT(apart, 1e-3);
    }
}

// Without enough windows that the network has not seen nothing can be held against it, and it has no say, however much
// it foretells.
TEST(Foretelling, CountsOnlyWhereThereAreWindowsThatTheNetworkHasNotSeen) {
    Machine few;
    few.recipe.split.train_fraction = 0.85;  // 15 % of 2,048 samples are less than 20 windows side by side
    few.fold = data::make_folds(few.dataset, few.recipe).front();
    const Detector fitted = few.fit(true);
    EXPECT_FALSE(any_open(fitted.pipeline.gates()));
    const Scores scores = fitted.pipeline.score(few.dataset, few.later());
    EXPECT_EQ(scores.column("mechanism"), scores.column("window"));
    EXPECT_TRUE(any_open(detector().pipeline.gates())) << "else this shows nothing";
}

// By the paper's protocol the loss has no such term, and there is nothing to foretell with.
TEST(Foretelling, IsNotPartOfThePapersProtocol) {
    Machine paper;
    paper.recipe.split.protocol = "paper";
    const model::Preprocessing preprocessing = model::prepare(paper.dataset, paper.recipe, paper.fold);
    EXPECT_EQ(preprocessing.config.waveform_weight, 0);
    EXPECT_FALSE(can_foretell(preprocessing.config));
}

}  // namespace
}  // namespace cmr::score
