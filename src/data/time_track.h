#pragma once
// Watches the time stamps of a file row by row and cuts its samples into segments.

#include <cstdint>
#include <string>
#include <vector>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

class TimeTrack {
  public:
    // Without a time column the samples are one segment at the recipe's rate.
    explicit TimeTrack(const recipe::Data& data);

    // The next row's time. Returns how many samples are missing before it and are to be inserted as absent: more than 0
    // only where the gap policy fills gaps. Refuses times that stand still or go back, and, if the policy says so,
    // steps that are too long; the table and its line tell where.
    int64_t advance(double time_s, const io::Table& table, int64_t line);

    // Call when all `samples` are in. Refuses a rate other than the recipe's.
    std::vector<Segment> finish(int64_t samples, const std::string& name) &&;

    bool used() const { return used_; }
    bool dated() const { return used_ && !segments_.empty() && segments_.front().start_s > kYear; }

  private:
    static constexpr double kYear = 365.0 * 86400;  // a number of seconds below this is no date

    const recipe::Data& data_;
    bool used_ = false;
    double step_s_;
    double max_step_s_;
    double last_s_ = 0;
    int64_t samples_ = 0;
    std::vector<Segment> segments_;
    std::vector<double> first_steps_;  // enough to tell the rate
};

}  // namespace cmr::data
