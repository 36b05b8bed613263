#include "kernels/mamba_stack.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <thread>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/gradient_layout.h"

namespace cmr::kernels {
namespace {

constexpr int64_t kMostLanes = 16;       // bounds the memory of gradient sums
constexpr int64_t kTokensPerLane = 512;  // below this a lane is not worth its gradient sums

// States that a window keeps: before every scan block but the first, where it is zero.
int64_t checkpoints_of(int64_t tokens) { return (tokens - 1) / kScanBlock; }

// A run of windows that one layer walks through in order.
struct Lane {
    int64_t first;
    int64_t last;
};

std::vector<Lane> cut_lanes(int64_t windows, int64_t tokens) {
    if (windows == 0) return {};
    const int64_t count = std::clamp(windows * tokens / kTokensPerLane, int64_t{1}, std::min(windows, kMostLanes));
    std::vector<Lane> lanes;
    for (int64_t i = 0; i < count; ++i) lanes.push_back({windows * i / count, windows * (i + 1) / count});
    return lanes;
}

// A run of tokens that goes through a layer at once.
struct Chunk {
    int64_t row;         // of the first token, over all windows
    int64_t checkpoint;  // the first that it keeps, over all windows
    ChunkPlace place;
};

// Scan blocks are put together to chunks, those of short windows too.
std::vector<Chunk> cut_chunks(const Lane& lane, int64_t tokens) {
    std::vector<Chunk> chunks;
    for (int64_t window = lane.first; window < lane.last; ++window)
        for (int64_t at = 0; at < tokens; at += kScanBlock) {
            const int64_t count = std::min(kScanBlock, tokens - at);
            if (chunks.empty() || chunks.back().place.tokens + count > kChunk)
                chunks.push_back(
                    {.row = window * tokens + at,
                     .checkpoint = window * checkpoints_of(tokens) + std::max(at / kScanBlock - 1, int64_t{0}),
                     .place = {.tokens = 0, .window = tokens, .at = at}});
            chunks.back().place.tokens += count;
        }
    return chunks;
}

// How many chunks each (lane, layer) has done; the layer behind it waits here.
class Progress {
  public:
    explicit Progress(int64_t count) : done_(std::make_unique<Counter[]>(count)) {}

    void wait(int64_t item, int64_t chunks) const {
        for (int spin = 0; done_[item].value.load(std::memory_order_acquire) < chunks; ++spin)
            if (spin > 100) std::this_thread::yield();
    }
    void advance(int64_t item) { done_[item].value.fetch_add(1, std::memory_order_release); }
    void finish(int64_t item) { done_[item].value.store(INT64_MAX / 2, std::memory_order_release); }

