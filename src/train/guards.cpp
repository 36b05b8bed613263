#include "train/guards.h"

#include <cmath>

#include "base/error.h"
#include "model/encoder.h"
#include "model/methods/rival.h"

namespace cmr::train {
namespace {

// How much tokens of one channel vary from window to window, as a share of their mean square. Over time they vary even
// where they depend on nothing, because the scan begins at zero.
double spread(int64_t tokens, int64_t width, const std::vector<float>& z, int64_t channels, int64_t channel) {
    const int64_t windows = std::ssize(z) / (channels * tokens * width);
    double variance = 0, square = 0;
    const auto count = static_cast<double>(windows);
    for (int64_t i = 0; i < tokens * width; ++i) {
        double sum = 0, squares = 0;
        for (int64_t w = 0; w < windows; ++w) {
            const double value = z[(w * channels + channel) * tokens * width + i];
            sum += value;
            squares += value * value;
        }
        variance += squares / count - sum / count * (sum / count);
        square += squares / count;
    }
    return square > 0 ? variance / square : 0;
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
            "of the training windows",
            best_loss, untrained_loss);
    if (windows.rows < 2) return;  // one window differs from no other
    if (const model::RivalKind* rival = model::find_rival(model.config.method)) {
        const model::RivalOutput out = rival->load(model)->run(windows.rows, length, windows.data);
        if (!(spread(out.tokens, out.features, out.embedding, 1, 0) > kLeastSpread))
            throw InputError(
                "the embeddings collapsed: they are the same for all validation windows; try fewer epochs or a lower "
                "train.rival_rate");
        return;
    }
    int64_t first = 0;
    for (const model::ChannelGroup& group : model.config.groups) {
        if (group.effect) {
            const model::Encoder encoder(model, group.name);
            const int64_t tokens = encoder.tokens(length), count = windows.rows * group.channels;
            std::vector<float> x(count * length), z(count * tokens * encoder.width());
            for (int64_t w = 0; w < windows.rows; ++w) {
                const auto samples = windows.row(w).subspan(first * length, group.channels * length);
                std::copy(samples.begin(), samples.end(), x.begin() + w * group.channels * length);
            }
            encoder.embed(count, length, x.data(), z.data());
            double most = 0;
            for (int64_t c = 0; c < group.channels; ++c)
                most = std::max(most, spread(tokens, encoder.width(), z, group.channels, c));
            if (!(most > kLeastSpread))
                throw InputError(
                    "the embeddings of group {} collapsed: they are the same for all validation windows; try "
                    "model.effect_weight above 0, model.stop_gradient = true, or a lower train.learning_rate",
                    group.name);
        }
        first += group.channels;
    }
}

}  // namespace cmr::train
