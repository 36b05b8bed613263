#pragma once
// Watches the time stamps of a file row by row and cuts its samples into segments.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

class TimeTrack {
  public:
    // The stamps of one part. Without a time column the samples are one segment at the recipe's rate.
    TimeTrack(const recipe::Data& data, const recipe::Time& time);

    // The next row's time. Returns how many samples are missing before it and are to be inserted as absent: more than 0
    // only where the gap policy fills gaps; rows that will be resampled miss none. Nothing: the row repeats the time of
    // the one before and is left out. Refuses times that stand still or go back, unless the recipe allows them, and, if
    // the policy says so, steps that are too long; the table and its line tell where.
    std::optional<int64_t> advance(double time_s, const io::Table& table, int64_t line);

    // Call when all `samples` are in. Refuses a rate other than the recipe's, but of rows that will be resampled.
    std::vector<Segment> finish(int64_t samples, const std::string& name) &&;

    bool used() const { return used_; }
    bool resampled() const { return time_.resample != "none"; }
    int64_t repeated() const { return repeated_; }  // rows left out
    bool dated() const { return used_ && !segments_.empty() && segments_.front().start_s > kYear; }

  private:
    static constexpr double kYear = 365.0 * 86400;  // a number of seconds below this is no date

    void cut(double time_s);

    const recipe::Data& data_;
    const recipe::Time& time_;
    bool used_ = false;
    double step_s_;
    double last_s_ = 0;
    int64_t samples_ = 0;
    int64_t repeated_ = 0;
    std::vector<Segment> segments_;
    std::vector<double> first_steps_;  // enough to tell the rate
};

// InputError where the rows of `name` are clearly not at the recipe's rate: the median of the first steps in time, of
// three or more, is a tenth off.
inline constexpr size_t kEnoughSteps = 999;
void refuse_other_rate(std::vector<double> steps_s, const recipe::Data& data, const std::string& name);

}  // namespace cmr::data
