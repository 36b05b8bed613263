#include "io/json_fields.h"

#include <limits>

#include "io/tensors/header.h"

namespace cmr::io {

std::string to_text(const Json& json, int indent) {
    return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

void JsonWriter::make_object(Json& out) { out = Json::object(); }
Json& JsonWriter::add_member(Json& object, const char* name) { return object[name]; }
void JsonWriter::make_list(Json& out) { out = Json::array(); }
Json& JsonWriter::add_element(Json& list) { return list.emplace_back(); }
void JsonWriter::set_flag(Json& out, bool value) { out = value; }
void JsonWriter::set_whole(Json& out, int64_t value) { out = value; }
void JsonWriter::set_number(Json& out, double value) { out = value; }
void JsonWriter::set_text(Json& out, const std::string& value) { out = value; }

Json JsonReader::parse(const std::string& text) const {
    Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) throw InputError("{}: its {}s are not valid JSON", source_, what_);
    return json;
}

void JsonReader::expect(bool condition, const std::string& path, const char* wanted) const {
    if (!condition) throw InputError("{}: {} {} must be {}", source_, what_, path, wanted);
}

void JsonReader::expect_object(const Json& json, const std::string& path) const {
    expect(json.is_object(), path, "an object");
}

void JsonReader::expect_known(const Json& object, const std::set<std::string>& known) const {
    for (const auto& [name, unused] : object.items())
        if (!known.contains(name)) throw InputError("{}: unknown {} {}", source_, what_, in_quotes(name));
}

const Json* JsonReader::find(const Json& object, const char* name, const std::string& path) const {
    const auto found = object.find(name);
    if (found != object.end()) return &*found;
    if (missing_ == Missing::kIsAnError) throw InputError("{}: {} {} is missing", source_, what_, path);
    return nullptr;
}

size_t JsonReader::size_of_list(const Json& json, const std::string& path) const {
    expect(json.is_array(), path, "a list");
    return json.size();
}

const Json& JsonReader::element(const Json& list, size_t i) { return list[i]; }

std::string JsonReader::path_of(const std::string& list, size_t i) { return fmt::format("{}[{}]", list, i); }

bool JsonReader::flag(const Json& json, const std::string& path) const {
    expect(json.is_boolean(), path, "true or false");
    return json.get<bool>();
}

int64_t JsonReader::whole(const Json& json, const std::string& path) const {
    expect(json.is_number_integer() && (!json.is_number_unsigned() || json.get<uint64_t>() <= INT64_MAX), path,
           "a whole number");
    return json.get<int64_t>();
}

double JsonReader::number(const Json& json, const std::string& path) const {
    expect(json.is_number() || json.is_null(), path, "a number");
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::string JsonReader::text(const Json& json, const std::string& path) const {
    expect(json.is_string(), path, "a text");
    return json.get<std::string>();
}

}  // namespace cmr::io