  private:
    struct alignas(64) Counter {
        std::atomic<int64_t> value{0};
    };
    std::unique_ptr<Counter[]> done_;
};

// Runs body(lane, step, in_turn) for every lane and step, where step counts layers in the order of the pass; body calls
// in_turn(work) once per chunk, and work waits until the step before has done that chunk.
template <typename Body>
void run_pipeline(int64_t lanes, int64_t layers, const Body& body) {
    Progress progress(lanes * layers);
    parallel_for(lanes * layers, [&](int64_t item) {
        const int64_t lane = item / layers, step = item % layers;
        int64_t chunk = 0;
        try {
            body(lane, step, [&](const auto& work) {
                ++chunk;
                if (step > 0) progress.wait(item - 1, chunk);
                work();
                progress.advance(item);
            });
        } catch (...) {
            progress.finish(item);  // whoever waits for us goes on and is discarded with the rest
            throw;
        }
    });
}

thread_local Buffer scratch_of_thread;
thread_local Buffer sums_of_thread;

float* scratch(int64_t floats) {
    scratch_of_thread.reserve(floats);
    return scratch_of_thread.data();
}

thread_local Buffer arranged_of_thread;

// A copy of a layer's weights with the inner channels in another order and padded to a whole number of vectors: channel
// i of the copy is channel order[i] of `given`; the rest is zero and without effect on any result. Valid until the next
// call.
MambaWeights arrange(const MambaShape& padded, const std::vector<int64_t>& order, const MambaWeights& given) {
    MambaWeights out = given;
    // A tensor [blocks, inner, trailing].
    struct Part {
        const float* MambaWeights::*member;
        int64_t blocks, trailing;
    };
    using W = MambaWeights;
    const Part parts[] = {{&W::in_proj, 2, padded.model},  {&W::conv_weight, 1, padded.conv},
                          {&W::conv_bias, 1, 1},           {&W::x_proj, padded.projected(), 1},
                          {&W::dt_weight, 1, padded.rank}, {&W::dt_bias, 1, 1},
                          {&W::a_log, 1, padded.state},    {&W::skip, 1, 1},
                          {&W::out_proj, padded.model, 1}};
    int64_t floats = 0;
    for (const Part& part : parts) floats += part.blocks * padded.inner * part.trailing;
    arranged_of_thread.reserve(floats);
    float* to = arranged_of_thread.data();
    const int64_t inner = std::ssize(order);
    for (const Part& part : parts) {
        const float* from = given.*part.member;
        out.*part.member = to;
        for (int64_t block = 0; block < part.blocks; ++block, from += inner * part.trailing) {
            for (const int64_t channel : order)
                for (int64_t j = 0; j < part.trailing; ++j) *to++ = from[channel * part.trailing + j];
            for (int64_t j = 0; j < (padded.inner - inner) * part.trailing; ++j) *to++ = 0.0f;
        }
    }
    return out;
}

// The way back: from a layer's sums, in the order of the kernels, to the gradients of its tensors.
void write_gradients(const MambaShape& padded, const std::vector<int64_t>& order, const MambaWeights& weights,
                     const float* sums, const MambaGradients& out) {
    const GradientLayout at = gradient_layout(padded);
    const int64_t inner = std::ssize(order);
    const auto copy = [&](int64_t from, int64_t blocks, int64_t trailing, float* to) {  // [blocks, inner, trailing]
        for (int64_t block = 0; block < blocks; ++block)
            for (int64_t i = 0; i < inner; ++i)
                for (int64_t j = 0; j < trailing; ++j)
                    to[(block * inner + order[i]) * trailing + j] =
                        sums[from + (block * padded.inner + i) * trailing + j];
    };
    std::copy_n(sums + at.norm_weight, padded.model, out.norm_weight);
    std::copy_n(sums + at.norm_bias, padded.model, out.norm_bias);
    copy(at.in_proj, 2, padded.model, out.in_proj);
    copy(at.conv_bias, 1, 1, out.conv_bias);
    copy(at.x_proj, padded.projected(), 1, out.x_proj);
    copy(at.dt_proj, 1, padded.rank, out.dt_weight);
    copy(at.dt_bias, 1, 1, out.dt_bias);
    copy(at.skip, 1, 1, out.skip);
    copy(at.out_proj, padded.model, 1, out.out_proj);
    for (int64_t i = 0; i < inner; ++i) {
        for (int64_t j = 0; j < padded.conv; ++j)
            out.conv_weight[order[i] * padded.conv + j] = sums[at.conv + j * padded.inner + i];
        for (int64_t n = 0; n < padded.state; ++n) {  // A = -e^a_log, so its gradient times A
            const int64_t to = order[i] * padded.state + n;
            out.a_log[to] = -std::exp(weights.a_log[to]) * sums[at.a + n * padded.inner + i];
        }
    }
}

// Channels by how fast they forget at their resting step, the slowest first. Neighbours share a vector, and a vector
// whose channels are all slow takes the short way to its decays (scan.inl).
std::vector<int64_t> by_decay(const MambaShape& s, const MambaWeights& w) {
    std::vector<float> speed(s.inner);
    for (int64_t c = 0; c < s.inner; ++c) {
        const float rate = *std::max_element(w.a_log + c * s.state, w.a_log + (c + 1) * s.state);
        const float bias = w.dt_bias[c];
        speed[c] = rate + std::log(bias > 20.0f ? bias : std::log1p(std::exp(bias)) + 1e-30f);
    }
    std::vector<int64_t> order(s.inner);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return speed[a] < speed[b]; });
    return order;
}

}  // namespace

MambaStack::MambaStack(const MambaShape& shape, std::span<const MambaWeights> layers)
    : shape_(shape), kernels_(&kernels(shape.precision)), layers_(layers.size()) {
    CMR_ASSERT(shape.model > 0 && shape.inner > 0 && shape.state > 0 && shape.conv > 0 && shape.rank > 0,
               "every size of a Mamba block is at least 1");
    shape_.inner = (shape.inner + 15) / 16 * 16;
    parallel_for(std::ssize(layers), [&](int64_t i) {
        layers_[i].order = by_decay(shape, layers[i]);
        layers_[i].packed.reserve(kernels_->mamba_packed_size(shape_));
        kernels_->mamba_pack(shape_, arrange(shape_, layers_[i].order, layers[i]), layers_[i].packed.data());
    });
}

