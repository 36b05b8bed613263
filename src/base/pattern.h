#pragma once
// Names with wildcards: `*` stands for any run of characters, {word} for a run of at least one, the same wherever the
// word occurs again.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cmr {

// What {words} stand for.
using Captures = std::map<std::string, std::string>;

// Of paths: neither `*` nor a {word} stands for a slash. An InputError tells of a brace that does not close.
class PathPattern {
  public:
    explicit PathPattern(std::string_view pattern);

    // Nothing where the path does not match. A {word} takes as much as it can, the first one first.
    std::optional<Captures> match(std::string_view path) const;

  private:
    friend bool matches(std::string_view text, std::string_view pattern);
    struct Piece {
        enum class Kind { kLetter, kStar, kWord } kind = Kind::kLetter;
        char letter = 0;
        size_t word = 0;  // index into words_
    };
    class Matcher;

    PathPattern() = default;
    void add_star();

    std::vector<Piece> pieces_;
    std::vector<std::string> words_;
};

// Does `text` equal `pattern`, in which `*` stands for anything, slashes included, and braces for themselves?
bool matches(std::string_view text, std::string_view pattern);

}  // namespace cmr
