#pragma once
// `cmr study`: a grid of methods, folds, seeds and settings, done by any number of workers.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cmr::cli {

struct StudyOptions {
    std::filesystem::path study;
    std::filesystem::path out;  // folder of the run; empty: runs/NAME
    std::filesystem::path data_root;
    std::vector<std::string> methods;  // those alone; empty: all
    int64_t workers = 1;
    std::string launcher = "local";
    std::vector<std::string> sbatch;  // more options of a Slurm job
    bool retry = false;               // do failed cells again
    bool plan_only = false;
    bool json = false;
    std::filesystem::path status;  // of this run, and nothing else
    std::filesystem::path work;    // be a worker of this run
    int64_t cell = -1;             // that alone
};

std::string study(const StudyOptions& options);

}  // namespace cmr::cli
