// The command line of cmr: reads the arguments, calls one verb, and turns every failure into a message and an exit
// code. CLI11 takes seconds to compile, so it stays in this file; a verb is a function from its options to its output.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/version.h"
#include "info.h"
#include "base/nearest.h"
#include "training_program.h"

namespace cmr::cli {
namespace {

constexpr const char* kDescription =
    "cmr watches whether a machine still answers its causes the way it did when healthy.\n";

constexpr const char* kLessons =
    "Begin with:\n"
    "  cmr info             what this program is and what it runs on\n"
    "  cmr info --json      the same for other programs\n"
    "  cmr selftest         train and score a small model here, and check what is promised\n"
    "  cmr VERB --help      all that a verb can do\n"
    "\n"
    "Environment:\n"
    "  CMR_THREADS=2        threads to use; otherwise every CPU this process may use\n"
    "  CMR_ISA=portable     instruction set of the kernels; otherwise the best this CPU has\n"
    "\n"
    "Results go to standard output, messages to standard error.\n"
    "Exit code: 0 done, 2 something in the input needs mending, 1 a bug in cmr.";

void print_result(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written) throw InputError("cannot write the result: {}", std::generic_category().message(errno));
}

void add_info(CLI::App& app, std::string& result) {
    auto options = std::make_shared<InfoOptions>();
    auto* verb = app.add_subcommand("info", "Show the version, the instruction set in use, threads and libraries");
    verb->add_flag("--json", options->json, "Print a JSON object instead of a table");
    verb->callback([options, &result] { result = info(*options); });
}

void add_selftest(CLI::App& app) {
    auto json = std::make_shared<bool>(false);
    auto* verb = app.add_subcommand("selftest", "Train and score a small model on this machine and check its promises");
    verb->add_flag("--json", *json, "Print a JSON object instead of a table");
    verb->callback([json] {
        become_training_program(*json ? std::vector<std::string>{"selftest", "--json"}
                                      : std::vector<std::string>{"selftest"});
    });
}

void refuse_unknown_verb(const CLI::App& app, const std::string& word) {
    if (word.starts_with('-')) return;
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands(/*filter=*/nullptr)) verbs.push_back(verb->get_name());
    if (std::ranges::find(verbs, word) != verbs.end()) return;
    const auto hint = nearest(word, verbs);
    throw InputError("there is no verb '{}'; {}`cmr --help` lists the verbs", word,
                     hint ? fmt::format("did you mean `cmr {}`? ", *hint) : "");
}

// Returns what belongs on standard output.
std::string run(int argc, char** argv) {
    std::string result;
    CLI::App app(kDescription, "cmr");
    app.set_version_flag("--version", std::string("cmr ") + kVersion, "Print the version and exit");
    app.get_formatter()->label("SUBCOMMAND", "VERB");
    add_info(app, result);
    add_selftest(app);
    for (CLI::App* verb : app.get_subcommands(/*filter=*/nullptr)) verb->group("Verbs");
    app.footer(kLessons);  // last, because a verb inherits the footer that stands when it is added

    if (argc < 2) return app.help();
    refuse_unknown_verb(app, argv[1]);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wish) {  // --help and --version arrive as exceptions
        std::ostringstream text;
        app.exit(wish, text, text);
        return text.str();
    } catch (const CLI::ParseError& error) {
        const auto verbs = app.get_subcommands();
        throw InputError("{}; see `cmr {}--help`", error.what(), verbs.empty() ? "" : verbs.front()->get_name() + " ");
    }
    return result;
}

}  // namespace
}  // namespace cmr::cli

int main(int argc, char** argv) {
    try {
        cmr::cli::print_result(cmr::cli::run(argc, argv));
        return 0;
    } catch (const cmr::InputError& error) {
        std::fprintf(stderr, "cmr: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(
            stderr,
            "cmr: %s\nThis is a bug in cmr, not a mistake of yours. Please report it with the command line and the "
            "output of `cmr info`.\n",
            error.what());
        return 1;
    }
}
