#pragma once
// Readings in a file, for a program that a test starts and kills.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "live/source.h"

namespace cmr::live {

inline void write_readings(const std::filesystem::path& file, const std::vector<Reading>& readings) {
    std::ofstream out(file);
    out.precision(17);
    for (const Reading& r : readings) out << r.asset << '\t' << r.channel << '\t' << r.time_s << ' ' << r.value << '\n';
}

inline std::vector<Reading> read_readings(const std::filesystem::path& file) {
    std::vector<Reading> out;
    std::ifstream in(file);
    Reading r;
    while (std::getline(in, r.asset, '\t') && std::getline(in, r.channel, '\t') && in >> r.time_s >> r.value) {
        in.get();
        out.push_back(r);
    }
    return out;
}

}  // namespace cmr::live
