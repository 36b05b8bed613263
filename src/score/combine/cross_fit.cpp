#include "score/combine/cross_fit.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace cmr::score {

std::vector<int64_t> rows_of_block(int64_t rows, int64_t block, int64_t blocks) {
    const int64_t begin = block * rows / blocks, end = (block + 1) * rows / blocks;
    std::vector<int64_t> out(end - begin);
    std::iota(out.begin(), out.end(), begin);
    return out;
}

std::vector<CrossFitted> cross_fit(const Healthy& healthy, std::span<const ScorerKind* const> kinds,
                                   const Others& others) {
    const int64_t rows = std::ssize(healthy.windows), blocks = healthy.recipe.score.blocks;
    if (rows < 2 * blocks)
        throw InputError("{} healthy windows, expected at least {} to leave out {} blocks in turn", rows, 2 * blocks,
                         blocks);
    std::vector<CrossFitted> out;
    for (size_t set = 0; set < 1 + others.sets; ++set)
        out.push_back(
            {Matrix(set == 0 ? rows : std::ssize(others.rows), std::ssize(kinds)), std::vector<Matrix>(kinds.size())});
    for (int64_t block = 0; block < blocks; ++block) {
        const std::vector<int64_t> inside = rows_of_block(rows, block, blocks);
        std::vector<data::Window> left_out;
        for (const int64_t row : inside) left_out.push_back(healthy.windows[row]);
        const int64_t length = healthy.recipe.window.length;
        const auto stretches = data::covered(left_out, length);
        std::vector<int64_t> outside;
        for (int64_t row = 0; row < rows; ++row) {
            const data::Window& w = healthy.windows[row];
            const bool overlaps = std::ranges::any_of(stretches, [&](const data::SampleRange& s) {
                return s.recording == w.recording && w.begin < s.end && w.begin + length > s.begin;
            });
            if (!overlaps) outside.push_back(row);
        }
        std::vector<std::unique_ptr<Scorer>> scorers;
        {
            const Healthy remaining = healthy.chosen(outside);
            for (const ScorerKind* kind : kinds) scorers.push_back(kind->fit(remaining));
        }
        const Features own = healthy.chosen(inside).features;
        const auto judge = [&](const Features& windows, int64_t first, CrossFitted& into) {
            for (size_t k = 0; k < kinds.size(); ++k) {
                const Judged judged = scorers[k]->judge(windows);
                for (int64_t i = 0; i < windows.rows(); ++i) into.scores.row(first + i)[k] = judged.scores[i];
                const Matrix& parts = judged.by_channel;
                Matrix& all_parts = into.by_channel[k];
                if (parts.columns > 0 && all_parts.columns == 0) all_parts = Matrix(into.scores.rows, parts.columns);
                std::ranges::copy(parts.values, all_parts.values.begin() + first * parts.columns);
            }
        };
        judge(own, inside.front(), out.front());
        // The rows of a block stand side by side, in the others too.
        const auto begin = std::ranges::lower_bound(others.rows, inside.front());
        const auto end = std::ranges::upper_bound(others.rows, inside.back());
        std::vector<int64_t> chosen(begin, end);
        for (int64_t& row : chosen) row -= inside.front();
        for (size_t set = 0; set < others.sets; ++set)
            judge(others.make(set, own, chosen), begin - others.rows.begin(), out[1 + set]);
    }
    return out;
}

}  // namespace cmr::score
