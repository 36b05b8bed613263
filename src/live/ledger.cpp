#include "live/ledger.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "io/json_fields.h"

namespace cmr::live {
namespace {

constexpr int64_t kSchema = 2;  // 2: cmr_levels has `outside`
constexpr const char* kEntryColumns =
    "id, asset, number, event, from_state, to_state, told, event_s, wall_s, who, why, level, p_value, verdict, "
    "sentence, evidence, raised_s";

void make_tables(Database& database) {
    Transaction transaction(database);
    database.run("CREATE TABLE IF NOT EXISTS cmr_about (about_key TEXT PRIMARY KEY, about_value BIGINT NOT NULL)");
    const Value schema = kSchema;
    database.run("INSERT INTO cmr_about VALUES ('schema', $1) ON CONFLICT DO NOTHING", {&schema, 1});
    // Who changes the row changes the table; another waits for it.
    if (database.run("UPDATE cmr_about SET about_value = 2 WHERE about_key = 'schema' AND about_value = 1").changed > 0)
        database.run("ALTER TABLE cmr_levels ADD COLUMN outside BIGINT NOT NULL DEFAULT 0");
    const auto found = database.run("SELECT about_value FROM cmr_about WHERE about_key = 'schema'").rows;
    if (const int64_t is = whole(found.at(0).at(0)); is != kSchema)
        throw InputError("the ledger has the schema {}, this program knows {}", is, kSchema);
    database.run(
        "CREATE TABLE IF NOT EXISTS cmr_assets (asset TEXT PRIMARY KEY, alarm TEXT NOT NULL, effects TEXT NOT NULL)");
    database.run(
        fmt::format("CREATE TABLE IF NOT EXISTS cmr_steps (id {}, asset TEXT NOT NULL, number BIGINT NOT NULL, "
                    "event TEXT NOT NULL, from_state TEXT NOT NULL, to_state TEXT NOT NULL, told BIGINT NOT NULL, "
                    "event_s DOUBLE PRECISION NOT NULL, wall_s DOUBLE PRECISION NOT NULL, who TEXT NOT NULL, "
                    "why TEXT NOT NULL, level DOUBLE PRECISION, p_value DOUBLE PRECISION, verdict TEXT NOT NULL, "
                    "sentence TEXT NOT NULL, evidence TEXT NOT NULL, raised_s DOUBLE PRECISION NOT NULL, "
                    "UNIQUE (asset, number))",
                    database.serial()));
    database.run("CREATE INDEX IF NOT EXISTS cmr_steps_wall ON cmr_steps (wall_s)");
    database.run(
        fmt::format("CREATE TABLE IF NOT EXISTS cmr_outbox (id {}, notifier TEXT NOT NULL, asset TEXT NOT NULL, "
                    "number BIGINT NOT NULL, UNIQUE (notifier, asset, number))",
                    database.serial()));
    database.run(
        fmt::format("CREATE TABLE IF NOT EXISTS cmr_levels (asset TEXT NOT NULL, resolution_s BIGINT NOT NULL, "
                    "begin_s DOUBLE PRECISION NOT NULL, level DOUBLE PRECISION, windows BIGINT NOT NULL, "
                    "unjudged BIGINT NOT NULL, alarm BIGINT NOT NULL, residuals {} NOT NULL, "
                    "outside BIGINT NOT NULL DEFAULT 0, "
                    "PRIMARY KEY (asset, resolution_s, begin_s))",
                    database.blob()));
    transaction.commit();
}

Entry entry_of(const Row& row) {
    Entry out;
    out.id = whole(row[0]);
    out.asset = text(row[1]);
    out.step.number = whole(row[2]);
    out.step.event = event_named(text(row[3])).value_or(Event::kRaise);
    out.step.from = state_named(text(row[4])).value_or(State::kNormal);
    out.step.to = state_named(text(row[5])).value_or(State::kNormal);
    out.step.told = whole(row[6]) != 0;
    out.event_s = number(row[7]);
    out.wall_s = number(row[8]);
    out.who = text(row[9]);
    out.why = text(row[10]);
    out.level = number(row[11]);
    out.p_value = number(row[12]);
    out.verdict = text(row[13]);
    out.sentence = text(row[14]);
    out.evidence = text(row[15]);
    out.raised_s = number(row[16]);
    return out;
}

Bytes packed(const std::vector<float>& residuals) {
    Bytes out;
    for (const float residual : residuals)
        out.push_back(static_cast<uint8_t>(std::clamp(std::round(10 * (residual > 0 ? residual : 0)), 0.0f, 255.0f)));
    return out;
}

std::vector<float> unpacked(const Bytes& bytes) {
    std::vector<float> out;
    for (const uint8_t byte : bytes) out.push_back(static_cast<float>(byte) / 10);
    return out;
}

}  // namespace

Ledger::Ledger(const DatabaseAddress& address) : database_(open_database(address)) { make_tables(*database_); }

void Ledger::record(std::span<const Entry> entries, std::span<const AssetRow> assets,
                    std::span<const std::string> notifiers) {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*database_);
    for (const Entry& entry : entries) {
        const std::vector<Value> values = {entry.asset,
                                           entry.step.number,
                                           std::string(name(entry.step.event)),
                                           std::string(name(entry.step.from)),
                                           std::string(name(entry.step.to)),
                                           int64_t{entry.step.told},
                                           entry.event_s,
                                           entry.wall_s,
                                           entry.who,
                                           entry.why,
                                           finite_or_null(entry.level),
                                           finite_or_null(entry.p_value),
                                           entry.verdict,
                                           entry.sentence,
                                           entry.evidence,
                                           entry.raised_s};
        const bool is_new =
            database_
                ->run(
                    "INSERT INTO cmr_steps (asset, number, event, from_state, to_state, told, event_s, wall_s, who, "
                    "why, level, p_value, verdict, sentence, evidence, raised_s) VALUES ($1, $2, $3, $4, $5, $6, $7, "
                    "$8, "
                    "$9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING",
                    values)
                .changed > 0;
        if (!is_new || !entry.step.told) continue;
        for (const std::string& notifier : notifiers)
            database_->run(
                "INSERT INTO cmr_outbox (notifier, asset, number) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                std::vector<Value>{notifier, entry.asset, entry.step.number});
    }
    for (const AssetRow& asset : assets)
        database_->run(
            "INSERT INTO cmr_assets (asset, alarm, effects) VALUES ($1, $2, $3) "
            "ON CONFLICT (asset) DO UPDATE SET alarm = excluded.alarm, effects = excluded.effects",
            std::vector<Value>{asset.asset, save(asset.alarm), io::to_text(io::to_json(asset.effects))});
    transaction.commit();
}

void Ledger::keep(std::span<const AssetLevels> levels) {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*database_);
    for (const AssetLevels& row : levels)
        database_->run(
            "INSERT INTO cmr_levels (asset, resolution_s, begin_s, level, windows, unjudged, alarm, residuals, "
            "outside) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (asset, resolution_s, begin_s) DO UPDATE "
            "SET "
            "level = excluded.level, windows = excluded.windows, unjudged = excluded.unjudged, alarm = excluded.alarm, "
            "residuals = excluded.residuals, outside = excluded.outside",
            std::vector<Value>{row.asset, row.resolution_s, row.level.begin_s, finite_or_null(row.level.level),
                               row.level.windows, row.level.unjudged, int64_t{row.level.alarm},
                               packed(row.level.residuals), row.level.outside});
    transaction.commit();
}

