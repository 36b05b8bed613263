#pragma once
// What each effect channel contributes to the combined score: the parts of all voices that have parts, each in healthy
// deviations of its own channel, and each counted by how much that voice says of the window. So what raised an alarm
// explains it.
//
//   z of a voice and channel = (log part - median) / deviation   of the cross-fitted healthy parts, see upper_log_scale
//   residual of a channel    = Σ a · log(1 + exp(z)) / Σ a       over the voices that have parts, a = log(1 + exp(w))

#include <Eigen/Core>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "score/combine/combined.h"
#include "score/combine/cross_fit.h"

namespace cmr::score {

class Attribution {
  public:
    Attribution() = default;
    // Judged: the healthy windows. Scales are taken from the given rows for what is learned, which the network has not
    // seen, and from all for the rest. At least one of the voices has parts.
    Attribution(const Combined& combined, std::span<const ScorerKind* const> kinds, const CrossFitted& judged,
                std::span<const int64_t> rows);
    Attribution(const Archive& from, const Combined& combined, int64_t effects);
    void save(Archive& to) const;

    // parts(name): [windows, effects] of that voice; voices: w of each, as Combined gives them → residuals [windows,
    // effects].
    Matrix operator()(const std::function<const Matrix*(const std::string& name)>& parts,
                      const MatrixView& voices) const;

  private:
    struct Voice {
        std::string name;
        int64_t column = 0;  // among the voices of the combined score
        Eigen::VectorXd median, deviation;
    };

    std::vector<Voice> voices_;
};

}  // namespace cmr::score
