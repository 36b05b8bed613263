#pragma once
// How nested MATLAB data are called when they are flattened, in files of version 5 and of version 7.3.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cmr::io {

// The name as it may stand in a message: what is not printable ASCII becomes `?`.
std::string printable(std::string_view name);

// A text field `Name` as a label: without blanks around. Empty where it is not valid, too long or has control
// characters, so no good as a label.
std::string label(std::string_view utf8);
std::string label(std::span<const uint16_t> utf16);

// Names of the elements of a struct array: "Y" for a single one, otherwise "Y[force]", or "Y[2]" where the label is
// empty or not the only one of its kind.
std::vector<std::string> element_names(const std::string& array, const std::vector<std::string>& labels);

// Counts what a flattened file takes. Names repeat those of the structs around them, so a small hostile file could ask
// for any amount of them.
class NameBudget {
  public:
    explicit NameBudget(std::string file) : file_(std::move(file)) {}
    // An InputError where it is too much.
    void spend(const std::string& name);
    void enter(const std::string& name);
    void leave() { --depth_; }

  private:
    std::string file_;
    size_t bytes_ = 0;
    int depth_ = 0;
};

}  // namespace cmr::io