void Ledger::forget(const Retention& retention) {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*database_);
    // What is not delivered yet is kept whatever its age.
    database_->run(
        "DELETE FROM cmr_steps WHERE wall_s < $1 AND NOT EXISTS (SELECT 1 FROM cmr_outbox o WHERE o.asset = "
        "cmr_steps.asset AND o.number = cmr_steps.number)",
        std::vector<Value>{retention.entries_before_wall_s});
    for (const auto& [resolution_s, begin_s] : retention.levels_before_s)
        database_->run("DELETE FROM cmr_levels WHERE resolution_s = $1 AND begin_s < $2",
                       std::vector<Value>{resolution_s, begin_s});
    transaction.commit();
}

std::map<std::string, Alarm> Ledger::alarms() {
    const std::lock_guard lock(mutex_);
    std::map<std::string, Alarm> out;
    for (const Row& row : database_->run("SELECT asset, alarm FROM cmr_assets").rows)
        out[text(row[0])] = load_alarm(text(row[1]), fmt::format("the ledger's alarm of {}", text(row[0])));
    return out;
}

std::vector<Entry> Ledger::entries(const EntryQuery& query) {
    const std::lock_guard lock(mutex_);
    std::vector<Value> values = {query.after_id};
    std::string where = "id > $1";
    const auto also = [&](const std::string& condition, Value value) {
        values.push_back(std::move(value));
        where += fmt::format(" AND {} ${}", condition, values.size());
    };
    if (query.before_id > 0) also("id <", query.before_id);
    if (!query.asset.empty()) also("asset =", query.asset);
    if (!query.events.empty()) {
        std::string list;
        for (const std::string& event : query.events) {
            values.emplace_back(event);
            list += fmt::format("{}${}", list.empty() ? "" : ", ", values.size());
        }
        where += fmt::format(" AND event IN ({})", list);
    }
    values.emplace_back(query.limit);
    std::vector<Entry> out;
    for (const Row& row : database_
                              ->run(fmt::format("SELECT {} FROM cmr_steps WHERE {} ORDER BY id DESC LIMIT ${}",
                                                kEntryColumns, where, values.size()),
                                    values)
                              .rows)
        out.push_back(entry_of(row));
    return out;
}

