#pragma once
// The variables of a MATLAB file of version 5, flattened into named arrays. Their numbers stay where the file has
// them, in its own byte order and width.

#include <deque>

#include "io/arrays/named_array_table.h"
#include "io/mat/element.h"

namespace cmr::io::mat {

struct Array {
    ArrayInfo info;
    Storage storage{};
    std::string_view bytes;  // column-major
    size_t buffer = 0;       // in Content::buffers, where the bytes live
};

struct Content {
    std::deque<std::string> buffers;  // the file itself, then each inflated variable; they stay where they are
    std::vector<Array> arrays;
    bool swapped = false;  // the file's byte order is not this machine's
};

Content parse(const fs::path& path, std::string file);

}  // namespace cmr::io::mat
