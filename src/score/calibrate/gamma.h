#pragma once
// The gamma distribution with scale 1: how far a true mean may lie from a count.

namespace cmr::score {

// P(X ≤ x) for X with this shape > 0: the regularised lower incomplete gamma function.
double gamma_cdf(double shape, double x);

// The x with gamma_cdf(shape, x) = probability, 0 < probability < 1.
double gamma_quantile(double shape, double probability);

}  // namespace cmr::score
