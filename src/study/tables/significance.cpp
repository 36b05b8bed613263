// Is cmr better or worse than each of the others, on the same folds and seeds?

#include <algorithm>
#include <cmath>

#include "eval/wilcoxon.h"
#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

struct Pairs {
    std::vector<double> ours, theirs;

    double median() const {
        std::vector<double> differences;
        for (size_t i = 0; i < ours.size(); ++i) differences.push_back(ours[i] - theirs[i]);
        std::ranges::sort(differences);
        const size_t n = differences.size();
        return (differences[(n - 1) / 2] + differences[n / 2]) / 2;
    }
    int64_t wins() const {
        int64_t out = 0;
        for (size_t i = 0; i < ours.size(); ++i) out += ours[i] > theirs[i];
        return out;
    }
    bool differ() const { return ours != theirs; }
};

Pairs pairs_of(const Outcome& outcome, const Experiment& e, const Line& ours, const Line& theirs) {
    Pairs out;
    for (const Result* a : outcome.of(e, ours.method))
        for (const Result* b : outcome.of(e, theirs.method)) {
            if (a->seed != b->seed || a->fold != b->fold) continue;
            const auto x = Outcome::headline(e, *a, ours.score), y = Outcome::headline(e, *b, theirs.score);
            if (!x || !y) continue;
            out.ours.push_back(*x);
            out.theirs.push_back(*y);
        }
    return out;
}

}  // namespace

std::vector<Table> significance(const Outcome& outcome) {
    std::vector<Table> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const auto results = outcome.of(e, "cmr");
        if (results.empty()) continue;
        for (const std::string& score : {results.front()->main_score, std::string("combined")}) {
            const Line ours{"cmr", score};
            std::vector<Line> others;
            std::vector<Pairs> pairs;
            std::vector<double> p;
            for (const Line& line : outcome.lines(e)) {
                if (line.name() == ours.name()) continue;
                Pairs found = pairs_of(outcome, e, ours, line);
                if (found.ours.size() < 3 || !found.differ()) continue;
                p.push_back(eval::wilcoxon_signed_rank(found.ours, found.theirs).p_value);
                others.push_back(line);
                pairs.push_back(std::move(found));
            }
            if (others.empty()) continue;
            const std::vector<double> corrected = eval::holm(p);
            const double least = std::pow(0.5, static_cast<double>(pairs.front().ours.size()) - 1);
            Table table{.name = fmt::format("{}-against-{}", e.name, score),
                        .title = fmt::format("{}: cmr {} against the others, Wilcoxon's signed-rank test ({})", e.name,
                                             score, protocol_of(outcome, e)),
                        .note = fmt::format("Pairs are fits of the same seed and fold; with {} of them no p is below "
                                            "{:.2g}. Corrected after Holm for {} questions.",
                                            pairs.front().ours.size(), least, others.size()),
                        .corner = "against",
                        .columns = {"pairs", "cmr better in", "median difference", "p", "p corrected"},
                        .rows = {}};
            for (size_t i = 0; i < others.size(); ++i)
                table.rows.push_back({others[i].name(),
                                      {std::to_string(pairs[i].ours.size()), std::to_string(pairs[i].wins()),
                                       fmt::format("{:+.4f}", pairs[i].median()), fmt::format("{:.2g}", p[i]),
                                       fmt::format("{:.2g}", corrected[i])}});
            out.push_back(std::move(table));
            if (score == "combined") break;  // where it is the main score, too
        }
    }
    return out;
}

}  // namespace cmr::study::tables
