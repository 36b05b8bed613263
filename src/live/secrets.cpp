#include "live/secrets.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "io/file.h"

namespace cmr::live {

std::vector<std::string> read_secrets(const std::string& file) {
    std::vector<std::string> out;
    if (file.empty()) return out;
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) fail_with(errno, file);
    if (S_ISREG(status.st_mode) && (status.st_mode & S_IROTH))
        throw InputError("{} may be read by everybody; `chmod 600 {}` mends that", file, file);
    const std::string text = io::read_file(file);
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        std::string line = text.substr(begin, end - begin);
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (!line.empty()) out.push_back(std::move(line));
        begin = end + 1;
    }
    if (out.empty()) throw InputError("{} is empty, expected a secret in its first line", file);
    return out;
}

std::string read_secret(const std::string& file) { return file.empty() ? std::string() : read_secrets(file).front(); }

}  // namespace cmr::live
