// By itself, so that a program that reads a recipe need not link the readers of files.
#include <cctype>
#include <charconv>

#include "base/error.h"
#include "io/table.h"

namespace cmr::io {

std::vector<std::string> expand_names(const std::vector<std::string>& names) {
    std::vector<std::string> expanded;
    for (const std::string& name : names) {
        const size_t dots = name.find("..");
        size_t begin = dots;
        while (begin != std::string::npos && begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1])))
            --begin;
        size_t end = dots == std::string::npos ? dots : dots + 2;
        while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end]))) ++end;
        int64_t first = 0, last = 0;
        const bool range = dots != std::string::npos && begin < dots && end > dots + 2 &&
                           std::from_chars(name.data() + begin, name.data() + dots, first).ec == std::errc() &&
                           std::from_chars(name.data() + dots + 2, name.data() + end, last).ec == std::errc();
        if (!range) {
            expanded.push_back(name);
            continue;
        }
        if (last < first || last - first >= 100'000)
            throw InputError("the names '{}' count from {} to {}, expected an ascending range", name, first, last);
        for (int64_t i = first; i <= last; ++i)
            expanded.push_back(fmt::format("{}{}{}", name.substr(0, begin), i, name.substr(end)));
    }
    return expanded;
}

}  // namespace cmr::io
