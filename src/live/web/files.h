#pragma once
// The files of web/, as they were when the program was built.

#include <span>
#include <string_view>

namespace cmr::live {

struct WebFile {
    std::string_view path;  // "/", "/app.js"
    std::string_view type;
    std::string_view content;
};

std::span<const WebFile> web_files();

}  // namespace cmr::live
