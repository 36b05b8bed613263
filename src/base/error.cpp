#include "base/error.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace cmr {

bool users_can_mend(int error) {
    switch (error) {
        case ENOENT:
        case EACCES:
        case EPERM:
        case ENOTDIR:
        case EISDIR:
        case EEXIST:
        case ENOTEMPTY:
        case ENAMETOOLONG:
        case ELOOP:
        case EROFS:
        case EINVAL:
            return true;
        default:
            return false;
    }
}

void fail_with(int error, const std::string& what) {
    const std::string message = what + ": " + std::generic_category().message(error);
    if (users_can_mend(error)) throw InputError(message);
    throw SystemError(message);
}

void fail_assertion(const char* condition, const char* why, const char* file, int line) {
    throw InternalError(
        fmt::format("{}:{}: {} ({} is false)", std::filesystem::path(file).filename().string(), line, why, condition));
}

}  // namespace cmr
