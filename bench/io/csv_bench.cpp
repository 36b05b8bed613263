// How fast text tables are read, against NumPy's loadtxt and Python's csv module on the same file in the same run.
// The file is as large as one 100 Hz sensor of the ZeMA rig: 2,205 rows of 6,000 values such as 151.4700, tabs between.
// Prints one JSON object. bench_csv [ROWS COLUMNS]

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/parallel.h"
#include "base/rng.h"
#include "data/samples.h"
#include "io/file.h"
#include "io/table.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"
#include "timing.h"

namespace {

using namespace cmr;

void write_file(const io::fs::path& path, int64_t rows, int64_t columns) {
    Rng rng(1);
    io::write_file_atomically(path, [&](const io::Sink& sink) {
        for (int64_t row = 0; row < rows; ++row) {
            std::string line;
            for (int64_t column = 0; column < columns; ++column)
                line += fmt::format("{:.4f}{}", 170 + 10 * rng.normal(), column + 1 < columns ? '\t' : '\n');
            sink(std::as_bytes(std::span(line)));
        }
    });
}

// What a user does: every value of the file in one matrix.
data::Samples read_all(const io::fs::path& path) {
    const auto table = io::open_table(path);
    std::vector<io::Selection> all;
    for (size_t i = 0; i < table->columns().size(); ++i) all.push_back({static_cast<int64_t>(i)});
    table->select(all);
    data::Samples values;
    std::vector<float> piece;
    io::TableBlock block;
    while (table->read(block)) {
        piece.assign(block.numbers.begin(), block.numbers.end());
        values.append(piece);
    }
    return values;
}

// The same without keeping the values: what a pass over a file larger than memory costs.
double read_through(const io::fs::path& path) {
    const auto table = io::open_table(path);
    std::vector<io::Selection> all;
    for (size_t i = 0; i < table->columns().size(); ++i) all.push_back({static_cast<int64_t>(i)});
    table->select(all);
    double last = 0;
    io::TableBlock block;
    while (table->read(block)) last = block.numbers.back();
    return last;
}

}  // namespace

int main(int argc, char** argv) {
    const int64_t rows = argc > 1 ? std::atoll(argv[1]) : 2205;
    const int64_t columns = argc > 2 ? std::atoll(argv[2]) : 6000;
    const test::TemporaryFolder folder;
    const io::fs::path path = folder / "ps1.txt";
    write_file(path, rows, columns);

    const double through = bench::best_seconds([&] { read_through(path); }, 2.0);
    const double kept = bench::best_seconds([&] { read_all(path); }, 2.0);
    double sum = 0;
    const data::Samples values = read_all(path);
    for (const float value : values.values()) sum += value;

    const auto python = test::run_command("/usr/bin/python3 " CMR_BENCH_DIR "/io/loadtxt.py " + path.string());
    if (python.exit_code != 0) {
        std::fprintf(stderr, "loadtxt.py failed; it needs python3 and NumPy\n");
        return 1;
    }
    const auto theirs = nlohmann::json::parse(python.output);
    const double megabytes = static_cast<double>(io::fs::file_size(path)) * 1e-6;
    const nlohmann::ordered_json report = {
        {"rows", rows},
        {"columns", columns},
        {"megabytes", megabytes},
        {"threads", thread_count()},
        {"seconds",
         {{"cmr", through}, {"cmr_kept", kept}, {"loadtxt", theirs["loadtxt"]}, {"csv_module", theirs["csv_module"]}}},
        {"megabytes_per_second",
         {{"cmr", megabytes / through},
          {"cmr_kept", megabytes / kept},
          {"loadtxt", megabytes / theirs["loadtxt"].get<double>()},
          {"csv_module", megabytes / theirs["csv_module"].get<double>()}}},
        {"times_loadtxt", theirs["loadtxt"].get<double>() / through},
        {"times_loadtxt_kept", theirs["loadtxt"].get<double>() / kept},
        {"times_csv_module", theirs["csv_module"].get<double>() / through},
        {"sum_difference", sum - theirs["sum"].get<double>()},
    };
    std::cout << report.dump(2) << "\n";
}
