#pragma once
// What the three simulators share about their output: the folder, the truth about its faults, and progress.
//
// A simulation is written into a folder of its own. `ground_truth.json` stands next to the data; it is also the sign by
// which a later simulation knows that it may replace what is there.

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"

namespace cmr::simulate {

namespace fs = std::filesystem;

// Called with the done fraction 0 … 1, possibly from several threads, never at the same time.
using Progress = std::function<void(double fraction)>;

// One fault as it was put into the data, precise enough to score detection, localisation and severity against.
struct FaultRecord {
    std::string unit{};     // the file or folder it is in, relative to the data
    std::string range{};    // what begin and end count: sample, cycle, row
    int64_t begin = 0;      // first faulty one
    int64_t end = 0;        // one past the last
    std::string time{};     // the same in the words of the data: "0 s to 4 s", a time stamp
    std::string kind{};     // "damage", "mechanism", "additive", "leakage", "blunt", "stealthy", "spreading"
    std::string detail{};   // for people
    std::string cause{};    // the mechanism that breaks: channels of the cause (none where it is intact) …
    std::string effect{};   // … and of the effect, each separated by blanks
    double severity = 0.0;  // grows with the fault; the scale is the simulator's, see its header
    std::vector<std::string> channels{};  // whose values are not those of a healthy machine
};

// Makes the folder, or empties it where everything in it was simulated: each file matches one of `patterns` (relative
// paths, `*` for any run of letters) and a ground_truth.json is there. InputError otherwise, and nothing is removed.
void prepare_folder(const fs::path& folder, const std::vector<std::string>& patterns);

// Rig 0 is not written down: it is what there was before rigs had numbers.
void write_ground_truth(const fs::path& folder, std::string_view simulator, const nlohmann::ordered_json& options,
                        const std::vector<FaultRecord>& faults);

// InputError unless `value` is one of `allowed`.
void require_one_of(std::string_view name, std::string_view value, const std::vector<std::string>& allowed);
// InputError unless low ≤ value ≤ high.
void require_range(std::string_view name, double value, double low, double high);

// parallel_for that reports the fraction of finished tasks.
void parallel_with_progress(int64_t tasks, const Progress& progress, const std::function<void(int64_t)>& body);

}  // namespace cmr::simulate
