#include "linear/mechanism.h"
#include "score/file/ridge_archive.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class WindowScorer : public Scorer {
  public:
    WindowScorer(linear::WindowRidge ridge, int64_t effects) : ridge_(std::move(ridge)), effects_(effects) {}

    Judged judge(const Features& windows) const override {
        Matrix parts = ridge_.score(windows.causes, windows.effects);
        return {mean_of_rows(parts), std::move(parts)};
    }
    void save(Archive& to) const override {
        put_ridge(to, ridge_.ridge());
        to.put("effects", static_cast<double>(effects_));
        if (ridge_.origin().size() == 0) return;
        to.put("origin", ridge_.origin());
        to.put_half("basis", ridge_.basis());
    }

  private:
    linear::WindowRidge ridge_;
    int64_t effects_;
};

}  // namespace

std::unique_ptr<Scorer> fit_window(const Healthy& healthy) {
    const int64_t effects = std::ssize(healthy.preprocessing.effects);
    return std::make_unique<WindowScorer>(
        linear::WindowRidge(healthy.features.causes, healthy.features.effects, effects), effects);
}

std::unique_ptr<Scorer> load_window(const Archive& from, const Setting& setting) {
    const int64_t effects = from.whole("effects", setting.effects(), setting.effects());
    return std::make_unique<WindowScorer>(
        window_ridge_of(from, setting.causes() * setting.length(), effects * setting.length(), effects), effects);
}

}  // namespace cmr::score
