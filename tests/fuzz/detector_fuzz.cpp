#include "fuzz_table.h"
#include "score/file/detector_file.h"

// A detector or an InputError, whatever its numbers claim about each other.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const cmr::test::MemoryFile file(data, size);
    try {
        cmr::score::load_detector(file.path());
    } catch (const cmr::InputError&) {
    }
    return 0;
}
