// Where cmr wins, ties and loses, and whether the paper's findings hold here.

#include <fmt/ranges.h>

#include <algorithm>

#include "eval/summary.h"
#include "model/methods/method.h"
#include "study/caps.h"
#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

constexpr double kTie = 0.01;  // AUROC
// Scores of cmr, and what a sentence calls them.
constexpr std::pair<const char*, const char*> kOurs[] = {
    {"mechanism", "mechanism"}, {"combined", "combined"}, {"both", "both clocks"}};

struct Best {
    Line line;
    Spread spread;
};

bool knows_causes(const Line& line) { return model::method_named(line.method).knows_causes; }

template <typename Take>
std::optional<Best> best_of(const Outcome& outcome, const Experiment& e, const Take& take) {
    std::optional<Best> out;
    for (const Line& line : outcome.lines(e))
        if (take(line))
            if (const auto spread = outcome.auroc(e, line); spread && (!out || spread->mean > out->spread.mean))
                out = Best{line, *spread};
    return out;
}

std::string shown_best(const std::optional<Best>& best) {
    return best ? fmt::format("{} ({})", shown(best->spread), best->line.control ? best->line.score : best->line.name())
                : "–";
}

// By fits of the same seed and fold: more than a hundredth, and more than two standard errors.
const char* order_of(const Outcome& outcome, const Experiment& e, const Line& ours, const Line& theirs) {
    const Pairs pairs = pair_up(outcome.of(e, ours.method), auroc_of(ours.score, e.stratum),
                                outcome.of(e, theirs.method), auroc_of(theirs.score, e.stratum));
    if (pairs.count() == 0) return "not to be compared with";
    const double mean = eval::summarise(pairs.differences()).mean;
    const double noise = std::max(kTie, 2 * pairs.standard_error().value_or(0));
    return mean > noise ? "ahead of" : mean < -noise ? "behind" : "level with";
}

// Counts of a claim that is asked again and again.
struct Claim {
    int64_t holds = 0, ties = 0, fails = 0;

    void add(double difference) { ++(difference > kTie ? holds : difference < -kTie ? fails : ties); }
    std::vector<std::string> cells() const {
        const int64_t asked = holds + ties + fails;
        return {std::to_string(asked), std::to_string(holds), std::to_string(ties), std::to_string(fails)};
    }
    bool asked() const { return holds + ties + fails > 0; }
};

Claim knn_over_native(const Outcome& outcome) {
    Claim out;
    for (const Experiment& e : outcome.plan().experiments)
        for (const std::string& method : e.methods) {
            const auto native = outcome.auroc(e, {method, "native"}), knn = outcome.auroc(e, {method, "knn"});
            if (native && knn) out.add(knn->mean - native->mean);
        }
    return out;
}

// The best other pooling at the same k and metric.
Claim std_pooling_best(const Outcome& outcome) {
    Claim out;
    for (const Experiment& e : outcome.plan().experiments) {
        const auto results = outcome.of(e, "cmr");
        for (const std::string& metric : e.metrics)
            for (const int64_t k : e.ks) {
                std::optional<double> ours, best;
                for (const std::string& pooling : e.poolings) {
                    const auto spread = outcome.spread(e, results, grid_auroc(pooling, metric, k, e.stratum));
                    if (!spread) continue;
                    if (pooling == "std") {
                        ours = spread->mean;
                    } else if (!best || spread->mean > *best) {
                        best = spread->mean;
                    }
                }
                if (ours && best) out.add(*ours - *best);
            }
    }
    return out;
}

Claim stop_gradient_helps(const Outcome& outcome) {
    Claim out;
    for (const Experiment& e : outcome.plan().experiments)
        for (const Axis& axis : e.axis) {
            if (axis.key != "model.stop_gradient") continue;
            for (const char* score : {"knn", "residual"}) {
                const auto on = outcome.auroc(e, {"cmr", score}, {axis.key, "true"});
                const auto off = outcome.auroc(e, {"cmr", score}, {axis.key, "false"});
                if (on && off) out.add(on->mean - off->mean);
            }
        }
    return out;
}

