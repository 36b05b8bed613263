#include "study/embedding_map.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "linear/pca.h"

namespace cmr::study {
namespace {

constexpr int64_t kMapPoints = 400;  // of each kind

}  // namespace

std::vector<MapPoint> embedding_map(const Matrix& bank, const Matrix& windows, const TestWindows& test,
                                    const data::Dataset& dataset) {
    const linear::Pca pca = linear::fit_pca(bank, 2);
    if (pca.components() < 2) return {};
    const Matrix healthy = pca.transform(bank), others = pca.transform(windows);
    std::vector<MapPoint> out;
    const auto add = [&](const Matrix& points, const std::vector<int64_t>& rows, const std::string& kind) {
        const int64_t count = std::min<int64_t>(kMapPoints, std::ssize(rows));
        for (int64_t i = 0; i < count; ++i) {
            const auto row = points.row(rows[i * std::ssize(rows) / count]);
            out.push_back({row[0], row[1], kind});
        }
    };
    std::vector<int64_t> all(bank.rows);
    std::iota(all.begin(), all.end(), 0);
    add(healthy, all, "bank");
    std::map<std::string, std::vector<int64_t>> kinds;
    for (size_t i = 0; i < test.faulty.size(); ++i) {
        const std::string fault = test.stratum[i] >= 0 ? dataset.strata[test.stratum[i]] : "faulty";
        kinds[test.faulty[i] != 0 ? fault : "healthy"].push_back(static_cast<int64_t>(i));
    }
    for (const auto& [kind, rows] : kinds) add(others, rows, kind);
    return out;
}

}  // namespace cmr::study
