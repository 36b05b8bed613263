#include "score/combine/unseen.h"

#include <algorithm>
#include <cmath>

#include "score/combine/log_scale.h"

namespace cmr::score {
namespace {

constexpr int64_t kFewest = 20;  // windows side by side to judge by; overlapping ones tell little more

}  // namespace

std::vector<int64_t> unseen_rows(const std::vector<data::Window>& windows, const data::Fold& fold, int64_t length) {
    std::vector<data::Window> trained_on = fold.train;
    std::ranges::sort(trained_on);
    const std::vector<data::SampleRange> validation = data::covered(fold.validation, length);
    std::vector<int64_t> out;
    for (size_t i = 0; i < windows.size(); ++i)
        if (data::is_inside(validation, windows[i], length) && !std::ranges::binary_search(trained_on, windows[i]))
            out.push_back(static_cast<int64_t>(i));
    std::vector<data::Window> held_out;
    for (const int64_t row : out) held_out.push_back(windows[row]);
    int64_t samples = 0;
    for (const data::SampleRange& stretch : data::covered(held_out, length)) samples += stretch.end - stretch.begin;
    if (samples < kFewest * length) out.clear();
    return out;
}

void move_seen(Matrix& scores, std::span<const ScorerKind* const> kinds, const std::vector<int64_t>& unseen) {
    std::vector<bool> is_unseen(scores.rows, false);
    for (const int64_t row : unseen) is_unseen[row] = true;
    for (size_t k = 0; k < kinds.size(); ++k) {
        if (!kinds[k]->learned()) continue;
        std::vector<double> here, there;
        for (int64_t i = 0; i < scores.rows; ++i) (is_unseen[i] ? there : here).push_back(scores.row(i)[k]);
        if (here.empty() || there.empty()) return;
        const LogScale from = log_scale(here), to = log_scale(there);
        for (int64_t i = 0; i < scores.rows; ++i) {
            if (is_unseen[i]) continue;
            float& score = scores.row(i)[k];
            score = static_cast<float>(std::exp(to.median + to.deviation * from.z(score)));
        }
    }
}

}  // namespace cmr::score
