// SQLite in WAL mode: readers do not wait for the writer, and a commit is on disk when it returns.

#include <sqlite3.h>

#include <filesystem>
#include <map>

#include "base/error.h"
#include "live/ledgers/rows.h"

namespace cmr::live {
namespace {

namespace fs = std::filesystem;

// What a connection keeps of the file, 512 kB: by default four times as much, of each of a handful of connections.
constexpr const char* kCache = "PRAGMA cache_size = -512";
constexpr int kBusyMilliseconds = 5000;  // how long a writer waits for another

struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

class Sqlite final : public Database {
  public:
    explicit Sqlite(fs::path file) : file_(std::move(file)) { open(); }

    Result run(const std::string& sql, std::span<const Value> values) override {
        sqlite3_stmt* statement = prepare(sql);
        bind(statement, values);
        Result result;
        int code = SQLITE_ROW;
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) result.rows.push_back(row(statement));
        result.changed = sqlite3_changes64(database_.get());
        sqlite3_reset(statement);
        if (code != SQLITE_DONE) fail(code);
        return result;
    }

    // At once a writer: one that becomes it later does not wait for others, but fails.
    std::string_view begin() const override { return "BEGIN IMMEDIATE"; }
    std::string_view serial() const override { return "INTEGER PRIMARY KEY"; }
    std::string_view blob() const override { return "BLOB"; }

    int64_t bytes() override {
        int64_t sum = 0;
        for (const char* end : {"", "-wal"}) {
            std::error_code none;
            const auto size = fs::file_size(file_.string() + end, none);
            if (!none) sum += static_cast<int64_t>(size);
        }
        return sum;
    }

  private:
    void open() {
        sqlite3* database = nullptr;
        const int code = sqlite3_open_v2(file_.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
        database_.reset(database);
        if (code != SQLITE_OK) fail(code);
        sqlite3_busy_timeout(database, kBusyMilliseconds);
        run("PRAGMA journal_mode = WAL", {});
        run("PRAGMA synchronous = FULL", {});
        run(kCache, {});
    }

    // Statements are few and always the same.
    sqlite3_stmt* prepare(const std::string& sql) {
        Statement& kept = statements_[sql];
        if (!kept) {
            sqlite3_stmt* statement = nullptr;
            if (const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr)) fail(code);
            kept.reset(statement);
        }
        return kept.get();
    }

    void bind(sqlite3_stmt* statement, std::span<const Value> values) {
        for (size_t i = 0; i < values.size(); ++i) {
            const int at = static_cast<int>(i) + 1;
            const int code = std::visit(
                [&](const auto& value) {
                    using T = std::decay_t<decltype(value)>;
                    if constexpr (std::is_same_v<T, std::monostate>) return sqlite3_bind_null(statement, at);
                    if constexpr (std::is_same_v<T, int64_t>) return sqlite3_bind_int64(statement, at, value);
                    if constexpr (std::is_same_v<T, double>) return sqlite3_bind_double(statement, at, value);
                    if constexpr (std::is_same_v<T, std::string>)
                        return sqlite3_bind_text64(statement, at, value.data(), value.size(), SQLITE_TRANSIENT,
                                                   SQLITE_UTF8);
                    if constexpr (std::is_same_v<T, Bytes>)
                        // A null pointer would be NULL.
                        return sqlite3_bind_blob64(statement, at,
                                                   value.empty() ? "" : static_cast<const void*>(value.data()),
                                                   value.size(), SQLITE_TRANSIENT);
                },
                values[i]);
            if (code != SQLITE_OK) fail(code);
        }
    }

    static Row row(sqlite3_stmt* statement) {
        Row out;
        for (int i = 0; i < sqlite3_column_count(statement); ++i) {
            const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
            switch (sqlite3_column_type(statement, i)) {
                case SQLITE_INTEGER:
                    out.emplace_back(int64_t{sqlite3_column_int64(statement, i)});
                    break;
                case SQLITE_FLOAT:
                    out.emplace_back(sqlite3_column_double(statement, i));
                    break;
                case SQLITE_TEXT:
                    out.emplace_back(
                        std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, i)), size));
                    break;
                case SQLITE_BLOB: {
                    const auto* begin = static_cast<const uint8_t*>(sqlite3_column_blob(statement, i));
                    out.emplace_back(Bytes(begin, begin + size));
                    break;
                }
                default:
                    out.emplace_back();
            }
        }
        return out;
    }

    [[noreturn]] void fail(int code) const {
        const std::string why =
            fmt::format("{}: {}", file_.string(), database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code));
        const int kind = code & 0xff;
        if (kind == SQLITE_CANTOPEN || kind == SQLITE_NOTADB || kind == SQLITE_CORRUPT || kind == SQLITE_PERM ||
            kind == SQLITE_READONLY)
            throw InputError(why);
        throw SystemError(why);
    }

    fs::path file_;
    std::unique_ptr<sqlite3, Close> database_;
    std::map<std::string, Statement> statements_;  // after database_: they go first
};

}  // namespace

std::unique_ptr<Database> open_sqlite(const DatabaseAddress& address) {
    const fs::path file = address.address.substr(std::string_view("sqlite:").size());
    if (file.empty()) throw InputError("the ledger '{}' names no file", address.address);
    return std::make_unique<Sqlite>(file);
}

}  // namespace cmr::live
