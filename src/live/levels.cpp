#include "live/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cmr::live {
namespace {

constexpr size_t kMostOver = 1440;  // a day of minutes without a ledger

float higher(float a, float b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b); }

}  // namespace

Levels::Levels(int64_t resolution_s, size_t effects) : resolution_s_(resolution_s), effects_(effects) {}

void Levels::add(const monitor::JudgedWindow& window, bool alarm) {
    const auto resolution = static_cast<double>(resolution_s_);
    const double begin_s = std::floor(window.end_s / resolution) * resolution;
    if (open_ && open_->begin_s != begin_s) {
        if (over_.size() == kMostOver) {
            over_.erase(over_.begin());
            ++lost_;
        }
        over_.push_back(std::move(*open_));
        open_.reset();
    }
    if (!open_) {
        open_.emplace();
        open_->begin_s = begin_s;
        open_->level = std::numeric_limits<float>::quiet_NaN();
        open_->residuals.assign(effects_, 0);
    }
    ++open_->windows;
    open_->alarm |= alarm;
    if (window.outside_range) ++open_->outside;
    if (!window.judged) {
        ++open_->unjudged;
        return;
    }
    open_->level = higher(open_->level, static_cast<float>(window.level));
    for (size_t i = 0; i < effects_; ++i) open_->residuals[i] = higher(open_->residuals[i], window.residuals[i]);
}

void Levels::recorded(size_t count) {
    over_.erase(over_.begin(), over_.begin() + static_cast<ptrdiff_t>(std::min(count, over_.size())));
}

std::vector<Level> Levels::save() const {
    std::vector<Level> out = over_;
    if (open_) out.push_back(*open_);
    return out;
}

void Levels::restore(std::vector<Level> saved, bool last_is_open) {
    open_.reset();
    if (last_is_open && !saved.empty()) {
        open_ = std::move(saved.back());
        saved.pop_back();
    }
    over_ = std::move(saved);
    if (open_) open_->residuals.resize(effects_);
}

}  // namespace cmr::live
