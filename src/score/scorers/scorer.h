#pragma once
// One way of scoring windows. A new one is one file with a class, its functions in scorers.h and one row of the table
// in table.cpp.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/split.h"
#include "linear/dynamic_ridge.h"
#include "model/preprocessing.h"
#include "score/features/features.h"
#include "score/features/gates.h"
#include "score/file/archive.h"

namespace cmr::score {

class PcaControl;

// What a scorer is fitted on: healthy windows, in the order of time.
struct Healthy {
    const data::Dataset& dataset;
    const recipe::Recipe& recipe;
    const model::Preprocessing& preprocessing;
    std::vector<int64_t> coupled;  // places among the effects of `preprocessing`
    std::vector<data::Window> windows;
    Features features;  // of those windows
    Gates gates = {};   // how much of what the network foretells counts; none: nothing
    // Fitted when they are first asked for: two scores stand on each.
    mutable std::shared_ptr<const PcaControl> plane = {};
    mutable std::shared_ptr<const linear::WindowRidge> ridge = {};
    mutable std::shared_ptr<const linear::DynamicRidge> dynamic = {};

    // Some of them, in this order. Where samples were dropped from the features, they are cut anew: all samples of all
    // windows stand in memory no longer than what is fitted on them takes.
    Healthy chosen(const std::vector<int64_t>& rows) const;
};

// The windows that a scorer from a file will be given. A file is someone else's numbers: a scorer checks that its own
// fit these.
struct Setting {
    const recipe::Recipe& recipe;
    const model::Preprocessing& preprocessing;

    int64_t length() const { return recipe.window.length; }
    int64_t causes() const { return std::ssize(preprocessing.causes); }
    int64_t effects() const { return std::ssize(preprocessing.effects); }
    int64_t samples() const { return (causes() + effects()) * length(); }
    model::FeatureCounts features() const;  // of the embeddings
};

// What a scorer says of some windows. Higher is more anomalous.
struct Judged {
    std::vector<float> scores;
    Matrix by_channel;  // the same for each effect channel, [windows, effects]; empty where a score has no parts
};

class Scorer {
  public:
    virtual ~Scorer() = default;

    // What is said of a window does not depend on the other windows.
    virtual Judged judge(const Features& windows) const = 0;
    // The linear mechanism behind it, where there is one on lagged causes.
    virtual const linear::LaggedRidge* mechanism() const { return nullptr; }
    // The one with memory, which knows who drives whom.
    virtual const linear::DynamicRidge* memory() const { return nullptr; }
    // What the mechanism of the whole window leaves of every sample of the effects, z-scored as they are; empty where
    // the score has no such mechanism.
    virtual Matrix unexplained(const Features&) const { return {}; }
    // Must windows have "unforetold", which takes time? Then how much of it counts.
    virtual bool needs_foretelling() const { return false; }
    virtual const Gates* gates() const { return nullptr; }
    virtual void save(Archive& to) const = 0;
};

enum class Needs {
    kNothing,  // but the windows
    kNetwork,  // of any method
    kCmr,      // CMR's own network
    kRival,    // the network of a rival
};

struct ScorerKind {
    std::string_view name;
    std::string_view what;  // in one line
    Needs needs;
    bool parts;                   // does it have a score for each effect channel?
    bool voice;                   // does it count in the combined score? Else it is shown beside it.
    std::string_view instead_of;  // the voice whose place it takes where both can be had
    bool explains;  // is it fitted even where `score.only` leaves it out, because explanations rest on its mechanism?
    std::unique_ptr<Scorer> (*fit)(const Healthy& healthy);
    std::unique_ptr<Scorer> (*load)(const Archive& from, const Setting& setting);
    // Vectors that its bank keeps of so many healthy windows, for it looks for `score.k` neighbours; null: it does not.
    int64_t (*bank_rows)(const Setting& setting, int64_t windows) = nullptr;

    bool learned() const { return needs != Needs::kNothing; }
    // Can it be had from this network, or from one of this method? `network` without tensors: none.
    bool possible_with(const model::Model& network) const;
    bool possible_with(const model::Method& method) const;
};

std::span<const ScorerKind> scorer_kinds();
bool is_joined(std::string_view name);                    // of the voices: "combined", "slow" or "both"
const ScorerKind& scorer_named(const std::string& name);  // InputError with the nearest name if there is none

}  // namespace cmr::score
