// Standard input: lines as another program writes them. At its end the last line counts even without a line end. What
// was read and not yet taken when the monitor is killed is gone: the other program does not send it again.

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/error.h"
#include "live/sources/make.h"
#include "live/sources/text_stream.h"
#include "live/worker.h"

namespace cmr::live {
namespace {

constexpr int kLookAgain_ms = 100;
constexpr size_t kHeadBytes = 256 << 10;  // enough to see how a text is laid out

class StdinSource final : public Source {
  public:
    StdinSource(const SourceSettings& settings, const SourceContext& context)
        : settings_(settings),
          clock_(*context.clock),
          format_(make_text_format(chosen_format(settings, context, "csv", {"csv", "json", "line-protocol"}), settings,
                                   "standard input")),
          status_(clock_) {
        refuse_unused(settings, context,
                      {"format", "channel_field", "value_field", "time_field", "arrival_time", "max_message", "table"});
    }

    void start(Sink& sink) override {
        status_.set(true, "standard input");
        worker_.start("cmr-stdin", [this, &sink] { run(sink); });
    }
    void stop() override { worker_.stop(); }
    SourceStatus status() const override { return status_.get(); }

  private:
    void run(Sink& sink) {
        try {
            while (!worker_.stopping()) {
                const bool more = read();
                hand_over(sink, /*at_end=*/!more);
                if (!more) return status_.set(false, "standard input has ended");
            }
        } catch (const std::exception& error) {
            status_.set(false, error.what());
        }
    }

    // False at the end.
    bool read() {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        if (::poll(&input, 1, kLookAgain_ms) <= 0) return true;
        std::array<char, 64 << 10> piece;
        const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (got < 0 && errno != EINTR && errno != EAGAIN) fail_with(errno, "cannot read standard input");
        if (got > 0) {
            text_.append(piece.data(), static_cast<size_t>(got));
            status_.count_bytes(static_cast<size_t>(got));
        }
        return got != 0;
    }

    // Whole lines, and at the end what is left.
    void hand_over(Sink& sink, bool at_end) {
        if (at_end && !text_.empty() && text_.back() != '\n') text_ += '\n';
        if (!begun_) {
            const auto start = format_->begin(std::string_view(text_).substr(0, text_.rfind('\n') + 1));
            if (!start && !at_end && text_.size() < kHeadBytes) return;
            if (!start) throw InputError("standard input: its first lines do not show a table");
            begun_ = true;
            text_.erase(0, start->bytes);
            line_ = start->line;
        }
        const size_t end = text_.rfind('\n');
        Decoded decoded;
        if (end == std::string::npos) {
            if (static_cast<int64_t>(text_.size()) <= settings_.max_message) return;
            text_.clear();
            in_long_line_ = true;
            return;
        }
        std::string_view lines = std::string_view(text_).substr(0, end + 1);
        if (in_long_line_) {
            decoded.refuse(fmt::format("line {}: more than {} bytes", line_, settings_.max_message));
            lines.remove_prefix(lines.find('\n') + 1);
            ++line_;
            in_long_line_ = false;
        }
        format_->decode(lines, line_, clock_.wall_s(), decoded);
        line_ += std::ranges::count(lines, '\n');
        text_.erase(0, end + 1);
        take(sink, decoded);
    }

    // A disk that is full now may have room later.
    void take(Sink& sink, const Decoded& decoded) {
        while (!decoded.readings.empty()) {
            try {
                sink.take(decoded.readings);
                break;
            } catch (const SystemError& error) {
                status_.set(true, error.what());
                if (worker_.stopping()) return;
                worker_.wait(kLookAgain_ms / 1000.0);
            }
        }
        status_.count(decoded);
    }

    const SourceSettings settings_;
    const Clock& clock_;
    std::unique_ptr<TextFormat> format_;
    StatusBoard status_;
    std::string text_;
    int64_t line_ = 1;
    bool begun_ = false, in_long_line_ = false;
    Worker worker_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<Source> make_stdin_source(const SourceSettings& settings, const SourceContext& context) {
    return std::make_unique<StdinSource>(settings, context);
}

}  // namespace cmr::live
