#include "score/calibrate/gamma.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace cmr::score {

// Series and continued fraction as in Abramowitz and Stegun 6.5.29 and 6.5.31, each where it converges fast: in about
// √shape terms.
double gamma_cdf(double shape, double x) {
    CMR_ASSERT(shape > 0, "a gamma distribution has a positive shape");
    if (x <= 0) return 0;
    constexpr double kEnough = std::numeric_limits<double>::epsilon();
    const double front = std::exp(shape * std::log(x) - x - std::lgamma(shape));  // x^a e^-x / Γ(a)
    if (x < shape + 1) {
        double term = 1 / shape, sum = term;
        for (double k = 1; term > kEnough * sum; ++k) sum += term *= x / (shape + k);
        return front * sum;
    }
    // From the front by Lentz's method.
    constexpr double kTiny = 1e-300;  // instead of a zero to divide by
    double b = x + 1 - shape, c = 1 / kTiny, d = 1 / b, fraction = d;
    for (double k = 1, factor = 0; std::abs(factor - 1) > kEnough; ++k) {
        const double a = -k * (k - shape);
        b += 2;
        d = a * d + b;
        if (std::abs(d) < kTiny) d = kTiny;
        c = b + a / c;
        if (std::abs(c) < kTiny) c = kTiny;
        d = 1 / d;
        fraction *= factor = c * d;
    }
    return 1 - front * fraction;
}

double gamma_quantile(double shape, double probability) {
    CMR_ASSERT(probability > 0 && probability < 1, "a quantile is between the ends");
    double low = 0, high = shape + 1;
    while (gamma_cdf(shape, high) < probability) high *= 2;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (gamma_cdf(shape, middle) < probability ? low : high) = middle;
    }
    return (low + high) / 2;
}

}  // namespace cmr::score
