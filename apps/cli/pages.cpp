#include "pages.h"

#include "completions.h"
#include "io/file.h"
#include "manual.h"

namespace cmr::cli {
namespace {

void write_manual(const Command& command, const std::string& path, const std::filesystem::path& folder) {
    io::write_file_atomically(folder / (page_name(command, path) + ".1"), manual_page(command, path));
    for (const Command& verb : command.verbs)
        write_manual(verb, path.empty() ? command.name : path + " " + command.name, folder);
}

}  // namespace

void write_pages(const Command& program, const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder / "man1");
    write_manual(program, "", folder / "man1");
    io::write_file_atomically(folder / "cmr.bash", bash_completion(program));
    io::write_file_atomically(folder / "_cmr", zsh_completion(program));
    io::write_file_atomically(folder / "cmr.fish", fish_completion(program));
}

}  // namespace cmr::cli