void MambaStack::run(int64_t windows, int64_t tokens, float* h, MambaTape* tape) const {
    const int64_t rows = windows * tokens, layers = std::ssize(layers_);
    const int64_t reach = shape_.conv - 1, kept = windows * checkpoints_of(tokens);
    if (tape) {
        tape->windows = windows;
        tape->tokens = tokens;
        tape->inputs.reserve(layers * rows * shape_.model);
        tape->xz.reserve(layers * rows * shape_.xz_row());
        tape->projected.reserve(layers * rows * shape_.projected());
        tape->checkpoints.reserve(layers * kept * shape_.state_size());
    }
    const std::vector<Lane> lanes = cut_lanes(windows, tokens);
    run_pipeline(std::ssize(lanes), layers, [&](int64_t lane, int64_t layer, const auto& in_turn) {
        const int64_t kernel_floats = kernels_->mamba_scratch_size(shape_);
        const int64_t xz_floats = (reach + kChunk) * shape_.xz_row();
        float* kernel_scratch = scratch(kernel_floats + shape_.state_size() + xz_floats + kChunk * shape_.projected());
        float* state = kernel_scratch + kernel_floats;
        float* before = state + shape_.state_size();  // rows of xz before the chunk
        float* projected_scratch = before + xz_floats;
        for (const Chunk& part : cut_chunks(lanes[lane], tokens)) {
            const int64_t count = part.place.tokens;
            MambaChunk chunk{.place = part.place,
                             .in = h + part.row * shape_.model,
                             .out = h + part.row * shape_.model,
                             .xz = before + reach * shape_.xz_row(),
                             .projected = projected_scratch,
                             .state = state,
                             .checkpoints = nullptr};
            if (tape) {
                const int64_t row = layer * rows + part.row;
                chunk.xz = tape->xz.data() + row * shape_.xz_row();
                chunk.projected = tape->projected.data() + row * shape_.projected();
                chunk.checkpoints = tape->checkpoints.data() + (layer * kept + part.checkpoint) * shape_.state_size();
            }
            in_turn([&] {
                if (tape)
                    std::copy_n(chunk.in, count * shape_.model,
                                tape->inputs.data() + (layer * rows + part.row) * shape_.model);
                kernels_->mamba_forward(shape_, layers_[layer].packed.data(), chunk, kernel_scratch);
            });
            if (!tape)  // the last rows become the history of the next chunk
                std::copy_n(before + count * shape_.xz_row(), reach * shape_.xz_row(), before);
        }
    });
}

void MambaStack::backward(const MambaTape& tape, float* d_h, std::span<const MambaWeights> layers,
                          std::span<const MambaGradients> gradients) const {
    CMR_ASSERT(layers.size() == layers_.size() && gradients.size() == layers_.size(), "one set of tensors per layer");
    const int64_t windows = tape.windows, tokens = tape.tokens, rows = windows * tokens, count = std::ssize(layers_);
    const int64_t reach = shape_.conv - 1, kept = windows * checkpoints_of(tokens);
    const std::vector<Lane> lanes = cut_lanes(windows, tokens);
    const int64_t sum_floats = gradient_layout(shape_).size;
    sums_of_thread.reserve(std::ssize(lanes) * count * sum_floats);
    float* sums = sums_of_thread.data();  // of the caller's thread, shared with the workers
    run_pipeline(std::ssize(lanes), count, [&](int64_t lane, int64_t step, const auto& in_turn) {
        const int64_t layer = count - 1 - step;
        const int64_t kernel_floats = kernels_->mamba_scratch_size(shape_);
        float* kernel_scratch = scratch(kernel_floats + shape_.state_size() + reach * shape_.row());
        float* d_state = kernel_scratch + kernel_floats;
        float* d_conv = d_state + shape_.state_size();
        float* lane_sums = sums + (layer * std::ssize(lanes) + lane) * sum_floats;
        std::fill_n(lane_sums, sum_floats, 0.0f);
        const std::vector<Chunk> chunks = cut_chunks(lanes[lane], tokens);
        for (auto part = chunks.rbegin(); part != chunks.rend(); ++part) {
            const int64_t at = layer * rows + part->row;
            const MambaBackChunk chunk{
                .place = part->place,
                .in = tape.inputs.data() + at * shape_.model,
                .xz = tape.xz.data() + at * shape_.xz_row(),
                .projected = tape.projected.data() + at * shape_.projected(),
                .checkpoints = tape.checkpoints.data() + (layer * kept + part->checkpoint) * shape_.state_size(),
                .d_tokens = d_h + part->row * shape_.model,
                .d_state = d_state,
                .d_conv = d_conv,
                .gradients = lane_sums};
            in_turn([&] { kernels_->mamba_backward(shape_, layers_[layer].packed.data(), chunk, kernel_scratch); });
        }
    });
    parallel_for(count, [&](int64_t layer) {
        float* total = sums + layer * std::ssize(lanes) * sum_floats;
        for (int64_t lane = 1; lane < std::ssize(lanes); ++lane)
            for (int64_t i = 0; i < sum_floats; ++i) total[i] += total[lane * sum_floats + i];
        write_gradients(shape_, layers_[layer].order, layers[layer], total, gradients[layer]);
    });
}

}  // namespace cmr::kernels
