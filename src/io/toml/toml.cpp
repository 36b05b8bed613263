#include "io/toml/toml.h"

#define TOML_EXCEPTIONS 1
// On some malformed texts its assertions fail, and it refuses them all the same a few lines later. Builds with
// NDEBUG leave the assertions out; so do we, whatever the build.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/error.h"
#include "base/suggest.h"

namespace cmr::io {
namespace {

using Kind = TomlNode::Kind;

TomlNode convert(const toml::node& node, const std::string& source) {
    TomlNode out;
    out.place = fmt::format("{}:{}", source, static_cast<int>(node.source().begin.line));
    if (const auto* table = node.as_table()) {
        std::vector<std::pair<int64_t, std::string>> order;  // of the file; the parser keeps keys by alphabet
        for (auto&& [key, value] : *table) {
            const auto begin = key.source().begin;
            order.emplace_back((int64_t{begin.line} << 32) + begin.column, std::string(key.str()));
        }
        std::ranges::sort(order);
        for (const auto& [unused, key] : order) out.children.emplace_back(key, convert(*table->get(key), source));
    } else if (const auto* list = node.as_array()) {
        out.kind = Kind::kList;
        for (auto&& item : *list) out.items.push_back(convert(item, source));
    } else if (const auto* text = node.as_string()) {
        out.kind = Kind::kText;
        out.text = text->get();
    } else if (const auto* whole = node.as_integer()) {
        out.kind = Kind::kWhole;
        out.whole = whole->get();
    } else if (const auto* number = node.as_floating_point()) {
        out.kind = Kind::kNumber;
        out.number = number->get();
    } else if (const auto* truth = node.as_boolean()) {
        out.kind = Kind::kTruth;
        out.truth = truth->get();
    } else {
        out.kind = Kind::kOther;
    }
    return out;
}

// Past the end of the text in quotes that begins at `begin`; a newline ends a short one that is not closed.
size_t skip_quoted(const std::string& text, size_t begin) {
    const char quote = text[begin];
    const std::string three(3, quote);
    const bool long_text = text.compare(begin, 3, three) == 0;
    for (size_t i = begin + (long_text ? 3 : 1); i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\') {
            ++i;
        } else if (long_text && text.compare(i, 3, three) == 0) {
            i += 3;
            for (int more = 0; more < 2 && i < text.size() && text[i] == quote; ++more) ++i;  // belong to the text
            return i;
        } else if (!long_text && (text[i] == quote || text[i] == '\n')) {
            return text[i] == quote ? i + 1 : i;
        }
    }
    return text.size();
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Refuses what toml++ 3.3 does not survive, before it sees it. It limits how deep values lie in one another but not how
// many words a key has, and it, its destructor and convert() recurse. And it takes a branch that its authors thought
// unreachable when it asks whether U+0100, say, is a blank: outside of quotes and comments, where TOML has no such
// letters anyway, and after a \ at the end of a line.
void reject_pathological(const std::string& text, const std::string& source) {
    constexpr size_t kLimit = size_t{1} << 20;
    constexpr int kDots = 32, kBrackets = 32;
    if (text.size() > kLimit) throw InputError("{}: {} bytes, expected at most {}", source, text.size(), kLimit);
    int64_t line = 1;
    int dots = 0, brackets = 0;
    char before = '\n';  // the last one that is no blank
    const auto require = [&](bool condition, const std::string& why) {
        if (!condition) throw InputError("{}:{}: {}", source, line, why);
    };
    for (size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size()) - 1;
            continue;
        }
        if (c == '"' || c == '\'') {
            require(std::string_view("\n=,[{.").find(before) != std::string_view::npos,
                    "a quote where no text can begin");
            const size_t end = skip_quoted(text, i);
            for (; i < end; ++i) {
                line += text[i] == '\n';
                if (c == '\'' || text[i] != '\\') continue;
                const size_t next = text.find_first_not_of(" \t\r\n", i + 1);
                require(next >= end || is_ascii(text[next]), "a letter that is not ASCII follows a \\");
                if (i + 1 < end && text[i + 1] == '\\') ++i;  // an escaped backslash escapes nothing
            }
            i = end - 1;
        } else if (c == '\n' || c == '=' || c == ',') {
            dots = 0;
            line += c == '\n';
        } else if (c == '.') {
            ++dots;
        } else if (c == '[' || c == '{') {
            ++brackets;
        } else if ((c == ']' || c == '}') && brackets > 0) {
            --brackets;
        }
        require(is_ascii(text[i]), "a letter that is not ASCII outside of quotes");
        require(dots <= kDots, fmt::format("a key of more than {} words", kDots));
        require(brackets <= kBrackets, fmt::format("more than {} lists or tables in one another", kBrackets));
        if (c != ' ' && c != '\t' && c != '\r') before = c;
    }
}

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::kTable:
            return "a table";
        case Kind::kList:
            return "a list";
        case Kind::kText:
            return "a text";
        case Kind::kWhole:
            return "a whole number";
        case Kind::kNumber:
            return "a number";
        case Kind::kTruth:
            return "true or false";
        case Kind::kOther:
            break;
    }
    return "a date or time";
}

