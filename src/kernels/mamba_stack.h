#pragma once
// A stack of Mamba blocks over many windows of equal length, in parallel: h ← h + Mamba(norm(h)), layer after layer.
//
// Work is cut into lanes (a run of windows) × layers. Within a lane a layer follows the one below it chunk by chunk, so
// even one window keeps several threads busy. Short windows share a chunk: all but convolution and scan takes their
// tokens together, and a window has the bits that it has alone. Lanes and chunks depend on the sizes alone, each sums
// its gradients in the order of its windows, and lanes are summed in order: the bits of values and gradients do not
// depend on the number of threads.

#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "kernels/kernels.h"

namespace cmr::kernels {

using MambaWeights = MambaTensors<const float>;
using MambaGradients = MambaTensors<float>;

// What the forward pass keeps for the backward pass: about 3.5 KB per token and layer at the usual sizes.
struct MambaTape {
    int64_t windows = 0;
    int64_t tokens = 0;
    Buffer inputs;       // [layers, windows * tokens, model]
    Buffer xz;           // [layers, windows * tokens, xz_row]
    Buffer projected;    // [layers, windows * tokens, projected]
    Buffer checkpoints;  // [layers, windows, scan blocks but the first, state, inner]
};

class MambaStack {
  public:
    // Packs the weights for the current instruction set. They are read during the constructor and unpack only.
    MambaStack(const MambaShape& shape, std::span<const MambaWeights> layers);

    // tokens: [windows, tokens, model], replaced by the result.
    void forward(int64_t windows, int64_t tokens, float* h) const { run(windows, tokens, h, nullptr); }
    void forward(int64_t windows, int64_t tokens, float* h, MambaTape& tape) const { run(windows, tokens, h, &tape); }

    // d_h: [windows, tokens, model], dL/d output on entry, dL/d input on return. `gradients` are overwritten.
    void backward(const MambaTape& tape, float* d_h, std::span<const MambaWeights> layers,
                  std::span<const MambaGradients> gradients) const;

    const MambaShape& shape() const { return shape_; }

  private:
    void run(int64_t windows, int64_t tokens, float* h, MambaTape* tape) const;

    struct Layer {
        std::vector<int64_t> order;  // of the inner channels
        Buffer packed;
    };
    MambaShape shape_;  // inner padded to what the kernels want
    const Kernels* kernels_;
    std::vector<Layer> layers_;
};

}  // namespace cmr::kernels
