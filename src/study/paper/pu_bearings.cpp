// Paderborn bearing by bearing. The paper prints their damage, and no number of each.

#include <algorithm>

#include "study/paper/items.h"

namespace cmr::study::paper {

void pu_bearings(const Sets& sets, Exhibit& out) {
    out.note +=
        "AUROC of one bearing's windows against all healthy ones. Bearings with the same damage at the same place in "
        "several severities: see the table of severities. Over healthy: the mean score over that of healthy windows.";
    out.corner = "bearing";
    out.columns = {"damage", "place", "severity", "cmr knn", "cmr residual", "cmr knn, over healthy"};
    struct Row {
        const char *name, *kind, *place, *severity;
    };
    const Fits fits = sets.pu.fits("cmr");
    for (const Row& row : {Row{"KA01", "EDM", "OR", "1"},
                           {"KA03", "engraver", "OR", "2"},
                           {"KA05", "engraver", "OR", "1"},
                           {"KA07", "drilling", "OR", "1"},
                           {"KA08", "drilling", "OR", "2"},
                           {"KI01", "EDM", "IR", "1"},
                           {"KI03", "engraver", "IR", "1"},
                           {"KI07", "engraver", "IR", "2"},
                           {"KA04", "fatigue pitting", "OR", "1"},
                           {"KA15", "plastic deformation", "OR", "1"},
                           {"KA16", "fatigue pitting", "OR", "2"},
                           {"KA22", "fatigue pitting", "OR", "1"},
                           {"KA30", "plastic deformation", "OR", "1"},
                           {"KB23", "fatigue pitting", "IR+OR", "2"},
                           {"KB24", "fatigue pitting", "IR+OR", "3"},
                           {"KB27", "plastic deformation", "IR+OR", "1"},
                           {"KI04", "fatigue pitting", "IR", "1"},
                           {"KI14", "fatigue pitting", "IR", "1"},
                           {"KI16", "fatigue pitting", "IR", "2"}}) {
        MachineFacts known;
        for (const Result* r : fits)
            if (const auto found = std::ranges::find(r->machines, row.name, &MachineFacts::name);
                found != r->machines.end())
                known = *found;
        out.add(row.name, {words(known.kind, row.kind), words(known.place, row.place),
                           words(known.severity > 0 ? std::to_string(known.severity) : "", row.severity),
                           number(sets.pu.spread(fits, machine_auroc("knn", row.name)), "", 3),
                           number(sets.pu.spread(fits, machine_auroc("residual", row.name)), "", 3),
                           number(sets.pu.spread(fits, machine_ratio("knn", row.name)), "", 2)});
    }
}

}  // namespace cmr::study::paper
