#include "live/sources/common.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::live {
namespace {

// The word that is set, or the usual one.
const std::string& or_usual(const std::string& word, const std::string& usual) { return word.empty() ? usual : word; }

io::TimeUnit unit_of(const SourceSettings& settings, io::TimeUnit usual) {
    return settings.time_unit.empty() ? usual : io::time_unit(settings.time_unit);
}

// What rows of both kinds, CSV and JSON, have in common.
template <typename Options>
Options row_options(const SourceSettings& settings) {
    Options out;
    out.asset = settings.asset;
    out.asset_field = or_usual(settings.asset_field, out.asset_field);
    out.channel_field = settings.channel_field;
    out.value_field = or_usual(settings.value_field, out.value_field);
    out.time_field = or_usual(settings.time_field, out.time_field);
    out.unit = unit_of(settings, out.unit);
    out.arrival_time = settings.arrival_time;
    return out;
}

}  // namespace

void refuse_unused(const SourceSettings& settings, const SourceContext& context,
                   const std::vector<std::string_view>& used) {
    const SourceSettings usual;
    const auto always = {"name", "kind", "asset", "asset_field", "time_unit"};
    visit_fields(settings, [&](const char* name, const auto& value, const char*) {
        if (std::ranges::find(always, std::string_view(name)) != always.end() ||
            std::ranges::find(used, std::string_view(name)) != used.end())
            return;
        visit_fields(usual, [&](const char* other_name, const auto& other, const char*) {
            if constexpr (std::is_same_v<decltype(value), decltype(other)>)
                if (std::string_view(name) == other_name && value != other)
                    throw InputError("{}: source '{}' of the kind {} has no use for '{}'", context.place, settings.name,
                                     settings.kind, name);
        });
    });
}

void require(const std::string& value, const char* key, const SourceSettings& settings, const SourceContext& context) {
    if (value.empty())
        throw InputError("{}: source '{}' of the kind {} needs '{}'", context.place, settings.name, settings.kind, key);
}

std::string chosen_format(const SourceSettings& settings, const SourceContext& context, const std::string& usual,
                          const std::vector<std::string>& known) {
    const std::string& format = or_usual(settings.format, usual);
    if (std::ranges::find(known, format) == known.end())
        throw InputError("{}: source '{}' of the kind {} has the format '{}', expected one of {}", context.place,
                         settings.name, settings.kind, format, fmt::join(known, ", "));
    return format;
}

CsvOptions csv_options(const SourceSettings& settings) {
    auto out = row_options<CsvOptions>(settings);
    out.table = settings.table;
    return out;
}

JsonOptions json_options(const SourceSettings& settings) { return row_options<JsonOptions>(settings); }

LineProtocolOptions line_protocol_options(const SourceSettings& settings) {
    LineProtocolOptions out;
    if (!settings.asset.empty())
        out.asset = Naming::fixed(settings.asset);
    else if (!settings.asset_field.empty())
        out.asset = Naming(settings.asset_field);
    if (!settings.channel_field.empty()) out.channel = Naming(settings.channel_field);
    out.value_field = settings.value_field;
    out.unit = unit_of(settings, out.unit);
    out.arrival_time = settings.arrival_time;
    return out;
}

void StatusBoard::set(bool connected, const std::string& detail) {
    const std::lock_guard lock(mutex_);
    status_.connected = connected;
    status_.detail = detail;
}

void StatusBoard::count_bytes(size_t bytes) {
    const std::lock_guard lock(mutex_);
    status_.bytes += static_cast<int64_t>(bytes);
}

void StatusBoard::count(const Decoded& decoded) {
    const std::lock_guard lock(mutex_);
    status_.received += static_cast<int64_t>(decoded.readings.size());
    status_.refused += decoded.refused;
    if (decoded.refused > 0) status_.detail = decoded.why;
    if (!decoded.readings.empty()) status_.last_s = clock_.wall_s();
}

void StatusBoard::count_refused(const std::string& why) {
    const std::lock_guard lock(mutex_);
    ++status_.refused;
    status_.detail = why;
}

SourceStatus StatusBoard::get() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

}  // namespace cmr::live
