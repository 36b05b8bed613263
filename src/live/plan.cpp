#include "base/duration.h"
#include "base/text.h"
#include "live/models.h"
#include "live/service.h"
#include "monitor/stream.h"

namespace cmr::live {
namespace {

constexpr double kRowBytes = 70;       // of a row of levels in the ledger, without its residuals
constexpr double kReadingBytes = 8.5;  // in the journal

// The state of a stream that has seen enough to keep no more.
int64_t state_bytes(const Models::Model& model, const Rules& rules) {
    monitor::Stream stream(model, {rules.lateness_s, rules.stale_s, rules.stride});
    const std::vector<float> row(stream.channels().size(), 0);
    const int64_t rows = 7 * model->recipe.window.length;
    const double period_s = 1 / model->recipe.data.rate_hz;
    for (int64_t i = 0; i < rows; ++i) stream.push(1e9 + static_cast<double>(i) * period_s, row);
    while (stream.next()) continue;
    return std::ssize(stream.save());
}

}  // namespace

std::string plan(const Plant& plant) {
    std::string out = fmt::format("{}: {}\n\n", plant.file.string(), plant.name);
    Models models;
    std::map<std::string, int64_t> files;
    double state = 0, readings_per_s = 0, ledger_per_day = 0;
    int64_t assets = 0;
    for (const AssetSettings& settings : plant.asset) {
        const Models::Model model = models.load(settings.model);
        files[settings.model] = static_cast<int64_t>(fs::file_size(settings.model));
        const monitor::Stream stream(model);
        const auto count = static_cast<double>(settings.names.size());
        const auto channels = static_cast<double>(stream.channels().size());
        const auto effects = static_cast<double>(stream.effects().size());
        const int64_t bytes = state_bytes(model, settings.rules);
        assets += std::ssize(settings.names);
        state += count * static_cast<double>(bytes);
        readings_per_s += count * channels * model->recipe.data.rate_hz;
        ledger_per_day += count * (86400.0 / static_cast<double>(plant.ledger.level_s) + 24) * (kRowBytes + effects);
        out += fmt::format("{} × {}: {} channels at {}, windows of {} samples, {:.0f} kB of state each\n",
                           settings.names.size(), fs::path(settings.model).filename().string(), channels,
                           rate_text(model->recipe.data.rate_hz), model->recipe.window.length,
                           static_cast<double>(bytes) / 1000);
    }
    double model_bytes = 0;
    for (const auto& [file, bytes] : files) model_bytes += static_cast<double>(bytes);
    const double queue = static_cast<double>(plant.storage.queue) * 2 * sizeof(Sample);
    // Twice the state: a snapshot is made of a copy.
    const double memory = 2 * model_bytes + 2 * state + queue + 50e6;
    const double journal = 2 * readings_per_s * kReadingBytes * plant.storage.snapshot_s + 32e6;
    for (const SourceSettings& source : plant.source) out += fmt::format("from {}: {}\n", source.name, source.kind);
    for (const NotifierSettings& notifier : plant.notify)
        out += fmt::format("tells {}: {} at {}\n", notifier.name, notifier.kind, notifier.address);
    out += fmt::format("page: {}\n\n", plant.web.address.empty() ? "none" : plant.web.address);
    const auto text = [](double bytes) { return bytes_text(static_cast<int64_t>(bytes)); };
    out += fmt::format("{} assets, {:.0f} readings per second\n", with_commas(assets), readings_per_s);
    out += fmt::format("memory: about {}\n", text(memory));
    out += fmt::format("disk in {}: journal up to {}, snapshot {}\n", plant.storage.folder, text(journal), text(state));
    out += fmt::format("ledger: about {} a day; levels are kept for {:g} days, which is {}\n", text(ledger_per_day),
                       plant.ledger.keep_levels_days, text(ledger_per_day * plant.ledger.keep_levels_days));
    return out;
}

}  // namespace cmr::live
