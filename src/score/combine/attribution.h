#pragma once
// What each effect channel contributes to the combined score: the parts of all scores that have parts, each in healthy
// deviations of its own channel, with the weights that raise the alarm. So an alarm and its explanation rest on the
// same scores.
//
//   z of a score and channel = (log part - median) / deviation    of the cross-fitted healthy parts, see
//   upper_log_scale residual of a channel    = Σ w · log(1 + exp(z)) / Σ w         over the scores that have parts

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

    // parts(name): [windows, effects] of that score → residuals [windows, effects].
    Matrix operator()(const std::function<const Matrix*(const std::string& name)>& parts) const;

    // Which share of rehearsed faults have the highest residual in their own channel.
    double hit_rate(std::span<const ScorerKind* const> kinds, std::span<const CrossFitted> rehearsed,
                    std::span<const std::vector<int64_t>> channels) const;

  private:
    struct Voice {
        std::string name;
        double weight = 0;  // they sum up to 1
        Eigen::VectorXd median, deviation;
    };
    void normalise();

    std::vector<Voice> voices_;
};

}  // namespace cmr::score
