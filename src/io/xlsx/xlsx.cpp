#include "io/xlsx/xlsx.h"

#include "io/xlsx/sheet_table.h"
#include "io/xlsx/workbook.h"
#include "io/zip.h"

namespace cmr::io {

std::unique_ptr<Table> open_xlsx(const fs::path& path, const TableOptions& options) {
    const auto archive = std::make_shared<ZipArchive>(path);
    Workbook book = read_workbook(*archive, path.string(), options.sheet);
    const auto open = [archive, sheet = book.sheet_member]() -> XmlReader::ReadBytes {
        const auto member = std::make_shared<ZipMember>(archive->open(sheet));
        return [member](std::span<std::byte> bytes) { return member->read(bytes); };
    };
    return open_sheet(path.string(), std::move(book), open, options);
}

}  // namespace cmr::io
