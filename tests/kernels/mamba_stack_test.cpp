#include "kernels/mamba_stack.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/every_isa.h"
#include "kernels/naive.h"

namespace cmr::kernels {
namespace {

using naive::Layer;
using naive::Values;
using Layers = std::vector<Layer<float>>;

constexpr MambaShape kSmall{.model = 8, .inner = 16, .state = 4, .conv = 4, .rank = 2};

Layers random_layers(const MambaShape& s, int count, uint64_t seed) {
    Rng rng(seed);
    Layers layers;
    for (int i = 0; i < count; ++i) layers.push_back(naive::random_layer(s, rng));
    return layers;
}

std::vector<MambaWeights> weights_of(const Layers& layers) {
    std::vector<MambaWeights> weights;
    for (const Layer<float>& layer : layers) weights.push_back(naive::weights_of(layer));
    return weights;
}

std::vector<Layer<double>> exact(const Layers& layers) {
    std::vector<Layer<double>> out;
    for (const Layer<float>& layer : layers) out.push_back(naive::exact(layer));
    return out;
}

Values<float> forward(const MambaShape& s, const Layers& layers, int64_t windows, int64_t tokens, Values<float> h,
                      MambaTape* tape = nullptr) {
    const MambaStack stack(s, weights_of(layers));
    if (tape)
        stack.forward(windows, tokens, h.data(), *tape);
    else
        stack.forward(windows, tokens, h.data());
    return h;
}

// The gradient of Σ upstream · output by the input (first) and by every tensor of every layer.
std::vector<Values<float>> backward(const MambaShape& s, const Layers& layers, int64_t windows, int64_t tokens,
                                    Values<float> h, Values<float> upstream) {
    const std::vector<MambaWeights> weights = weights_of(layers);
    const MambaStack stack(s, weights);
    MambaTape tape;
    stack.forward(windows, tokens, h.data(), tape);
    Layers gradients = layers;
    std::vector<MambaGradients> views;
    for (Layer<float>& layer : gradients) {
        for (Values<float>& tensor : layer) std::fill(tensor.begin(), tensor.end(), NAN);  // to be overwritten
        views.push_back(naive::tensors_of(layer));
    }
    stack.backward(tape, upstream.data(), weights, views);
    std::vector<Values<float>> all{upstream};
    for (Layer<float>& layer : gradients) all.insert(all.end(), layer.begin(), layer.end());
    return all;
}

// Each step of the scan and each product rounds to 6e-8, and layers add up.
TEST_P(EveryIsa, MambaStackMatchesThePlainBlock) {
    struct Case {
        MambaShape shape;
        int layers;
        int64_t windows, tokens;
    };
    const Case cases[] = {
        {kSmall, 2, 3, 200},                                                       // two chunks and a bit
        {{.model = 5, .inner = 7, .state = 3, .conv = 2, .rank = 1}, 2, 2, 33},    // inner is padded
        {{.model = 16, .inner = 40, .state = 5, .conv = 3, .rank = 3}, 1, 2, 97},  // one past a chunk
        {{.model = 3, .inner = 16, .state = 1, .conv = 1, .rank = 1}, 3, 1, 1},
        {{}, 1, 1, 20},
    };
    for (const Case& c : cases) {
        Rng rng(1);
        const Layers layers = random_layers(c.shape, c.layers, 2);
        const Values<float> h = naive::random(c.windows * c.tokens * c.shape.model, rng);
        const Values<double> wanted =
            naive::mamba_stack(c.shape, exact(layers), c.windows, c.tokens, Values<double>(h.begin(), h.end()));
        EXPECT_LE(naive::difference(forward(c.shape, layers, c.windows, c.tokens, h), wanted), 1e-6)
            << "model " << c.shape.model << " tokens " << c.tokens;
    }
}

TEST_P(EveryIsa, MambaStackWithoutLayersChangesNothing) {
    Rng rng(1);
    const Values<float> h = naive::random(2 * 3 * 8, rng);
    EXPECT_EQ(forward(kSmall, {}, 2, 3, h), h);
}

TEST_P(EveryIsa, MambaStackOfNoWindowsDoesNothing) {
    const MambaStack stack(kSmall, weights_of(random_layers(kSmall, 2, 1)));
    float untouched = 7.0f;
    stack.forward(0, 10, &untouched);
    EXPECT_EQ(untouched, 7.0f);
}

TEST_P(EveryIsa, MambaStackHasTheSameBitsForAnyThreadsAndBatchWithAndWithoutATape) {
    const int64_t windows = 11, tokens = 150, floats = tokens * kSmall.model;
    Rng rng(3);
    const Layers layers = random_layers(kSmall, 3, 4);
    const Values<float> h = naive::random(windows * floats, rng), upstream = naive::random(windows * floats, rng);
    set_thread_count(1);
    const Values<float> values = forward(kSmall, layers, windows, tokens, h);
    const auto gradients = backward(kSmall, layers, windows, tokens, h, upstream);
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        EXPECT_EQ(forward(kSmall, layers, windows, tokens, h), values) << threads << " threads";
        EXPECT_EQ(backward(kSmall, layers, windows, tokens, h, upstream), gradients) << threads << " threads";
        MambaTape tape;
        EXPECT_EQ(forward(kSmall, layers, windows, tokens, h, &tape), values)
            << "with a tape, " << threads << " threads";
    }
    for (int64_t w = 0; w < windows; ++w) {
        const Values<float> alone =
            forward(kSmall, layers, 1, tokens, Values<float>(&h[w * floats], &h[w * floats] + floats));
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), &values[w * floats])) << "window " << w;
    }
}

