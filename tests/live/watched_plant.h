#pragma once
// A small plant for the live monitor: a fitted model file, readings of healthy and faulty hours, and a clock that tests
// set.

#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "live/clock.h"
#include "live/engine.h"
#include "live/partner.h"
#include "live/readings_file.h"
#include "score/file/detector_file.h"
#include "score/small_plant.h"

namespace cmr::live {

class TestClock final : public Clock {
  public:
    double wall_s() const override { return wall; }
    double steady_s() const override { return steady; }
    void pass(double seconds) {
        wall = wall + seconds;
        steady = steady + seconds;
    }
    std::atomic<double> wall = 1.8e9, steady = 1000;
};

inline constexpr double kStart_s = 1.75e9;  // of the readings

// Made once: fitting takes a second.
inline const std::shared_ptr<const score::Detector>& small_model() {
    static const auto model = std::make_shared<const score::Detector>(test::SmallPlant().fit_bare());
    return model;
}
inline const score::Detector& small_detector() { return *small_model(); }

inline std::vector<std::string> small_channels() {
    std::vector<std::string> out;
    for (const auto& channel : small_detector().channels) out.push_back(channel.name);
    return out;
}

// Healthy rows, of which those in [faulty, healed) are not: the inlet no longer follows.
inline std::vector<Reading> plant_readings(const std::string& asset, int64_t begin, int64_t end, int64_t faulty = -1,
                                           int64_t healed = 1 << 30) {
    data::Dataset dataset = test::small_dataset();
    dataset.recordings.clear();
    data::Recording& recording = test::add_plant_recording(dataset, end, 3);
    const std::vector<std::string> channels = small_channels();
    std::vector<Reading> out;
    for (int64_t t = begin; t < end; ++t)
        for (size_t c = 0; c < channels.size(); ++c) {
            float value = recording.channels[c].values()[t];
            if (c == 2 && faulty >= 0 && t >= faulty && t < healed) value = 20 - value;
            out.push_back({asset, channels[c], kStart_s + static_cast<double>(t), value});
        }
    return out;
}

inline std::string small_plant_text(const std::string& more = "", const std::string& names = "\"pump\"") {
    return "[[asset]]\nnames = [" + names + "]\nmodel = \"small.cmr\"\n[web]\naddress = \"\"\n" + more;
}

inline Plant small_plant(const std::filesystem::path& folder, const std::string& more = "",
                         const std::string& names = "\"pump\"") {
    if (!std::filesystem::exists(folder / "small.cmr")) score::save_detector(small_detector(), folder / "small.cmr");
    return parse_plant(small_plant_text(more, names), folder / "plant.toml");
}

}  // namespace cmr::live
