#include "io/arrays/array_names.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace cmr::io {
namespace {

constexpr size_t kLongestLabel = 128;

void append_utf8(std::string& out, uint32_t letter) {
    if (letter < 0x80) {
        out.push_back(static_cast<char>(letter));
        return;
    }
    const int more = letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;  // bytes after the first
    out.push_back(static_cast<char>(0xff00 >> (more + 1) | letter >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) out.push_back(static_cast<char>(0x80 | (letter >> (6 * i) & 0x3f)));
}

bool is_utf8(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const size_t more = first < 0x80 ? 0 : first < 0xc2 ? 4 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        if (more > 3 || i + more >= text.size()) return false;
        uint32_t letter = more == 0 ? first : first & (0x3fu >> more);
        for (size_t j = 1; j <= more; ++j) {
            if ((text[i + j] & 0xc0) != 0x80) return false;
            letter = letter << 6 | (text[i + j] & 0x3f);
        }
        // Decoding and encoding again finds overlong forms; halves of pairs and what is past the last letter remain.
        std::string again;
        append_utf8(again, letter);
        if (again != text.substr(i, more + 1) || letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000))
            return false;
        i += more + 1;
    }
    return true;
}

}  // namespace

std::string printable(std::string_view name) {
    std::string clean(name);
    std::ranges::replace_if(
        clean, [](char c) { return c < ' ' || c > '~'; }, '?');
    return clean;
}

std::string label(std::string_view utf8) {
    while (!utf8.empty() && utf8.front() == ' ') utf8.remove_prefix(1);
    while (!utf8.empty() && utf8.back() == ' ') utf8.remove_suffix(1);
    const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
    if (utf8.size() > kLongestLabel || std::ranges::any_of(utf8, is_control) || !is_utf8(utf8)) return "";
    return std::string(utf8);
}

std::string label(std::span<const uint16_t> utf16) {
    if (utf16.size() > kLongestLabel) return "";
    std::string text;
    for (size_t i = 0; i < utf16.size(); ++i) {
        uint32_t letter = utf16[i];
        const bool pair = letter >= 0xd800 && letter < 0xdc00 && i + 1 < utf16.size();
        if (pair) letter = 0x10000 + ((letter - 0xd800) << 10) + (utf16[++i] - 0xdc00u);
        append_utf8(text, letter & 0x1fffff);  // a half without its other half is found below
    }
    return label(text);
}

std::vector<std::string> element_names(const std::string& array, const std::vector<std::string>& labels) {
    if (labels.size() == 1) return {array};
    std::map<std::string_view, int> uses;
    for (const std::string& text : labels) ++uses[text];
    std::vector<std::string> names;
    for (size_t i = 0; i < labels.size(); ++i) {
        const bool good = !labels[i].empty() && uses[labels[i]] == 1;
        names.push_back(fmt::format("{}[{}]", array, good ? labels[i] : std::to_string(i + 1)));
    }
    return names;
}

void NameBudget::spend(const std::string& name) {
    constexpr size_t kLimit = size_t{1} << 26;
    bytes_ += name.size() + 64;
    if (bytes_ > kLimit) throw InputError("{}: holds too many arrays; the last one counted is {}", file_, name);
}

void NameBudget::enter(const std::string& name) {
    constexpr int kDeepest = 32;
    if (++depth_ > kDeepest) throw InputError("{}: {} is nested deeper than {} levels", file_, name, kDeepest);
}

}  // namespace cmr::io
