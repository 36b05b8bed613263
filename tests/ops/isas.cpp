#include "ops/gradients.h"

namespace cmr {

INSTANTIATE_TEST_SUITE_P(Isas, EveryIsa, testing::ValuesIn(kernels::available_isas()),
                         [](const auto& isa) { return std::string(kernels::name(isa.param)); });

}  // namespace cmr
