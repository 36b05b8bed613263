#pragma once
// The tokens of a window → one vector. A new pooling is one function and one row of the table in pooling.cpp, which
// says of which streams it takes which statistics; and its name in recipe.h, so that a recipe may ask for it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linear/pca.h"
#include "model/methods/method.h"
#include "score/file/archive.h"

namespace cmr::score {

class Features;

// The tokens of one window, [tokens, features].
struct TokenView {
    const float* values = nullptr;
    const float* minus = nullptr;  // what is taken from them, in double; null: nothing
    int64_t tokens = 0, features = 0;
};

// One number per feature, summed in double.
struct Statistic {
    std::string_view name;
    void (*of)(const TokenView& tokens, float* out);
};

// One matrix of Features: a statistic of a stream.
struct PooledMatrix {
    std::string_view stream;  // see features.h
    Statistic statistic;

    std::string name() const { return std::string(stream) + "." + std::string(statistic.name); }
    bool needs_causes() const { return stream != "effects"; }
    int64_t columns(const model::FeatureCounts& features) const {
        return stream == "causes" ? features.causes : stream == "mean-cause" ? features.cause : features.effects;
    }
};

// Those that scores other than k-NN are made from.
std::span<const PooledMatrix> always_pooled();

struct PoolingKind {
    std::string_view name;
    std::vector<PooledMatrix> parts;  // side by side
    int64_t components = 0;           // how many principal components of healthy windows are left; 0: no such thing

    bool needs_causes() const;
    int64_t columns(const model::FeatureCounts& features) const;  // of the parts
};

std::span<const PoolingKind> pooling_kinds();
const PoolingKind& pooling_named(const std::string& name);  // InputError with the nearest name if there is none

// InputError naming `source` where the pooling needs causes and the method knows none.
void check_pooling(const std::string& pooling, const std::string& method, const std::string& source);

// A pooling, fitted on healthy windows. The embedder must have been asked for it.
class Pooling {
  public:
    Pooling(const std::string& name, const Features& healthy);
    Pooling(const std::string& name, const Archive& from, const model::FeatureCounts& features);

    std::string_view name() const { return kind_->name; }
    int64_t columns(const model::FeatureCounts& features) const;
    Matrix operator()(const Features& windows) const;
    void save(Archive& to) const;

  private:
    const PoolingKind* kind_;
    std::optional<linear::Pca> pca_;
};

}  // namespace cmr::score
