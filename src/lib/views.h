#pragma once
// What the library hands out, in the shape of the C interface. A view owns all that its struct points to and does not
// move.

#include <string>
#include <vector>

#include "cmr/cmr.h"
#include "monitor/stream.h"

namespace cmr::lib {

// Texts as C has them.
class Names {
  public:
    Names() = default;
    explicit Names(std::vector<std::string> names);
    Names(const Names&) = delete;
    Names& operator=(const Names&) = delete;

    const char* const* data() const { return pointers_.data(); }
    int64_t size() const { return static_cast<int64_t>(pointers_.size()); }
    const char* at(size_t i) const { return pointers_[i]; }

  private:
    std::vector<std::string> texts_;
    std::vector<const char*> pointers_;
};

class DescriptionView {
  public:
    DescriptionView(const score::Detector& detector, const monitor::Stream& stream);
    const cmr_description& get() const { return description_; }

  private:
    std::string version_, recipe_;
    Names names_, groups_, scores_, effects_;
    std::vector<cmr_channel> channels_;
    cmr_description description_{};
};

class ResultView {
  public:
    ResultView(monitor::JudgedWindow judged, const monitor::Stream& stream);
    ResultView(const ResultView&) = delete;
    ResultView& operator=(const ResultView&) = delete;
    const cmr_result& get() const { return result_; }

  private:
    monitor::JudgedWindow judged_;
    std::vector<const char*> sensors_;
    std::string void_promise_;
    cmr_result result_{};
};

class ExplanationView {
  public:
    explicit ExplanationView(score::Explanation explanation);
    ExplanationView(const ExplanationView&) = delete;
    ExplanationView& operator=(const ExplanationView&) = delete;
    const cmr_explanation& get() const { return shown_; }

  private:
    score::Explanation explanation_;
    std::string verdict_;
    std::vector<cmr_effect_evidence> effects_;
    std::vector<cmr_cause_evidence> causes_;
    cmr_explanation shown_{};
};

cmr_counts counts_of(const monitor::Counts& counts);

}  // namespace cmr::lib
