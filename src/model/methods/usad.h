#pragma once
// USAD (Audibert et al. 2020) works on samples from 0 to 1, which its decoders' sigmoids can reach: z-scored samples
// are scaled so that four deviations on either side fill that range. What lies beyond stays beyond.

namespace cmr::model {

inline constexpr float kUsadScale = 0.125f, kUsadShift = 0.5f;
inline constexpr float kUsadAlpha = 0.5f, kUsadBeta = 0.5f;  // of the score

}  // namespace cmr::model
