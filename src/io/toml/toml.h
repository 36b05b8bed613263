#pragma once
// TOML as a plain tree whose every value knows where it stands, and the two directions between such a tree and a
// settings struct (base/fields.h). The parser's own headers stay in toml.cpp.

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fields.h"

namespace cmr::io {

struct TomlNode {
    enum class Kind { kTable, kList, kText, kWhole, kNumber, kTruth, kOther };
    Kind kind = Kind::kTable;
    std::string place;  // "pu.toml:12" or "--set window.stride=64"
    std::string text;
    int64_t whole = 0;
    double number = 0;
    bool truth = false;
    std::vector<TomlNode> items;                             // of a list
    std::vector<std::pair<std::string, TomlNode>> children;  // of a table, in the order of the file

    // Not in the header: clang 14 would need the pairs above before this type is complete.
    TomlNode();
    ~TomlNode();
    TomlNode(const TomlNode&);
    TomlNode(TomlNode&&) noexcept;
    TomlNode& operator=(const TomlNode&);
    TomlNode& operator=(TomlNode&&) noexcept;

    TomlNode* find(std::string_view key);
};

// `source` names the text in messages.
TomlNode parse_toml(const std::string& text, const std::string& source);

// Lays `over` over `under`: tables are merged, all else is replaced.
void merge_toml(TomlNode& under, TomlNode over);

// Lays one `key.path=value` over a tree; a value that is not TOML is taken as a text.
void set_toml(TomlNode& tree, const std::string& assignment);

// As text that parse_toml reads back.
std::string print_toml(const TomlNode& table);

[[noreturn]] void refuse_type(const TomlNode& node, const std::string& path, const char* wanted);
[[noreturn]] void refuse_key(const TomlNode& node, const std::string& path, const std::string& key,
                             const std::vector<std::string>& known);

// Tree → struct. Members that the tree does not name keep their value; unknown keys are errors with the nearest known
// one.
template <typename T>
void read_settings(const TomlNode& node, const std::string& path, T& value);

template <typename T>
void read_settings(const TomlNode& node, const std::string& path, std::vector<T>& values) {
    if (node.kind != TomlNode::Kind::kList) refuse_type(node, path, "a list");
    values.assign(node.items.size(), T{});
    for (size_t i = 0; i < node.items.size(); ++i)
        read_settings(node.items[i], path + "[" + std::to_string(i) + "]", values[i]);
}

template <typename T>
void read_settings(const TomlNode& node, const std::string& path, T& value) {
    using Kind = TomlNode::Kind;
    if constexpr (kHasFields<T>) {
        if (node.kind != Kind::kTable) refuse_type(node, path, "a table");
        std::vector<std::string> known;
        visit_fields(value, [&](const char* name, auto&, const char*) { known.emplace_back(name); });
        for (const auto& [key, child] : node.children) {
            bool found = false;
            visit_fields(value, [&, &key = key, &child = child](const char* name, auto& member, const char*) {
                if (found || key != name) return;
                found = true;
                read_settings(child, path.empty() ? key : path + "." + key, member);
            });
            if (!found) refuse_key(child, path, key, known);
        }
    } else if constexpr (std::is_same_v<T, bool>) {
        if (node.kind != Kind::kTruth) refuse_type(node, path, "true or false");
        value = node.truth;
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (node.kind != Kind::kText) refuse_type(node, path, "a text in quotes");
        value = node.text;
    } else if constexpr (std::is_floating_point_v<T>) {
        if (node.kind != Kind::kNumber && node.kind != Kind::kWhole) refuse_type(node, path, "a number");
        value = node.kind == Kind::kWhole ? static_cast<T>(node.whole) : static_cast<T>(node.number);
    } else {
        if (node.kind != Kind::kWhole) refuse_type(node, path, "a whole number");
        value = static_cast<T>(node.whole);
    }
}

// Struct → tree, every member.
template <typename T>
TomlNode write_settings(const T& value);

template <typename T>
TomlNode write_settings(const std::vector<T>& values) {
    TomlNode node;
    node.kind = TomlNode::Kind::kList;
    for (const T& value : values) node.items.push_back(write_settings(value));
    return node;
}

template <typename T>
TomlNode write_settings(const T& value) {
    TomlNode node;
    if constexpr (kHasFields<const T>) {
        visit_fields(value, [&](const char* name, const auto& member, const char*) {
            node.children.emplace_back(name, write_settings(member));
        });
    } else if constexpr (std::is_same_v<T, bool>) {
        node.kind = TomlNode::Kind::kTruth;
        node.truth = value;
    } else if constexpr (std::is_same_v<T, std::string>) {
        node.kind = TomlNode::Kind::kText;
        node.text = value;
    } else if constexpr (std::is_floating_point_v<T>) {
        node.kind = TomlNode::Kind::kNumber;
        node.number = static_cast<double>(value);
    } else {
        node.kind = TomlNode::Kind::kWhole;
        node.whole = static_cast<int64_t>(value);
    }
    return node;
}

}  // namespace cmr::io
