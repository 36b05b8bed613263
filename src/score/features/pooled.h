#pragma once
// One vector per window by any of the eight poolings.

#include <optional>
#include <string>

#include "linear/pca.h"
#include "score/features/features.h"
#include "score/file/archive.h"

namespace cmr::score {

// std, mean, max, mean+std, mean+std+max, mean-pca (64 components), effect+cause (std of both), cause-encoder.
std::span<const std::string_view> pooled_names();

class Pooled {
  public:
    Pooled(const std::string& name, const Features& healthy);
    Pooled(const Archive& from, int64_t effect_features);

    const std::string& name() const { return name_; }
    int64_t columns(int64_t cause_features, int64_t effect_features) const;
    Matrix operator()(const Features& windows) const;
    void save(Archive& to) const;

  private:
    std::string name_;
    std::optional<linear::Pca> pca_;
};

}  // namespace cmr::score
