#pragma once
// Writes one drawing. Text and attributes are escaped, numbers are short and never NaN, elements close in order, so the
// result is well-formed whatever the data are called. Names of elements and attributes are ours.

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "report/text.h"

namespace cmr::report {

struct Point {
    double x = 0;
    double y = 0;
};

struct Attribute {
    Attribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
    template <typename Number>
    requires std::integral<Number> || std::floating_point<Number> Attribute(std::string_view attribute, Number number)
        : name(attribute), value(coordinate(static_cast<double>(number))) {}

    std::string_view name;
    std::string value;
};
using Attributes = std::initializer_list<Attribute>;

class Svg {
  public:
    // `description` is what a screen reader says instead of the drawing.
    Svg(double width, double height, std::string_view css_class, std::string_view description, Attributes more = {});

    void open(std::string_view element, Attributes attributes = {});
    void close();
    // `title` is what browsers show when the pointer rests on it.
    void draw(std::string_view element, Attributes attributes, std::string_view title = {});
    void write(const Point& at, std::string_view text, Attributes attributes = {}, std::string_view title = {});
    // A name and a smaller note after it.
    void write_heading(const Point& at, std::string_view name, std::string_view css_class, std::string_view note,
                       std::string_view title = {});

    // Shapes that every chart needs.
    void line(const Point& from, const Point& to, std::string_view css_class);
    void rectangle(const Point& corner, double width, double height, std::string_view css_class,
                   std::string_view title = {});

    std::string finish();

  private:
    void begin_tag(std::string_view element, Attributes attributes);

    std::string out_;
    std::vector<std::string> open_;
};

}  // namespace cmr::report
