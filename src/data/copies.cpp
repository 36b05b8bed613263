#include "data/copies.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <map>

#include "base/parallel.h"
#include "base/rng.h"

namespace cmr::data {
namespace {

constexpr int64_t kBlock = 32;
constexpr int64_t kStretch = 2 * kBlock - 1;
constexpr int64_t kLeastChanges = 8;             // of the samples in kStretch from the one before
constexpr uint64_t kBase = 0x9e3779b97f4a7c15u;  // odd: no block's hash forgets its first sample
constexpr int64_t kMostBlocks = 1'000'000;       // of the whole dataset
constexpr int64_t kMostCopies = 10'000;          // per pair of recordings
constexpr int64_t kMostTwins = 64;  // of one block in one recording: a signal that repeats exactly has very many

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
    auto operator<=>(const Block&) const = default;
};

// The last kBlock samples, as one number.
class RollingBlock {
  public:
    void push(uint64_t sample) {
        uint64_t& oldest = last_[static_cast<size_t>(pushed_ % kBlock)];
        hash_ = hash_ * kBase + sample - weight_ * oldest;
        oldest = sample;
        was_ = alike_;
        alike_ = pushed_ > 0 && sample == newest_ ? alike_ + 1 : 1;
        newest_ = sample;
        ++pushed_;
    }

    bool full() const { return pushed_ >= kBlock; }
    uint64_t hash() const { return hash_; }
    bool constant() const { return alike_ >= kBlock; }
    // Is it a constant but for its first or its last sample?
    bool edge() const { return alike_ == kBlock - 1 || (alike_ == 1 && was_ >= kBlock - 1); }

  private:
    static uint64_t weight() {
        uint64_t weight = 1;
        for (int64_t i = 0; i < kBlock; ++i) weight *= kBase;
        return weight;
    }

    uint64_t weight_ = weight();
    std::array<uint64_t, kBlock> last_{};
    uint64_t hash_ = 0, newest_ = 0;
    int64_t pushed_ = 0;
    int64_t alike_ = 0, was_ = 0;  // equal samples up to the newest, up to the one before
};

// What a stretch of `distance` + kBlock - 1 samples holds at least one of, unless it is a constant: a block at an even
// distance that is none, or, where that one is, an edge of it.
std::vector<Block> blocks_of(const Dataset& dataset, int32_t index, int64_t distance) {
    std::vector<Block> out;
    RollingBlock block;
    for_each_sample(dataset.recordings[index], [&](int64_t i, uint64_t sample) {
        block.push(sample);
        const bool even = i % distance == kBlock - 1;
        if (block.full() && !block.constant() && (even || block.edge()))
            out.push_back({block.hash(), index, i + 1 - kBlock});
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

    // Calls use(block) for those of this hash: of each recording the first kMostTwins.
    template <typename Use>
    void for_each(uint64_t hash, const Use& use) const {
        if (!maybe_[hash >> (64 - kBits)]) return;
        auto block = std::ranges::lower_bound(blocks_, hash, {}, &Block::hash);
        int64_t twins = 0;
        for (int32_t recording = -1; block != blocks_.end() && block->hash == hash; ++block) {
            if (block->recording != recording) twins = 0;
            recording = block->recording;
            if (++twins > kMostTwins)
                block = std::lower_bound(block, blocks_.end(), Block{hash, recording + 1, 0}) - 1;
            else
                use(*block);
        }
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

// Blocks stand at most `distance` apart, but for constants, so a copy may go on that far around those that were met.
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

// Do kLeastChanges fall into any kStretch samples of it? Fewer are met by chance: a switch, a slow sensor in whole
// degrees.
bool moves(const Recording& recording, const Copy& copy) {
    std::deque<int64_t> changes;
    for (int64_t i = copy.begin + 1; i < copy.begin + copy.samples; ++i) {
        if (same_sample(recording, i - 1, recording, i)) continue;
        changes.push_back(i);
        if (std::ssize(changes) < kLeastChanges) continue;
        if (i - changes.front() + 1 < kStretch) return true;  // the sample before the first belongs to the stretch
        changes.pop_front();
    }
    return false;
}

std::vector<Copy> copies_in(const Dataset& dataset, int32_t index, const KnownBlocks& known, int64_t distance) {
    std::vector<Copy> out;
    RollingBlock block;
    std::map<std::pair<int32_t, int64_t>, size_t> latest;  // source, shift → the last copy of that kind
    std::vector<int64_t> count(dataset.recordings.size());
    for_each_sample(dataset.recordings[index], [&](int64_t i, uint64_t sample) {
        block.push(sample);
        if (!block.full() || block.constant()) return;
        known.for_each(block.hash(), [&](const Block& twin) {
            Copy copy{index, i + 1 - kBlock, twin.recording, twin.begin, kBlock};
            if (copy.recording == copy.source && copy.begin == copy.source_begin) return;
            // One long copy is met block by block.
            const std::pair key(copy.source, copy.begin - copy.source_begin);
            if (const auto before = latest.find(key); before != latest.end()) {
                Copy& last = out[before->second];
                if (copy.begin - last.begin <= last.samples + distance - kBlock) {
                    last.samples = std::max(last.samples, copy.begin + kBlock - last.begin);
                    return;
                }
            }
            if (count[copy.source] == kMostCopies) return;
            extend(dataset, distance, copy);
            if (copy.samples < distance + kBlock - 1 || !moves(dataset.recordings[index], copy)) return;
            ++count[copy.source];
            latest[key] = out.size();
            out.push_back(copy);
        });
    });
    for (Copy& copy : out) extend(dataset, distance, copy);
    return out;
}

// Recordings that are equal from the first to the last sample.
std::vector<Copy> equal_recordings(const Dataset& dataset) {
    const auto count = static_cast<int64_t>(dataset.recordings.size());
    std::vector<uint64_t> hashes(count);
    std::vector<char> constant(count, 1);
    parallel_for(count, [&](int64_t r) {
        uint64_t first = 0;
        for_each_sample(dataset.recordings[r], [&](int64_t i, uint64_t sample) {
            if (i == 0) first = sample;
            if (sample != first) constant[r] = 0;
            hashes[r] = hashes[r] * kBase + sample;
        });
    });
    std::map<std::pair<uint64_t, int64_t>, std::vector<int32_t>> groups;
    std::vector<Copy> out;
    for (int64_t r = 0; r < count; ++r) {
        const int64_t length = dataset.recordings[r].length();
        if (constant[r] || length < kStretch) continue;
        std::vector<int32_t>& group = groups[{hashes[r], length}];
        const auto index = static_cast<int32_t>(r);
        for (const int32_t other : group) {
            out.push_back({index, 0, other, 0, length});
            out.push_back({other, 0, index, 0, length});
        }
        if (std::ssize(group) < kMostTwins) group.push_back(index);
    }
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
    std::vector<Copy> out = equal_recordings(dataset);
    for (const auto& of_one : found) out.insert(out.end(), of_one.begin(), of_one.end());
    return out;
}

}  // namespace cmr::data
