#pragma once
// From a window to its scores: features → every score → the combined one, and what each effect contributes to it. A
// pipeline never changes once it is made; a window's numbers do not depend on the other windows.

#include <memory>
#include <string>
#include <vector>

#include "score/combine/attribution.h"
#include "score/combine/combined.h"
#include "score/explain/novelty.h"
#include "score/features/feature_extractor.h"
#include "score/scorers/scorer.h"

namespace cmr::score {

// Where the time went.
struct ScoreSeconds {
    double samples = 0;  // cut and scaled
    double network = 0;
    double scorers = 0;
};

// Of some windows.
struct Scores {
    std::vector<std::string> names;     // the last is "combined", and after it those of a run
    Matrix values;                      // [windows, names]
    std::vector<std::string> channels;  // effect channels
    Matrix residuals;                   // [windows, channels]: in healthy deviations, see Attribution
    std::vector<float> cause_levels;    // [windows]: above 1 causes are outside the learned range, see CauseNovelty
    ScoreSeconds seconds = {};

    std::vector<float> column(const std::string& name) const;  // InputError if there is none
    void append(const std::string& name, const std::vector<float>& column);
};

// Pooled embeddings that are kept when windows are scored, which costs nothing more; options do.
struct EmbeddingCapture {
    EmbedOptions options;
    Features pooled;  // without the samples
};

struct NamedScorer {
    const ScorerKind* kind;
    std::unique_ptr<Scorer> scorer;

    std::string name() const { return std::string(kind->name); }
};

class Pipeline {
  public:
    Pipeline(FeatureExtractor features, std::vector<NamedScorer> scorers, Combined combined, Attribution attribution,
             CauseNovelty novelty);

    const FeatureExtractor& features() const { return features_; }
    const model::Preprocessing& preprocessing() const { return features_.preprocessing(); }
    const std::vector<NamedScorer>& scorers() const { return scorers_; }
    const Combined& combined() const { return combined_; }
    const Attribution& attribution() const { return attribution_; }
    const CauseNovelty& novelty() const { return novelty_; }
    const std::vector<std::string>& names() const { return names_; }  // as in Scores
    // How much the network counts for each effect; none where there is no mechanism of it.
    Gates gates() const;
    // The linear mechanism on lagged causes, which every pipeline has.
    const linear::LaggedRidge& mechanism() const;
    // Who drives whom of the effects, [from, to]; empty where no score knows it.
    Eigen::MatrixXd drives() const;

    // What the mechanism of the whole window leaves of the effects' samples, the network's share included; empty where
    // `score.only` has left it out.
    Matrix unexplained(const Features& windows) const;

    Scores score(const Features& windows) const;
    // Of windows of a dataset that was loaded by the recipe. Where samples are absent (NaN), see health/absent.h: the
    // residual of an effect that was replaced is NaN, and so is all of a window that cannot be judged.
    Scores score(const data::Dataset& dataset, const std::vector<data::Window>& windows,
                 EmbeddingCapture* capture = nullptr) const;
    // Of windows in the plant's own units: [windows, channels of the dataset · length].
    Scores score(const MatrixView& raw) const;
    // What they are scored by, absent effects replaced; the samples alone, and with embeddings.
    Features samples_of(const data::Dataset& dataset, const std::vector<data::Window>& windows) const;
    Features features_of(const data::Dataset& dataset, const std::vector<data::Window>& windows) const;
    // Single scores [windows, scorers] with a column more.
    Matrix with_combined(const MatrixView& single) const;

  private:
    // Samples without what is absent, and how their embeddings come about.
    template <typename Embed>
    Scores score_cut(Features cut, const Embed& embed) const;

    FeatureExtractor features_;
    std::vector<NamedScorer> scorers_;
    Combined combined_;
    Attribution attribution_;
    CauseNovelty novelty_;
    std::vector<std::string> names_;
};

// Pooled embeddings of some windows without their samples, some at a time; nothing where there is no network.
Features embed(const FeatureExtractor& features, const data::Dataset& dataset, const std::vector<data::Window>& windows,
               const EmbedOptions& options = {});

}  // namespace cmr::score
