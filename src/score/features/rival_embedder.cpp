#include "score/features/rival_embedder.h"

#include <algorithm>

#include "base/parallel.h"
#include "score/features/pooling.h"

namespace cmr::score {

RivalEmbedder::RivalEmbedder(const model::Model& model, const model::Inputs& inputs)
    : inputs_(inputs),
      features_(model::find_rival(model.config.method)->features(model.config)),
      rival_(model::find_rival(model.config.method)->load(model)) {
    const std::vector<int64_t> shown = inputs.shown_effects();
    size_t next = 0;
    for (const model::ChannelGroup& group : inputs.groups())
        for (int64_t c = 0; c < group.channels; ++c) effect_of_channel_.push_back(group.effect ? shown[next++] : -1);
}

Features RivalEmbedder::embed(Matrix causes, Matrix effects) const {
    constexpr int64_t kSomeWindows = 256;  // at a time, so that the tokens of all never stand in memory
    const int64_t rows = causes.rows, channels = inputs_.channels();
    const int64_t length = causes.columns / std::ssize(inputs_.causes());
    Features out;
    for (Matrix* matrix : {&out.mean, &out.std, &out.max}) *matrix = Matrix(rows, features_);
    out.native = Matrix(rows, 1);
    for (int64_t first = 0; first < rows; first += kSomeWindows) {
        const int64_t count = std::min(kSomeWindows, rows - first);
        std::vector<float> x(count * channels * length);
        inputs_.assemble(MatrixView(causes).rows_from(first, count), MatrixView(effects).rows_from(first, count),
                         x.data());
        const model::RivalOutput some = rival_->run(count, length, x.data());
        if (some.by_channel.columns > 0 && out.native_parts.columns == 0)
            out.native_parts = Matrix(rows, std::ssize(inputs_.effects()));
        parallel_for(count, [&](int64_t w) {
            const MatrixView tokens{some.embedding.data() + w * some.tokens * features_, some.tokens, features_};
            pooling_named("mean").pool(tokens, out.mean.row(first + w).data());
            pooling_named("std").pool(tokens, out.std.row(first + w).data());
            pooling_named("max").pool(tokens, out.max.row(first + w).data());
            out.native.row(first + w)[0] = some.native[w];
            for (int64_t c = 0; c < some.by_channel.columns; ++c)
                if (effect_of_channel_[c] >= 0)
                    out.native_parts.row(first + w)[effect_of_channel_[c]] = some.by_channel.row(w)[c];
        });
    }
    out.causes = std::move(causes);
    out.effects = std::move(effects);
    return out;
}

}  // namespace cmr::score
