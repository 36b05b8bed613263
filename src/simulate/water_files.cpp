#include <fmt/format.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/parallel.h"
#include "io/file.h"
#include "io/json_fields.h"
#include "simulate/water.h"

namespace cmr::simulate {

namespace {

constexpr const char* kNormal = "SWaT_Dataset_Normal_v1";
constexpr const char* kAttack = "SWaT_Dataset_Attack_v0";
constexpr const char* kList = "List_of_attacks_Final";
constexpr std::array kListColumns = {
    "Attack #",    "Start Time", "End Time",      "Attack Point",
    "Start State", "Attack",     "Actual Change", "Expected Impact or attacker intent"};

// Seconds since 1970 of 22/12/2015 16:30 and 28/12/2015 10:00, where the original's two files begin.
constexpr int64_t kNormalStart = 1450801800;
constexpr int64_t kAttackStart = 1451296800;

struct Moment {
    int year;
    unsigned month, day;
    int hour, minute, second;
};

Moment moment_of(int64_t seconds) {
    const int64_t days = seconds / 86400;
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
    const auto rest = static_cast<int>(seconds - days * 86400);
    return {static_cast<int>(date.year()),
            static_cast<unsigned>(date.month()),
            static_cast<unsigned>(date.day()),
            rest / 3600,
            rest / 60 % 60,
            rest % 60};
}

std::string time_stamp(int64_t seconds) {  // " 28/12/2015 10:00:00 AM"
    const Moment m = moment_of(seconds);
    return fmt::format(" {}/{}/{} {}:{:02}:{:02} {}", m.day, m.month, m.year, m.hour % 12 == 0 ? 12 : m.hour % 12,
                       m.minute, m.second, m.hour < 12 ? "AM" : "PM");
}

// Blanks where the original has them.
std::string header_name(size_t channel) {
    const std::string name = kWaterChannels[channel];
    constexpr std::array kBlank = {"MV101", "AIT201", "MV201", "P201", "P202", "P204", "MV301", "MV302", "MV303"};
    return std::ranges::find(kBlank, name) != kBlank.end() ? " " + name : name;
}

// The stage above its first column, empty elsewhere.
std::string banner(size_t channel) {
    const auto stage = [](size_t c) {
        const std::string_view name = kWaterChannels[c];
        return name[name.find_first_of("0123456789")];
    };
    return channel == 0 || stage(channel) != stage(channel - 1) ? fmt::format("P{}", stage(channel)) : "";
}

// Six significant digits, as a double that prints short.
double rounded(float value) { return std::round(static_cast<double>(value) * 1e4) / 1e4; }

struct File {
    fs::path path;
    int64_t start;
    const WaterRecord& record;
    const std::vector<WaterAttack>& attacks;