std::vector<Level> Ledger::levels(const std::string& asset, int64_t resolution_s, double from_s, double to_s) {
    const std::lock_guard lock(mutex_);
    std::vector<Level> out;
    for (const Row& row : database_
                              ->run("SELECT begin_s, level, windows, unjudged, alarm, residuals, outside FROM "
                                    "cmr_levels WHERE asset = $1 AND "
                                    "resolution_s = $2 AND begin_s >= $3 AND begin_s < $4 ORDER BY begin_s",
                                    std::vector<Value>{asset, resolution_s, from_s, to_s})
                              .rows)
        out.push_back({number(row[0]), static_cast<float>(number(row[1])), whole(row[2]), whole(row[3]),
                       whole(row[4]) != 0, unpacked(live::bytes(row[5])), whole(row[6])});
    return out;
}

std::optional<double> Ledger::first_level_s(const std::string& asset, int64_t resolution_s) {
    const std::lock_guard lock(mutex_);
    const auto rows = database_
                          ->run(
                              "SELECT begin_s FROM cmr_levels WHERE asset = $1 AND resolution_s = $2 ORDER BY begin_s "
                              "LIMIT 1",
                              std::vector<Value>{asset, resolution_s})
                          .rows;
    if (rows.empty()) return std::nullopt;
    return number(rows[0][0]);
}

std::optional<Ledger::Message> Ledger::oldest(const std::string& notifier) {
    const std::lock_guard lock(mutex_);
    const auto outbox = database_
                            ->run("SELECT id, asset, number FROM cmr_outbox WHERE notifier = $1 ORDER BY id LIMIT 1",
                                  std::vector<Value>{notifier})
                            .rows;
    if (outbox.empty()) return std::nullopt;
    const auto entry =
        database_
            ->run(fmt::format("SELECT {} FROM cmr_steps WHERE asset = $1 AND number = $2", kEntryColumns),
                  std::vector<Value>{outbox[0][1], outbox[0][2]})
            .rows;
    if (entry.empty()) throw SystemError("the ledger has a message about an alarm that it does not have");
    return Message{whole(outbox[0][0]), entry_of(entry[0])};
}

int64_t Ledger::waiting(const std::string& notifier) {
    const std::lock_guard lock(mutex_);
    return whole(database_->run("SELECT count(*) FROM cmr_outbox WHERE notifier = $1", std::vector<Value>{notifier})
                     .rows.at(0)
                     .at(0));
}

void Ledger::delivered(int64_t id) {
    const std::lock_guard lock(mutex_);
    database_->run("DELETE FROM cmr_outbox WHERE id = $1", std::vector<Value>{id});
}

int64_t Ledger::bytes() {
    const std::lock_guard lock(mutex_);
    return database_->bytes();
}

}  // namespace cmr::live
