// Manual pages and completions offer every verb and option that the help shows. The help is read here as a person
// reads it; completions are asked of the shells themselves.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "program.h"

namespace cmr {
namespace {

using test::content;
using test::run_command;
using testing::HasSubstr;
using testing::Not;

using Words = std::set<std::string>;

std::string cmr(const std::string& arguments) {
    return run_command(fmt::format("'{}/cmr' {} 2>&1", std::getenv("CMR_BIN"), arguments)).output;
}

// What the help of each command shows, by the words that lead to it: options, and verbs where there are any.
struct Shown {
    Words options, verbs;
};
void read_help(const std::string& place, std::map<std::string, Shown>& out) {
    Shown& shown = out[place];
    std::istringstream help(cmr(place + " --help"));
    bool verbs = false;
    for (std::string line; std::getline(help, line);) {
        if (!line.starts_with(' ')) verbs = line == "Verbs:" || line == "Subcommands:";
        std::smatch found;
        if (verbs && std::regex_search(line, found, std::regex("^  ([a-z]+)"))) shown.verbs.insert(found[1]);
        if (std::regex_search(line, std::regex("^  -")))
            for (auto rest = line; std::regex_search(rest, found, std::regex("^[ ,]*(--?[a-z][a-z-]*)"));
                 rest = found.suffix())
                shown.options.insert(found[1]);
    }
    for (const std::string& verb : Words(shown.verbs)) read_help(place + " " + verb, out);
}

struct Pages : testing::Test {
    Pages() {
        EXPECT_EQ(cmr("pages --out " + folder.path().string()), "");
        read_help("", help);
    }

    Words words(const std::string& command) const {
        std::istringstream text(run_command(fmt::format("cd '{}' && {}", folder.path().string(), command)).output);
        Words out;
        for (std::string line; std::getline(text, line);) out.insert(line.substr(0, line.find_first_of(":\t")));
        return out;
    }

    test::TemporaryFolder folder;
    std::map<std::string, Shown> help;
};

TEST_F(Pages, HelpIsReadAsItIs) {
    EXPECT_THAT(help.at("").verbs, testing::IsSupersetOf({"info", "fit", "score", "simulate"}));
    EXPECT_THAT(help.at("").verbs, Not(testing::Contains("pages")));
    EXPECT_THAT(help.at(" simulate").verbs, testing::ElementsAre("bearing", "hydraulic", "water"));
    EXPECT_THAT(help.at(" info").options, testing::ElementsAre("--help", "--json", "-h"));
}

TEST_F(Pages, ManualHasEveryVerbAndOption) {
    for (const auto& [place, shown] : help) {
        const std::string name = "cmr" + std::regex_replace(place, std::regex(" "), "-");
        const std::string page =
            std::regex_replace(content(folder.path() / "man1" / (name + ".1")), std::regex("\\\\-"), "-");
        EXPECT_THAT(page, HasSubstr(".TH")) << name;
        for (const std::string& option : shown.options) EXPECT_THAT(page, HasSubstr("\\fB" + option + "\\fR")) << name;
        for (const std::string& verb : shown.verbs) EXPECT_THAT(page, HasSubstr(".BR " + name + "-" + verb + " (1)"));
    }
}

TEST_F(Pages, ManualIsFreeOfWarnings) {
    if (run_command("command -v man").exit_code != 0) GTEST_SKIP() << "man is not installed";
    for (const auto& page : std::filesystem::directory_iterator(folder.path() / "man1"))
        EXPECT_EQ(run_command(fmt::format("LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "
                                          "'{}' 2>&1 >/dev/null",
                                          page.path().string()))
                      .output,
                  "")
            << page.path();
}

TEST_F(Pages, BashOffersEveryVerbAndOption) {
    const auto offered = [&](const std::string& place, const std::string& word) {
        return words(
            fmt::format("bash -c 'source ./cmr.bash; COMP_WORDS=(cmr{0} \"{1}\"); "
                        "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _cmr; printf \"%s\\n\" \"${{COMPREPLY[@]}}\"'",
                        place, word));
    };
    for (const auto& [place, shown] : help) {
        EXPECT_EQ(offered(place, "-"), shown.options) << place;
        EXPECT_EQ(offered(place, ""), shown.verbs.empty() ? Words{""} : shown.verbs) << place;
    }
    EXPECT_EQ(offered(" fit --data-root plant", "--se"), (Words{"--seed", "--set"}));
}

TEST_F(Pages, ZshOffersEveryVerbAndOption) {
    if (run_command("command -v zsh").exit_code != 0) GTEST_SKIP() << "zsh is not installed";
    // The script is the body of a function that zsh calls; _describe is what it hands its findings to.
    const auto offered = [&](const std::string& place, const std::string& word) {
        return words(
            fmt::format("zsh -fc '_describe() {{ print -l -- \"${{(@P)@[-1]}}\" }}; _files() {{ print files }}; "
                        "ask() {{ source ./_cmr }}; words=(cmr{0} \"{1}\"); CURRENT=$#words; PREFIX={1}; ask'",
                        place, word));
    };
    for (const auto& [place, shown] : help) {
        EXPECT_EQ(offered(place, "-"), shown.options) << place;
        EXPECT_EQ(offered(place, ""), shown.verbs.empty() ? Words{"files"} : shown.verbs) << place;
    }
}

TEST_F(Pages, FishOffersEveryVerbAndOption) {
    if (run_command("command -v fish").exit_code != 0) GTEST_SKIP() << "fish is not installed";
    for (const auto& [place, shown] : help) {
        const std::string ask = "HOME=. fish --no-config -c 'source ./cmr.fish; complete --do-complete \"cmr" + place;
        Words options = words(ask + " -\"'");
        options.merge(words(ask + " --\"'"));
        EXPECT_THAT(options, testing::IsSupersetOf(shown.options)) << place;
        if (shown.verbs.empty()) continue;
        EXPECT_EQ(words(ask + " \"'"), shown.verbs) << place;
    }
}

}  // namespace
}  // namespace cmr
