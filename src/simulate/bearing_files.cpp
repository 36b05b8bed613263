#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "io/json_fields.h"
#include "simulate/bearing.h"
#include "simulate/mat_write.h"

namespace cmr::simulate {

const std::vector<Bearing>& bearings() {
    using enum Damage;
    static const std::vector<Bearing> list = {
        {.code = "K001"},
        {.code = "K002"},
        {.code = "K003"},
        {.code = "K004"},
        {.code = "K005"},
        {.code = "K006"},
        {"KA01", kImpacts, "electrical discharge machining", true, false, 1},
        {"KA03", kImpacts, "engraving", true, false, 2},
        {"KA05", kImpacts, "engraving", true, false, 1},
        {"KA07", kImpacts, "drilling", true, false, 1},
        {"KA08", kImpacts, "drilling", true, false, 2},
        {"KI01", kImpacts, "electrical discharge machining", false, true, 1},
        {"KI03", kImpacts, "engraving", false, true, 1},
        {"KI07", kImpacts, "engraving", false, true, 2},
        {"KA04", kPitting, "fatigue pitting", true, false, 1},
        {"KA15", kDeformation, "plastic deformation", true, false, 1},
        {"KA16", kPitting, "fatigue pitting", true, false, 2},
        {"KA22", kPitting, "fatigue pitting", true, false, 1},
        {"KA30", kDeformation, "plastic deformation", true, false, 1},
        {"KB23", kPitting, "fatigue pitting", true, true, 2},
        {"KB24", kPitting, "fatigue pitting", true, true, 3},
        {"KB27", kDeformation, "plastic deformation", true, true, 1},
        {"KI04", kPitting, "fatigue pitting", false, true, 1},
        {"KI14", kPitting, "fatigue pitting", false, true, 1},
        {"KI16", kPitting, "fatigue pitting", false, true, 2},
        {"KM01", kMechanism, "loose drive, slightly", false, false, 0.35},
        {"KM02", kMechanism, "loose drive, clearly", false, false, 0.65},
        {"KM03", kMechanism, "loose drive, wholly", false, false, 1.0},
        {"KE01", kAdditive, "a neighbouring machine, faintly", false, false, 0.25},
        {"KE02", kAdditive, "a neighbouring machine, clearly", false, false, 0.5},
        {"KE03", kAdditive, "a neighbouring machine, as strong as the own vibration", false, false, 1.0},
    };
    return list;
}

const std::vector<OperatingCondition>& operating_conditions() {
    static const std::vector<OperatingCondition> list = {
        {"N15_M07_F10", 1500.0, 0.7, 1000.0},
        {"N09_M07_F10", 900.0, 0.7, 1000.0},
        {"N15_M01_F10", 1500.0, 0.1, 1000.0},
        {"N15_M07_F04", 1500.0, 0.7, 400.0},
    };
    return list;
}

namespace {

simulate::MatValue text(std::string content) {
    simulate::MatValue value;
    value.text = std::move(content);
    return value;
}

simulate::MatValue row(std::vector<float> numbers) {
    simulate::MatValue value;
    value.rows = 1;
    value.columns = static_cast<int64_t>(numbers.size());
    value.numbers = std::move(numbers);
    return value;
}

simulate::MatValue structure(std::vector<std::pair<std::string, std::vector<simulate::MatValue>>> fields) {
    simulate::MatValue value;
    value.fields = std::move(fields);
    return value;
}

simulate::MatValue times(size_t count, double step) {
    std::vector<float> seconds(count);
    for (size_t i = 0; i < count; ++i) seconds[i] = static_cast<float>(static_cast<double>(i) * step);
    return row(std::move(seconds));
}

// The struct as it is distributed: rasters in X, channels in Y, in the alphabetical order of their names.
simulate::MatValue to_mat(BearingRun run, const std::string& name, const OperatingCondition& condition) {
    constexpr const char* kFast = "HostService";
    constexpr const char* kSlow = "Mech_4kHz";
    constexpr const char* kSecond = "Temp_1Hz";
    using Column = std::vector<simulate::MatValue>;

    Column raster_names = {text(kFast), text(kSlow), text(kSecond)};
    Column raster_data = {times(run.vibration.size(), 1.0 / run.sample_rate_hz),
                          times(run.speed.size(), 16.0 / run.sample_rate_hz), times(run.temperature.size(), 1.0)};
    Column names, types, data, rasters, units;
    const auto add = [&](const char* channel, const char* raster, const char* unit, std::vector<float>& numbers) {
        names.push_back(text(channel));
        types.push_back(text("double"));
        rasters.push_back(text(raster));
        units.push_back(text(unit));
        data.push_back(row(std::move(numbers)));
    };
    add("force", kSlow, "N", run.force);
    add("phase_current_1", kFast, "A", run.phase_current_1);
    add("phase_current_2", kFast, "A", run.phase_current_2);
    add("speed", kSlow, "1/min", run.speed);
    add("temp_2_bearing_module", kSecond, "degC", run.temperature);
    add("torque", kSlow, "Nm", run.torque);
    add("vibration_1", kFast, "m/s^2", run.vibration);

    return structure({
        {"Info", {structure({{"Name", {text(name)}}, {"Origin", {text("simulated")}}})}},
        {"X",
         {structure({{"Name", std::move(raster_names)},
                     {"Type", {text("double"), text("double"), text("double")}},
                     {"Data", std::move(raster_data)},
                     {"Unit", {text("s"), text("s"), text("s")}}})}},
        {"Y",
         {structure({{"Name", std::move(names)},
                     {"Type", std::move(types)},
                     {"Data", std::move(data)},
                     {"Raster", std::move(rasters)},
                     {"Unit", std::move(units)}})}},
        {"Description", {structure({{"Measurement", {text(condition.code)}}})}},
    });
}

std::string kind_of(const Bearing& bearing) {
    switch (bearing.damage) {
        case Damage::kMechanism:
            return "mechanism";
        case Damage::kAdditive:
            return "additive";
        default:
            return "damage";
    }
}

// Whether `faults` asks for a bearing.
bool asked_for(const Bearing& bearing, const std::string& faults) {
    const std::string kind = kind_of(bearing);
    return bearing.damage == Damage::kNone || faults == "all" || faults == kind ||
           (faults == "both" && kind != "additive");
}

std::vector<Bearing> chosen_bearings(const BearingOptions& options) {
    const auto known = [](const std::string& code) {
        return std::ranges::find(bearings(), code, &Bearing::code) != bearings().end();
    };
    for (const std::string& code : options.bearings)
        if (!known(code)) throw InputError("there is no bearing {}; K001 is the first", code);
    std::vector<Bearing> chosen;
    for (const Bearing& bearing : bearings()) {
        const bool asked = options.bearings.empty() ? asked_for(bearing, options.faults)
                                                    : std::ranges::count(options.bearings, bearing.code) > 0;
        if (asked) chosen.push_back(bearing);
    }
    return chosen;
}

// Fewer runs first; below one run, shorter ones, but never below one window of the original's recipe.
BearingOptions scaled(BearingOptions options) {
    const double runs = static_cast<double>(options.runs_per_condition) * options.scale;
    options.runs_per_condition = std::max<int64_t>(1, std::llround(runs));
    if (runs < 1.0) options.seconds = std::max(std::min(options.seconds, 0.6), options.seconds * runs);
    return options;
}

FaultRecord fault_of(const Bearing& bearing, const BearingOptions& options) {
    const std::string kind = kind_of(bearing);
    const char* race = bearing.outer && bearing.inner ? "both races" : bearing.outer ? "outer race" : "inner race";
    return {.unit = bearing.code,
            .range = "sample",
            .begin = 0,
            .end = std::llround(options.seconds * options.sample_rate_hz) + 1,
            .time = fmt::format("0 s to {} s of every run", options.seconds),
            .kind = kind,
            .detail = kind == "damage" ? fmt::format("{}, {}", bearing.process, race) : bearing.process,
            .cause = kind == "additive" ? "" : "phase_current_1 phase_current_2",
            .effect = "vibration_1",
            .severity = bearing.severity,
            .channels = {"vibration_1"}};
}

}  // namespace

void simulate_bearing(const fs::path& folder, const BearingOptions& options, const Progress& progress) {
    require_one_of("faults", options.faults, {"damage", "mechanism", "both", "additive", "all", "none"});
    require_range("scale", options.scale, 1e-3, 1.0);
    require_range("runs_per_condition", static_cast<double>(options.runs_per_condition), 1, 1000);
    require_range("seconds", options.seconds, 0.05, 60);
    require_range("sample_rate_hz", options.sample_rate_hz, 16000, 256000);  // the highest mode needs 14.9 kHz
    require_range("rig", static_cast<double>(options.rig), 0, 1e9);
    const BearingOptions size = scaled(options);
    const std::vector<Bearing> chosen = chosen_bearings(options);
    prepare_folder(folder, {"K*/N*_M*_F*_K*_*.mat"});

    std::vector<FaultRecord> faults;
    for (const Bearing& bearing : chosen) {
        fs::create_directory(folder / bearing.code);
        if (bearing.damage != Damage::kNone) faults.push_back(fault_of(bearing, size));
    }
    const int64_t per_bearing = static_cast<int64_t>(operating_conditions().size()) * size.runs_per_condition;
    parallel_with_progress(static_cast<int64_t>(chosen.size()) * per_bearing, progress, [&](int64_t task) {
        const Bearing& bearing = chosen[static_cast<size_t>(task / per_bearing)];
        const int64_t within = task % per_bearing;
        const OperatingCondition& condition =
            operating_conditions()[static_cast<size_t>(within / size.runs_per_condition)];
        const int64_t run = within % size.runs_per_condition + 1;
        const std::string name = fmt::format("{}_{}_{}", condition.code, bearing.code, run);
        simulate::write_mat(folder / bearing.code / (name + ".mat"), name,
                            to_mat(simulate_bearing_run(bearing, condition, run, size), name, condition));
    });
    write_ground_truth(folder, "bearing", io::to_json(options), faults);
}

}  // namespace cmr::simulate
