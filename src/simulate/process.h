#pragma once
// Random processes and filters that the simulators are made of.
//
// A mechanism-only fault is a drive the effect answers to while the cause channels show another. Both are the same
// function of standard normal numbers; the hidden one takes mix(visible, independent, share) in place of the visible
// number. A sum of independent normals with squared weights that sum to 1 is standard normal, so every law that follows
// from the drive (amplitudes, spectra, steps) is exactly the healthy one for every share, while the correlation with
// the visible drive falls as sqrt(1 - share).
//
// An additive fault is the opposite: the effect answers its cause as ever, and a source that knows nothing of either is
// added to what its sensor shows. Severity is the deviation of what is added over the healthy deviation of the effect.
//
// A rig is a set of parameters (modes, gains, sizes). Number 0 is the one that every simulator has by itself, any other
// number draws one, so that a detector fitted on one rig can be tried on another. The seed draws what happens on it.

#include <cmath>
#include <numbers>

#include "base/rng.h"

namespace cmr::simulate {

// `share` of the variance comes from `independent`.
inline double mix(double visible, double independent, double share) {
    return std::sqrt(1.0 - share) * visible + std::sqrt(share) * independent;
}

// Ornstein-Uhlenbeck: x[t] = a x[t-1] + sqrt(1 - a²) n[t], n standard normal, a = exp(-dt/τ). Stationary, variance 1.
class SlowNoise {
  public:
    SlowNoise(double seconds, double step, double first)
        : decay_(std::exp(-step / seconds)), gain_(std::sqrt(1.0 - decay_ * decay_)), value_(first) {}

    double value() const { return value_; }
    double next(double normal) { return value_ = decay_ * value_ + gain_ * normal; }

  private:
    double decay_;
    double gain_;
    double value_;
};

// A lightly damped mode, driven by a force: two poles at r e^{±iω}, scaled to unit variance for white unit force
// (variance of an AR(2) process: Box, Jenkins, Reinsel, Time Series Analysis, ch. 3).
class Mode {
  public:
    Mode(double frequency_hz, double damping, double rate_hz) {
        const double omega = 2.0 * std::numbers::pi * frequency_hz / rate_hz;
        const double radius = std::exp(-damping * omega);
        a1_ = 2.0 * radius * std::cos(omega);
        a2_ = -radius * radius;
        gain_ = std::sqrt((1.0 + a2_) * ((1.0 - a2_) * (1.0 - a2_) - a1_ * a1_) / (1.0 - a2_));
    }

    double next(double force) {
        const double value = a1_ * one_ + a2_ * two_ + gain_ * force;
        two_ = one_;
        return one_ = value;
    }

  private:
    double a1_, a2_, gain_;
    double one_ = 0.0, two_ = 0.0;
};

}  // namespace cmr::simulate
