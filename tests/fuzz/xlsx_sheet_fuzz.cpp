// The XML of a sheet by itself: behind the checksums of an archive, little of a changed file would reach its parser.

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "io/xlsx/sheet_table.h"

namespace {

using namespace cmr::io;

Workbook small_book() {
    Workbook book;
    book.sheet = "Data";
    book.date_style = {false, true};
    for (const char* text : {"time", "1/2/2015", "Bad", " 2.5 ", ""}) {
        book.strings.append(text);
        book.strings.close();
    }
    return book;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto open = [=]() -> XmlReader::ReadBytes {
        return [=, done = size_t{0}](std::span<std::byte> bytes) mutable {
            const size_t count = std::min(bytes.size(), size - done);
            if (count > 0) std::memcpy(bytes.data(), data + done, count);
            done += count;
            return count;
        };
    };
    for (const ColumnKind kind : {ColumnKind::kNumber, ColumnKind::kTime, ColumnKind::kText}) {
        try {
            TableOptions options;
            options.missing = {"Bad", "-1"};
            const auto table = open_sheet("fuzz", small_book(), open, options);
            std::vector<Selection> all;
            for (size_t i = 0; i < table->columns().size(); ++i) all.push_back({static_cast<int64_t>(i), kind});
            table->select(all);
            TableBlock block;
            while (table->read(block)) table->place(block.lines.back());
        } catch (const cmr::InputError&) {
        }
    }
    return 0;
}
