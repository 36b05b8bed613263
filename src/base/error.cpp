#include "base/error.h"

#include <filesystem>

namespace cmr {

void fail_assertion(const char* condition, const char* why, const char* file, int line) {
    throw InternalError(
        fmt::format("{}:{}: {} ({} is false)", std::filesystem::path(file).filename().string(), line, why, condition));
}

}  // namespace cmr
