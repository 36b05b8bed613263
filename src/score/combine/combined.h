#pragma once
// One score of a few voices that differ in kind: each sensor alone, the coupling, the whole pattern. Each voice becomes
// a number of healthy deviations on a logarithmic scale, judged by windows that its model did not see. Healthy windows
// move voices together: a new operating point is hard to foretell, off the plane and far from the bank at once.
// Whitening takes out what they share; the largest of what is left is the score, and that voice raised it. There are no
// weights, and no fault, real or made up, has a say.
//
//   z = (log s - median) / deviation        of the cross-fitted healthy log scores, deviation = 1.4826 · median |…|;
//                                            at least -2: nothing is healthier than healthy, and a voice that is low
//                                            must not make the others loud
//   w = S^-½ (z - m)                         m, S: mean and covariance of healthy z. The root is symmetric, so that
//                                            w of a voice is that voice less what the others tell
//   u = log(1 + exp(max w))

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "score/combine/log_scale.h"
#include "score/file/archive.h"

namespace cmr::score {

// Scores of some windows, each column by its name.
struct NamedScores {
    std::span<const std::string> names;
    MatrixView values;  // [windows, names]

    int64_t column(const std::string& name) const;  // InputError if there is none
};

class Combined {
  public:
    // How S is found; docs/scores.md has the sweep of both.
    static constexpr double kLeast = -2;    // of z
    static constexpr double kUsual = 4;     // healthy windows farther out than this count as this far out
    static constexpr double kShrunk = 0.1;  // share of S that is its diagonal alone

    Combined() = default;
    // healthy [windows, voices], cross-fitted; at least one voice. z counts as at least `least`.
    explicit Combined(const NamedScores& healthy, double least = kLeast);
    Combined(const Archive& from, std::span<const std::string> names);  // those that may count
    void save(Archive& to) const;

    // w of each voice [windows, voices].
    Matrix voices_of(const NamedScores& scores) const;
    // u of those.
    static std::vector<float> join(const MatrixView& voices);
    std::vector<float> operator()(const NamedScores& scores) const { return join(voices_of(scores)); }

    const std::vector<std::string>& voices() const { return names_; }
    bool holds(std::string_view name) const;

  private:
    double z_of(int64_t voice, double score) const;

    std::vector<std::string> names_;
    double least_ = kLeast;
    Eigen::VectorXd median_, deviation_, mean_;
    Eigen::MatrixXd whitening_;
};

}  // namespace cmr::score
