// Watches one machine with libcmr, in C++: as watch.c, and goes on after a stop. `watch-cpp MODEL [STATE]` reads rows
// from standard input; where STATE names a file, it begins with the state in it and leaves its own there.
//
//   c++ -std=c++17 watch.cpp $(pkg-config --cflags --libs cmr) -o watch-cpp

#include <cmath>
#include <cmr/cmr.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

// An empty field is an absent value.
std::vector<float> read_row(const std::string& line) {
    std::vector<float> row;
    std::istringstream fields(line + ',');
    for (std::string field; std::getline(fields, field, ',');)
        row.push_back(field.find_first_not_of(" \r") == std::string::npos ? NAN : std::stof(field));
    return row;
}

void print_results(cmr::Stream& stream) {
    while (const cmr_result* window = stream.next()) {
        if (!window->judged) {
            std::printf("%g\tnot judged\n", window->end_s);
            continue;
        }
        std::printf("%g\t%.3f\t%s\n", window->end_s, window->level, window->alarm ? "ALARM" : "");
        if (window->raised) std::printf("\t%s\n", stream.explain().sentence);
    }
}

void watch(const std::string& model_file, const std::string& state_file) {
    const cmr::Model model(model_file);
    cmr::Stream stream(model);
    if (std::ifstream state(state_file, std::ios::binary); state)
        stream.restore({std::istreambuf_iterator<char>(state), {}});
    auto sample = static_cast<double>(stream.count().rows);
    for (std::string line; std::getline(std::cin, line); ++sample) {
        stream.push(sample / model.describe().rate_hz, read_row(line));
        print_results(stream);
    }
    if (state_file.empty()) {
        stream.end();
        print_results(stream);
    } else {
        std::ofstream(state_file, std::ios::binary) << stream.save();
    }
}

}  // namespace

int main(int count, char** arguments) {
    try {
        if (count < 2) throw std::runtime_error("usage: watch-cpp MODEL [STATE] < rows.csv");
        watch(arguments[1], count > 2 ? arguments[2] : "");
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "watch-cpp: " << error.what() << '\n';
        return 2;
    }
}
