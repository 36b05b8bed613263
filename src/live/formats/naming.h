#pragma once
// How data name an asset or a channel: a text in which {words} stand for what the data say, "{site}-{machine}". A text
// without braces is one word: "host" is "{host}".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cmr::live {

class Naming {
  public:
    // InputError where a brace does not close.
    explicit Naming(std::string_view text);
    // Always this name.
    static Naming fixed(std::string_view name);

    // `find` gives what a word stands for, as an optional string_view. Nothing where a word stands for nothing.
    template <typename Find>
    std::optional<std::string> fill(const Find& find) const {
        std::string out;
        for (const Piece& piece : pieces_) {
            if (!piece.is_word) {
                out += piece.text;
                continue;
            }
            const std::optional<std::string_view> found = find(std::string_view(piece.text));
            if (!found || found->empty()) return std::nullopt;
            out += *found;
        }
        return out;
    }

  private:
    struct Piece {
        bool is_word = false;
        std::string text;
    };
    Naming() = default;

    std::vector<Piece> pieces_;
};

}  // namespace cmr::live
