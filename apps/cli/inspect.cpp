#include "inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "data/inspect.h"
#include "io/text/time.h"
#include "load_data.h"
#include "recipe/recipe.h"
#include "score/memory.h"
#include "text_table.h"

namespace cmr::cli {
namespace {

using Json = nlohmann::ordered_json;

// All that is shown of a recipe's data.
struct RecipeFacts {
    data::Inspection data;
    int64_t bytes_to_score = 0;  // of memory
};

// Of a sensor; nothing where it has no value.
std::string level_text(double value) { return std::isnan(value) ? "" : short_number(value, 4); }

std::string outside_text(double share) { return share < 5e-4 ? "" : fmt::format("{:.1f} %", 100 * share); }

std::string show_channels(const std::vector<data::ChannelFacts>& channels, bool roles) {
    std::vector<std::string> headings = {"<channel"};
    if (roles) headings.insert(headings.end(), {"<role", "<group"});
    headings.insert(headings.end(), {"least", "mean", "most", "deviation", "absent", "longest flat"});
    if (roles) headings.insert(headings.end(), {"R²", "outside"});
    headings.emplace_back("<");
    TextTable table(headings);
    for (const auto& c : channels) {
        std::vector<std::string> row = {c.name};
        if (roles) row.insert(row.end(), {c.role, c.group});
        row.insert(row.end(), {level_text(c.least), level_text(c.mean), level_text(c.most), level_text(c.deviation),
                               c.absent > 0 ? with_commas(c.absent) : "", with_commas(c.longest_flat)});
        if (roles)
            row.insert(row.end(), {std::isnan(c.r2) ? "" : fmt::format("{:.3f}", c.r2), outside_text(c.outside)});
        row.emplace_back(c.constant ? "constant" : c.coupled ? "coupled" : "");
        table.add(std::move(row));
    }
    return table.text();
}

std::string show_warnings(const std::vector<data::Warning>& warnings) {
    if (warnings.empty()) return "No warnings.\n";
    std::string out = "Warnings, the most harmful first\n";
    for (const data::Warning& warning : warnings) out += fmt::format("  - {}\n", warning.text);
    return out;
}

// The strata of all folds together with the folds' own counts.
std::string show_folds(const data::Inspection& facts) {
    std::vector<std::string> headings = {"<fold", "train", "validation", "test healthy", "test faulty"};
    const bool show_strata = facts.strata.size() <= 6;
    if (show_strata) headings.insert(headings.end(), facts.strata.begin(), facts.strata.end());
    headings.emplace_back("left out at borders");
    TextTable table(headings);
    for (size_t i = 0; i < facts.folds.size(); ++i) {
        const auto& fold = facts.folds[i];
        std::vector<std::string> row = {facts.folds.size() == 1 ? "all" : fmt::format("{} {}", i, fold.name),
                                        with_commas(fold.train), with_commas(fold.validation),
                                        with_commas(fold.test.healthy), with_commas(fold.test.faulty)};
        if (show_strata)
            for (const int64_t windows : fold.strata) row.push_back(with_commas(windows));
        row.push_back(with_commas(fold.purged));
        table.add(std::move(row));
    }
    std::string out = table.text();
    if (!show_strata) {
        out += "\nFaulty test windows of each stratum (first fold)\n";
        TextTable strata({"<stratum", "windows"});
        for (size_t i = 0; i < facts.strata.size(); ++i)
            strata.add({facts.strata[i], with_commas(facts.folds.front().strata[i])});
        out += strata.text();
    }
    return out;
}

std::string show(const RecipeFacts& all) {
    const data::Inspection& facts = all.data;
    std::string out = fmt::format(
        "{}: {}\n{}, windows of {} samples every {}, protocol {}\nTo score them all takes about {} of memory.\n\n",
        facts.name, facts.description, rate_text(facts.rate_hz), with_commas(facts.window), with_commas(facts.stride),
        facts.protocol, bytes_text(all.bytes_to_score));
    TextTable parts(
        {"<part", "<role", "files", "healthy samples", "faulty", "excluded", "healthy windows", "faulty", "left out"});
    for (const auto& p : facts.parts)
        parts.add({p.name, p.role, with_commas(p.files), with_commas(p.samples.healthy), with_commas(p.samples.faulty),
                   with_commas(p.samples.excluded), with_commas(p.windows.healthy), with_commas(p.windows.faulty),
                   with_commas(p.windows.excluded)});
    out += "Parts\n" + parts.text();
    if (facts.events > 0) out += fmt::format("  {} events are listed by time.\n", facts.events);
    out += fmt::format("\nChannels ({}); R² of each effect from the causes on the first fold's training data\n",
                       facts.channels.size());
    out += show_channels(facts.channels, true);
    const auto coupled = std::ranges::count_if(facts.channels, [](const auto& c) { return c.coupled; });
    const auto constant = std::ranges::count_if(facts.channels, [](const auto& c) { return c.constant; });
    out += fmt::format("  {} of {} channels are constant, {} effects are coupled.\n", constant, facts.channels.size(),
                       coupled);
    if (!facts.folds.empty()) out += "\nWindows\n" + show_folds(facts);
    return out + "\n" + show_warnings(facts.warnings);
}

std::string show(const data::FileInspection& facts) {
    std::string out =
        fmt::format("{}: {} rows, {} columns of numbers\n", facts.name, with_commas(facts.rows), facts.channels.size());
    if (!facts.time_column.empty())
        out += fmt::format("Time in column '{}' from {} to {}, {}\n", facts.time_column, io::format_time(facts.first_s),
                           io::format_time(facts.last_s), rate_text(facts.rate_hz));
    if (!facts.text_columns.empty()) out += fmt::format("Columns of text: {}\n", fmt::join(facts.text_columns, ", "));
    return out + "\n" + show_channels(facts.channels, false) + "\n" + show_warnings(facts.warnings);
}

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json to_json(const data::StateCount& count) {
    return {{"healthy", count.healthy}, {"faulty", count.faulty}, {"excluded", count.excluded}};
}

Json to_json(const std::vector<data::ChannelFacts>& channels, bool roles) {
    Json out = Json::array();
    for (const auto& c : channels) {
        Json& entry = out.emplace_back();
        entry["name"] = c.name;
        if (roles) {
            entry["role"] = c.role;
            entry["group"] = c.group;
        }
        entry["samples"] = c.samples;
        entry["absent"] = c.absent;
        entry["least"] = c.least;
        entry["mean"] = c.mean;
        entry["most"] = c.most;
        entry["deviation"] = c.deviation;
        entry["longest_flat"] = c.longest_flat;
        entry["constant"] = c.constant;
        if (!roles) continue;
        entry["r2"] = number(c.r2);
        entry["coupled"] = c.coupled;
        entry["outside_training_range"] = c.outside;
    }
    return out;
}

Json to_json(const std::vector<data::Warning>& warnings) {
    Json out = Json::array();
    for (const auto& w : warnings) out.push_back({{"harm", w.harm}, {"text", w.text}});
    return out;
}

Json to_json(const RecipeFacts& all) {
    const data::Inspection& facts = all.data;
    Json out = {{"name", facts.name},
                {"rate_hz", facts.rate_hz},
                {"window", facts.window},
                {"stride", facts.stride},
                {"protocol", facts.protocol},
                {"bytes_to_score", all.bytes_to_score},
                {"events", facts.events},
                {"channels", to_json(facts.channels, true)},
                {"parts", Json::array()},
                {"folds", Json::array()},
                {"warnings", to_json(facts.warnings)}};
    for (const auto& p : facts.parts)
        out["parts"].push_back({{"name", p.name},
                                {"role", p.role},
                                {"files", p.files},
                                {"segments", p.segments},
                                {"samples", to_json(p.samples)},
                                {"windows", to_json(p.windows)}});
    for (const auto& f : facts.folds) {
        Json strata = Json::object();
        for (size_t i = 0; i < facts.strata.size(); ++i) strata[facts.strata[i]] = f.strata[i];
        out["folds"].push_back({{"name", f.name},
                                {"train", f.train},
                                {"validation", f.validation},
                                {"test", to_json(f.test)},
                                {"strata", strata},
                                {"left_out_at_borders", f.purged}});
    }
    return out;
}

Json to_json(const data::FileInspection& facts) {
    return {{"file", facts.name},
            {"rows", facts.rows},
            {"time_column", facts.time_column},
            {"rate_hz", facts.rate_hz},
            {"text_columns", facts.text_columns},
            {"channels", to_json(facts.channels, false)},
            {"warnings", to_json(facts.warnings)}};
}

template <typename Facts>
std::string print(const Facts& facts, bool json) {
    // A file may hold any bytes as names.
    return json ? to_json(facts).dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : show(facts);
}

}  // namespace

std::string inspect(const InspectOptions& options) {
    if (options.target.extension() != ".toml") {
        std::error_code error;
        if (options.target == "-" || std::filesystem::is_fifo(options.target, error))
            throw InputError(
                "{}: inspect reads a file more than once, and a pipe can be read but once; write it to a file",
                options.target.string());
        if (!options.data_root.empty())
            throw InputError("{}: --data-root belongs to a recipe (.toml), and this is a data file",
                             options.target.string());
        io::TomlNode reading;
        for (const std::string& setting : options.settings) io::set_toml(reading, setting);
        io::TableOptions read;
        io::read_settings(reading, "", read);
        return print(data::inspect_file(options.target, read), options.json);
    }
    const recipe::Recipe recipe = recipe::read_recipe(options.target, options.settings);
    const data::Dataset dataset = load_data(recipe, options.data_root);
    RecipeFacts facts{.data = data::inspect(dataset, recipe)};
    int64_t healthy = 0;  // windows that a model would be fitted on
    if (!facts.data.folds.empty()) healthy = facts.data.folds.front().train + facts.data.folds.front().validation;
    const int64_t model = score::expected_model_bytes(dataset, recipe, healthy);
    facts.bytes_to_score = score::memory_to_score(dataset, recipe, model).total();
    return print(facts, options.json);
}

}  // namespace cmr::cli
