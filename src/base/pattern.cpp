#include "base/pattern.h"

#include <algorithm>

#include "base/error.h"

namespace cmr {

// Recursion goes as deep as there are wildcards, however long the text.
class PathPattern::Matcher {
  public:
    Matcher(const PathPattern& pattern, std::string_view text, bool stop_at_slash)
        : pieces_(pattern.pieces_), text_(text), stop_at_slash_(stop_at_slash), found_(pattern.words_.size()) {}

    bool run() { return match(0, 0) == Outcome::kMatch; }
    const std::vector<std::string_view>& found() const { return found_; }

  private:
    enum class Outcome { kMatch, kMismatch, kStarExhausted };

    // The text from `at` on against the pieces from `piece` on.
    Outcome match(size_t piece, size_t at) {
        for (; piece < pieces_.size() && pieces_[piece].kind == Piece::Kind::kLetter; ++piece, ++at)
            if (at == text_.size() || text_[at] != pieces_[piece].letter) return Outcome::kMismatch;
        if (piece == pieces_.size()) return at == text_.size() ? Outcome::kMatch : Outcome::kMismatch;
        const size_t most = stop_at_slash_ ? std::min(text_.find('/', at), text_.size()) : text_.size();
        return pieces_[piece].kind == Piece::Kind::kStar ? star(piece, at, most) : word(piece, at, most);
    }

    Outcome star(size_t piece, size_t at, size_t most) {
        for (size_t end = at; end <= most; ++end) {
            const Outcome outcome = match(piece + 1, end);
            // A later star that found nothing would find nothing further on either: this keeps the time in bounds.
            if (outcome != Outcome::kMismatch) return outcome;
        }
        return Outcome::kStarExhausted;
    }

    Outcome word(size_t piece, size_t at, size_t most) {
        std::string_view& found = found_[pieces_[piece].word];
        if (!found.empty()) {
            if (!text_.substr(at).starts_with(found)) return Outcome::kMismatch;
            return match(piece + 1, at + found.size());
        }
        for (size_t end = most; end > at; --end) {
            found = text_.substr(at, end - at);
            if (match(piece + 1, end) == Outcome::kMatch) return Outcome::kMatch;
        }
        found = {};
        return Outcome::kMismatch;
    }

    const std::vector<Piece>& pieces_;
    std::string_view text_;
    bool stop_at_slash_;
    std::vector<std::string_view> found_;
};

PathPattern::PathPattern(std::string_view pattern) {
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '*') {
            add_star();
        } else if (pattern[i] == '{') {
            const size_t close = pattern.find('}', i);
            if (close == std::string_view::npos || close == i + 1)
                throw InputError("the file pattern '{}' has a {{ without a word and a }}", pattern);
            const std::string word(pattern.substr(i + 1, close - i - 1));
            auto known = std::ranges::find(words_, word);
            if (known == words_.end()) known = words_.insert(words_.end(), word);
            pieces_.push_back({Piece::Kind::kWord, 0, static_cast<size_t>(known - words_.begin())});
            i = close;
        } else {
            pieces_.push_back({Piece::Kind::kLetter, pattern[i], 0});
        }
    }
}

void PathPattern::add_star() {
    // A second one adds nothing but time.
    if (pieces_.empty() || pieces_.back().kind != Piece::Kind::kStar) pieces_.push_back({Piece::Kind::kStar, 0, 0});
}

std::optional<Captures> PathPattern::match(std::string_view path) const {
    Matcher matcher(*this, path, /*stop_at_slash=*/true);
    if (!matcher.run()) return std::nullopt;
    Captures out;
    for (size_t i = 0; i < words_.size(); ++i) out[words_[i]] = matcher.found()[i];
    return out;
}

bool matches(std::string_view text, std::string_view pattern) {
    PathPattern stars;
    for (const char c : pattern) {
        if (c == '*')
            stars.add_star();
        else
            stars.pieces_.push_back({PathPattern::Piece::Kind::kLetter, c, 0});
    }
    return PathPattern::Matcher(stars, text, /*stop_at_slash=*/false).run();
}

}  // namespace cmr
