#include "training_program.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace cmr::cli {

void become_training_program(const std::vector<std::string>& arguments) {
    const std::string program = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cmr-train").string();
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    throw InputError("{}: {}; this verb trains, and its program belongs beside cmr", program,
                     std::generic_category().message(errno));
}

}  // namespace cmr::cli
