#include "live/formats/json_rows.h"

#include <simdjson.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "io/text/spelling.h"

namespace cmr::live {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

constexpr int kMaxDepth = 16;  // objects within objects whose numbers are channels

// Where the text stops being JSON: simdjson does not tell, so the slower parser is asked.
std::string place_of_fault(std::string_view text, simdjson::error_code code) {
    try {
        [[maybe_unused]] const bool fine = nlohmann::json::parse(text).is_object();
    } catch (const nlohmann::json::parse_error& error) {
        return fmt::format("byte {}: not JSON: {}", error.byte, simdjson::error_message(code));
    } catch (const nlohmann::json::exception&) {
    }
    return fmt::format("not JSON: {}", simdjson::error_message(code));
}

// The member of this name, or what keys with points between lead to.
std::optional<element> find(const object& row, std::string_view path) {
    element found;
    if (row.at_key(path).get(found) == simdjson::SUCCESS) return found;
    const size_t point = path.find('.');
    if (point == std::string_view::npos) return std::nullopt;
    object inner;
    if (row.at_key(path.substr(0, point)).get(inner) != simdjson::SUCCESS) return std::nullopt;
    return find(inner, path.substr(point + 1));
}

// Nothing where it is neither a number, a truth value nor null.
std::optional<float> number_of(const element& value) {
    switch (value.type()) {
        case element_type::INT64:
        case element_type::UINT64:
        case element_type::DOUBLE:
            return static_cast<float>(value.get_double().value_unsafe());
        case element_type::BOOL:
            return value.get_bool().value_unsafe() ? 1.0f : 0.0f;
        case element_type::NULL_VALUE:
            return std::numeric_limits<float>::quiet_NaN();
        default:
            return std::nullopt;
    }
}

std::optional<double> time_of(const element& value, io::TimeUnit unit) {
    switch (value.type()) {
        case element_type::INT64:
        case element_type::DOUBLE:
            return io::to_seconds(value.get_double().value_unsafe(), unit);
        case element_type::STRING:
            return io::parse_time(value.get_string().value_unsafe(), io::DateOrder::kUnknown, unit);
        default:
            return std::nullopt;
    }
}

// A text, or a whole number as one.
std::optional<std::string> name_of(const std::optional<element>& value) {
    if (!value) return std::nullopt;
    if (value->is_string()) return std::string(value->get_string().value_unsafe());
    if (value->is_int64()) return std::to_string(value->get_int64().value_unsafe());
    return std::nullopt;
}

class RowReader {
  public:
    RowReader(const JsonOptions& options, double arrival_s, Decoded& out)
        : options_(options), arrival_s_(arrival_s), out_(out) {}

    // InputError where it cannot be read.
    void read(const element& row) {
        object members;
        if (row.get(members) != simdjson::SUCCESS) return read_bare(row);
        Reading reading;
        reading.time_s = time(members);
        const auto asset = options_.asset.empty() ? name_of(find(members, options_.asset_field)) : options_.asset;
        if (!asset || asset->empty()) {
            ++out_.ignored;
            return;
        }
        reading.asset = *asset;
        if (options_.channel.empty() && options_.channel_field.empty())
            read_all(members, "", 0, reading);
        else
            read_one(members, reading);
    }

  private:
    void read_bare(const element& value) {
        const auto number = number_of(value);
        if (!number || !options_.arrival_time || options_.asset.empty() || options_.channel.empty())
            throw InputError("found {}, expected an object with a time and values", io::shown(simdjson::minify(value)));
        out_.readings.push_back({options_.asset, options_.channel, arrival_s_, *number});
    }

    double time(const object& row) const {
        const auto found = find(row, options_.time_field);
        if (!found) {
            if (options_.arrival_time) return arrival_s_;
            throw InputError("has no '{}', expected the time there; arrival_time = true gives it that of its arrival",
                             options_.time_field);
        }
        if (const auto seconds = time_of(*found, options_.unit)) return *seconds;
        throw InputError("'{}' holds {}, expected a time", options_.time_field, io::shown(simdjson::minify(*found)));
    }

    void read_one(const object& row, Reading& reading) {
        const auto channel = options_.channel.empty() ? name_of(find(row, options_.channel_field)) : options_.channel;
        if (!channel || channel->empty()) {
            ++out_.ignored;
            return;
        }
        const auto value = find(row, options_.value_field);
        if (!value) throw InputError("has no '{}', expected the value there", options_.value_field);
        reading.channel = *channel;
        add(*value, reading);
    }

    void read_all(const object& row, const std::string& prefix, int depth, Reading& reading) {
        for (const auto& [key, value] : row) {
            reading.channel = prefix;
            reading.channel += key;
            if (reading.channel == options_.time_field || reading.channel == options_.asset_field) continue;
            object inner;
            if (depth < kMaxDepth && value.get(inner) == simdjson::SUCCESS)
                read_all(inner, reading.channel + ".", depth + 1, reading);
            else
                add(value, reading);
        }
    }

    void add(const element& value, Reading& reading) {
        if (const auto number = number_of(value)) {
            reading.value = *number;
            out_.readings.push_back(reading);
        } else {
            ++out_.ignored;
        }
    }

    const JsonOptions& options_;
    double arrival_s_;
    Decoded& out_;
};

void decode(simdjson::dom::parser& parser, std::string_view text, const JsonOptions& options, double arrival_s,
            Decoded& out) {
    element document;
    if (const auto error = parser.parse(text.data(), text.size()).get(document))
        throw InputError(place_of_fault(text, error));
    RowReader reader(options, arrival_s, out);
    int64_t number = 0;
    const auto read = [&](const element& row) {
        ++number;
        try {
            reader.read(row);
        } catch (const InputError& error) {
            out.refuse(fmt::format("row {}: {}", number, error.what()));
        }
    };
    simdjson::dom::array rows;
    if (document.get(rows) != simdjson::SUCCESS) return read(document);
    for (const element row : rows) read(row);
}

}  // namespace

void decode_json(std::string_view text, const JsonOptions& options, double arrival_s, Decoded& out) {
    simdjson::dom::parser parser;
    decode(parser, text, options, arrival_s, out);
}

void decode_json_lines(std::string_view text, const JsonOptions& options, int64_t first_line, double arrival_s,
                       Decoded& out) {
    simdjson::dom::parser parser;
    for (int64_t line = first_line; !text.empty(); ++line) {
        const size_t end = text.find('\n');
        const std::string_view document = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (document.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        try {
            decode(parser, document, options, arrival_s, out);
        } catch (const InputError& error) {
            out.refuse(fmt::format("line {}: {}", line, error.what()));
        }
    }
}

}  // namespace cmr::live
