#include "fuzz_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    cmr::test::fuzz_table(data, size, "npy");
    return 0;
}
