#pragma once
// What a Python script of this folder measures.

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace cmr::bench {

// The JSON that it prints; null where it fails, as without python3-torch.
inline nlohmann::ordered_json from_python(const std::string& script_and_arguments) {
    FILE* pipe = popen(fmt::format("/usr/bin/python3 '{}'/{}", CMR_BENCH_DIR, script_and_arguments).c_str(), "r");
    if (!pipe) return nullptr;
    std::string text;
    char part[4096];
    for (size_t got; (got = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, got);
    if (pclose(pipe) != 0) return nullptr;
    return nlohmann::ordered_json::parse(text, nullptr, false);
}

}  // namespace cmr::bench
