#pragma once
// `cmr alarms`: what the ledger of a plant says, and what people do about it, from the shell.

#include <filesystem>
#include <string>

namespace cmr::cli {

struct AlarmsOptions {
    std::filesystem::path plant;
    std::string asset;   // only this one's
    int64_t limit = 50;  // entries, the newest
    bool json = false, csv = false;
    std::string act;   // acknowledge, reset, shelve, unshelve, remove, restore, mark, unmark
    std::string at;    // mark, unmark: the alarm that began last until then; empty: the last one
    double hours = 8;  // of a shelf
    std::string who, why;
};

std::string alarms(const AlarmsOptions& options);

}  // namespace cmr::cli
