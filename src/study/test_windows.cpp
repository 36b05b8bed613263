#include "study/test_windows.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::study {

TestWindows test_windows_of(const score::ScoreRun& run, const data::Dataset& dataset) {
    TestWindows out;
    for (size_t i = 0; i < run.windows.size(); ++i) {
        const score::ScoredWindow& w = run.windows[i];
        if (w.split != "test") continue;
        out.rows.push_back(static_cast<int64_t>(i));
        out.windows.push_back(w.window);
        out.faulty.push_back(w.window.state == data::State::kFaulty);
        out.stratum.push_back(w.window.stratum);
        out.recording.push_back(w.window.recording);
    }
    const auto faulty = std::ranges::count(out.faulty, 1);
    if (faulty == 0 || faulty == std::ssize(out.faulty))
        throw InputError("{}: {} test windows, all {}; a study needs both kinds", dataset.name, out.faulty.size(),
                         faulty == 0 ? "healthy" : "faulty");
    return out;
}

std::vector<double> CountedWindows::of(const std::vector<double>& scores) const {
    std::vector<double> out;
    for (const size_t i : places) out.push_back(scores[i]);
    return out;
}

bool CountedWindows::has_faults() const { return std::ranges::count(test.faulty, 1) > 0; }

CountedWindows counted_of(const TestWindows& test, const std::string& stratum, const data::Dataset& dataset) {
    CountedWindows out;
    if (!stratum.empty()) {
        out.stratum = std::ranges::find(dataset.strata, stratum) - dataset.strata.begin();
        if (out.stratum == std::ssize(dataset.strata))
            throw InputError("{}: no faults of stratum \"{}\"", dataset.name, stratum);
    }
    for (size_t i = 0; i < test.rows.size(); ++i) {
        if (test.faulty[i] != 0 && out.stratum >= 0 && test.stratum[i] != out.stratum) continue;
        out.places.push_back(i);
        out.test.rows.push_back(test.rows[i]);
        out.test.windows.push_back(test.windows[i]);
        out.test.faulty.push_back(test.faulty[i]);
        out.test.stratum.push_back(test.stratum[i]);
        out.test.recording.push_back(test.recording[i]);
    }
    return out;
}

std::vector<double> score_column(const Matrix& values, const std::vector<std::string>& names, const std::string& name,
                                 const std::vector<int64_t>* rows) {
    const auto at = std::ranges::find(names, name) - names.begin();
    if (at == std::ssize(names)) throw InputError("the detector has no score \"{}\"", name);
    std::vector<double> out;
    const int64_t count = rows ? std::ssize(*rows) : values.rows;
    for (int64_t i = 0; i < count; ++i) out.push_back(values.row(rows ? (*rows)[i] : i)[at]);
    return out;
}

}  // namespace cmr::study
