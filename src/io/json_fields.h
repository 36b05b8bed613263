#pragma once
// Structs with a visit_fields as JSON, and back. NaN is null.

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fields.h"
#include "io/tensors/header.h"

namespace cmr::io {

using Json = nlohmann::ordered_json;

template <typename T>
Json to_json(const std::vector<T>& values);

template <typename T>
Json to_json(const T& value) {
    if constexpr (kHasFields<const T>) {
        Json out = Json::object();
        visit_fields(value, [&](const char* name, const auto& member, const char*) { out[name] = to_json(member); });
        return out;
    } else {
        return value;
    }
}

template <typename T>
Json to_json(const std::vector<T>& values) {
    Json out = Json::array();
    for (const T& value : values) out.push_back(to_json(value));
    return out;
}

// What becomes of a field that is not there. It keeps its value in files that an earlier version may have written.
enum class Missing { kIsAnError, kKeepsItsValue };

class JsonReader {
  public:
    // What the fields are called in messages: "model setting".
    JsonReader(std::string source, std::string what, Missing missing)
        : source_(std::move(source)), what_(std::move(what)), missing_(missing) {}

    template <typename T>
    void read(const Json& json, const std::string& path, T& value) const {
        if constexpr (kHasFields<T>) {
            read_fields(json, path, value);
        } else if constexpr (std::is_same_v<T, bool>) {
            expect(json.is_boolean(), path, "true or false");
            value = json.get<bool>();
        } else if constexpr (std::is_same_v<T, std::string>) {
            expect(json.is_string(), path, "a text");
            value = json.get<std::string>();
        } else if constexpr (std::is_floating_point_v<T>) {
            expect(json.is_number() || json.is_null(), path, "a number");
            value = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
        } else {
            expect(json.is_number_integer() && (!json.is_number_unsigned() || json.get<uint64_t>() <= INT64_MAX), path,
                   "a whole number");
            value = json.get<T>();
        }
    }

    template <typename T>
    void read(const Json& json, const std::string& path, std::vector<T>& values) const {
        expect(json.is_array(), path, "a list");
        values.assign(json.size(), T{});
        for (size_t i = 0; i < json.size(); ++i) read(json[i], fmt::format("{}[{}]", path, i), values[i]);
    }

  private:
    template <typename T>
    void read_fields(const Json& json, const std::string& path, T& value) const {
        expect(json.is_object(), path, "an object");
        std::set<std::string> known;
        visit_fields(value, [&](const char* name, auto& member, const char*) {
            known.insert(name);
            const std::string inner = path.empty() ? name : path + "." + name;
            if (json.contains(name))
                read(json[name], inner, member);
            else if (missing_ == Missing::kIsAnError)
                throw InputError("{}: {} {} is missing", source_, what_, inner);
        });
        for (const auto& [name, unused] : json.items())
            if (!known.contains(name)) throw InputError("{}: unknown {} {}", source_, what_, in_quotes(name));
    }

    void expect(bool condition, const std::string& path, const char* wanted) const {
        if (!condition) throw InputError("{}: {} {} must be {}", source_, what_, path, wanted);
    }

    std::string source_, what_;
    Missing missing_;
};

// Reads a text into `value`. Unknown and missing fields, wrong types and broken JSON are InputErrors that name
// `source`.
template <typename T>
void from_json(const std::string& text, const std::string& source, const std::string& what, T& value,
               Missing missing = Missing::kIsAnError) {
    const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) throw InputError("{}: its {}s are not valid JSON", source, what);
    JsonReader(source, what, missing).read(json, "", value);
}

}  // namespace cmr::io
