#include "data/load.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "data/channels.h"
#include "data/labels.h"
#include "data/memory.h"
#include "data/read_cycles.h"
#include "data/read_rows.h"

namespace cmr::data {
namespace {

std::map<std::string, const recipe::Unit*> units_by_name(const recipe::Recipe& recipe) {
    std::map<std::string, const recipe::Unit*> out;
    for (const recipe::Unit& unit : recipe.data.unit)
        for (const std::string& name : io::expand_names(unit.names)) out[name] = &unit;
    return out;
}

std::string capture(const FoundFile& file, const std::string& word) {
    const auto found = file.captures.find(word);
    return found == file.captures.end() ? "" : found->second;
}

std::vector<Source> find_sources(const recipe::Recipe& recipe, const fs::path& root, std::vector<PartFacts>& parts,
                                 std::vector<std::string>& units_left_out) {
    const auto units = units_by_name(recipe);
    std::vector<Source> sources;
    std::map<std::string, std::string> taken;  // file → part
    std::set<std::string> left_out;
    for (const recipe::Part& part : recipe.data.part) {
        const auto files = find_files(root, part.files, part.exclude);
        std::vector<FoundFile> used;
        for (const FoundFile& file : files) {
            const auto [known, fresh] = taken.emplace(file.name, part.name);
            if (!fresh)
                throw InputError("{}: the file belongs to part '{}' and to part '{}'", file.name, known->second,
                                 part.name);
            if (units.empty() || units.contains(capture(file, "unit")))
                used.push_back(file);
            else
                left_out.insert(capture(file, "unit"));
        }
        if (used.empty() && !files.empty())
            throw InputError("{}: part '{}' has {} files, such as {}, but none of a unit that [[data.unit]] names",
                             recipe.name, part.name, files.size(), files.front().name);
        if (used.empty())
            throw InputError("{}: no file for part '{}': nothing in {} matches {}{}", recipe.name, part.name,
                             root.string(), part.files, recipe.data.obtain.empty() ? "" : ".\n" + recipe.data.obtain);
        for (Source& source : group_by_recording(recipe, static_cast<int32_t>(parts.size()), used)) {
            if (!units.empty()) source.unit = units.at(capture(source.files.front(), "unit"));
            sources.push_back(std::move(source));
        }
        parts.push_back({.name = part.name, .role = part.role, .files = std::ssize(used)});
    }
    units_left_out.assign(left_out.begin(), left_out.end());
    return sources;
}

void check_memory(const recipe::Recipe& recipe, const std::vector<Source>& sources) {
    int64_t bytes = 0;
    for (const Source& source : sources)
        for (const FoundFile& file : source.files) bytes += expected_sample_bytes(file.path, recipe);
    const int64_t free = available_memory();
    if (bytes > free)
        throw SystemError(
            "{}: its samples need about {} of memory, more than the {} that are free; with `data.storage=disk` they "
            "are "
            "kept in a file",
            recipe.name, bytes_text(bytes), bytes_text(free));
}

// Text takes at least two bytes per value, a sample four; archives hold about ten times their size.
Storage choose_storage(const recipe::Recipe& recipe, const std::vector<Source>& sources) {
    if (recipe.data.storage == "memory") {
        check_memory(recipe, sources);
        return Storage::kMemory;
    }
    if (recipe.data.storage == "disk") return Storage::kDisk;
    int64_t bytes = 0;
    for (const Source& source : sources)
        for (const FoundFile& file : source.files) {
            std::error_code ignored;
            const auto size = static_cast<int64_t>(fs::file_size(file.path, ignored));
            const std::string extension = file.path.extension().string();
            const bool packed =
                extension == ".xlsx" || extension == ".npz" || extension == ".mat" || extension == ".h5";
            if (size > 0) bytes += size * (packed ? 10 : 2);
        }
    return bytes > memory_for_samples() ? Storage::kDisk : Storage::kMemory;
}

// Of faulty samples whose label names none.
std::string stratum_of(const recipe::Part& part, const Source& source) {
    if (part.state == "labels" && source.unit && !source.unit->stratum.empty()) return source.unit->stratum;
    auto captures = source.files.front().captures;
    captures["part"] = part.name;
    return fill_in(part.stratum, captures);
}

// What the part or the unit says of all samples.
void apply_state(const recipe::Part& part, const Source& source, RawRecording& raw) {
    const bool by_part = part.state != "labels";
    const bool faulty = by_part ? part.state == "faulty" : source.unit && source.unit->state == "faulty";
    if (faulty || part.state == "unknown")
        for (Span& span : raw.recording.spans)
            if (span.state == State::kHealthy) span.state = faulty ? State::kFaulty : State::kUnknown;
    const std::string stratum = stratum_of(part, source);
    for (Span& span : raw.recording.spans)
        if (span.state == State::kFaulty && span.stratum < 0) span.stratum = intern(raw.strata, stratum);
}

}  // namespace

std::vector<Source> group_by_recording(const recipe::Recipe& recipe, int32_t part,
                                       const std::vector<FoundFile>& files) {
    std::vector<Source> sources;
    std::map<std::string, size_t> groups;  // what their names have in common → their source
    for (const FoundFile& file : files) {
        std::string key = file.name;
        if (recipe.data.layout == "cycles") {
            key.clear();
            for (const auto& [word, text] : file.captures)
                if (word != "channel") key += word + "=" + text + "/";
        }
        const auto [group, fresh] = groups.emplace(key, sources.size());
        if (fresh) sources.push_back({.part = part, .files = {}, .unit = nullptr});
        for (const FoundFile& other : sources[group->second].files)
            if (capture(other, "channel") == capture(file, "channel"))
                throw InputError(
                    "{} and {} both hold the channel '{}' of part '{}'; write a {{word}} instead of * where their "
                    "names differ, and each is a recording",
                    other.name, file.name, capture(file, "channel"), recipe.data.part[part].name);
        sources[group->second].files.push_back(file);
    }
    return sources;
}

Dataset load(const recipe::Recipe& recipe, const fs::path& root, const FileProgress& progress) {
    std::vector<PartFacts> parts;
    std::vector<std::string> units_left_out;
    const std::vector<Source> sources = find_sources(recipe, root, parts, units_left_out);
    Dataset dataset = read_sources(recipe, root, std::move(parts), sources, progress);
    dataset.units_left_out = std::move(units_left_out);
    return dataset;
}

Dataset read_sources(const recipe::Recipe& recipe, const fs::path& root, std::vector<PartFacts> parts,
                     const std::vector<Source>& sources, const FileProgress& progress) {
    Dataset dataset;
    dataset.name = recipe.name;
    dataset.root = root;
    dataset.rate_hz = recipe.data.rate_hz;
    dataset.parts = std::move(parts);
    for (const SourceChannel& source : source_channels(recipe)) dataset.channels.push_back(source);
    // The recipe's order, whatever the data meet first.
    const recipe::Labels& labels = recipe.data.labels;
    for (const std::string& stratum : labels.strata.empty() ? labels.columns : labels.strata)
        intern(dataset.strata, stratum);
    for (const recipe::Unit& unit : recipe.data.unit) intern(dataset.strata, unit.stratum);
    const Storage storage = choose_storage(recipe, sources);

    std::vector<RawRecording> raw(sources.size());
    std::atomic<int64_t> done = 0;
    parallel_for(static_cast<int64_t>(sources.size()), [&](int64_t i) {
        const Source& source = sources[i];
        const recipe::Part& part = recipe.data.part[source.part];
        raw[i] = recipe.data.layout == "cycles" ? read_cycles(source.files, recipe, part, root, storage)
                                                : read_rows(source.files.front(), recipe, part, root, storage);
        apply_state(part, source, raw[i]);
        for (Samples& channel : raw[i].recording.channels) channel.seal();
        if (progress) progress(++done, static_cast<int64_t>(sources.size()));
    });

    dataset.events = read_events(recipe.data.events, root);
    for (size_t i = 0; i < raw.size(); ++i) {
        Recording& recording = raw[i].recording;
        recording.part = sources[i].part;
        recording.unit = capture(sources[i].files.front(), "unit");
        for (Span& span : recording.spans)
            if (span.stratum >= 0) span.stratum = intern(dataset.strata, raw[i].strata[span.stratum]);
        apply_events(recording, dataset.events, recipe.data.events.label, dataset.rate_hz);
        const std::string stratum = stratum_of(recipe.data.part[recording.part], sources[i]);
        for (Span& span : recording.spans)  // those that an event made faulty
            if (span.state == State::kFaulty && span.stratum < 0) span.stratum = intern(dataset.strata, stratum);
        dataset.recordings.push_back(std::move(recording));
    }
    return dataset;
}

}  // namespace cmr::data
