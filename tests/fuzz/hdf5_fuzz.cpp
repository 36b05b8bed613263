// The library runs in a child process, so the fuzzer sees only the coverage of the parent and mutates the seeds
// blindly.

#include <fstream>

#include "fuzz_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // A file with a name: the library opens no other.
    static const std::string path = "/tmp/cmr-fuzz-" + std::to_string(getpid()) + ".h5";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    cmr::test::fuzz_table(path, "hdf5");
    unlink(path.c_str());
    return 0;
}
