#include "manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/version.h"

namespace cmr::cli {
namespace {

// Text as it stands: no character of it is an instruction of the page.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if ((out.empty() || out.back() == '\n') && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string words_of(const Command& command, const std::string& path) {
    return path.empty() ? command.name : path + " " + command.name;
}

std::string synopsis(const Command& command, const std::string& path) {
    std::string out = fmt::format(".B {}\n", escaped(words_of(command, path)));
    if (!command.verbs.empty()) out += ".I VERB\n";
    out += "[\\fIOPTIONS\\fR]\n";
    for (const CommandOption& option : command.options)
        if (option.positional)
            out += option.required ? fmt::format("\\fI{}\\fR\n", escaped(option.names.front()))
                                   : fmt::format("[\\fI{}\\fR]\n", escaped(option.names.front()));
    return out;
}

std::string option_paragraph(const CommandOption& option) {
    std::string out = ".TP\n";
    const char* face = option.positional ? "I" : "B";
    for (size_t i = 0; i < option.names.size(); ++i)
        out += fmt::format("{}\\f{}{}\\fR", i == 0 ? "" : ", ", face, escaped(option.names[i]));
    if (!option.positional && !option.value.empty()) out += fmt::format(" \\fI{}\\fR", escaped(option.value));
    return fmt::format("{}\n{}{}\n", out, escaped(option.help), option.required ? " (required)" : "");
}

std::string section(const char* title, const std::string& text) {
    return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

}  // namespace

std::string page_name(const Command& command, const std::string& path) {
    std::string out = words_of(command, path);
    std::ranges::replace(out, ' ', '-');
    return out;
}

std::string manual_page(const Command& command, const std::string& path) {
    const std::string name = page_name(command, path);
    std::string title = name, positionals, options, verbs;
    std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
    for (const CommandOption& option : command.options)
        (option.positional ? positionals : options) += option_paragraph(option);
    for (const Command& verb : command.verbs)
        verbs += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(page_name(verb, words_of(command, path))),
                             escaped(verb.description));
    std::string out = fmt::format(".TH {} 1 \"\" \"cmr {}\" \"User Commands\"\n", escaped(title), version());
    out += section("NAME", fmt::format("{} \\- {}\n", escaped(name), escaped(command.description)));
    out += section("SYNOPSIS", synopsis(command, path));
    out += section("VERBS", verbs);
    out += section("ARGUMENTS", positionals);
    out += section("OPTIONS", options);
    if (!command.footer.empty()) out += section("NOTES", fmt::format(".nf\n{}\n.fi\n", escaped(command.footer)));
    if (!path.empty()) out += section("SEE ALSO", ".BR cmr (1)\n");
    return out;
}

}  // namespace cmr::cli
