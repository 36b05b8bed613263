#pragma once
// The next export of a plant, and a detector to judge it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "apps/program.h"
#include "data/fingerprint.h"
#include "data/load.h"
#include "data/split.h"
#include "io/text/time.h"
#include "score/file/detector_file.h"
#include "score/fit_detector.h"

namespace cmr::test {

// A detector without a network of what stands in plant.toml. Healthy windows are few, so its line is well above them.
inline void fit_plant(const std::filesystem::path& folder) {
    const recipe::Recipe recipe = recipe::read_recipe(
        folder / "plant.toml", {"score.only=[\"lagged\", \"marginal\"]", "model.method=untrained", "score.blocks=2"});
    const data::Dataset dataset = data::load(recipe, folder / "data");
    const data::Fold fold = data::make_folds(dataset, recipe).front();
    score::Detector detector =
        score::fit_detector(dataset, recipe, fold, model::prepare(dataset, recipe, fold), {},
                            {recipe::to_toml(recipe), fold.name, 0, 1, data::fingerprint(dataset), "test"});
    detector.alarm.calibration = score::Calibration{.threshold = 1.5 * detector.threshold(), .promised_per_day = 1};
    score::save_detector(detector, folder / "plant.cmr");
}

// The small plant's rows with dates, decimal commas and a gap of an hour after 320 of them.
struct Export : testing::Test, Program {
    static constexpr double kMonday = 1'577'836'800, kHour = 3600;  // 2020-01-01

    Export() {
        for (const auto& [name, start_s] : {std::pair{"healthy", kMonday}, {"faulty", kMonday + 864'000}}) {
            std::istringstream rows(content(folder / fmt::format("data/{}.csv", name)));
            std::ofstream file(folder / fmt::format("data/{}.csv", name));
            std::string line;
            std::getline(rows, line);
            file << "exported by the historian\ntime;a;b;y;z\n";
            for (int i = 0; std::getline(rows, line); ++i) {
                std::ranges::replace(line, ',', ';');
                std::ranges::replace(line, '.', ',');
                file << io::format_time(start_s + i + (i < 320 ? 0 : kHour)) << ';' << line << '\n';
            }
        }
        std::string recipe = content(folder / "plant.toml");
        recipe.insert(recipe.find("window = "),
                      "data.gaps = \"drop-window\"\ndata.time.column = \"time\"\n"
                      "data.read = { header_column = \"time\", decimal = \"comma\", missing = [\"-9999\"] }\n");
        std::ofstream(folder / "plant.toml") << recipe;
        fit_plant(folder.path());
    }
    nlohmann::json explain(const std::string& arguments) const {
        const CommandResult result = shell("cmr explain plant.cmr " + arguments + " --json");
        EXPECT_EQ(result.exit_code, 0) << result.output;
        return nlohmann::json::parse(result.output);
    }
    void expect_refused(const std::string& arguments, const std::vector<std::string>& words) const {
        const CommandResult result = cmr(arguments);
        EXPECT_EQ(result.exit_code, 2) << result.output;
        EXPECT_THAT(result.output, testing::Not(testing::HasSubstr("a bug in cmr")));
        for (const std::string& word : words) EXPECT_THAT(result.output, testing::HasSubstr(word));
    }
};

}  // namespace cmr::test