// Below, at and above the length of a chunk and of a scan block; a convolution that reaches past a scan block too.
TEST_P(EveryIsa, ShortWindowsShareAChunkWithTheBitsTheyHaveAlone) {
    const MambaShape far{.model = 3, .inner = 16, .state = 5, .conv = 30, .rank = 2};
    const MambaShape plain{.model = 3, .inner = 16, .state = 2, .conv = 1, .rank = 1};
    for (const MambaShape& s : {kSmall, far, plain}) {
        const Layers layers = random_layers(s, 2, 21);
        for (const int64_t tokens : {1, 2, 3, 4, 6, 8, 23, 24, 25, 31, 47, 48, 49, 64, 95, 96, 97, 121, 200})
            for (const int64_t windows : {2, 3, 13, 100}) {
                if (windows * tokens > 2500) continue;
                const int64_t floats = tokens * s.model;
                Rng rng(22);
                const Values<float> h = naive::random(windows * floats, rng), up = naive::random(windows * floats, rng);
                MambaTape tape;
                const Values<float> together = forward(s, layers, windows, tokens, h);
                EXPECT_EQ(forward(s, layers, windows, tokens, h, &tape), together) << windows << " x " << tokens;
                const Values<float> gradient = backward(s, layers, windows, tokens, h, up)[0];
                for (int64_t w = 0; w < windows; w += std::max<int64_t>(1, windows / 5)) {
                    const auto part = [&](const Values<float>& all) {
                        return Values<float>(&all[w * floats], &all[w * floats] + floats);
                    };
                    EXPECT_EQ(forward(s, layers, 1, tokens, part(h)), part(together))
                        << "window " << w << " of " << windows << " x " << tokens << ", taps " << s.conv;
                    EXPECT_EQ(backward(s, layers, 1, tokens, part(h), part(up))[0], part(gradient))
                        << "gradient of window " << w << " of " << windows << " x " << tokens << ", taps " << s.conv;
                }
            }
    }
}

TEST_P(EveryIsa, ShortWindowsHaveTheSameBitsForAnyThreads) {
    for (const auto& [windows, tokens] : {std::pair<int64_t, int64_t>{700, 8}, {900, 6}, {60, 64}, {30, 121}}) {
        Rng rng(23);
        const Layers layers = random_layers(kSmall, 3, 24);
        const int64_t floats = windows * tokens * kSmall.model;
        const Values<float> h = naive::random(floats, rng), upstream = naive::random(floats, rng);
        set_thread_count(1);
        const Values<float> values = forward(kSmall, layers, windows, tokens, h);
        const auto gradients = backward(kSmall, layers, windows, tokens, h, upstream);
        for (const int threads : kThreadCounts) {
            set_thread_count(threads);
            EXPECT_EQ(forward(kSmall, layers, windows, tokens, h), values) << threads << " threads";
            EXPECT_EQ(backward(kSmall, layers, windows, tokens, h, upstream), gradients) << threads << " threads";
        }
    }
}

// Which polynomial makes the decays is decided for 32 tokens together, so a later token of the same block may move an
// earlier one by a rounding, but by no more; tokens of the blocks before keep their bits.
TEST_P(EveryIsa, MambaStackIsCausalButForRounding) {
    Layers layers = random_layers(kSmall, 2, 11);
    for (Layer<float>& layer : layers) {  // steps near the border between the two polynomials
        for (float& v : layer[6]) v *= 4.0f;
        std::fill(layer[7].begin(), layer[7].end(), -2.5f);
    }
    Rng rng(12);
    const Values<float> h = naive::random(120 * kSmall.model, rng);
    for (const int64_t moved : {0, 33, 95, 96, 100, 119}) {
        Values<float> other = h;
        for (int64_t j = 0; j < kSmall.model; ++j) other[moved * kSmall.model + j] += j % 2 == 0 ? 5.0f : -3.0f;
        const Values<float> before = forward(kSmall, layers, 1, 120, h), after = forward(kSmall, layers, 1, 120, other);
        const int64_t same = moved / kScanBlock * kScanBlock * kSmall.model, first = moved * kSmall.model;
        EXPECT_TRUE(std::equal(before.begin(), before.begin() + same, after.begin())) << "token " << moved;
        for (int64_t i = same; i < first; ++i) ASSERT_NEAR(after[i], before[i], 1e-6) << "token " << moved;
        for (int64_t t = moved; t < std::min<int64_t>(moved + 10, 120); ++t)  // later it fades into the rounding
            EXPECT_FALSE(std::equal(&before[t * kSmall.model], &before[t * kSmall.model] + kSmall.model,
                                    &after[t * kSmall.model]))
                << "token " << moved << " does not reach token " << t;
    }
}

