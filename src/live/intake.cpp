#include "live/intake.h"

#include <pthread.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "live/clock.h"

namespace cmr::live {

Intake::Intake(Journal& journal, Watched watched, int64_t most_queued, std::function<void()> ready)
    : journal_(journal), most_queued_(most_queued), ready_(std::move(ready)) {
    watch(std::move(watched));
    thread_ = std::thread([this] { commit(); });
    pthread_setname_np(thread_.native_handle(), "cmr-journal");
}

Intake::~Intake() { stop(); }

void Intake::watch(Watched watched) {
    const std::lock_guard lock(mutex_);
    journal_.rename(watched.names);
    watched_ = std::move(watched);
    assets_.clear();
    for (size_t i = 0; i < watched_.names.assets.size(); ++i)
        assets_[watched_.names.assets[i]] = static_cast<int32_t>(i);
}

// Under the lock.
std::vector<Sample> Intake::numbered(std::span<const Reading> readings) {
    std::vector<Sample> out;
    out.reserve(readings.size());
    const std::string* asset_name = nullptr;
    auto asset = assets_.end();
    for (const Reading& reading : readings) {
        if (!asset_name || *asset_name != reading.asset) {
            asset_name = &reading.asset;
            asset = assets_.find(reading.asset);
        }
        if (!std::isfinite(reading.time_s)) {
            ++status_.senseless;
            continue;
        }
        if (asset != assets_.end()) {
            const auto& columns = watched_.columns[asset->second];
            if (const auto at = columns.find(reading.channel); at != columns.end()) {
                out.push_back({asset->second, at->second, reading.time_s, reading.value});
                continue;
            }
        }
        ++status_.unwatched;
    }
    return out;
}

void Intake::take(std::span<const Reading> readings) {
    std::unique_lock lock(mutex_);
    const std::vector<Sample> samples = numbered(readings);
    if (samples.empty()) return;
    changed_.wait(lock, [&] { return stopping_ || on_the_way_ < most_queued_; });
    if (stopping_) throw SystemError("the monitor is stopping");
    pending_.insert(pending_.end(), samples.begin(), samples.end());
    on_the_way_ += std::ssize(samples);
    status_.readings += std::ssize(samples);
    const uint64_t ticket = ++handed_in_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return ended_ || committed_ >= ticket; });
    if (committed_ < ticket) throw SystemError("the monitor is stopping");
}

Intake::Group Intake::written(std::span<const Sample> samples, std::string& trouble) {
    Group out{{samples.begin(), samples.end()}, 0, system_clock().steady_s()};
    try {
        out.number = journal_.append(samples);
    } catch (const Failure& failure) {
        trouble = failure.what();
    }
    return out;
}

void Intake::commit() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stopping_ || !pending_.empty(); });
        if (pending_.empty()) break;  // stopping
        std::vector<Sample> taken;
        taken.swap(pending_);
        const uint64_t ticket = handed_in_;
        for (std::span<const Sample> rest(taken); !rest.empty();) {
            const auto count = std::min<size_t>(rest.size(), kAtOnce);
            std::string trouble;
            lock.unlock();
            Group group = written(rest.first(count), trouble);
            lock.lock();
            rest = rest.subspan(count);
            status_.safe = trouble.empty();
            status_.trouble = trouble;
            if (!trouble.empty()) status_.unsafe += static_cast<int64_t>(count);
            queue_.push_back(std::move(group));
        }
        committed_ = ticket;
        changed_.notify_all();
        ready_();
    }
    ended_ = true;
    changed_.notify_all();
}

Intake::Batch Intake::next(uint64_t group) {
    const std::lock_guard lock(mutex_);
    Batch out;
    out.group = group;
    if (!queue_.empty()) out.taken_s = queue_.front().taken_s;
    while (!queue_.empty() && std::ssize(out.samples) < kAtOnce) {
        Group& first = queue_.front();
        if (out.samples.empty())
            out.samples = std::move(first.samples);
        else
            out.samples.insert(out.samples.end(), first.samples.begin(), first.samples.end());
        out.group = std::max(out.group, first.number);
        queue_.pop_front();
    }
    on_the_way_ -= std::ssize(out.samples);
    changed_.notify_all();
    return out;
}

void Intake::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

IntakeStatus Intake::status() const {
    const std::lock_guard lock(mutex_);
    IntakeStatus out = status_;
    out.queued = 0;
    for (const Group& group : queue_) out.queued += std::ssize(group.samples);
    return out;
}

}  // namespace cmr::live
