#pragma once
// Random scores and labels with many ties, and the same numbers in Python.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "support/python.h"

namespace cmr::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Values = std::vector<double>;
using Labels = std::vector<uint8_t>;

struct Sample {
    Values scores;
    Labels labels;  // faulty in runs, as in a recording; both classes occur
};

// Scores on a grid of `levels` per unit, so that many are equal; faulty ones are higher by one unit on average.
inline Sample make_sample(Rng rng, int64_t count, double levels) {
    Sample sample;
    bool faulty = false;
    for (int64_t i = 0; i < count; ++i) {
        if (rng.uniform() < 0.2) faulty = !faulty;
        if (i < 2) faulty = i == 1;
        sample.labels.push_back(faulty);
        sample.scores.push_back(std::round((rng.normal() + (faulty ? 1 : 0)) * levels) / levels);
    }
    return sample;
}

inline Values negated(Values values) {
    for (double& value : values) value = -value;
    return values;
}

// Runs the script with these arrays under their names, and gives the numbers that it printed, one per word.
inline Values numbers_from_python(const std::vector<std::pair<std::string, Values>>& arrays,
                                  const std::string& script) {
    std::string text = "import numpy as np\nfrom numpy import inf\n";
    for (const auto& [name, values] : arrays)
        text += fmt::format("{} = np.array([{}], dtype=float)\n", name, fmt::join(values, ","));
    const TemporaryFolder folder;
    const CommandResult result = run_python(folder, text + script);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    Values out;
    std::istringstream words(result.output);
    for (std::string word; words >> word;) out.push_back(std::strtod(word.c_str(), nullptr));
    return out;
}

inline Values as_values(const Labels& labels) { return {labels.begin(), labels.end()}; }

}  // namespace cmr::test