void set_place(TomlNode& node, const std::string& place) {
    node.place = place;
    for (TomlNode& item : node.items) set_place(item, place);
    for (auto& [unused, child] : node.children) set_place(child, place);
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (c == '\n')
            out += "\\n";
        else if (byte < 0x20 || byte == 0x7f)
            out += fmt::format("\\u{:04x}", byte);
        else
            out += c;
    }
    return out + '"';
}

std::string print_value(const TomlNode& node) {
    switch (node.kind) {
        case Kind::kText:
            return quoted(node.text);
        case Kind::kWhole:
            return fmt::format("{}", node.whole);
        case Kind::kTruth:
            return node.truth ? "true" : "false";
        case Kind::kNumber: {
            const std::string text = fmt::format("{}", node.number);
            return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
        }
        case Kind::kList: {
            std::string out;
            for (const TomlNode& item : node.items) out += (out.empty() ? "" : ", ") + print_value(item);
            return "[" + out + "]";
        }
        default:
            break;
    }
    CMR_ASSERT(false, "a settings struct gives no such value");
    return {};
}

bool is_list_of_tables(const TomlNode& node) {
    return node.kind == Kind::kList && !node.items.empty() && node.items.front().kind == Kind::kTable;
}

void print_table(const TomlNode& table, const std::string& path, std::string& out) {
    for (const auto& [key, child] : table.children)
        if (child.kind != Kind::kTable && !is_list_of_tables(child))
            out += fmt::format("{} = {}\n", key, print_value(child));
    for (const auto& [key, child] : table.children) {
        const std::string inner = path.empty() ? key : path + "." + key;
        if (child.kind == Kind::kTable) {
            out += fmt::format("\n[{}]\n", inner);
            print_table(child, inner, out);
        } else if (is_list_of_tables(child)) {
            for (const TomlNode& item : child.items) {
                out += fmt::format("\n[[{}]]\n", inner);
                print_table(item, inner, out);
            }
        }
    }
}

}  // namespace

TomlNode::TomlNode() = default;
TomlNode::~TomlNode() = default;
TomlNode::TomlNode(const TomlNode&) = default;
TomlNode::TomlNode(TomlNode&&) noexcept = default;
TomlNode& TomlNode::operator=(const TomlNode&) = default;
TomlNode& TomlNode::operator=(TomlNode&&) noexcept = default;

TomlNode* TomlNode::find(std::string_view key) {
    const auto found =
        std::ranges::find(children, key, [](const auto& child) -> const std::string& { return child.first; });
    return found == children.end() ? nullptr : &found->second;
}

TomlNode parse_toml(const std::string& text, const std::string& source) {
    reject_pathological(text, source);
    try {
        return convert(toml::parse(text), source);
    } catch (const toml::parse_error& error) {
        throw InputError("{}:{}: {}", source, static_cast<int>(error.source().begin.line), error.description());
    }
}

void merge_toml(TomlNode& under, TomlNode over) {
    if (under.kind != Kind::kTable || over.kind != Kind::kTable) {
        under = std::move(over);
        return;
    }
    for (auto& [key, child] : over.children) {
        if (TomlNode* known = under.find(key))
            merge_toml(*known, std::move(child));
        else
            under.children.emplace_back(key, std::move(child));
    }
}

void set_toml(TomlNode& tree, const std::string& assignment) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        throw InputError("--set {}: expected KEY=VALUE, such as window.stride=64", assignment);
    const std::string key = assignment.substr(0, equals), value = assignment.substr(equals + 1);
    const std::string place = "--set " + assignment;
    for (const char c : key)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '-')
            throw InputError("{}: '{}' cannot be a key", place, key);
    const auto parse = [&](const std::string& written) {
        const std::string text = fmt::format("{} = {}", key, written);
        reject_pathological(text, place);
        return convert(toml::parse(text), place);
    };
    const auto parse_as_text = [&] {
        try {
            return parse(quoted(value));
        } catch (const toml::parse_error& error) {
            throw InputError("{}: {}", place, error.description());
        }
    };
    TomlNode over;
    try {
        over = parse(value);
    } catch (const toml::parse_error&) {
        over = parse_as_text();
    } catch (const InputError&) {
        over = parse_as_text();
    }
    set_place(over, place);
    merge_toml(tree, std::move(over));
}

std::string print_toml(const TomlNode& table) {
    std::string out;
    print_table(table, "", out);
    return out;
}

void refuse_type(const TomlNode& node, const std::string& path, const char* wanted) {
    throw InputError("{}: {} is {}, expected {}", node.place, path, name_of(node.kind), wanted);
}

void refuse_key(const TomlNode& node, const std::string& path, const std::string& key,
                const std::vector<std::string>& known) {
    const auto hint = suggest(key, known);
    throw InputError(
        "{}: unknown key '{}'{}{}", node.place, key, path.empty() ? "" : fmt::format(" in [{}]", path),
        hint ? fmt::format("; did you mean '{}'?", *hint) : fmt::format("; known are {}", fmt::join(known, ", ")));
}

}  // namespace cmr::io