    // The original misspells the label now and then.
    const char* label(int64_t row) const {
        const bool attacked = std::ranges::any_of(
            attacks, [&](const WaterAttack& attack) { return attack.begin <= row && row < attack.end; });
        return !attacked ? "Normal" : row % 97 == 0 ? "A ttack" : "Attack";
    }
};

void write_csv(const File& file) {
    io::write_file_atomically(file.path, [&](const io::Sink& sink) {
        fmt::memory_buffer text;
        const auto out = std::back_inserter(text);
        const auto flush = [&] {
            sink(std::as_bytes(std::span(text.data(), text.size())));
            text.clear();
        };
        for (size_t c = 0; c < water::kChannels; ++c) fmt::format_to(out, ",{}", banner(c));
        fmt::format_to(out, ",\n Timestamp");
        for (size_t c = 0; c < water::kChannels; ++c) fmt::format_to(out, ",{}", header_name(c));
        fmt::format_to(out, ",Normal/Attack\n");
        for (size_t t = 0; t < file.record.size(); ++t) {
            const auto row = static_cast<int64_t>(t);
            fmt::format_to(out, "{}", time_stamp(file.start + row));
            for (const float value : file.record[t]) fmt::format_to(out, ",{}", rounded(value));
            fmt::format_to(out, ",{}\n", file.label(row));
            if (text.size() > 1 << 20) flush();
        }
        flush();
    });
}

// A workbook with one sheet, written to a temporary name that becomes the file's when everything went well.
void write_workbook(const fs::path& path, const std::function<void(lxw_workbook*, lxw_worksheet*)>& fill) {
    const fs::path temporary = path.string() + ".part";
    std::string scratch = path.parent_path().string();
    lxw_workbook_options options{};
    options.constant_memory = LXW_TRUE;
    options.tmpdir = scratch.data();
    lxw_workbook* book = workbook_new_opt(temporary.c_str(), &options);
    if (!book) throw SystemError("{}: cannot be written", path.string());
    lxw_doc_properties properties{};
    properties.created = kAttackStart;  // not the clock: same seed, same bytes
    workbook_set_properties(book, &properties);
    fill(book, workbook_add_worksheet(book, "Sheet1"));
    const lxw_error error = workbook_close(book);
    if (error != LXW_NO_ERROR) {
        fs::remove(temporary);
        throw SystemError("{}: cannot be written: {}", path.string(), lxw_strerror(error));
    }
    fs::rename(temporary, path);
}

void write_xlsx(const File& file) {
    write_workbook(file.path, [&](lxw_workbook*, lxw_worksheet* sheet) {
        const auto text = [&](size_t row, size_t column, const std::string& value) {
            worksheet_write_string(sheet, static_cast<lxw_row_t>(row), static_cast<lxw_col_t>(column), value.c_str(),
                                   nullptr);
        };
        for (size_t c = 0; c < water::kChannels; ++c)
            if (const std::string stage = banner(c); !stage.empty()) text(0, c + 1, stage);
        text(1, 0, " Timestamp");
        for (size_t c = 0; c < water::kChannels; ++c) text(1, c + 1, header_name(c));
        text(1, water::kChannels + 1, "Normal/Attack");
        for (size_t t = 0; t < file.record.size(); ++t) {
            const auto row = static_cast<int64_t>(t);
            text(t + 2, 0, time_stamp(file.start + row));
            for (size_t c = 0; c < water::kChannels; ++c)
                worksheet_write_number(sheet, static_cast<lxw_row_t>(t + 2), static_cast<lxw_col_t>(c + 1),
                                       rounded(file.record[t][c]), nullptr);
            text(t + 2, water::kChannels + 1, file.label(row));
        }
    });
}

void write_list_csv(const fs::path& path, const std::vector<WaterAttack>& attacks) {
    std::string text = fmt::format("{}\n", fmt::join(kListColumns, ","));
    for (const WaterAttack& attack : attacks) {
        const Moment begin = moment_of(kAttackStart + attack.begin), end = moment_of(kAttackStart + attack.end);
        text += fmt::format("{},{}/{}/{} {:02}:{:02}:{:02},{:02}:{:02}:{:02},\"{}\",\"{}\",\"{}\",{},\"{}\"\n",
                            attack.number, begin.day, begin.month, begin.year, begin.hour, begin.minute, begin.second,
                            end.hour, end.minute, end.second, attack.point, attack.start_state, attack.attack,
                            attack.change, attack.intent);
    }
    io::write_file_atomically(path, text);
}

void write_list_xlsx(const fs::path& path, const std::vector<WaterAttack>& attacks) {
    write_workbook(path, [&](lxw_workbook* book, lxw_worksheet* sheet) {
        lxw_format* date = workbook_add_format(book);
        format_set_num_format(date, "dd/mm/yyyy hh:mm:ss");
        lxw_format* time = workbook_add_format(book);
        format_set_num_format(time, "hh:mm:ss");
        for (size_t c = 0; c < kListColumns.size(); ++c)
            worksheet_write_string(sheet, 0, static_cast<lxw_col_t>(c), kListColumns[c], nullptr);
        lxw_row_t row = 0;
        for (const WaterAttack& attack : attacks) {
            ++row;
            const Moment begin = moment_of(kAttackStart + attack.begin), end = moment_of(kAttackStart + attack.end);
            lxw_datetime start{begin.year,   static_cast<int>(begin.month),    static_cast<int>(begin.day), begin.hour,
                               begin.minute, static_cast<double>(begin.second)};
            lxw_datetime until{0, 0, 0, end.hour, end.minute, static_cast<double>(end.second)};
            worksheet_write_number(sheet, row, 0, static_cast<double>(attack.number), nullptr);
            worksheet_write_datetime(sheet, row, 1, &start, date);
            worksheet_write_datetime(sheet, row, 2, &until, time);
            lxw_col_t column = 3;
            for (const std::string& text :
                 {attack.point, attack.start_state, attack.attack, attack.change, attack.intent})
                worksheet_write_string(sheet, row, column++, text.c_str(), nullptr);
        }
    });
}

}  // namespace

void simulate_water(const fs::path& folder, const WaterOptions& options, const Progress& progress) {
    require_one_of("faults", options.faults, {"damage", "mechanism", "additive", "spreading"});
    require_one_of("format", options.format, {"xlsx", "csv"});
    require_range("scale", options.scale, 1e-3, 1.0);
    require_range("rig", static_cast<double>(options.rig), 0, 1e9);
    const auto rows = [&](int64_t full) { return std::llround(static_cast<double>(full) * options.scale); };
    // Four attacks need their slots; a sheet has 1,048,576 rows, two of them for the header.
    require_range("normal_rows times scale", static_cast<double>(rows(options.normal_rows)), 1000, 1048574);
    require_range("attack_rows times scale", static_cast<double>(rows(options.attack_rows)), 7200, 1048574);
    prepare_folder(folder, {"SWaT_Dataset_*", "List_of_attacks_Final.*"});

    const Rng rng(static_cast<uint64_t>(options.seed));
    WaterRecord normal;
    WaterAttackRun attacked;
    parallel_for(2, [&](int64_t i) {
        if (i == 0)
            normal =
                simulate_water_normal(rows(options.normal_rows), rng.split("normal"), WaterRegime::kUsual, options.rig);
        if (i == 1)
            attacked =
                simulate_water_attacks(rows(options.attack_rows), options.faults, rng.split("attack"), options.rig);
    });
    const std::vector<WaterAttack> none;
    const std::string extension = "." + options.format;
    const std::array<File, 2> files = {
        {{folder / (kNormal + extension), kNormalStart, normal, none},
         {folder / (kAttack + extension), kAttackStart, attacked.record, attacked.attacks}}};
    parallel_with_progress(2, progress, [&](int64_t i) {
        const File& file = files[static_cast<size_t>(i)];
        options.format == "csv" ? write_csv(file) : write_xlsx(file);
    });
    write_list_csv(folder / (std::string(kList) + ".csv"), attacked.attacks);
    write_list_xlsx(folder / (std::string(kList) + ".xlsx"), attacked.attacks);

    std::vector<FaultRecord> faults;
    for (const WaterAttack& attack : attacked.attacks) {
        FaultRecord fault = attack.truth;
        fault.unit = kAttack + extension;
        fault.range = "row";
        fault.begin = attack.begin;
        fault.end = attack.end;
        fault.time = time_stamp(kAttackStart + attack.begin).substr(1);
        faults.push_back(std::move(fault));
    }
    write_ground_truth(folder, "water", io::to_json(options), faults);
}

}  // namespace cmr::simulate
