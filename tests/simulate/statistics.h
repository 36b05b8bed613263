#pragma once
// How alike two signals are, each alone and in pairs.

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <vector>

namespace cmr::test {

// Half the sum of absolute differences of two histograms over their common range: 0 same, 1 disjoint.
inline double total_variation(std::span<const float> a, std::span<const float> b, int bins = 30) {
    const auto [a_low, a_high] = std::ranges::minmax(a);
    const auto [b_low, b_high] = std::ranges::minmax(b);
    const double low = std::min(a_low, b_low), high = std::max(a_high, b_high);
    if (high <= low) return 0.0;
    const auto histogram = [&](std::span<const float> values) {
        std::vector<double> share(static_cast<size_t>(bins));
        for (const float v : values) {
            const int bin = std::min(bins - 1, static_cast<int>((v - low) / (high - low) * bins));
            share[static_cast<size_t>(bin)] += 1.0 / static_cast<double>(values.size());
        }
        return share;
    };
    const auto p = histogram(a), q = histogram(b);
    double sum = 0.0;
    for (size_t i = 0; i < p.size(); ++i) sum += std::abs(p[i] - q[i]);
    return sum / 2.0;
}

using Spectrum = std::vector<std::complex<double>>;

// Radix 2; the size is a power of two.
inline void transform(Spectrum& x) {
    const size_t n = x.size();
    if (n < 2) return;
    Spectrum even(n / 2), odd(n / 2);
    for (size_t i = 0; i < n / 2; ++i) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
    transform(even);
    transform(odd);
    for (size_t i = 0; i < n / 2; ++i) {
        const auto turned =
            std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n)) * odd[i];
        x[i] = even[i] + turned;
        x[i + n / 2] = even[i] - turned;
    }
}

// Hann-windowed spectra of consecutive blocks without their means (Welch).
inline std::vector<Spectrum> block_spectra(std::span<const float> x, size_t block) {
    std::vector<Spectrum> spectra;
    for (size_t begin = 0; begin + block <= x.size(); begin += block) {
        double mean = 0.0;
        for (size_t i = 0; i < block; ++i) mean += x[begin + i] / static_cast<double>(block);
        Spectrum s(block);
        for (size_t i = 0; i < block; ++i)
            s[i] = (x[begin + i] - mean) *
                   (0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(block)));
        transform(s);
        s.resize(block / 2);
        spectra.push_back(std::move(s));
    }
    return spectra;
}

// The power spectra, each normalised to sum 1, compared as histograms are.
inline double spectrum_distance(std::span<const float> a, std::span<const float> b, size_t block) {
    const auto power = [&](std::span<const float> x) {
        std::vector<double> p(block / 2);
        for (const Spectrum& s : block_spectra(x, block))
            for (size_t k = 0; k < p.size(); ++k) p[k] += std::norm(s[k]);
        double sum = 0.0;
        for (const double v : p) sum += v;
        for (double& v : p) v /= sum;
        return p;
    };
    const auto p = power(a), q = power(b);
    double sum = 0.0;
    for (size_t k = 0; k < p.size(); ++k) sum += std::abs(p[k] - q[k]);
    return sum / 2.0;
}

// Mean over frequencies first … last-1 of |S_xy|²/(S_xx S_yy).
inline double coherence(std::span<const float> x, std::span<const float> y, size_t block, size_t first, size_t last) {
    const auto xs = block_spectra(x, block), ys = block_spectra(y, block);
    double sum = 0.0;
    for (size_t k = first; k < last; ++k) {
        std::complex<double> cross = 0.0;
        double xx = 0.0, yy = 0.0;
        for (size_t i = 0; i < xs.size(); ++i) {
            cross += xs[i][k] * std::conj(ys[i][k]);
            xx += std::norm(xs[i][k]);
            yy += std::norm(ys[i][k]);
        }
        sum += std::norm(cross) / (xx * yy);
    }
    return sum / static_cast<double>(last - first);
}

// Squared correlation.
inline double r_squared(std::span<const float> x, std::span<const float> y) {
    double mx = 0.0, my = 0.0, xy = 0.0, xx = 0.0, yy = 0.0;
    for (size_t i = 0; i < x.size(); ++i) mx += x[i], my += y[i];
    mx /= static_cast<double>(x.size()), my /= static_cast<double>(y.size());
    for (size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mx) * (y[i] - my);
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
    }
    return xy * xy / (xx * yy);
}

// Mean distance between neighbours: what alike things differ by.
template <typename T, typename Distance>
double scatter(const std::vector<T>& things, const Distance& distance) {
    double sum = 0.0;
    for (size_t i = 1; i < things.size(); ++i) sum += distance(things[i - 1], things[i]);
    return sum / static_cast<double>(things.size() - 1);
}

// Mean distance between each thing and its twin.
template <typename T, typename Distance>
double twin_distance(const std::vector<T>& things, const std::vector<T>& twins, const Distance& distance) {
    double sum = 0.0;
    for (size_t i = 0; i < things.size(); ++i) sum += distance(things[i], twins[i]);
    return sum / static_cast<double>(things.size());
}

}  // namespace cmr::test
