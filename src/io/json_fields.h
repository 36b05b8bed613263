#pragma once
// Structs with a visit_fields as JSON, and back. NaN is null. The work is done in json_fields.cpp: the JSON library is
// slow to compile, and what stands here is compiled for every field of every struct.

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/fields.h"

namespace cmr::io {

using Json = nlohmann::ordered_json;

// As text on one line, or indented. What is not UTF-8 is replaced.
std::string to_text(const Json& json, int indent = -1);

class JsonWriter {
  public:
    template <typename T>
    static void write(Json& out, const T& value) {
        if constexpr (kHasFields<const T>) {
            make_object(out);
            visit_fields(value, [&](const char* name, const auto& member, const char*) {
                write(add_member(out, name), member);
            });
        } else if constexpr (std::is_same_v<T, bool>) {
            set_flag(out, value);
        } else if constexpr (std::is_same_v<T, std::string>) {
            set_text(out, value);
        } else if constexpr (std::is_floating_point_v<T>) {
            set_number(out, value);
        } else {
            static_assert(std::is_integral_v<T>);
            set_whole(out, value);
        }
    }

    template <typename T>
    static void write(Json& out, const std::vector<T>& values) {
        make_list(out);
        for (const T& value : values) write(add_element(out), value);
    }

  private:
    static void make_object(Json& out);
    static Json& add_member(Json& object, const char* name);
    static void make_list(Json& out);
    static Json& add_element(Json& list);
    static void set_flag(Json& out, bool value);
    static void set_whole(Json& out, int64_t value);
    static void set_number(Json& out, double value);
    static void set_text(Json& out, const std::string& value);
};

template <typename T>
Json to_json(const T& value) {
    Json out;
    JsonWriter::write(out, value);
    return out;
}

// What becomes of a field that is not there. It keeps its value in files that an earlier version may have written.
enum class Missing { kIsAnError, kKeepsItsValue };

class JsonReader {
  public:
    // What the fields are called in messages: "model setting".
    JsonReader(std::string source, std::string what, Missing missing)
        : source_(std::move(source)), what_(std::move(what)), missing_(missing) {}

    Json parse(const std::string& text) const;

    template <typename T>
    void read(const Json& json, const std::string& path, T& value) const {
        if constexpr (kHasFields<T>) {
            expect_object(json, path);
            std::set<std::string> known;
            visit_fields(value, [&](const char* name, auto& member, const char*) {
                known.insert(name);
                const std::string inner = path.empty() ? name : path + "." + name;
                if (const Json* found = find(json, name, inner)) read(*found, inner, member);
            });
            expect_known(json, known);
        } else if constexpr (std::is_same_v<T, bool>) {
            value = flag(json, path);
        } else if constexpr (std::is_same_v<T, std::string>) {
            value = text(json, path);
        } else if constexpr (std::is_floating_point_v<T>) {
            value = static_cast<T>(number(json, path));
        } else {
            value = static_cast<T>(whole(json, path));
        }
    }

    template <typename T>
    void read(const Json& json, const std::string& path, std::vector<T>& values) const {
        const size_t count = size_of_list(json, path);
        values.assign(count, T{});
        for (size_t i = 0; i < count; ++i)
            if constexpr (std::is_same_v<T, bool>)
                values[i] = flag(element(json, i), path_of(path, i));
            else
                read(element(json, i), path_of(path, i), values[i]);
    }

  private:
    void expect_object(const Json& json, const std::string& path) const;
    void expect_known(const Json& object, const std::set<std::string>& known) const;
    const Json* find(const Json& object, const char* name,
                     const std::string& path) const;  // null where it may be missing
    size_t size_of_list(const Json& json, const std::string& path) const;
    static const Json& element(const Json& list, size_t i);
    static std::string path_of(const std::string& list, size_t i);
    bool flag(const Json& json, const std::string& path) const;
    int64_t whole(const Json& json, const std::string& path) const;
    double number(const Json& json, const std::string& path) const;
    std::string text(const Json& json, const std::string& path) const;
    void expect(bool condition, const std::string& path, const char* wanted) const;

    std::string source_, what_;
    Missing missing_;
};

// Reads a text into `value`. Unknown and missing fields, wrong types and broken JSON are InputErrors that name
// `source`.
template <typename T>
void from_json(const std::string& text, const std::string& source, const std::string& what, T& value,
               Missing missing = Missing::kIsAnError) {
    const JsonReader reader(source, what, missing);
    reader.read(reader.parse(text), "", value);
}

}  // namespace cmr::io
