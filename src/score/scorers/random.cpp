// What a score looks like that knows nothing: a measure of how much chance there is in the others.
#include <cstring>

#include "base/rng.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

// Drawn from the window's own numbers, so that it does not depend on the others.
class RandomScorer : public Scorer {
  public:
    Judged judge(const Features& windows) const override {
        std::vector<float> out(windows.rows());
        for (int64_t i = 0; i < windows.rows(); ++i) {
            uint64_t seed = 0;
            for (const Matrix* part : {&windows.causes, &windows.effects})
                for (const float value : part->row(i)) {
                    uint32_t bits = 0;
                    std::memcpy(&bits, &value, sizeof bits);
                    seed = (seed ^ bits) * 0x100000001b3;  // FNV
                }
            out[i] = static_cast<float>(Rng(seed).uniform(0.01, 1));
        }
        return {std::move(out), {}};
    }
    void save(Archive&) const override {}
};

}  // namespace

std::unique_ptr<Scorer> fit_random(const Healthy&) { return std::make_unique<RandomScorer>(); }
std::unique_ptr<Scorer> load_random(const Archive&, const Setting&) { return std::make_unique<RandomScorer>(); }

}  // namespace cmr::score
