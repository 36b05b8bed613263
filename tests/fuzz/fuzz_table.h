#pragma once
// Reads the bytes as a table of one format, every column as every kind. Anything but success or an InputError is a
// finding.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/table.h"

namespace cmr::test {

// The bytes as a file that exists only in memory.
class MemoryFile {
  public:
    MemoryFile(const uint8_t* data, size_t size) : descriptor_(memfd_create("fuzz", 0)) {
        while (size > 0) {
            const ssize_t written = write(descriptor_, data, size);
            if (written <= 0) break;
            data += written;
            size -= static_cast<size_t>(written);
        }
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  private:
    int descriptor_;
};

inline void fuzz_table(const std::string& path, const std::string& format) {
    for (const io::ColumnKind kind : {io::ColumnKind::kNumber, io::ColumnKind::kTime, io::ColumnKind::kText}) {
        try {
            io::TableOptions options;
            options.format = format;
            const auto table = io::open_table(path, options);
            std::vector<io::Selection> all;
            for (size_t i = 0; i < table->columns().size(); ++i) all.push_back({static_cast<int64_t>(i), kind});
            table->select(all);
            io::TableBlock block;
            while (table->read(block)) table->place(block.lines.back());
        } catch (const InputError&) {
        }
    }
}

inline void fuzz_table(const uint8_t* data, size_t size, const std::string& format) {
    const MemoryFile file(data, size);
    fuzz_table(file.path(), format);
}

}  // namespace cmr::test
