#pragma once
// Samples as points in the plane: two scores against each other, or a map of embeddings. Each class has a colour and a
// shape of its own and is one path, so thousands of points stay a small file.

#include <string>
#include <vector>

#include "report/scale.h"
#include "report/text.h"

namespace cmr::report {

struct PointClass {
    std::string name;
    std::vector<double> x, y;  // a point is left out, and not counted, where one of them is NaN or infinite
    bool healthy = false;      // else a fault
};

struct Scatter {
    std::string description;
    std::string x_name, y_name;
    ScaleKind x = ScaleKind::kLinear;
    ScaleKind y = ScaleKind::kLinear;   // on a logarithmic axis what is 0 or less lies on its lower end
    std::vector<PointClass> classes{};  // the first is drawn first, under the others
};

// InputError for x and y of different numbers and for more than 8 faults, which is what can be told apart.
Html draw(const Scatter& scatter);

}  // namespace cmr::report
