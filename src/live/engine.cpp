#include "live/engine.h"

#include <pthread.h>

#include <algorithm>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "live/notifiers/table.h"
#include "live/sources/table.h"

namespace cmr::live {
namespace {

constexpr double kLook_s = 1;            // from one look at the clock to the next
constexpr double kRetention_s = 3600;    // from one clearing up of the ledger to the next
constexpr double kAnswer_s = 5;          // how long who acts waits for the ledger
constexpr double kLastWords_s = 2;       // how long a stop waits for it,
constexpr double kLastRounds_s = 1;      // and goes on judging: the rest is in the journal
constexpr size_t kLargestBatch = 20000;  // rows of levels at a time
constexpr auto kIdle = std::chrono::milliseconds(200);

fs::path snapshot_file(const Plant& plant) { return fs::path(plant.storage.folder) / "snapshot"; }

DatabaseAddress ledger_address(const Plant& plant) {
    return {plant.ledger.address, read_secret(plant.ledger.password_file)};
}

// stop(thing) of all side by side: each may have to wait for somebody outside.
template <typename Things, typename Stop>
void stop_all(Things& things, const Stop& stop) {
    std::vector<std::thread> threads;
    for (auto& thing : things) threads.emplace_back([&thing, &stop] { stop(thing); });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

Engine::Engine(Plant plant, Log log, const Clock& clock)
    : plant_(std::move(plant)), log_(std::move(log)), clock_(clock) {
    fs::create_directories(plant_.storage.folder);
    fs::permissions(plant_.storage.folder, fs::perms::owner_all);
    assets_ = make_assets(plant_, models_);
    touched_.assign(assets_.size(), true);
    recover();
    intake_ = std::make_unique<Intake>(*journal_, watched(plant_, assets_), plant_.storage.queue, [this] { wake(); });
    recorder_ = std::make_unique<Recorder>(std::make_unique<Ledger>(ledger_address(plant_)), [this] {
        {
            const std::shared_lock lock(outside_);
            for (const auto& teller : tellers_) teller->wake();
        }
        wake();
    });
    make_sources();
    make_tellers();
    status_.started_s = clock_.wall_s();
    publish();
}

Engine::~Engine() { stop(); }

std::vector<std::unique_ptr<Asset>> Engine::make_assets(const Plant& plant, Models& models) const {
    std::vector<std::unique_ptr<Asset>> out;
    for (const AssetSettings& settings : plant.asset) {
        const Models::Model model = models.load(settings.model);
        for (const std::string& name : settings.names)
            out.push_back(std::make_unique<Asset>(name, model, settings.rules, plant.ledger.level_s));
    }
    return out;
}

Watched Engine::watched(const Plant& plant, const std::vector<std::unique_ptr<Asset>>& assets) const {
    Watched out;
    size_t next = 0;
    for (const AssetSettings& settings : plant.asset) {
        const std::vector<Column> columns = columns_of(settings);
        for (size_t i = 0; i < settings.names.size(); ++i, ++next) {
            const auto& channels = assets[next]->stream().channels();
            auto& names = out.columns.emplace_back();
            for (size_t c = 0; c < channels.size(); ++c) names[channels[c]] = static_cast<int32_t>(c);
            for (const Column& column : columns) {
                const auto at = names.find(column.channel);
                if (at == names.end())
                    throw InputError("{}: columns: the model {} has no channel '{}'", plant.file.string(),
                                     settings.model, column.channel);
                const int32_t channel = at->second;
                names.erase(at);
                names[column.column] = channel;
            }
            out.names.assets.push_back(settings.names[i]);
            out.names.channels.push_back(channels);
        }
    }
    return out;
}

void Engine::recover() {
    const fs::path folder = plant_.storage.folder;
    std::map<std::string, Asset*> by_name;
    for (const auto& asset : assets_) by_name[asset->name()] = asset.get();
    if (const auto snapshot = read_snapshot(snapshot_file(plant_))) {
        group_ = snapshot->group;
        for (const auto& [name, state] : snapshot->assets) {
            const auto at = by_name.find(name);
            if (at == by_name.end()) continue;
            try {
                at->second->restore(state);
            } catch (const InputError& error) {
                log_(fmt::format("{}: its windows begin anew, its alarm goes on: {}", name, error.what()));
            }
        }
    }
    for (const auto& [name, alarm] : Ledger(ledger_address(plant_)).alarms())
        if (const auto at = by_name.find(name); at != by_name.end()) at->second->go_on_from(alarm);
    note_models(assets_);
    const Watched all = watched(plant_, assets_);
    const Replayed replayed = replay(folder / "journal", group_, all.names, [&](std::span<const Sample> samples) {
        take({samples.begin(), samples.end()}, now(), /*live=*/false);
    });
    if (!replayed.damage.empty()) log_(replayed.damage);
    if (replayed.samples > 0)
        log_(fmt::format("{} readings since the last snapshot judged again", with_commas(replayed.samples)));
    group_ = replayed.last_group;
    journal_ = std::make_unique<Journal>(folder / "journal", group_, all.names);
}

void Engine::note_models(std::span<const std::unique_ptr<Asset>> assets) const {
    std::map<std::string, std::string> recorded;
    try {
        for (const Entry& entry : Ledger(ledger_address(plant_)).entries({.limit = 1'000'000, .events = {"learn"}}))
            recorded.emplace(entry.asset, entry.evidence);  // the newest first
    } catch (const SystemError&) {
        return;
    }
    for (const auto& asset : assets) asset->note_model(recorded[asset->name()], now());
}

void Engine::make_sources() {
    sources_.clear();
    for (size_t i = 0; i < plant_.source.size(); ++i) {
        const SourceSettings& settings = plant_.source[i];
        const fs::path folder = fs::path(plant_.storage.folder) / "sources" / settings.name;
        fs::create_directories(folder);
        sources_.push_back(make_source(settings, {folder, plant_.places.at(i), &clock_}));
    }
}

void Engine::stop_sources() {
    stop_all(sources_, [](std::unique_ptr<Source>& source) { source->stop(); });
}

void Engine::clear_tellers() {
    stop_all(tellers_, [](std::unique_ptr<Teller>& teller) { teller.reset(); });
    tellers_.clear();
}

void Engine::make_tellers() {
    clear_tellers();
    const std::string link = !plant_.web.link.empty()      ? plant_.web.link
                             : plant_.web.address.empty()  ? ""
                             : plant_.web.key_file.empty() ? "http://" + plant_.web.address
                                                           : "https://" + plant_.web.address;
    for (const NotifierSettings& settings : plant_.notify)
        tellers_.push_back(std::make_unique<Teller>(
            settings.name,
            make_notifier(settings, {plant_.name, link, &clock_, [this](const Action& action) { act(action); }}),
            std::make_unique<Ledger>(ledger_address(plant_)), clock_));
}

void Engine::start() {
    const double steady_s = clock_.steady_s();
    snapshot_due_s_ = steady_s + plant_.storage.snapshot_s;
    retention_due_s_ = steady_s;
    judge_ = std::thread([this] { judge(); });
    pthread_setname_np(judge_.native_handle(), "cmr-judge");
    for (const auto& source : sources_) source->start(*intake_);
}

void Engine::stop() {
    if (intake_) intake_->stop();  // first: sources may wait for it
    stop_sources();
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (judge_.joinable()) {
        judge_.join();
        recorder_->stop(kLastWords_s);
        settle_recorded();
        if (snapshot_.valid()) snapshot_.wait();
        try {
            write_snapshot(snapshot_file(plant_), saved());
            journal_->forget(group_);
        } catch (const Failure& failure) {
            log_(fmt::format("the state could not be saved, it will be made from the journal: {}", failure.what()));
        }
    }
    clear_tellers();
}

void Engine::reload(Plant plant) {
    plant.storage = plant_.storage;
    plant.ledger = plant_.ledger;
    plant.web = plant_.web;
    std::vector<std::unique_ptr<Asset>> assets = make_assets(plant, models_);
    Watched all = watched(plant, assets);
    for (size_t i = 0; i < plant.source.size(); ++i)  // would they be?
        make_source(plant.source[i], {plant.storage.folder, plant.places.at(i), &clock_});
    stop_sources();
    {
        std::unique_lock lock(mutex_);
        pausing_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return paused_ || !judge_.joinable(); });
    }
    while (round()) continue;  // what was taken is judged by the rules that it came under
    std::map<std::string, const Asset*> before;
    for (const auto& asset : assets_) before[asset->name()] = asset.get();
    for (const auto& asset : assets)
        if (const auto at = before.find(asset->name()); at != before.end()) asset->go_on_from(*at->second);
    note_models(assets);
    assets_ = std::move(assets);
    touched_.assign(assets_.size(), true);
    intake_->watch(std::move(all));
    {
        const std::lock_guard lock(outside_);
        plant_ = std::move(plant);
        make_sources();
        make_tellers();
    }
    {
        const std::lock_guard lock(mutex_);
        views_.clear();
        pausing_ = false;
    }
    publish();
    changed_.notify_all();
    for (const auto& source : sources_) source->start(*intake_);
}

void Engine::wake() {
    {
        const std::lock_guard lock(mutex_);
        woken_ = true;
    }
    changed_.notify_all();
}

void Engine::judge() {
    for (bool more = false;;) {
        {
            std::unique_lock lock(mutex_);
            if (!more) changed_.wait_for(lock, kIdle, [&] { return woken_ || stopping_ || pausing_; });
            if (pausing_) {
                paused_ = true;
                changed_.notify_all();
                changed_.wait(lock, [&] { return !pausing_ || stopping_; });
                paused_ = false;
            }
            woken_ = false;
            status_.round_s = clock_.steady_s();
            if (stopping_) break;
        }
        more = round();
    }
    const double end_s = system_clock().steady_s() + kLastRounds_s;
    while (round() && system_clock().steady_s() < end_s) continue;
    obey(now());
}

bool Engine::round() {
    const Now at = now();
    Intake::Batch batch = intake_->next(group_);
    group_ = batch.group;
    const auto count = std::ssize(batch.samples);
    take(std::move(batch.samples), at, /*live=*/true);
    if (count > 0) {
        const std::lock_guard lock(mutex_);
        delays_.add(system_clock().steady_s() - batch.taken_s, count);
    }
    settle_recorded();
    obey(at);
    look_at_clock(at);
    hand_to_ledger(at);
    publish();
    snapshot(at);
    return count > 0;
}

void Engine::take(std::vector<Sample> samples, const Now& at, bool live) {
    if (samples.empty()) return;
    // In order of assets; those of one stay in the order in which they came.
    std::ranges::stable_sort(samples, {}, &Sample::asset);
    std::vector<std::span<const Sample>> parts;
    for (size_t begin = 0; begin < samples.size();) {
        size_t end = begin;
        while (end < samples.size() && samples[end].asset == samples[begin].asset) ++end;
        parts.push_back(std::span(samples).subspan(begin, end - begin));
        touched_[samples[begin].asset] = true;
        begin = end;
    }
    parallel_for(std::ssize(parts), [&](int64_t i) { assets_[parts[i].front().asset]->take(parts[i], at, live); });
}

void Engine::obey(const Now& at) {
    std::vector<Command> commands;
    {
        const std::lock_guard lock(mutex_);
        commands.swap(commands_);
    }
    for (Command& command : commands) {
        try {
            const auto asset =
                std::ranges::find(assets_, command.action.asset, [](const auto& a) { return a->name(); });
            if (asset == assets_.end()) throw InputError("there is no asset '{}'", command.action.asset);
            command.answer.set_value((*asset)->act(command.action, at));
            touched_[asset - assets_.begin()] = true;
        } catch (...) {
            command.answer.set_exception(std::current_exception());
        }
    }
}

void Engine::look_at_clock(const Now& at) {
    if (at.steady_s < looked_s_ + kLook_s) return;
    looked_s_ = at.steady_s;
    for (size_t i = 0; i < assets_.size(); ++i) {
        const int64_t before = assets_[i]->alarm().steps;
        assets_[i]->look(at);
        if (assets_[i]->alarm().steps != before) touched_[i] = true;
    }
}

void Engine::hand_to_ledger(const Now& at) {
    if (recorder_->busy()) return;
    LedgerBatch batch;
    double newest_s = 0;
    for (const auto& asset : assets_) {
        newest_s = std::max(newest_s, asset->alarm().applied_s);
        if (!asset->steps().empty()) {
            batch.entries.insert(batch.entries.end(), asset->steps().begin(), asset->steps().end());
            batch.assets.push_back({asset->name(), asset->alarm(), asset->stream().effects()});
        }
        if (batch.levels.size() < kLargestBatch)
            for (const Levels& levels : asset->levels())
                for (const Level& level : levels.over())
                    batch.levels.push_back({asset->name(), levels.resolution_s(), level});
    }
    if (at.steady_s >= retention_due_s_) {
        retention_due_s_ = at.steady_s + kRetention_s;
        // A machine whose clock is ahead must not make us forget the others.
        const double event_s = std::min(newest_s, at.wall_s), day = 86400;
        batch.retention = Retention{at.wall_s - day * plant_.ledger.keep_alarms_days,
                                    {{plant_.ledger.level_s, event_s - day * plant_.ledger.keep_levels_days},
                                     {3600, event_s - day * plant_.ledger.keep_hours_days}}};
    }
    if (batch.empty()) return;
    std::vector<std::string> notifiers;
    for (const NotifierSettings& notifier : plant_.notify) notifiers.push_back(notifier.name);
    recorder_->record(std::move(batch), std::move(notifiers));
}

void Engine::settle_recorded() {
    const auto done = recorder_->take_done();
    if (!done) return;
    std::map<std::string, std::pair<int64_t, std::array<size_t, 2>>> per_asset;
    for (const Entry& entry : done->entries) {
        int64_t& last = per_asset[entry.asset].first;
        last = std::max(last, entry.step.number);
    }
    for (const AssetLevels& level : done->levels)
        ++per_asset[level.asset].second[level.resolution_s == 3600 && plant_.ledger.level_s != 3600 ? 1 : 0];
    for (size_t i = 0; i < assets_.size(); ++i)
        if (const auto at = per_asset.find(assets_[i]->name()); at != per_asset.end()) {
            assets_[i]->recorded(at->second.first, at->second.second);
            touched_[i] = true;
        }
}

void Engine::publish() {
    std::vector<AssetView> views;
    int64_t lost = 0;
    for (size_t i = 0; i < assets_.size(); ++i) {
        lost += assets_[i]->lost();
        if (touched_[i]) views.push_back(assets_[i]->view());
        touched_[i] = false;
    }
    if (views.empty()) return;
    {
        const std::lock_guard lock(mutex_);
        ++version_;
        status_.lost_levels = lost;
        for (AssetView& view : views) {
            view.version = version_;
            const std::string name = view.name;
            views_[name] = std::move(view);
        }
    }
    changed_.notify_all();
}

Snapshot Engine::saved() const {
    Snapshot out;
    out.group = group_;
    out.assets.resize(assets_.size());
    parallel_for(std::ssize(assets_), [&](int64_t i) { out.assets[i] = {assets_[i]->name(), assets_[i]->save()}; });
    return out;
}

void Engine::snapshot(const Now& at) {
    if (at.steady_s < snapshot_due_s_) return;
    if (snapshot_.valid() && snapshot_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    snapshot_due_s_ = at.steady_s + plant_.storage.snapshot_s;
    snapshot_ = std::async(std::launch::async, [this, state = saved()] {
        std::string trouble;
        int64_t bytes = 0;
        try {
            write_snapshot(snapshot_file(plant_), state);
            journal_->forget(state.group);
            for (const auto& [name, text] : state.assets) bytes += std::ssize(text);
        } catch (const Failure& failure) {
            trouble = failure.what();
        }
        release_freed_memory();  // of a rush, which the allocator would keep for the next one
        const std::lock_guard lock(mutex_);
        status_.snapshot_trouble = trouble;
        if (!trouble.empty()) return;
        status_.snapshot_bytes = bytes;
        status_.snapshot_s = clock_.wall_s();
    });
}

Entry Engine::act(const Action& action) {
    std::future<Entry> answer;
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw SystemError("the monitor is stopping");
        Command& command = commands_.emplace_back();
        command.action = action;
        answer = command.answer.get_future();
        woken_ = true;
    }
    changed_.notify_all();
    if (answer.wait_for(std::chrono::duration<double>(kAnswer_s)) != std::future_status::ready)
        throw SystemError("the monitor does not answer");
    Entry entry = answer.get();
    std::unique_lock lock(mutex_);
    const bool recorded = changed_.wait_for(lock, std::chrono::duration<double>(kAnswer_s), [&] {
        const auto at = views_.find(action.asset);
        return stopping_ || (at != views_.end() && at->second.alarm.steps >= entry.step.number &&
                             at->second.alarm.steps - at->second.unrecorded >= entry.step.number);
    });
    if (!recorded || stopping_) throw SystemError("done, but the ledger is away: it will be recorded when it is back");
    return entry;
}

std::vector<AssetView> Engine::views() const { return changed(0, 0); }

std::optional<AssetView> Engine::view(const std::string& asset) const {
    const std::lock_guard lock(mutex_);
    const auto at = views_.find(asset);
    if (at == views_.end()) return std::nullopt;
    return at->second;
}

std::vector<AssetView> Engine::changed(uint64_t version, double seconds) const {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return version_ > version || stopping_; });
    std::vector<AssetView> out;
    for (const auto& [name, view] : views_)
        if (view.version > version) out.push_back(view);
    return out;
}

uint64_t Engine::version() const {
    const std::lock_guard lock(mutex_);
    return version_;
}

Plant Engine::plant() const {
    const std::shared_lock lock(outside_);
    return plant_;
}

EngineStatus Engine::status() const {
    EngineStatus out;
    {
        const std::lock_guard lock(mutex_);
        out = status_;
        out.delays = delays_;
        out.assets = std::ssize(views_);
    }
    out.intake = intake_->status();
    out.recorder = recorder_->status();
    const std::shared_lock lock(outside_);
    for (size_t i = 0; i < sources_.size(); ++i)
        out.sources.push_back({plant_.source[i].name, plant_.source[i].kind, sources_[i]->status()});
    for (const auto& teller : tellers_) out.tellers.push_back({teller->name(), teller->status()});
    out.journal_bytes = journal_->bytes();
    return out;
}

}  // namespace cmr::live
