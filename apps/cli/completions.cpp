#include "completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <string_view>
#include <vector>

namespace cmr::cli {
namespace {

// Each command with the verbs that lead to it: "", " simulate", " simulate water".
using VisitCommand = std::function<void(const Command&, const std::string& place)>;
void visit(const Command& command, const std::string& place, const VisitCommand& body) {
    body(command, place);
    for (const Command& verb : command.verbs) visit(verb, place + " " + verb.name, body);
}

// In single quotes; what stands for a quote inside them differs between shells.
std::string quoted(std::string_view text, std::string_view quote) {
    std::string out = "'";
    for (const char c : text)
        if (c == '\'')
            out += quote;
        else
            out += c;
    return out + "'";
}
std::string posix(std::string_view text) { return quoted(text, "'\\''"); }
std::string fish(std::string_view text) {
    std::string slashes;
    for (const char c : text) slashes += c == '\\' ? "\\\\" : std::string(1, c);
    return quoted(slashes, "\\'");
}

std::vector<std::string> options_of(const Command& command) {
    std::vector<std::string> out;
    for (const CommandOption& option : command.options)
        if (!option.positional) out.insert(out.end(), option.names.begin(), option.names.end());
    return out;
}

// The patterns of a case that is true where the words so far have led to a verb.
std::string places_of_verbs(const Command& program, std::string (*quote)(std::string_view), const char* separator) {
    std::vector<std::string> out;
    visit(program, "", [&](const Command&, const std::string& place) {
        if (!place.empty()) out.push_back(quote(place));
    });
    return fmt::format("{}", fmt::join(out, separator));
}

}  // namespace

std::string bash_completion(const Command& program) {
    std::string cases;
    visit(program, "", [&](const Command& command, const std::string& place) {
        std::vector<std::string> verbs;
        for (const Command& verb : command.verbs) verbs.push_back(verb.name);
        cases += fmt::format("        {}) verbs='{}' options='{}' ;;\n", posix(place), fmt::join(verbs, " "),
                             fmt::join(options_of(command), " "));
    });
    return fmt::format(R"(# bash completion of cmr
_cmr() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} place= verbs= options= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$place ${{COMP_WORDS[i]}}" in
            {}) place+=" ${{COMP_WORDS[i]}}" ;;
        esac
    done
    case $place in
{}    esac
    [[ $word == -* ]] && verbs=$options
    mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word")
}}
complete -o default -F _cmr cmr
)",
                       places_of_verbs(program, posix, " | "), cases);
}

std::string zsh_completion(const Command& program) {
    std::string cases;
    visit(program, "", [&](const Command& command, const std::string& place) {
        cases += fmt::format("    ({})\n        verbs=(", posix(place));
        for (const Command& verb : command.verbs)
            cases += fmt::format(" {}", posix(verb.name + ":" + verb.description));
        cases += " )\n        options=(";
        for (const CommandOption& option : command.options)
            if (!option.positional)
                for (const std::string& name : option.names)
                    cases += fmt::format(" {}", posix(name + ":" + option.help));
        cases += " )\n        ;;\n";
    });
    return fmt::format(R"(#compdef cmr
# zsh completion of cmr
local -a verbs options
local place= word
for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$place $word" in
    ({}) place+=" $word" ;;
    esac
done
case $place in
{}esac
if [[ $PREFIX == -* ]]; then
    _describe -o option options
elif (( $#verbs )); then
    _describe verb verbs
else
    _files
fi
)",
                       places_of_verbs(program, posix, " | "), cases);
}

std::string fish_completion(const Command& program) {
    std::string lines;
    visit(program, "", [&](const Command& command, const std::string& place) {
        const std::string begin = fmt::format("complete -c cmr -n {}", fish("__cmr_at '" + place + "'"));
        if (!command.verbs.empty()) lines += begin + " -f\n";
        for (const Command& verb : command.verbs)
            lines += fmt::format("{} -a {} -d {}\n", begin, verb.name, fish(verb.description));
        for (const CommandOption& option : command.options) {
            if (option.positional) continue;
            lines += begin;
            for (const std::string& name : option.names)
                lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            lines += fmt::format("{} -d {}\n", option.value.empty() ? "" : " -r", fish(option.help));
        }
    });
    return fmt::format(R"(# fish completion of cmr
function __cmr_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        switch "$place $word"
            case {}
                set place "$place $word"
        end
    end
    test "$place" = "$argv[1]"
end
{})",
                       places_of_verbs(program, fish, " "), lines);
}

}  // namespace cmr::cli
