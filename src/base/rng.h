#pragma once
// Every random draw of the program comes from an Rng that is passed in. A stream is split by name, so adding a draw in
// one place does not move the draws of another: rng.split("shuffle"), rng.split("init").

#include <cstdint>
#include <string_view>

namespace cmr {

class Rng {
  public:
    explicit Rng(uint64_t seed) : key_(mix(seed + kGolden)), state_(key_) {}

    Rng split(std::string_view name) const;
    Rng split(uint64_t index) const { return Rng(key_ ^ mix(index + kGolden)); }

    uint64_t next() { return mix(state_ += kGolden); }
    double uniform();  // [0, 1)
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    double normal();                 // mean 0, deviation 1
    uint64_t below(uint64_t bound);  // 0 … bound-1, without bias

    // The finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection whose output passes for random.
    static constexpr uint64_t mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

  private:
    static constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;
    uint64_t key_;  // stays, so that a split does not depend on the draws before it
    uint64_t state_;
};

}  // namespace cmr
