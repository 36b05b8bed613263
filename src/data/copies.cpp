#include "data/copies.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "base/rng.h"

namespace cmr::data {
namespace {

constexpr int64_t kBlock = 32;
constexpr uint64_t kBase = 0x9e3779b97f4a7c15u;  // odd: no block's hash forgets its first sample
constexpr int64_t kMostBlocks = 1'000'000;       // of the whole dataset
constexpr int64_t kMostCopies = 10'000;          // per pair of recordings
constexpr int64_t kMostTwins = 64;               // of one block: a signal that repeats exactly has very many

// Calls use(index, hash) for every sample: all channels as one number that tells it from others.
template <typename Use>
void for_each_sample(const Recording& recording, const Use& use) {
    std::array<uint64_t, 4096> piece;
    for (int64_t begin = 0; begin < recording.length(); begin += static_cast<int64_t>(piece.size())) {
        const int64_t count = std::min<int64_t>(recording.length() - begin, piece.size());
        piece.fill(0);
        for (size_t c = 0; c < recording.channels.size(); ++c) {
            const auto values = recording.channels[c].values();
            const uint64_t key = Rng::mix(c + 1);
            // +0: the two zeros are one.
            for (int64_t i = 0; i < count; ++i)
                piece[i] += Rng::mix(key ^ std::bit_cast<uint32_t>(values[begin + i] + 0.0f));
        }
        for (int64_t i = 0; i < count; ++i) use(begin + i, piece[i]);
    }
}

struct Block {
    uint64_t hash;
    int32_t recording;
    int64_t begin;
    bool operator<(const Block& other) const { return hash < other.hash; }
};

bool tells_something(std::array<uint64_t, kBlock> samples) {
    std::ranges::sort(samples);
    return std::unique(samples.begin(), samples.end()) - samples.begin() >= kBlock / 2;
}

std::vector<Block> blocks_of(const Dataset& dataset, int32_t index, int64_t distance) {
    std::vector<Block> out;
    std::array<uint64_t, kBlock> samples;
    for_each_sample(dataset.recordings[index], [&](int64_t i, uint64_t hash) {
        const int64_t offset = i % distance;
        if (offset >= kBlock) return;
        samples[offset] = hash;
        if (offset + 1 < kBlock || !tells_something(samples)) return;
        uint64_t block = 0;
        for (const uint64_t sample : samples) block = block * kBase + sample;
        out.push_back({block, index, i + 1 - kBlock});
    });
    return out;
}

// The known blocks, with a small table in front that answers "no" quickly.
class KnownBlocks {
  public:
    explicit KnownBlocks(std::vector<Block> blocks) : blocks_(std::move(blocks)), maybe_(size_t{1} << kBits) {
        std::sort(blocks_.begin(), blocks_.end());
        for (const Block& block : blocks_) maybe_[block.hash >> (64 - kBits)] = true;
    }

    std::pair<std::vector<Block>::const_iterator, std::vector<Block>::const_iterator> find(uint64_t hash) const {
        if (!maybe_[hash >> (64 - kBits)]) return {blocks_.end(), blocks_.end()};
        return std::equal_range(blocks_.begin(), blocks_.end(), Block{hash, 0, 0});
    }

  private:
    static constexpr int kBits = 24;
    std::vector<Block> blocks_;
    std::vector<bool> maybe_;
};

bool same_sample(const Recording& a, int64_t i, const Recording& b, int64_t j) {
    if (i < 0 || j < 0 || i >= a.length() || j >= b.length()) return false;
    for (size_t c = 0; c < a.channels.size(); ++c) {
        const float x = a.channels[c][i], y = b.channels[c][j];
        if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
    }
    return true;
}

// Blocks stand `distance` apart, so a copy may go on that far around those that were met.
void extend(const Dataset& dataset, int64_t distance, Copy& copy) {
    const Recording &here = dataset.recordings[copy.recording], &there = dataset.recordings[copy.source];
    for (int64_t n = 0; n < distance && same_sample(here, copy.begin - 1, there, copy.source_begin - 1); ++n) {
        --copy.begin;
        --copy.source_begin;
        ++copy.samples;
    }
    for (int64_t n = 0; n < distance; ++n, ++copy.samples)
        if (!same_sample(here, copy.begin + copy.samples, there, copy.source_begin + copy.samples)) break;
}

std::vector<Copy> copies_in(const Dataset& dataset, int32_t index, const KnownBlocks& known, int64_t distance) {
    uint64_t weight = 1;
    for (int64_t i = 0; i < kBlock; ++i) weight *= kBase;
    std::vector<Copy> out;
    std::array<uint64_t, kBlock> last{};
    std::map<std::pair<int32_t, int64_t>, size_t> latest;  // source, shift → the last copy of that kind
    std::vector<int64_t> count(dataset.recordings.size());
    uint64_t hash = 0;
    for_each_sample(dataset.recordings[index], [&](int64_t i, uint64_t sample) {
        uint64_t& oldest = last[i % kBlock];
        hash = hash * kBase + sample - weight * oldest;
        oldest = sample;
        if (i + 1 < kBlock) return;
        const auto [first, end] = known.find(hash);
        for (auto block = first; block != end && block - first < kMostTwins; ++block) {
            const Copy copy{index, i + 1 - kBlock, block->recording, block->begin, kBlock};
            if (copy.recording == copy.source && copy.begin == copy.source_begin) continue;
            // One long copy is met block by block.
            const std::pair key(copy.source, copy.begin - copy.source_begin);
            const auto before = latest.find(key);
            if (before != latest.end() &&
                copy.begin - out[before->second].begin <= out[before->second].samples + distance - kBlock) {
                out[before->second].samples = copy.begin + kBlock - out[before->second].begin;
            } else if (++count[copy.source] <= kMostCopies) {
                latest[key] = out.size();
                out.push_back(copy);
            }
        }
    });
    for (Copy& copy : out) extend(dataset, distance, copy);
    return out;
}

}  // namespace

std::vector<Copy> find_copies(const Dataset& dataset) {
    const auto count = static_cast<int64_t>(dataset.recordings.size());
    int64_t samples = 0;
    for (const Recording& recording : dataset.recordings) samples += recording.length();
    const int64_t distance = std::max(kBlock, (samples + kMostBlocks - 1) / kMostBlocks);

    std::vector<std::vector<Block>> blocks(count);
    parallel_for(count, [&](int64_t r) { blocks[r] = blocks_of(dataset, static_cast<int32_t>(r), distance); });
    std::vector<Block> all;
    for (const auto& of_one : blocks) all.insert(all.end(), of_one.begin(), of_one.end());
    const KnownBlocks known(std::move(all));

    std::vector<std::vector<Copy>> found(count);
    parallel_for(count, [&](int64_t r) { found[r] = copies_in(dataset, static_cast<int32_t>(r), known, distance); });
    std::vector<Copy> out;
    for (const auto& of_one : found) out.insert(out.end(), of_one.begin(), of_one.end());
    return out;
}

}  // namespace cmr::data
