#pragma once
// One description of a settings struct serves reading, writing and documenting it: a visit_fields function beside the
// struct calls visit(name, member, help) for every member, in order. Members are bool, integers, floating-point
// numbers, std::string, std::vector of those, or structs with a visit_fields of their own.

#include <type_traits>
#include <utility>

namespace cmr {

struct IgnoreField {
    template <typename Member>
    void operator()(const char*, Member&, const char*) const {}
};

template <typename T, typename = void>
inline constexpr bool kHasFields = false;
template <typename T>
inline constexpr bool kHasFields<T, std::void_t<decltype(visit_fields(std::declval<T&>(), IgnoreField{}))>> = true;

}  // namespace cmr
