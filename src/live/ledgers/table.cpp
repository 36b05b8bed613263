#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "live/ledgers/rows.h"

namespace cmr::live {
namespace {

constexpr std::array<DatabaseKind, 3> kKinds = {{
    {"sqlite:", "a file, made where there is none", open_sqlite},
    {"postgresql://", "a server, as libpq writes it", open_postgres},
    {"postgres://", "the same", open_postgres},
}};

}  // namespace

std::span<const DatabaseKind> database_kinds() { return kKinds; }

std::unique_ptr<Database> open_database(const DatabaseAddress& address) {
    for (const DatabaseKind& kind : kKinds)
        if (address.address.starts_with(kind.prefix)) return kind.open(address);
    if (const auto colon = address.address.find("://"); colon != std::string::npos)
        throw InputError("no database is known by '{}'; known are a path, sqlite:PATH and postgresql://",
                         address.address.substr(0, colon + 3));
    return open_sqlite({"sqlite:" + address.address, {}});
}

Transaction::Transaction(Database& database) : database_(database) { database_.run(std::string(database_.begin())); }

Transaction::~Transaction() {
    if (!open_) return;
    try {
        database_.run("ROLLBACK");
    } catch (const Failure&) {  // the connection is gone, and with it the transaction
    }
}

void Transaction::commit() {
    database_.run("COMMIT");
    open_ = false;
}

int64_t whole(const Value& value) {
    if (const auto* whole = std::get_if<int64_t>(&value)) return *whole;
    if (const auto* number = std::get_if<double>(&value)) return static_cast<int64_t>(*number);
    return 0;
}

double number(const Value& value) {
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
    return std::numeric_limits<double>::quiet_NaN();
}

std::string text(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text ? *text : std::string();
}

Bytes bytes(const Value& value) {
    const auto* bytes = std::get_if<Bytes>(&value);
    return bytes ? *bytes : Bytes();
}

Value finite_or_null(double number) { return std::isfinite(number) ? Value(number) : Value(); }

}  // namespace cmr::live
