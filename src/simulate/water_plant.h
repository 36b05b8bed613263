#pragma once
// The plant itself and its controller, second by second. Between measuring and deciding, and between deciding and
// acting, an attacker may write into what is passed on.

#include "simulate/process.h"
#include "simulate/water.h"

namespace cmr::simulate {

// Sizes of tanks, pumps and probes.
struct WaterRig {
    double level_per_flow = 0.19;  // mm/s for 1 m³/h into a tank of 1.5 m²
    double inlet = 2.55, transfer = 2.45, filter = 2.2, treated = 1.70, backwash = 1.8;  // m³/h
    double resistance = 7.5;              // kPa per m³/h, of clean membranes
    double acid = 0.15, chlorine = 25.0;  // what full dosing does to AIT202 and AIT203
    double probe = 1 / 20.;               // per second, from dosing to the probes
    double pressure = 86.5;               // kPa per (m³/h)², of reverse osmosis
};

// Number 0 is the plant above.
WaterRig water_rig(int64_t number);

// On the water's way: inlet, transfer, filtration, reverse osmosis.
inline constexpr size_t kWaterStages = 4;
inline constexpr int64_t kWaterLeadIn = 3600;  // s, until the controller's phases have forgotten the start

class WaterPlant {
  public:
    explicit WaterPlant(Rng rng, const WaterRig& rig = {});

    // What sensors and actuators show now.
    WaterRow measure();
    // One second on. `commands` holds what each actuator shall do, in the coding of its state (valves 1, 2; pumps 1,
    // 2).
    void advance(const WaterRow& commands);
    // Debris in a stage takes a share of its flow, and is carried on: when 0.3 m³ have gone through that stage, the
    // next one has it too, and so on to the last. Flushing ends it.
    void clog(size_t stage, double loss);
    void flush();
    std::vector<size_t> clogged() const;  // stages, in the order of the water

  private:
    void carry_debris();
    bool runs(size_t pump) const { return state_[pump] == 2.0f; }

    Rng rng_;
    WaterRig rig_;
    WaterRow state_{};                               // of the actuators
    std::array<double, water::kChannels> opened_{};  // of the valves, 0 … 1
    SlowNoise supply_, demand_, transfer_, acidity_, redox_, fouling_;
    double raw_, feed_, treated_;                                     // levels in mm: LIT101, LIT301, LIT401
    double conductivity_, acid_ = 0.0, chlorine_ = 0.0;               // AIT201; dosed amounts that reached the probes
    double cake_ = 0.0;                                               // on the membranes, 0 … 1
    std::array<double, kWaterStages> passes_ = {1.0, 1.0, 1.0, 1.0};  // share of the flow that debris leaves
    size_t reached_ = kWaterStages;                                   // the last clogged stage; none: past the end
    double carried_ = 0.0;                                            // m³ through that stage since
    double raw_flow_ = 0.0, transfer_flow_ = 0.0, filter_flow_ = 0.0, treated_flow_ = 0.0, backwash_flow_ = 0.0;
};

// Hysteresis on levels and chemistry, and the clock of the backwash. Sees only what is measured.
class WaterController {
  public:
    explicit WaterController(WaterRegime regime = WaterRegime::kUsual) : regime_(regime) {}

    WaterRow decide(const WaterRow& measured);

  private:
    WaterRegime regime_;
    bool inlet_ = false, transfer_ = false, filter_ = true, salt_ = false;
    int64_t filtered_seconds_ = 0;   // since the last backwash
    int64_t backwash_seconds_ = -1;  // since its begin; -1: none
};

}  // namespace cmr::simulate
