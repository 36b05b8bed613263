#pragma once
// A number that remembers how it was made, for exact gradients of the plain formulas in naive.h: every operation notes
// its arguments and its slopes in them, and gradients() walks the notes backwards.

#include <cmath>
#include <cstdint>
#include <vector>

namespace cmr::naive {

struct Note {
    int64_t argument[2];
    double slope[2];
};

inline std::vector<Note>& notes() {
    static std::vector<Note> all;
    return all;
}

struct Var {
    double value = 0.0;
    int64_t note = -1;  // -1: a constant

    Var() = default;
    Var(double constant) : value(constant) {}  // NOLINT: constants mix with variables
    Var(double result, Var a, double slope) : Var(result, a, slope, Var(), 0.0) {}
    Var(double result, Var a, double slope_a, Var b, double slope_b) : value(result) {
        if (a.note < 0 && b.note < 0) return;
        note = static_cast<int64_t>(notes().size());
        notes().push_back({{a.note, b.note}, {slope_a, slope_b}});
    }
};

// A variable to differentiate by.
inline Var variable(double value) {
    Var v(value);
    v.note = static_cast<int64_t>(notes().size());
    notes().push_back({{-1, -1}, {0.0, 0.0}});
    return v;
}

inline Var operator+(Var a, Var b) { return {a.value + b.value, a, 1.0, b, 1.0}; }
inline Var operator-(Var a, Var b) { return {a.value - b.value, a, 1.0, b, -1.0}; }
inline Var operator*(Var a, Var b) { return {a.value * b.value, a, b.value, b, a.value}; }
inline Var operator/(Var a, Var b) { return {a.value / b.value, a, 1.0 / b.value, b, -a.value / (b.value * b.value)}; }
inline Var operator-(Var a) { return {-a.value, a, -1.0}; }
inline Var& operator+=(Var& a, Var b) { return a = a + b; }

inline Var exp(Var a) { return {std::exp(a.value), a, std::exp(a.value)}; }
inline Var log1p(Var a) { return {std::log1p(a.value), a, 1.0 / (1.0 + a.value)}; }
inline Var sqrt(Var a) { return {std::sqrt(a.value), a, 0.5 / std::sqrt(a.value)}; }
inline Var erf(Var a) { return {std::erf(a.value), a, 1.12837916709551257 * std::exp(-a.value * a.value)}; }

// d result / d v for every noted v, by its note. The notes are cleared.
inline std::vector<double> gradients(Var result) {
    std::vector<double> slope(notes().size(), 0.0);
    if (result.note >= 0) slope[static_cast<size_t>(result.note)] = 1.0;
    for (size_t i = slope.size(); i-- > 0;)
        for (int side = 0; side < 2; ++side)
            if (const int64_t from = notes()[i].argument[side]; from >= 0)
                slope[static_cast<size_t>(from)] += slope[i] * notes()[i].slope[side];
    notes().clear();
    return slope;
}

}  // namespace cmr::naive
