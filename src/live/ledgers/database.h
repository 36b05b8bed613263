#pragma once
// What the ledger needs of a database: statements with values, and transactions. Statements are SQL that SQLite and
// PostgreSQL both understand, their values $1, $2, … in this order. One file and one row of the table each.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cmr::live {

using Bytes = std::vector<uint8_t>;
using Value = std::variant<std::monostate, int64_t, double, std::string, Bytes>;  // monostate: NULL
using Row = std::vector<Value>;

// Not thread-safe. SystemError where the database is away or would not (a full disk); it is tried anew at the next
// call.
class Database {
  public:
    virtual ~Database() = default;

    struct Result {
        std::vector<Row> rows;
        int64_t changed = 0;  // rows that an INSERT, UPDATE or DELETE touched
    };
    virtual Result run(const std::string& sql, std::span<const Value> values = {}) = 0;

    // Begins a transaction that will write.
    virtual std::string_view begin() const = 0;
    // "BIGSERIAL PRIMARY KEY" and the like: a number that the database gives, rising.
    virtual std::string_view serial() const = 0;
    virtual std::string_view blob() const = 0;
    virtual int64_t bytes() = 0;  // on disk
};

struct DatabaseAddress {
    std::string address;   // sqlite:PATH, a path, or postgresql://user@host/name
    std::string password;  // of the latter; empty: as libpq finds it
};

struct DatabaseKind {
    std::string_view prefix;  // of its addresses
    std::string_view help;
    std::unique_ptr<Database> (*open)(const DatabaseAddress& address);
};

std::span<const DatabaseKind> database_kinds();

// A path without a prefix is an SQLite file. InputError where it cannot be one.
std::unique_ptr<Database> open_database(const DatabaseAddress& address);

// All of it or nothing: what was run since then is undone unless there was a commit.
class Transaction {
  public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Database& database_;
    bool open_ = true;
};

// A value of a row; `text` of a NULL is empty, `number` NaN, `whole` 0.
int64_t whole(const Value& value);
double number(const Value& value);
std::string text(const Value& value);
Bytes bytes(const Value& value);
Value finite_or_null(double number);

}  // namespace cmr::live
