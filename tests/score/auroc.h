#pragma once
// The share of (healthy, faulty) pairs in which the faulty score is higher; ties count half.

#include <vector>

namespace cmr::test {

inline double auroc(const std::vector<float>& healthy, const std::vector<float>& faulty) {
    double wins = 0;
    for (const float f : faulty)
        for (const float h : healthy) wins += f > h ? 1.0 : f == h ? 0.5 : 0.0;
    return wins / (static_cast<double>(healthy.size()) * static_cast<double>(faulty.size()));
}

}  // namespace cmr::test
