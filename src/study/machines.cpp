#include "study/machines.h"

#include <algorithm>

#include "eval/ranking.h"

namespace cmr::study {

std::vector<MachineFacts> machines_of(const recipe::Recipe& recipe, const data::Dataset& dataset,
                                      std::span<const int64_t> recording, std::span<const uint8_t> faulty) {
    std::vector<MachineFacts> out;
    for (const recipe::Unit& unit : recipe.data.unit) {
        if (unit.severity == 0) continue;
        for (const std::string& name : unit.names) {
            int64_t windows = 0;
            for (size_t i = 0; i < faulty.size(); ++i)
                windows += faulty[i] != 0 && dataset.recordings[recording[i]].unit == name;
            if (windows > 0) out.push_back({name, unit.kind, unit.place, unit.severity, windows});
        }
    }
    return out;
}

std::vector<MachineResult> by_machine(const std::vector<MachineFacts>& machines, const data::Dataset& dataset,
                                      std::span<const double> scores, std::span<const int64_t> recording,
                                      std::span<const uint8_t> faulty) {
    std::vector<MachineResult> out;
    for (const MachineFacts& machine : machines) {
        std::vector<double> some;
        std::vector<uint8_t> labels;
        double sum = 0;
        for (size_t i = 0; i < scores.size(); ++i) {
            if (faulty[i] != 0 && dataset.recordings[recording[i]].unit != machine.name) continue;
            some.push_back(scores[i]);
            labels.push_back(faulty[i]);
            if (faulty[i] != 0) sum += scores[i];
        }
        out.push_back({machine.name, eval::auroc(some, labels), sum / static_cast<double>(machine.windows)});
    }
    return out;
}

}  // namespace cmr::study
