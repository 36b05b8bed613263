#include "score/features/gates.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::score {
namespace {

// Sums over some windows of one effect: of the linear residual a and of d = a - b, b what the network leaves. With g
// they leave Σ (a - g d)² = aa - 2 g ad + g² dd.
struct Sums {
    double aa = 0, ad = 0, dd = 0;

    double best() const { return dd > 0 ? std::clamp(ad / dd, 0.0, 1.0) : 0.0; }
    double left(double g) const { return aa > 0 ? (aa - 2 * g * ad + g * g * dd) / aa : 1.0; }
    Sums operator+(const Sums& more) const { return {aa + more.aa, ad + more.ad, dd + more.dd}; }
};

}  // namespace

bool any_open(const Gates& gates) {
    return std::ranges::any_of(gates, [](const Gate& g) { return g.open > 0; });
}

Gates fit_gates(const MatrixView& linear, const MatrixView& network, int64_t effects, int64_t from) {
    CMR_ASSERT(linear.rows == network.rows && linear.columns == network.columns && linear.columns % effects == 0,
               "what both leave of the same windows");
    const int64_t length = linear.columns / effects;
    Gates out;
    for (int64_t c = 0; c < effects; ++c) {
        Sums half[2];
        for (int64_t i = 0; i < linear.rows; ++i) {
            Sums& sums = half[2 * i < linear.rows ? 0 : 1];
            for (int64_t t = c * length + from; t < (c + 1) * length; ++t) {
                const double a = linear.row(i)[t], d = a - network.row(i)[t];
                sums.aa += a * a;
                sums.ad += a * d;
                sums.dd += d * d;
            }
        }
        const Sums all = half[0] + half[1];
        constexpr double kHelps = 0.99;  // less than a hundredth is chance
        const bool helps = half[1].left(half[0].best()) < kHelps && half[0].left(half[1].best()) < kHelps;
        const double g = static_cast<float>(helps ? all.best() : 0.0);
        out.push_back({g, static_cast<float>(all.left(g))});
    }
    return out;
}

void blend(const Gate& gate, std::span<const float> network, int64_t from, std::span<float> linear) {
    for (size_t t = from; t < linear.size(); ++t)
        linear[t] = static_cast<float>((1 - gate.open) * linear[t] + gate.open * network[t]);
}

}  // namespace cmr::score
