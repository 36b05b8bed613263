#pragma once
// One vector per window by any of the eight poolings.

#include <optional>
#include <string>

#include "linear/pca.h"
#include "score/archive.h"
#include "score/features.h"

namespace cmr::score {

// std, mean, max, mean+std, mean+std+max, mean-pca (64 components), effect+cause (std of both), cause-encoder.
std::span<const std::string_view> pooled_names();

class Pooled {
  public:
    Pooled(const std::string& name, const Features& healthy);
    explicit Pooled(const Archive& from);

    Matrix operator()(const Features& windows) const;
    void save(Archive& to) const;

  private:
    std::string name_;
    std::optional<linear::Pca> pca_;
};

}  // namespace cmr::score
