#pragma once
// `cmr calibrate`: the alarm line as a promise of so many false alarms per day.

#include <filesystem>
#include <string>

#include "score/calibrate/alarm.h"

namespace cmr::cli {

struct CalibrateOptions {
    std::filesystem::path model;
    std::filesystem::path out;  // empty: the model itself
    double false_alarms_per_day = 0;
    score::AlarmRule rule;
    bool json = false;
};

std::string calibrate(const CalibrateOptions& options);

}  // namespace cmr::cli
