#pragma once
// Verbs that train live in cmr-train, which links libtorch; cmr becomes that program, as git becomes git-VERB.

#include <string>
#include <vector>

namespace cmr::cli {

// Does not return but by InputError: replaces this process by the cmr-train that stands beside it.
[[noreturn]] void become_training_program(const std::vector<std::string>& arguments);

// Starts cmr-train and waits for it; what it prints goes to standard error. InputError where it fails.
void run_training_program(const std::vector<std::string>& arguments);

}  // namespace cmr::cli
