#include "score/features/cmr_embedder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "score/features/pooling.h"

namespace cmr::score {

CmrEmbedder::CmrEmbedder(const model::Model& model, const model::Inputs& inputs, EmbedOptions extras)
    : inputs_(inputs), groups_(inputs.groups()), predictor_(model), width_(model.config.width), options_(extras) {
    for (const model::ChannelGroup& group : groups_) {
        encoders_.emplace_back(model, group.name);
        for (int64_t c = 0; extras.decoding && group.effect && c < group.channels; ++c)
            decoders_.emplace_back(model, fmt::format("{}.{}", group.name, c));
    }
}

Features CmrEmbedder::embed(Matrix causes, Matrix effects) const {
    Features out;
    const int64_t rows = causes.rows;
    const int64_t length = causes.columns / std::ssize(inputs_.causes());
    int64_t cause_width = 0, effect_width = 0;
    for (const model::ChannelGroup& group : groups_)
        (group.effect ? effect_width : cause_width) += group.channels * width_;
    for (Matrix* matrix : {&out.cause_mean, &out.cause_std}) *matrix = Matrix(rows, cause_width);
    for (Matrix* matrix : {&out.mean, &out.std, &out.max, &out.residual_mean, &out.residual_square})
        *matrix = Matrix(rows, effect_width);
    if (options_.cause_encoded) out.cause_encoded = Matrix(rows, effect_width);
    if (options_.decoding) {
        out.native = Matrix(rows, 1);
        out.native_parts = Matrix(rows, std::ssize(decoders_));
    }
    // About 64 MB of tokens at a time.
    const int64_t tokens = encoders_.front().tokens(length);
    const int64_t floats = tokens * width_ * 4 * std::max<int64_t>(1, inputs_.channels());
    const int64_t some = std::clamp<int64_t>((int64_t{16} << 20) / floats, 1, 256);
    for (int64_t first = 0; first < rows; first += some) {
        const int64_t count = std::min(some, rows - first);
        embed_some(MatrixView(causes).rows_from(first, count), MatrixView(effects).rows_from(first, count), first, out);
    }
    out.causes = std::move(causes);
    out.effects = std::move(effects);
    return out;
}

void CmrEmbedder::embed_some(const MatrixView& causes, const MatrixView& effects, int64_t first, Features& out) const {
    const int64_t windows = causes.rows, length = causes.columns / std::ssize(inputs_.causes());
    const int64_t channels = inputs_.channels(), tokens = encoders_.front().tokens(length);
    std::vector<float> input(windows * channels * length);
    inputs_.assemble(causes, effects, input.data());

    // Per side [windows, tokens, channels · width], as the predictor wants it.
    int64_t side_width[2] = {out.cause_mean.columns, out.mean.columns};
    std::vector<float> side[2];
    for (int s = 0; s < 2; ++s) side[s].resize(windows * tokens * side_width[s]);
    int64_t before = 0, offset[2] = {0, 0};
    for (size_t g = 0; g < groups_.size(); ++g) {
        const model::ChannelGroup& group = groups_[g];
        const int64_t count = windows * group.channels;
        std::vector<float> x(count * length), z(count * tokens * width_);
        for (int64_t w = 0; w < windows; ++w)
            std::copy_n(input.data() + (w * channels + before) * length, group.channels * length,
                        x.data() + w * group.channels * length);
        encoders_[g].embed(count, length, x.data(), z.data());
        const int s = group.effect;
        parallel_for(count, [&](int64_t i) {
            const int64_t w = i / group.channels, c = i % group.channels, at = offset[s] + c * width_;
            const MatrixView own{z.data() + i * tokens * width_, tokens, width_};
            for (int64_t t = 0; t < tokens; ++t)
                std::ranges::copy(own.row(t), side[s].data() + (w * tokens + t) * side_width[s] + at);
            const auto pool = [&](const char* name, Matrix& to) {
                pooling_named(name).pool(own, to.row(first + w).data() + at);
            };
            pool("mean", s ? out.mean : out.cause_mean);
            pool("std", s ? out.std : out.cause_std);
            if (s) pool("max", out.max);
        });
        if (s && options_.decoding) {
            for (int64_t c = 0; c < group.channels; ++c)
                decode(windows, c, offset[s] / width_ + c, group.channels, length, x, z, first, out);
        }
        if (s && options_.cause_encoded) {
            encoders_.front().embed(count, length, x.data(), z.data());
            parallel_for(count, [&](int64_t i) {
                pooling_named("mean").pool(
                    {z.data() + i * tokens * width_, tokens, width_},
                    out.cause_encoded.row(first + i / group.channels).data() + offset[s] + i % group.channels * width_);
            });
        }
        before += group.channels;
        offset[s] += group.channels * width_;
    }

    if (options_.decoding)
        for (int64_t w = 0; w < windows; ++w) {
            const auto parts = out.native_parts.row(first + w);
            out.native.row(first + w)[0] = std::reduce(parts.begin(), parts.end()) / static_cast<float>(parts.size());
        }

    std::vector<float> predicted(windows * tokens * side_width[1]);
    predictor_.predict(windows, tokens, side[0].data(), predicted.data());
    parallel_for(windows, [&](int64_t w) {
        const int64_t features = side_width[1];
        std::vector<double> sum(features, 0.0), square(features, 0.0);
        for (int64_t t = 0; t < tokens; ++t) {
            const float* p = predicted.data() + (w * tokens + t) * features;
            const float* z = side[1].data() + (w * tokens + t) * features;
            for (int64_t f = 0; f < features; ++f) {
                const double r = static_cast<double>(p[f]) - z[f];
                sum[f] += r;
                square[f] += r * r;
            }
        }
        for (int64_t f = 0; f < features; ++f) {
            out.residual_mean.row(first + w)[f] = static_cast<float>(sum[f] / static_cast<double>(tokens));
            out.residual_square.row(first + w)[f] = static_cast<float>(square[f] / static_cast<double>(tokens));
        }
    });
}

// The mean square of what the decoder of a channel makes of its tokens.
void CmrEmbedder::decode(int64_t windows, int64_t channel, int64_t effect, int64_t channels, int64_t length,
                         const std::vector<float>& x, const std::vector<float>& z, int64_t first, Features& out) const {
    const int64_t tokens = encoders_.front().tokens(length);
    std::vector<float> own(windows * tokens * width_), decoded(windows * length);
    for (int64_t w = 0; w < windows; ++w)
        std::copy_n(z.data() + (w * channels + channel) * tokens * width_, tokens * width_,
                    own.data() + w * tokens * width_);
    decoders_[effect].decode(windows, tokens, own.data(), length, decoded.data());
    for (int64_t w = 0; w < windows; ++w) {
        double sum = 0;
        for (int64_t t = 0; t < length; ++t) {
            const double error =
                static_cast<double>(decoded[w * length + t]) - x[(w * channels + channel) * length + t];
            sum += error * error;
        }
        out.native_parts.row(first + w)[effect] = static_cast<float>(sum / static_cast<double>(length));
    }
}

}  // namespace cmr::score
