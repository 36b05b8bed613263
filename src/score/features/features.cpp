#include "score/features/features.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"

namespace cmr::score {
namespace {

TokenView view(const model::Embedding& some, std::string_view stream, int64_t window) {
    const auto of = [&](const model::Tokens& tokens, const model::Tokens* minus = nullptr) {
        const int64_t begin = window * tokens.length * tokens.features;
        return TokenView{tokens.values.data() + begin, minus ? minus->values.data() + begin : nullptr, tokens.length,
                         tokens.features};
    };
    if (stream == "causes" || stream == "mean-cause") return of(some.causes);
    if (stream == "residual") return of(some.predicted, &some.effects);
    if (stream == "cause-encoded") return of(some.cause_encoded);
    CMR_ASSERT(stream == "effects", "one of the streams in features.h");
    return of(some.effects);
}

// [channels, features of one] → [features of one], their mean.
void average_channels(const std::vector<float>& channels, std::span<float> out) {
    for (size_t f = 0; f < out.size(); ++f) {
        double sum = 0;
        for (size_t at = f; at < channels.size(); at += out.size()) sum += channels[at];
        out[f] = static_cast<float>(sum * static_cast<double>(out.size()) / static_cast<double>(channels.size()));
    }
}

// Of a const map or another.
template <typename Map>
auto& found(Map& matrices, std::string_view name) {
    const auto at = matrices.find(name);
    if (at == matrices.end()) throw InternalError(fmt::format("no features {}", name));
    return at->second;
}

}  // namespace

const Matrix& Features::operator[](std::string_view name) const { return found(matrices_, name); }
Matrix& Features::operator[](std::string_view name) { return found(matrices_, name); }

Features Features::chosen(const std::vector<int64_t>& rows) const {
    Features out;
    if (has_samples()) {
        out.causes = chosen_rows(causes, rows);
        out.effects = chosen_rows(effects, rows);
    }
    for (const auto& [name, matrix] : matrices_) out.matrices_[name] = chosen_rows(matrix, rows);
    return out;
}

void Features::drop(std::string_view name) {
    if (const auto found = matrices_.find(name); found != matrices_.end()) matrices_.erase(found);
}

void Features::append(const Features& more) {
    CMR_ASSERT(matrices_.empty() || matrices_.size() == more.matrices_.size(), "features of one kind");
    append_rows(causes, more.causes);
    append_rows(effects, more.effects);
    for (const auto& [name, matrix] : more.matrices_) append_rows(matrices_[name], matrix);
}

Matrix joined_samples(const Features& windows) { return concat_columns(windows.causes, windows.effects); }

Matrix joined_samples_to_fit(const Features& windows) {
    const int64_t most = kMostJoinedNumbers / (windows.causes.columns + windows.effects.columns);
    if (windows.rows() <= most) return joined_samples(windows);
    return concat_columns(evenly_spaced_rows(windows.causes, most), evenly_spaced_rows(windows.effects, most));
}

bool can_foretell(const model::Config& config) {
    return model::method_named(config.method).knows_causes && config.waveform_weight > 0 && config.effect_weight > 0;
}

Embedder::Embedder(const model::Model& model, const model::Inputs& inputs, const EmbedOptions& options)
    : inputs_(inputs), config_(model.config) {
    const model::Method& method = model::method_named(config_.method);
    for (const PooledMatrix& matrix : always_pooled())
        if (method.knows_causes || !matrix.needs_causes()) pooled_.push_back(matrix);
    for (const std::string& pooling : options.poolings) {
        check_pooling(pooling, config_.method, model.source);
        for (const PooledMatrix& part : pooling_named(pooling).parts)
            if (std::ranges::find(pooled_, part.name(), &PooledMatrix::name) == pooled_.end()) pooled_.push_back(part);
    }
    native_ = options.decoding && method.native == model::Native::kNone ? model::Native::kByChannel : method.native;
    const std::vector<int64_t> shown = inputs.shown_effects();
    size_t next = 0;
    for (const model::ChannelGroup& group : inputs.groups())
        for (int64_t c = 0; c < group.channels; ++c) effect_of_channel_.push_back(group.effect ? shown[next++] : -1);
    const bool cause_encoded = std::ranges::find(pooled_, "cause-encoded", &PooledMatrix::stream) != pooled_.end();
    foretelling_ = options.foretelling && can_foretell(config_);
    network_ =
        method.load(model, {.cause_encoded = cause_encoded, .decoding = options.decoding, .foretelling = foretelling_});
}

Features Embedder::embed(Matrix causes, Matrix effects) const {
    const int64_t rows = causes.rows, length = causes.columns / std::ssize(inputs_.causes());
    const model::FeatureCounts features = model::method_named(config_.method).features(config_);
    Features out;
    for (const PooledMatrix& matrix : pooled_) out.add(matrix.name(), rows, matrix.columns(features));
    if (native_ != model::Native::kNone) out.add("native", rows, 1);
    if (native_ == model::Native::kByChannel) out.add("native.parts", rows, std::ssize(inputs_.effects()));
    if (foretelling_) out.add(std::string(kUnforetold), rows, effects.columns);
    // Some windows at a time, so that the tokens of all never stand in memory.
    const int64_t at_once = model::windows_at_once(config_, length);
    for (int64_t first = 0; first < rows; first += at_once) {
        const int64_t count = std::min(at_once, rows - first);
        std::vector<float> x(count * inputs_.channels() * length);
        inputs_.assemble(MatrixView(causes).rows_from(first, count), MatrixView(effects).rows_from(first, count),
                         x.data());
        const model::Embedding some = network_->embed(count, length, x.data());
        pool(some, first, out);
        if (!foretelling_) continue;
        const Matrix left = inputs_.unforetold(count, length, x.data(), some.foretold.values.data());
        std::ranges::copy(left.values, out[kUnforetold].row(first).begin());
    }
    out.causes = std::move(causes);
    out.effects = std::move(effects);
    return out;
}

void Embedder::pool(const model::Embedding& some, int64_t first, Features& out) const {
    const int64_t count = std::ssize(some.effects.values) / (some.effects.length * some.effects.features);
    for (const PooledMatrix& matrix : pooled_) {
        Matrix& to = out[matrix.name()];
        parallel_for(count, [&](int64_t w) {
            const TokenView tokens = view(some, matrix.stream, w);
            if (matrix.stream != "mean-cause") return matrix.statistic.of(tokens, to.row(first + w).data());
            std::vector<float> of_each(tokens.features);
            matrix.statistic.of(tokens, of_each.data());
            average_channels(of_each, to.row(first + w));
        });
    }
    if (native_ != model::Native::kNone) std::ranges::copy(some.native, out["native"].values.begin() + first);
    if (native_ != model::Native::kByChannel) return;
    Matrix& parts = out["native.parts"];
    const size_t shown = inputs_.shown_effects().size() / inputs_.effects().size();  // times
    const auto times = static_cast<float>(shown);
    for (int64_t w = 0; w < count; ++w)
        for (size_t c = 0; c < effect_of_channel_.size(); ++c)
            if (effect_of_channel_[c] >= 0)
                parts.row(first + w)[effect_of_channel_[c]] += some.native_parts.row(w)[c] / times;
}

}  // namespace cmr::score
