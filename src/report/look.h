#pragma once
// How a page looks and answers the pointer: its style sheet and its script.
//
// Colours have a meaning, and the same one everywhere; all pairs that meet are told apart by colour-blind eyes too.
//   healthy teal, alarm vermilion, fault (what was really wrong) amber, cause purple, effect blue.
// The eight hues mean nothing but the difference between lines or classes; what has a hue differs in dashes or shape
// too. Cells of a grid and bars are blue, the stronger the more.

namespace cmr::report {

extern const char* const kStyle;
extern const char* const kScript;

}  // namespace cmr::report
