#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

// The network has already said it.
class NativeScorer : public Scorer {
  public:
    Judged judge(const Features& windows) const override {
        return {windows["native"].values, windows.has("native.parts") ? windows["native.parts"] : Matrix()};
    }
    void save(Archive&) const override {}
};

}  // namespace

std::unique_ptr<Scorer> fit_native(const Healthy&) { return std::make_unique<NativeScorer>(); }
std::unique_ptr<Scorer> load_native(const Archive&, const Setting&) { return std::make_unique<NativeScorer>(); }

}  // namespace cmr::score