// Another tape with room to spare, from longer windows, must not show through.
TEST_P(EveryIsa, ATapeMayBeUsedAgain) {
    Rng rng(5);
    const Layers layers = random_layers(kSmall, 2, 6);
    const Values<float> longer = naive::random(3 * 200 * kSmall.model, rng),
                        h = naive::random(2 * 50 * kSmall.model, rng);
    const std::vector<MambaWeights> weights = weights_of(layers);
    const MambaStack stack(kSmall, weights);
    const auto gradient_of_input = [&](MambaTape& tape) {
        Values<float> out = h, d(h.size(), 1.0f);
        stack.forward(2, 50, out.data(), tape);
        Layers gradients = layers;
        std::vector<MambaGradients> views;
        for (Layer<float>& layer : gradients) views.push_back(naive::tensors_of(layer));
        stack.backward(tape, d.data(), weights, views);
        return d;
    };
    MambaTape fresh, used;
    Values<float> first = longer;
    stack.forward(3, 200, first.data(), used);
    EXPECT_EQ(gradient_of_input(fresh), gradient_of_input(used));
}

TEST_P(EveryIsa, MambaStackStaysFiniteForExtremeInputsAndWeights) {
    const int64_t tokens = 100;
    Rng rng(7);
    for (const double size : {0.0, 1e-40, 1e-20, 1e6, 1e15}) {
        const Values<float> h = naive::random(tokens * kSmall.model, rng, size);
        for (const Values<float>& result :
             {forward(kSmall, random_layers(kSmall, 2, 8), 1, tokens, h),
              backward(kSmall, random_layers(kSmall, 2, 8), 1, tokens, h, Values<float>(h.size(), 1.0f))[0]})
            for (const float v : result) ASSERT_TRUE(std::isfinite(v)) << "inputs of size " << size;
    }
    for (const float step : {-300.0f, -90.0f, 90.0f, 300.0f}) {  // Δ from nothing to an instant reset
        Layers layers = random_layers(kSmall, 2, 8);
        for (Layer<float>& layer : layers) std::fill(layer[7].begin(), layer[7].end(), step);
        const Values<float> h = naive::random(tokens * kSmall.model, rng);
        const Values<float> found = forward(kSmall, layers, 1, tokens, h);
        if (step > 0) {
            const Values<double> wanted =
                naive::mamba_stack(kSmall, exact(layers), 1, tokens, Values<double>(h.begin(), h.end()));
            EXPECT_LE(naive::difference(found, wanted), 2e-5) << "step bias " << step;
        }
        for (const auto& gradient : backward(kSmall, layers, 1, tokens, h, Values<float>(h.size(), 1.0f)))
            for (const float v : gradient) ASSERT_TRUE(std::isfinite(v)) << "step bias " << step;
    }
}

// The whole gradient against exact differentiation of the plain block. 1.4e-5 was measured where the gradients of Δ's
// weights are differences of larger sums.
TEST_P(EveryIsa, MambaStackBackwardMatchesTheGradientsOfThePlainBlock) {
    struct Case {
        MambaShape shape;
        int64_t windows, tokens;
    };
    const MambaShape far{.model = 3, .inner = 16, .state = 2, .conv = 30, .rank = 1};
    for (const Case& c : {Case{kSmall, 2, 100}, Case{{.model = 5, .inner = 7, .state = 3, .conv = 2, .rank = 1}, 2, 40},
                          Case{kSmall, 14, 8}, Case{kSmall, 33, 3}, Case{kSmall, 5, 25}, Case{far, 2, 50}}) {
        Rng rng(9);
        const Layers layers = random_layers(c.shape, 2, 10);
        const int64_t floats = c.windows * c.tokens * c.shape.model;
        const Values<float> h = naive::random(floats, rng), upstream = naive::random(floats, rng);
        const Values<naive::Var> input = naive::variables(h);
        std::vector<Layer<naive::Var>> variables;
        for (const Layer<float>& layer : layers) variables.push_back(naive::variables(layer));
        const Values<double> slopes = naive::gradients(
            naive::weighted_sum(naive::mamba_stack(c.shape, variables, c.windows, c.tokens, input), upstream));

        const auto found = backward(c.shape, layers, c.windows, c.tokens, h, upstream);
        EXPECT_LE(naive::difference(found[0], naive::of(input, slopes)), 1.5e-5) << "input";
        for (size_t layer = 0; layer < layers.size(); ++layer)
            for (int i = 0; i < naive::kTensors; ++i)
                EXPECT_LE(
                    naive::difference(found[1 + layer * naive::kTensors + i], naive::of(variables[layer][i], slopes)),
                    1.5e-5)
                    << naive::kTensorNames[i] << " of layer " << layer;
    }
}

}  // namespace
}  // namespace cmr::kernels
