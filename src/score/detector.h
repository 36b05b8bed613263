#pragma once
// A fitted detector: the network, what was fitted on its healthy embeddings, and what their scores are when healthy.
// One file holds it; a detector fitted last year and one fitted now take the same path.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "score/calibrate/calibrate.h"
#include "score/combine/combined.h"
#include "score/explain/localiser.h"
#include "score/explain/novelty.h"

namespace cmr::score {

// Where a detector comes from.
struct Origin {
    std::string recipe;  // resolved, as TOML
    std::string fold;    // its name; empty where there is one
    int64_t fold_index = 0;
    int64_t seed = 0;
    std::string fingerprint;  // of the data
    std::string version;      // of the program that fitted it
};

// How well a score did in rehearsal, from healthy data alone.
struct ScorerReport {
    std::string name;
    bool learned = false;
    std::vector<double> auroc;  // per kind of rehearsed fault; none for a control
    double weight = 0;          // in the combined score
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, ScorerReport>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "of the score");
    visit("learned", c.learned, "needs the trained network");
    visit("auroc", c.auroc, "per kind of rehearsed fault");
    visit("weight", c.weight, "in the combined score");
}

// Scores of some windows.
struct Scores {
    std::vector<std::string> names;     // the last two are "learned", of the learned scores alone, and "combined"
    Matrix values;                      // [windows, names]
    std::vector<std::string> channels;  // effect channels
    Matrix by_channel;                  // [windows, channels]: healthy deviations from the healthy relation

    std::vector<float> column(const std::string& name) const;  // InputError if there is none
};

// Pooled embeddings that are kept when windows are scored, which costs nothing more; extras do.
struct EmbeddingCapture {
    EmbedOptions extras;
    Features pooled;  // without the samples
};

// What speaks for one explanation or another, of some windows.
struct Evidence {
    Matrix deviations;                            // [windows, effects] from the healthy relation
    Matrix alone;                                 // [windows, effects] of each effect by itself
    std::vector<std::vector<std::string>> moved;  // per window: causes that never moved in the training data
};

// What a detector knows as healthy: windows for training, and for validation unless those are tested too.
std::vector<data::Window> healthy_windows(const recipe::Recipe& recipe, const data::Fold& fold);

class Detector {
  public:
    // `network` is what training gave; one without tensors leaves out the learned scores.
    static Detector fit(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
                        model::Preprocessing preprocessing, model::Model network, Origin origin);

    void save(const std::filesystem::path& file) const;
    // Refuses a file that is not whole, of another schema, or whose golden windows get other scores than when it was
    // written: InputError.
    static Detector load(const std::filesystem::path& file);

    const Origin& origin() const { return origin_; }
    const recipe::Recipe& recipe() const { return recipe_; }
    const model::Preprocessing& preprocessing() const { return *preprocessing_; }
    std::vector<std::string> names() const;
    const std::vector<ScorerReport>& scorer_reports() const { return reports_; }
    const Localiser& localiser() const { return localiser_; }
    std::string localised_by() const { return std::string(kinds_[localiser_.kind()]->name); }

    // Cross-fitted scores of the healthy windows, in order of time.
    const HealthyTrace& healthy() const { return healthy_; }          // of the combined score
    const Matrix& healthy_scores() const { return healthy_scores_; }  // [windows, names]
    double p_value(double combined) const { return tail_.p_value(combined); }

    // Thresholds in false alarms per day; none before calibration.
    const std::optional<Calibration>& calibration() const { return calibration_; }
    const AlarmRule& alarm_rule() const { return rule_; }
    void set_calibration(const Calibration& calibration, const AlarmRule& rule);
    // What the level 1 is: the calibrated threshold, else the highest healthy score.
    double threshold() const;

    // causes, effects: z-scored windows [windows, channels · length]. A window's scores do not depend on the others.
    Scores score(Matrix causes, Matrix effects) const;
    // The same of a dataset that was loaded by the recipe.
    Scores score(const data::Dataset& dataset, const std::vector<data::Window>& windows,
                 EmbeddingCapture* kept = nullptr) const;

    // Pooled embeddings alone, without the samples. InputError where there is no network.
    Features embed(const data::Dataset& dataset, const std::vector<data::Window>& windows, EmbedOptions extras) const;

    Evidence evidence(const data::Dataset& dataset, const std::vector<data::Window>& windows) const;
    // Above 1: the causes are not those of the healthy data, see CauseNovelty. Windows of one recording in order of
    // time, at least one.
    double cause_level(const data::Dataset& dataset, const std::vector<data::Window>& windows) const;
    // What the linear mechanism makes one expect of an effect in its own unit, for samples begin … end-1; the first
    // few, which lack lagged causes, are NaN.
    std::vector<float> expected(const data::Dataset& dataset, int32_t recording, int64_t begin, int64_t end,
                                int64_t effect) const;
    // Per cause: the share of an effect's unexplained part that goes away when the cause's contribution to the linear
    // mechanism is taken out, as if the effect no longer answered it. See docs/explain.md.
    std::vector<double> cause_shares(const data::Dataset& dataset, const std::vector<data::Window>& windows,
                                     int64_t effect) const;

  private:
    Detector() = default;
    std::span<const ScorerKind* const> counted() const;  // in the combined score: the first ones
    const linear::LaggedRidge& mechanism() const;
    std::vector<std::string> moved_constants(const data::Dataset& dataset, const data::Window& window) const;
    Features features(Matrix causes, Matrix effects) const;
    Scores score_features(const Features& windows) const;
    Matrix with_combined(const Matrix& scores) const;  // two columns more
    void check_golden(const std::string& source) const;

    Origin origin_;
    recipe::Recipe recipe_;
    std::vector<data::Channel> channels_;  // of the dataset
    std::unique_ptr<model::Preprocessing> preprocessing_;
    model::Model network_;
    std::unique_ptr<Embedder> embedder_;  // none without a network
    std::vector<const ScorerKind*> kinds_;
    std::vector<std::unique_ptr<Scorer>> scorers_;
    std::vector<ScorerReport> reports_;
    Combined learned_, combined_;  // of the learned scores alone; of all
    Tail tail_;
    Localiser localiser_;
    std::unique_ptr<CauseNovelty> novelty_;
    std::unique_ptr<EffectRanges> ranges_;
    Matrix healthy_scores_;
    HealthyTrace healthy_;
    std::optional<Calibration> calibration_;
    AlarmRule rule_;
    Matrix golden_causes_, golden_effects_, golden_scores_;
};

}  // namespace cmr::score
