#include "live/formats/line_protocol.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/text/number.h"
#include "io/text/spelling.h"

namespace cmr::live {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();  // a text

struct Field {
    std::string key;
    float value = kNoNumber;
};

struct Point {
    std::string measurement;
    std::vector<std::pair<std::string, std::string>> tags;
    std::vector<Field> fields;
    std::optional<double> time_s;

    std::optional<std::string_view> find(std::string_view word) const {
        if (word == "measurement") return measurement;
        for (const auto& [key, value] : tags)
            if (key == word) return value;
        return std::nullopt;
    }
};

std::optional<double> parse_value(std::string_view text) {
    for (const std::string_view yes : {"t", "T", "true", "True", "TRUE"})
        if (text == yes) return 1;
    for (const std::string_view no : {"f", "F", "false", "False", "FALSE"})
        if (text == no) return 0;
    if (text.ends_with('i') || text.ends_with('u')) {
        text.remove_suffix(1);
        if (text.find_first_not_of("+-0123456789") != std::string_view::npos) return std::nullopt;
    }
    return io::parse_number(text);
}

// One line after the other, from the front of the text.
class Reader {
  public:
    Reader(std::string_view text, io::TimeUnit unit, int64_t line) : text_(text), unit_(unit), line_(line) {}

    // The next line that holds a point; false at the end. InputError where it is faulty.
    bool next(Point& point) {
        for (; at_ < text_.size(); skip_line()) {
            take_blanks();
            if (at_ == text_.size()) return false;
            if (text_[at_] == '#' || at_line_end()) continue;
            point = {};
            read(point);
            skip_line();
            return true;
        }
        return false;
    }

    // Behind the end of the line that is being read.
    void skip_line() {
        const size_t end = text_.find('\n', at_);
        at_ = end == std::string_view::npos ? text_.size() : end + 1;
        if (end != std::string_view::npos) ++line_;
    }

  private:
    void read(Point& point) {
        point.measurement = take_name(", ");
        if (point.measurement.empty()) fail("the name of a measurement");
        while (take(',')) {
            std::string key = take_name("=, ");
            if (key.empty() || !take('=')) fail("the name of a tag and =");
            std::string value = take_name(", =");
            if (value.empty()) fail("the value of a tag");
            point.tags.emplace_back(std::move(key), std::move(value));
        }
        if (!take_blanks()) fail("a blank, then fields");
        do point.fields.push_back(take_field());
        while (take(','));
        const bool blank = take_blanks();
        if (at_line_end()) return;
        if (!blank) fail("a comma, a blank or the end of the line");
        point.time_s = take_time();
        take_blanks();
        if (!at_line_end()) fail("the end of the line");
    }

    Field take_field() {
        Field field;
        field.key = take_name("=, ");
        if (field.key.empty() || !take('=')) fail("the name of a field and =");
        if (take('"')) {
            skip_text();
            return field;
        }
        const size_t begin = at_;
        while (!at_line_end() && text_[at_] != ',' && text_[at_] != ' ') ++at_;
        const auto value = parse_value(text_.substr(begin, at_ - begin));
        if (!value) {
            at_ = begin;
            fail("a number, true, false or a text in quotes");
        }
        field.value = static_cast<float>(*value);
        return field;
    }

    double take_time() {
        int64_t number = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
        if (error != std::errc()) fail("a time as a whole number");
        at_ = static_cast<size_t>(end - text_.data());
        return io::to_seconds(static_cast<double>(number), unit_);
    }

    // Up to one of `ends` or the end of the line.
    std::string take_name(std::string_view ends) {
        std::string out;
        for (; !at_line_end(); ++at_) {
            const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size() && is_special(text_[at_ + 1]);
            if (escaped)
                ++at_;
            else if (ends.find(text_[at_]) != std::string_view::npos)
                break;
            out += text_[at_];
        }
        return out;
    }

    // Behind the closing quote of a text, which may hold line ends.
    void skip_text() {
        const size_t begin = at_;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
            if (text_[at_] == '\n') ++inner_lines_;
        }
        if (at_ == text_.size()) {
            at_ = begin;  // the quote may be the fault: the lines behind it are read
            inner_lines_ = 0;
            fail("a quote at the end of the text");
        }
        ++at_;
        line_ += std::exchange(inner_lines_, 0);
    }

    static bool is_special(char c) { return c == ',' || c == '=' || c == ' '; }
    bool at_line_end() const {
        if (at_ == text_.size() || text_[at_] == '\n') return true;
        return text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n');
    }
    bool take(char c) {
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool take_blanks() {
        const size_t before = at_;
        while (take(' ')) {
        }
        return at_ > before;
    }

    [[noreturn]] void fail(std::string_view wanted) const {
        const std::string_view rest = text_.substr(at_, text_.find('\n', at_) - at_);
        const size_t begin = at_ == 0 ? 0 : text_.rfind('\n', at_ - 1) + 1;
        throw InputError("line {}, letter {}: found {}, expected {}", line_, at_ - begin + 1, io::shown(rest), wanted);
    }

    std::string_view text_;
    io::TimeUnit unit_;
    int64_t line_;
    size_t at_ = 0;
    int64_t inner_lines_ = 0;  // line ends in the text that is being read
};

void add_readings(const Point& point, const LineProtocolOptions& options, double time_s, Decoded& out) {
    const auto asset = options.asset.fill([&](std::string_view word) { return point.find(word); });
    for (const Field& field : point.fields) {
        const bool wanted = options.value_field.empty() || field.key == options.value_field;
        if (!asset || !wanted || std::isnan(field.value)) {
            ++out.ignored;
            continue;
        }
        const auto channel = options.channel.fill([&](std::string_view word) {
            return word == "field" ? std::optional<std::string_view>(field.key) : point.find(word);
        });
        if (channel)
            out.readings.push_back({*asset, *channel, time_s, field.value});
        else
            ++out.ignored;
    }
}

}  // namespace

void decode_line_protocol(std::string_view text, const LineProtocolOptions& options, int64_t first_line,
                          double arrival_s, Decoded& out) {
    Reader reader(text, options.unit, first_line);
    Point point;
    for (;;) {
        try {
            if (!reader.next(point)) return;
        } catch (const InputError& error) {
            out.refuse(error.what());
            reader.skip_line();
            continue;
        }
        if (point.time_s || options.arrival_time)
            add_readings(point, options, point.time_s.value_or(arrival_s), out);
        else
            out.refuse(fmt::format("{} has no time, expected one; arrival_time = true gives it that of its arrival",
                                   io::shown(point.measurement)));
    }
}

}  // namespace cmr::live
