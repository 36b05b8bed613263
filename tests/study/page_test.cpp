#include "study/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/well_formed.h"
#include "study/small_run.h"
#include "study/tables.h"
#include "support/temporary_folder.h"

namespace cmr::study {
namespace {

using test::make_result;
using test::SmallRun;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

report::Page page_of(const SmallRun& run) {
    const cmr::test::TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    const Outcome outcome = run.outcome();
    return make_page(outcome, Runs({folder.path()}), make_tables(outcome));
}

const report::Section& section(const report::Page& page, const std::string& heading) {
    static const report::Section none;
    const auto found = std::ranges::find(page.sections, heading, &report::Section::heading);
    if (found != page.sections.end()) return *found;
    ADD_FAILURE() << "no section " << heading;
    return none;
}

int64_t captions_with(const report::Section& section, const std::string& word) {
    const auto has_word = [&](const report::Figure& f) { return f.caption.find(word) != std::string::npos; };
    return std::ranges::count_if(section.figures, has_word) + std::ranges::count_if(section.more, has_word);
}

SmallRun two_experiments(const std::string& first, const std::string& second) {
    SmallRun run;
    for (const std::string& name : {first, second}) {
        run.add_experiment(name, {"cmr", "ae"}, {1, 2});
        for (int64_t seed = 1; seed <= 2; ++seed) {
            run.add(make_result(name, "cmr", seed, 0,
                                {{"knn", 0.9}, {"mechanism", 0.9}, {"combined", 0.95}, {"marginal", 0.6}}));
            run.add(make_result(name, "ae", seed, 0, {{"native", 0.5}, {"knn", 0.7}}));
        }
    }
    return run;
}

TEST(StudyPage, HasASectionPerExperimentWithItsOwnTables) {
    const report::Page page = page_of(two_experiments("water", "water-2"));
    EXPECT_EQ(captions_with(section(page, "water"), "what each method takes"), 1) << "not those of water-2, too";
    EXPECT_EQ(captions_with(section(page, "water-2"), "water-2: what each method takes"), 1);
    EXPECT_EQ(captions_with(section(page, "In short"), "Where cmr stands"), 1);
    EXPECT_THAT(section(page, "In short").text, Contains(HasSubstr("water: mechanism ahead of the best rival")));
    EXPECT_THAT(section(page, "water").text.front(), HasSubstr("Protocol strict, 1 fold, seeds 1, 2"));
}

TEST(StudyPage, SaysWhatIsNotDoneAndWhatFailed) {
    SmallRun run = two_experiments("plant", "rig");
    run.add_experiment("later", {"cmr"}, {1});
    run.add_open(make_result("later", "cmr", 1, 0, {}));
    run.plan.experiments[1].methods.emplace_back("svdd");
    run.add_failed("rig", "svdd", 1, 0, "too <large>");
    const report::Page page = page_of(run);
    EXPECT_EQ(page.key_numbers[0].value, "8 of 10");
    EXPECT_EQ(page.key_numbers[1].value, "1");
    EXPECT_EQ(section(page, "later").text.front(), "No cell of this experiment is done.");
    EXPECT_EQ(section(page, "What gave no detector").figures.size(), 1u);
    EXPECT_THAT(report::to_html(page), HasSubstr("too &lt;large&gt;"));
}

TEST(StudyPage, NamesRecipeSeedsVersionAndData) {
    SmallRun run = two_experiments("plant", "rig");
    run.plan.experiments[0].settings = {"train.max_epochs=3"};
    std::string all;
    for (const auto& [name, fact] : page_of(run).facts) all += name + ": " + fact + "\n";
    EXPECT_THAT(all, HasSubstr("plant: recipe plant.toml with train.max_epochs=3; data abcd; portable with 2 threads"));
    EXPECT_THAT(all, HasSubstr("cells: 8 of 8 done"));
    EXPECT_THAT(all, HasSubstr("version: 1.0"));
}

TEST(StudyPage, IsWellFormedWhateverTheNames) {
    const std::string html = report::to_html(page_of(two_experiments("<b>&\"plant'", "<script>alert(1)</script>")));
    const size_t begin = html.find("<main>"), end = html.find("</main>") + 7;
    EXPECT_TRUE(cmr::test::is_well_formed(html.substr(begin, end - begin)));
    EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
}

}  // namespace
}  // namespace cmr::study
