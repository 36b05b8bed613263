#pragma once
// What every chart must be, whatever its data.

#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "report/text.h"
#include "report/well_formed.h"

namespace cmr::test {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline const std::string kHostile = "</svg></script><script>alert('1')</script>\" onload=\"x & \xB0";

// One XML document, no number that is none, nothing of a hostile name obeyed.
inline void expect_clean(const report::Html& html) {
    EXPECT_TRUE(is_well_formed(html.text));
    EXPECT_THAT(html.text, testing::Not(testing::HasSubstr("<script")));
    EXPECT_THAT(html.text, testing::Not(testing::HasSubstr(" onload=\"")));
    EXPECT_THAT(html.text, testing::Not(testing::ContainsRegex("[\" ,MLhv-](nan|inf)[\" ,LhvZ]")));
}

inline size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace cmr::test
