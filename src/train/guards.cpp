#include "train/guards.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/methods/method.h"

namespace cmr::train {
namespace {

// How much the tokens of each channel vary from window to window, as a share of their mean square. Over time they vary
// even where they depend on nothing, because the scan begins at zero. The effects' tokens are those of `channels` side
// by side.
std::vector<double> spreads(const model::Model& model, const MatrixView& windows, int64_t length, int64_t channels) {
    const auto network = model::load_network(model);
    const int64_t at_once = model::windows_at_once(model.config, length);
    int64_t features = 0;
    std::vector<double> sums, squares;  // [tokens, features]
    for (int64_t first = 0; first < windows.rows; first += at_once) {
        const MatrixView some = windows.rows_from(first, std::min(at_once, windows.rows - first));
        const model::Tokens z = network->embed(some.rows, length, some.data).effects;
        features = z.features;
        sums.resize(z.length * features);
        squares.resize(z.length * features);
        for (size_t i = 0; i < z.values.size(); ++i) {
            const double value = z.values[i];
            sums[i % sums.size()] += value;
            squares[i % sums.size()] += value * value;
        }
    }
    const auto count = static_cast<double>(windows.rows);
    std::vector<double> variance(channels), square(channels);
    for (size_t i = 0; i < sums.size(); ++i) {
        const size_t channel = i % features / (features / channels);
        variance[channel] += squares[i] / count - sums[i] / count * (sums[i] / count);
        square[channel] += squares[i] / count;
    }
    for (int64_t c = 0; c < channels; ++c) variance[c] = square[c] > 0 ? variance[c] / square[c] : 0;
    return variance;
}

}  // namespace

void check_alive(const model::Model& model, double untrained_loss, double best_loss, const MatrixView& windows,
                 int64_t length) {
    constexpr double kLeastSpread = 1e-8;  // cycles of a good rig differ by little more than noise
    for (const io::NamedTensor& tensor : model.tensors)
        for (const float value : tensor.values)
            if (!std::isfinite(value))
                throw InputError("the trained model holds {} in {}; try a lower train.learning_rate", value,
                                 tensor.name);
    if (!(best_loss < untrained_loss))
        throw InputError(
            "the model learned nothing: its validation loss is {:.4g}, and was {:.4g} before training; try more "
            "epochs, "
            "another train.learning_rate, or look with `cmr inspect` whether validation windows lie outside the range "
            "of the training windows{}",
            best_loss, untrained_loss,
            model::method_named(model.config.method).knows_causes
                ? "; `--method untrained` watches the machine without a network, by its linear mechanism"
                : "");
    if (windows.rows < 2) return;  // one window differs from no other
    if (!model::method_named(model.config.method).knows_causes) {
        if (!(spreads(model, windows, length, 1).front() > kLeastSpread))
            throw InputError(
                "the embeddings collapsed: they are the same for all validation windows; try fewer epochs or a lower "
                "train.rival_rate");
        return;
    }
    const std::vector<double> spread = spreads(model, windows, length, model.config.effect_channels());
    auto first = spread.begin();
    for (const model::ChannelGroup& group : model.config.groups) {
        if (!group.effect) continue;
        if (!(*std::max_element(first, first + group.channels) > kLeastSpread))
            throw InputError(
                "the embeddings of group {} collapsed: they are the same for all validation windows; try "
                "model.effect_weight above 0, model.stop_gradient = true, or a lower train.learning_rate",
                group.name);
        first += group.channels;
    }
}

}  // namespace cmr::train
