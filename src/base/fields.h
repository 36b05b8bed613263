#pragma once
// One description of a settings struct serves reading, writing and documenting it: a visit_fields function beside the
// struct calls visit(name, member, help) for every member, in order. Members are bool, integers, floating-point
// numbers, std::string, std::vector of those, or structs with a visit_fields of their own.

namespace cmr {

template <typename T>
concept HasFields = requires(T& value) {
    visit_fields(value, [](const char*, auto&, const char*) {});
};

}  // namespace cmr
