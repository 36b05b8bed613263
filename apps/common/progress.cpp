#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/duration.h"

namespace cmr {
ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), on_terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), shown_(start_) {}

ProgressBar::~ProgressBar() {
    if (visible_) std::fputs("\r\033[K", stderr);
}

std::string ProgressBar::line(const std::string& what, int64_t done, int64_t total, double seconds) {
    constexpr int kWidth = 30;
    const double share = total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 0.0;
    const int full = static_cast<int>(share * kWidth);
    std::string bar;
    for (int i = 0; i < kWidth; ++i) bar += i < full ? "█" : "░";
    return fmt::format(
        "{} {} {:3.0f} %{}", what, bar, 100 * share,
        share > 0 && share < 1 ? "  " + duration_text(std::round(seconds * (1 - share) / share)) + " left" : "");
}

void ProgressBar::say(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
}

void ProgressBar::print(const std::string& text) {
    const std::lock_guard lock(mutex_);
    fmt::print(stderr, "{}{}\n", visible_ ? "\r\033[K" : "", text);
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
    fmt::print(stderr, "\r\033[K{}", line(what_, most_, total, seconds(now - start_)));
    std::fflush(stderr);
}

}  // namespace cmr
