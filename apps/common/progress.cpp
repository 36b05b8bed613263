#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/duration.h"
#include "base/text.h"

namespace cmr {
ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), on_terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), shown_(start_) {}

ProgressBar::~ProgressBar() {
    if (visible_) std::fputs("\r\033[K", stderr);
}

namespace {

int columns_of_terminal() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Characters, not bytes.
int64_t width_of(const std::string& text) {
    return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

// Its beginning where it is too long.
std::string cut(const std::string& text, int64_t columns) {
    if (width_of(text) <= columns) return text;
    std::string out;
    int64_t taken = 0;
    for (const char c : text) {
        const bool begins = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        if (begins && ++taken >= columns) break;
        out += c;
    }
    return out + "…";
}

}  // namespace

std::string ProgressBar::line(const std::string& what, int64_t done, int64_t total, double seconds, int columns) {
    const double share = total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 0.0;
    const std::string tail = fmt::format(
        " {:3.0f} %{}", 100 * share,
        share > 0 && share < 1 ? "  " + duration_text(std::round(seconds * (1 - share) / share)) + " left" : "");
    const std::string head = printable(what);
    constexpr int64_t kLongest = 30, kShortest = 5;
    const int64_t room = columns - width_of(tail) - 1;  // for what and the bar
    const int64_t cells = std::clamp(room - width_of(head), kShortest, kLongest);
    const auto full = static_cast<int64_t>(share * static_cast<double>(cells));
    std::string bar;
    for (int64_t i = 0; i < cells; ++i) bar += i < full ? "█" : "░";
    return cut(fmt::format("{} {}{}", cut(head, std::max<int64_t>(1, room - cells)), bar, tail), columns);
}

void ProgressBar::say(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
}

void ProgressBar::print(const std::string& text) {
    const std::lock_guard lock(mutex_);
    std::fputs(fmt::format("{}{}\n", visible_ ? "\r\033[K" : "", printable(text)).c_str(), stderr);
}

void ProgressBar::update(int64_t done, int64_t total) {
    if (!on_terminal_) return;
    const std::lock_guard lock(mutex_);
    most_ = std::max(most_, done);
    const auto now = Clock::now();
    const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
    if (seconds(now - start_) < 2.0 || seconds(now - shown_) < 0.1) return;
    shown_ = now;
    visible_ = true;
    // The last column stays free: some terminals begin a new line there.
    const std::string text = line(what_, most_, total, seconds(now - start_), columns_of_terminal() - 1);
    std::fputs(("\r\033[K" + text).c_str(), stderr);
    std::fflush(stderr);
}

}  // namespace cmr
