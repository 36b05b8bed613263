// PostgreSQL by libpq. A connection that is lost is made anew at the next statement.

#include <libpq-fe.h>

#include <array>
#include <charconv>
#include <map>

#include "base/error.h"
#include "live/ledgers/rows.h"

namespace cmr::live {
namespace {

// Types of columns, as the server numbers them (pg_type.dat).
constexpr Oid kBytes = 17, kWhole8 = 20, kWhole4 = 23, kDouble = 701;

struct Free {
    void operator()(PGconn* connection) const { PQfinish(connection); }
    void operator()(PGresult* result) const { PQclear(result); }
    void operator()(void* memory) const { PQfreemem(memory); }
};

std::string message_of(const char* text) {
    std::string out = text ? text : "no reason given";
    while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
    std::ranges::replace(out, '\n', ' ');
    return out;
}

class Postgres final : public Database {
  public:
    explicit Postgres(DatabaseAddress address) : address_(std::move(address)) { connect(); }

    Result run(const std::string& sql, std::span<const Value> values) override {
        if (PQstatus(connection_.get()) != CONNECTION_OK) connect();
        std::vector<std::string> texts(values.size());
        std::vector<const char*> pointers(values.size(), nullptr);
        std::vector<int> lengths(values.size(), 0), formats(values.size(), 0);
        for (size_t i = 0; i < values.size(); ++i) {
            if (std::holds_alternative<std::monostate>(values[i])) continue;
            if (const Bytes* raw = std::get_if<Bytes>(&values[i])) {
                texts[i].assign(raw->begin(), raw->end());
                formats[i] = 1;
            } else {
                texts[i] = as_text(values[i]);
            }
            pointers[i] = texts[i].c_str();
            lengths[i] = static_cast<int>(texts[i].size());
        }
        const std::unique_ptr<PGresult, Free> result(
            PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr, pointers.data(),
                         lengths.data(), formats.data(), /*resultFormat=*/0));
        const ExecStatusType status = PQresultStatus(result.get());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            throw SystemError("PostgreSQL: {}", message_of(PQerrorMessage(connection_.get())));
        return read(result.get());
    }

    std::string_view begin() const override { return "BEGIN"; }
    std::string_view serial() const override { return "BIGSERIAL PRIMARY KEY"; }
    std::string_view blob() const override { return "BYTEA"; }
    int64_t bytes() override { return whole(run("SELECT pg_database_size(current_database())", {}).rows.at(0).at(0)); }

  private:
    void connect() {
        // The last of two values for a key holds, so that the address may say otherwise.
        const std::array<const char*, 7> keys = {"connect_timeout",
                                                 "tcp_user_timeout",
                                                 "fallback_application_name",
                                                 "options",
                                                 "password",
                                                 "dbname",
                                                 nullptr};
        const std::array<const char*, 7> values = {"5",
                                                   "10000",
                                                   "cmr",
                                                   "-c client_min_messages=warning -c statement_timeout=30000",
                                                   address_.password.empty() ? nullptr : address_.password.c_str(),
                                                   address_.address.c_str(),
                                                   nullptr};
        connection_.reset(PQconnectdbParams(keys.data(), values.data(), /*expand_dbname=*/1));
        if (PQstatus(connection_.get()) != CONNECTION_OK)
            throw SystemError("PostgreSQL: {}", message_of(PQerrorMessage(connection_.get())));
    }

    static std::string as_text(const Value& value) {
        if (const auto* whole = std::get_if<int64_t>(&value)) return fmt::format("{}", *whole);
        if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);  // shortest that is it
        return text(value);
    }

    static Result read(PGresult* result) {
        Result out;
        const std::string_view changed = PQcmdTuples(result);
        std::from_chars(changed.data(), changed.data() + changed.size(), out.changed);
        for (int r = 0; r < PQntuples(result); ++r) {
            Row& row = out.rows.emplace_back();
            for (int c = 0; c < PQnfields(result); ++c) row.push_back(field(result, r, c));
        }
        return out;
    }

    static Value field(PGresult* result, int r, int c) {
        if (PQgetisnull(result, r, c)) return {};
        const char* text = PQgetvalue(result, r, c);
        const char* end = text + PQgetlength(result, r, c);
        switch (PQftype(result, c)) {
            case kWhole4:
            case kWhole8: {
                int64_t number = 0;
                std::from_chars(text, end, number);
                return number;
            }
            case kDouble: {
                double number = 0;
                std::from_chars(text, end, number);
                return number;
            }
            case kBytes: {
                size_t size = 0;
                const std::unique_ptr<unsigned char, Free> raw(
                    PQunescapeBytea(reinterpret_cast<const unsigned char*>(text), &size));
                return Bytes(raw.get(), raw.get() + size);
            }
            default:
                return std::string(text, end);
        }
    }

    DatabaseAddress address_;
    std::unique_ptr<PGconn, Free> connection_;
};

}  // namespace

std::unique_ptr<Database> open_postgres(const DatabaseAddress& address) { return std::make_unique<Postgres>(address); }

}  // namespace cmr::live
