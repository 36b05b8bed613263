#pragma once
// The databases of table.cpp.

#include "live/ledgers/database.h"

namespace cmr::live {

std::unique_ptr<Database> open_sqlite(const DatabaseAddress& address);
std::unique_ptr<Database> open_postgres(const DatabaseAddress& address);

}  // namespace cmr::live
