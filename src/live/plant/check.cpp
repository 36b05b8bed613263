#include "live/plant/check.h"

#include <cmath>
#include <set>

#include "base/error.h"
#include "base/suggest.h"
#include "live/address.h"
#include "live/notifiers/table.h"
#include "live/sources/table.h"

namespace cmr::live {
namespace {

using Place = std::function<std::string(const std::string& path)>;

class Checker {
  public:
    explicit Checker(const Place& place) : place_(place) {}

    template <typename... Arguments>
    void require(bool condition, const std::string& path, fmt::format_string<Arguments...> text,
                 Arguments&&... arguments) const {
        if (condition) return;
        throw InputError("{}: {}: {}", place_(path), path, fmt::format(text, std::forward<Arguments>(arguments)...));
    }
    void between(double value, const std::string& path, double least, double most) const {
        require(value >= least && value <= most, path, "{} is not between {} and {}", value, least, most);
    }
    void name(const std::string& name, const std::string& path) const {
        require(!name.empty(), path, "a name is needed");
        require(name.size() <= 200, path, "a name of {} letters is too long", name.size());
        for (const char letter : name)
            require(static_cast<unsigned char>(letter) >= ' ' && letter != '/', path,
                    "'{}' holds a letter that a name may not have", name);
    }
    template <typename Kinds>
    void kind(const std::string& kind, const std::string& path, const Kinds& kinds) const {
        std::vector<std::string_view> known;
        for (const auto& row : kinds) {
            if (row.name == kind) return;
            known.push_back(row.name);
        }
        throw InputError("{}: {} is '{}'; known are {}", place_(path), path, kind, fmt::join(known, ", "));
    }
    template <typename Call>
    void of(const std::string& path, const Call& call) const {
        try {
            call();
        } catch (const InputError& error) {
            throw InputError("{}: {}: {}", place_(path), path, error.what());
        }
    }

  private:
    const Place& place_;
};

constexpr double kYears = 100 * 366.0;  // in days; longer is a slip of the pen

void check_rules(const Checker& check, const Rules& rules, const std::string& path) {
    check.between(rules.lateness_s, path + ".lateness_s", 0, 86400);
    check.between(rules.stale_s, path + ".stale_s", 0, 7 * 86400);
    check.between(rules.silent_s, path + ".silent_s", 1, 7 * 86400);
    check.between(static_cast<double>(rules.stride), path + ".stride", 0, 1e9);
}

void check_assets(const Checker& check, const Plant& plant) {
    check.require(!plant.asset.empty(), "asset", "nothing to watch: at least one [[asset]] is needed");
    std::set<std::string> seen;
    for (size_t i = 0; i < plant.asset.size(); ++i) {
        const AssetSettings& asset = plant.asset[i];
        const std::string path = fmt::format("asset[{}]", i);
        check.require(!asset.names.empty(), path + ".names", "a name is needed");
        check.require(!asset.model.empty(), path + ".model", "a model file is needed");
        for (const std::string& name : asset.names) {
            check.name(name, path + ".names");
            check.require(seen.insert(name).second, path + ".names", "'{}' is there twice", name);
        }
        check.of(path + ".columns", [&] { columns_of(asset); });
        check_rules(check, asset.rules, path + ".rules");
    }
}

void check_sources(const Checker& check, const Plant& plant) {
    std::set<std::string> seen;
    for (size_t i = 0; i < plant.source.size(); ++i) {
        const SourceSettings& source = plant.source[i];
        const std::string path = fmt::format("source[{}]", i);
        check.name(source.name, path + ".name");
        check.require(seen.insert(source.name).second, path + ".name", "'{}' is there twice", source.name);
        check.kind(source.kind, path + ".kind", source_kinds());
        if (source.asset.empty()) continue;
        bool known = false;
        for (const AssetSettings& asset : plant.asset)
            known |= std::ranges::find(asset.names, source.asset) != asset.names.end();
        check.require(known, path + ".asset", "there is no asset '{}'", source.asset);
    }
}

void check_notifiers(const Checker& check, const Plant& plant) {
    std::set<std::string> seen;
    for (size_t i = 0; i < plant.notify.size(); ++i) {
        const NotifierSettings& notifier = plant.notify[i];
        const std::string path = fmt::format("notify[{}]", i);
        check.name(notifier.name, path + ".name");
        check.require(seen.insert(notifier.name).second, path + ".name", "'{}' is there twice", notifier.name);
        check.kind(notifier.kind, path + ".kind", notifier_kinds());
        check.of(path + ".address", [&] { row_named(notifier_kinds(), "notifier", notifier.kind).check(notifier); });
        check.between(notifier.timeout_s, path + ".timeout_s", 0.1, 300);
        check.between(notifier.repeat_s, path + ".repeat_s", 1, 86400);
        check.of(path + ".token_file", [&] { read_secret(notifier.token_file); });
        check.of(path + ".password_file", [&] { read_secret(notifier.password_file); });
    }
}

void check_web(const Checker& check, const WebSettings& web) {
    if (web.address.empty()) return;
    check.of("web.address", [&] { parse_address(web.address); });
    check.of("web.token_file", [&] { read_secrets(web.token_file); });
    check.require(web.certificate_file.empty() == web.key_file.empty(), "web.key_file",
                  "certificate_file and key_file go together");
    check.require(
        is_loopback(parse_address(web.address).host) || !web.certificate_file.empty(), "web.address",
        "{} is beyond this machine: that takes certificate_file and key_file, as tokens must not be overheard",
        web.address);
}

}  // namespace

void check(const Plant& plant, const Place& place) {
    const Checker check(place);
    check.require(plant.name.size() <= 200, "name", "a name of {} letters is too long", plant.name.size());
    check_rules(check, plant.rules, "rules");
    check_assets(check, plant);
    check_sources(check, plant);
    check_notifiers(check, plant);
    check_web(check, plant.web);
    check.between(plant.storage.snapshot_s, "storage.snapshot_s", 1, 86400);
    check.between(static_cast<double>(plant.storage.queue), "storage.queue", 1000, 1e8);
    check.between(static_cast<double>(plant.ledger.level_s), "ledger.level_s", 1, 3600);
    check.require(3600 % plant.ledger.level_s == 0, "ledger.level_s", "an hour is no multiple of {} s",
                  plant.ledger.level_s);
    for (const auto& [path, days] : {std::pair{"ledger.keep_levels_days", plant.ledger.keep_levels_days},
                                     std::pair{"ledger.keep_hours_days", plant.ledger.keep_hours_days},
                                     std::pair{"ledger.keep_alarms_days", plant.ledger.keep_alarms_days}})
        check.between(days, path, 0.01, kYears);
    check.of("ledger.password_file", [&] { read_secret(plant.ledger.password_file); });
}

}  // namespace cmr::live
