#include "score/combine/cross_fit.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::score {

namespace {

// Which machine or file each window is of, numbered as they first come; all 0 where only time passes.
std::vector<int64_t> owners_of(const Healthy& healthy) {
    const std::string& kind = healthy.recipe.split.kind;
    std::vector<std::string> names;
    std::vector<int64_t> out;
    for (const data::Window& window : healthy.windows) {
        const data::Recording& recording = healthy.dataset.recordings[window.recording];
        const std::string name = kind == "leave-units-out" ? recording.unit : kind == "by-file" ? recording.name : "";
        const auto known = std::ranges::find(names, name);
        out.push_back(known - names.begin());
        if (known == names.end()) names.push_back(name);
    }
    return out;
}

}  // namespace

std::vector<std::vector<int64_t>> blocks_of(const Healthy& healthy) {
    const int64_t rows = std::ssize(healthy.windows), blocks = healthy.recipe.score.blocks;
    const std::vector<int64_t> owners = owners_of(healthy);
    const int64_t owned = rows == 0 ? 0 : std::ranges::max(owners) + 1;
    std::vector<std::vector<int64_t>> out(owned > 1 ? std::min(owned, blocks) : blocks);
    const auto count = std::ssize(out);
    for (int64_t row = 0; row < rows; ++row)
        out[owned > 1 ? owners[row] * count / owned : ((row + 1) * count - 1) / rows].push_back(row);
    return out;
}

std::vector<int64_t> rows_outside(const Healthy& healthy, const std::vector<int64_t>& block) {
    std::vector<data::Window> left_out;
    for (const int64_t row : block) left_out.push_back(healthy.windows[row]);
    const int64_t length = healthy.recipe.window.length;
    const auto stretches = data::covered(left_out, length);
    std::vector<int64_t> out;
    for (int64_t row = 0; row < std::ssize(healthy.windows); ++row) {
        const data::Window& w = healthy.windows[row];
        const bool overlaps = std::ranges::any_of(stretches, [&](const data::SampleRange& s) {
            return s.recording == w.recording && w.begin < s.end && w.begin + length > s.begin;
        });
        if (!overlaps) out.push_back(row);
    }
    return out;
}

void check_blocks(int64_t windows, int64_t blocks) {
    if (windows < 2 * blocks)
        throw InputError("{} healthy windows, expected at least {} to leave out {} blocks in turn", windows, 2 * blocks,
                         blocks);
}

CrossFitted cross_fit(const Healthy& healthy, const std::vector<int64_t>& fitted,
                      std::span<const ScorerKind* const> kinds, const Foretell& foretell,
                      const std::function<void()>& after_block) {
    const int64_t rows = std::ssize(healthy.windows);
    check_blocks(std::ssize(fitted), healthy.recipe.score.blocks);
    CrossFitted out{Matrix(rows, std::ssize(kinds)), std::vector<Matrix>(kinds.size())};
    for (const std::vector<int64_t>& inside : blocks_of(healthy)) {
        std::vector<std::unique_ptr<Scorer>> scorers;
        {
            std::vector<int64_t> outside = rows_outside(healthy, inside);
            std::erase_if(outside, [&](int64_t row) { return !std::ranges::binary_search(fitted, row); });
            const Healthy remaining = healthy.chosen(outside);
            for (const ScorerKind* kind : kinds) scorers.push_back(kind->fit(remaining));
        }
        Features own = healthy.chosen(inside).features;
        if (foretell) {
            own.add(std::string(kUnforetold), 0, 0);
            own[kUnforetold] = foretell(inside);
        }
        for (size_t k = 0; k < kinds.size(); ++k) {
            const Judged judged = scorers[k]->judge(own);
            const Matrix& parts = judged.by_channel;
            if (parts.columns > 0 && out.by_channel[k].columns == 0) out.by_channel[k] = Matrix(rows, parts.columns);
            for (size_t i = 0; i < inside.size(); ++i) {
                out.scores.row(inside[i])[k] = judged.scores[i];
                if (parts.columns > 0)
                    std::ranges::copy(parts.row(static_cast<int64_t>(i)), out.by_channel[k].row(inside[i]).begin());
            }
        }
        if (after_block) after_block();
    }
    return out;
}

}  // namespace cmr::score
