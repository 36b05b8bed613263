#include "say.h"

#include <unistd.h>

#include <cstdio>

#include "base/text.h"

namespace cmr {

void say_text(const std::string& text) {
    const std::string said = isatty(STDERR_FILENO) != 0 ? printable(text) : text;
    std::fwrite(said.data(), 1, said.size(), stderr);
}

}  // namespace cmr
