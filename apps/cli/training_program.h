#pragma once
// Verbs that train live in cmr-train, which links libtorch; cmr becomes that program, as git becomes git-VERB.

#include <filesystem>
#include <string>
#include <vector>

namespace cmr::cli {

// Does not return but by InputError: replaces this process by the cmr-train that stands beside it or
// where packages have it.
[[noreturn]] void become_training_program(const std::vector<std::string>& arguments);

// Starts cmr-train and waits for it; what it prints goes to standard error. Throws where it fails.
void run_training_program(const std::vector<std::string>& arguments);

struct TrainingEnd {
    int code = 0;       // its exit code
    int signal = 0;     // that killed it; 0: none
    bool stop = false;  // it or this process was told to end, whatever it made of that
    double peak_mb = 0;
};

// The same with its result and its messages in files. It ends when this process does, and gets the SIGINT or SIGTERM
// that this process gets.
TrainingEnd run_training_program(const std::vector<std::string>& arguments, const std::filesystem::path& result,
                                 const std::filesystem::path& messages);

}  // namespace cmr::cli