// By fits of the same seed and fold: where one method has no detector of a fold, that fold is not asked of the other.
Claim residual_on_stealthy(const Outcome& outcome) {
    Claim out;
    for (const Experiment& e : outcome.plan().experiments) {
        const auto stealthy = [](const std::string& score) {
            return stealth_auroc(score, 95, &StealthResult::stealthy);
        };
        for (const Line& line : outcome.lines(e)) {
            if (line.control || knows_causes(line)) continue;
            const Pairs pairs =
                pair_up(outcome.of(e, "cmr"), stealthy("residual"), outcome.of(e, line.method), stealthy(line.score));
            if (pairs.count() > 0) out.add(eval::summarise(pairs.differences()).mean);
        }
    }
    return out;
}

}  // namespace

std::vector<ResultTable> verdict(const Outcome& outcome) {
    ResultTable out{
        .name = "verdict",
        .title = "Where cmr stands, AUROC",
        .note =
            "Ahead or behind: by more than 0.01 and more than two standard errors, over fits of the same seed and "
            "fold. Mechanism: the "
            "linear one with what the network foretells beyond it. Combined: of that and the model-free voices, "
            "without weights. The best of the others is chosen with the labels at hand, "
            "so it is an upper bound for them. Both clocks: what raises alarms. " +
            capped_words(outcome, outcome.plan().experiments),
        .corner = "dataset",
        .columns = {"cmr fits", "cmr mechanism", "cmr combined", "both clocks", "best rival", "best control",
                    "verdict"},
        .rows = {}};
    for (const Experiment& e : outcome.plan().experiments) {
        if (outcome.of(e, "cmr").empty()) continue;
        const auto rival = best_of(outcome, e, [](const Line& line) { return !line.control && !knows_causes(line); });
        const auto control = best_of(outcome, e, [](const Line& line) { return line.control; });
        std::vector<std::string> words;
        for (const auto& [score, name] : kOurs) {
            if (!outcome.auroc(e, {"cmr", score})) continue;
            std::vector<std::string> orders;
            for (const auto& [best, what] : {std::pair(rival, "rival"), {control, "control"}})
                if (best)
                    orders.push_back(
                        fmt::format("{} the best {}", order_of(outcome, e, {"cmr", score}, best->line), what));
            if (!orders.empty()) words.push_back(fmt::format("{} {}", name, fmt::join(orders, " and ")));
        }
        out.rows.push_back({e.name,
                            {std::to_string(outcome.of(e, "cmr").size()), shown(outcome.auroc(e, {"cmr", "mechanism"})),
                             shown(outcome.auroc(e, {"cmr", "combined"})), shown(outcome.auroc(e, {"cmr", "both"})),
                             shown_best(rival), shown_best(control), fmt::format("{}", fmt::join(words, "; "))}});
    }
    return {out};
}

std::vector<ResultTable> claims(const Outcome& outcome) {
    ResultTable out{.name = "claims",
                    .title = "The paper's findings, asked of this run",
                    .note = "Differences of up to 0.01 in the mean AUROC are ties.",
                    .corner = "claim",
                    .columns = {"asked", "holds", "ties", "does not hold"},
                    .rows = {}};
    const std::pair<const char*, Claim> asked[] = {
        {"k-NN on a rival's embeddings beats its native score (rivals × datasets)", knn_over_native(outcome)},
        {"std pooling beats the best other pooling (datasets × k × metrics)", std_pooling_best(outcome)},
        {"the stop-gradient helps (datasets × k-NN and residual)", stop_gradient_helps(outcome)},
        {"the mechanism residual beats rivals on stealthy faults (rivals' scores × datasets)",
         residual_on_stealthy(outcome)}};
    for (const auto& [text, claim] : asked)
        if (claim.asked()) out.rows.push_back({text, claim.cells()});
    return {out};
}

}  // namespace cmr::study::tables
