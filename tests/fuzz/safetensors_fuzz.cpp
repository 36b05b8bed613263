#include "fuzz_table.h"
#include "io/tensors/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const cmr::test::MemoryFile file(data, size);
    try {
        cmr::io::read_safetensors(file.path());
    } catch (const cmr::InputError&) {
    }
    return 0;
}
