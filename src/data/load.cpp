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
#include "data/files.h"
#include "data/labels.h"
#include "data/memory.h"
#include "data/read_cycles.h"
#include "data/read_rows.h"

namespace cmr::data {
namespace {

// The files of one recording: one, or one per channel.
struct Source {
    int32_t part = 0;
    std::vector<FoundFile> files;
    const recipe::Unit* unit = nullptr;
};

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

std::vector<Source> find_sources(const recipe::Recipe& recipe, const fs::path& root, Dataset& dataset) {
    const auto units = units_by_name(recipe);
    std::vector<Source> sources;
    std::map<std::string, std::string> taken;  // file → part
    std::set<std::string> left_out;
    for (const recipe::Part& part : recipe.data.part) {
        const auto files = find_files(root, part.files, part.exclude);
        const auto index = static_cast<int32_t>(dataset.parts.size());
        dataset.parts.push_back({.name = part.name, .role = part.role, .files = 0});
        std::map<std::string, size_t> groups;  // files that differ in the channel only → their source
        for (const FoundFile& file : files) {
            const auto [known, fresh] = taken.emplace(file.name, part.name);
            if (!fresh)
                throw InputError("{}: the file belongs to part '{}' and to part '{}'", file.name, known->second,
                                 part.name);
            const std::string unit = capture(file, "unit");
            if (!units.empty() && !units.contains(unit)) {
                left_out.insert(unit);
                continue;
            }
            ++dataset.parts.back().files;
            std::string key = file.name;
            if (recipe.data.layout == "cycles") {
                auto others = file.captures;
                others.erase("channel");
                key.clear();
                for (const auto& [word, text] : others) key += word + "=" + text + "/";
            }
            const auto [group, fresh_group] = groups.emplace(key, sources.size());
            if (fresh_group)
                sources.push_back({.part = index, .files = {}, .unit = units.empty() ? nullptr : units.at(unit)});
            for (const FoundFile& other : sources[group->second].files)
                if (capture(other, "channel") == capture(file, "channel"))
                    throw InputError(
                        "{} and {} both hold the channel '{}' of part '{}'; write a {{word}} instead of * where their "
                        "names differ, and each is a recording",
                        other.name, file.name, capture(file, "channel"), part.name);
            sources[group->second].files.push_back(file);
        }
        if (dataset.parts.back().files == 0 && !files.empty())
            throw InputError("{}: part '{}' has {} files, such as {}, but none of a unit that [[data.unit]] names",
                             recipe.name, part.name, files.size(), files.front().name);
        if (dataset.parts.back().files == 0)
            throw InputError("{}: no file for part '{}': nothing in {} matches {}{}", recipe.name, part.name,
                             root.string(), part.files, recipe.data.obtain.empty() ? "" : ".\n" + recipe.data.obtain);
    }
    dataset.units_left_out.assign(left_out.begin(), left_out.end());
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
    if (faulty)
        for (Span& span : raw.recording.spans)
            if (span.state == State::kHealthy) span.state = State::kFaulty;
    const std::string stratum = stratum_of(part, source);
    for (Span& span : raw.recording.spans)
        if (span.state == State::kFaulty && span.stratum < 0) span.stratum = intern(raw.strata, stratum);
}

}  // namespace

Dataset load(const recipe::Recipe& recipe, const fs::path& root, const FileProgress& progress) {
    Dataset dataset;
    dataset.name = recipe.name;
    dataset.root = root;
    dataset.rate_hz = recipe.data.rate_hz;
    for (const SourceChannel& source : source_channels(recipe)) dataset.channels.push_back(source);
    // The recipe's order, whatever the data meet first.
    for (const std::string& stratum : recipe.data.labels.strata) intern(dataset.strata, stratum);
    for (const recipe::Unit& unit : recipe.data.unit) intern(dataset.strata, unit.stratum);
    const std::vector<Source> sources = find_sources(recipe, root, dataset);
    const Storage storage = choose_storage(recipe, sources);

    std::vector<RawRecording> raw(sources.size());
    std::atomic<int64_t> done = 0;
    parallel_for(static_cast<int64_t>(sources.size()), [&](int64_t i) {
        const Source& source = sources[i];
        const recipe::Part& part = recipe.data.part[source.part];
        raw[i] = recipe.data.layout == "cycles" ? read_cycles(source.files, recipe, part, root, storage)
                                                : read_rows(source.files.front(), recipe, part, storage);
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

std::vector<int64_t> Dataset::indices(bool effects) const {
    std::vector<int64_t> out;
    for (size_t i = 0; i < channels.size(); ++i)
        if (channels[i].effect == effects) out.push_back(static_cast<int64_t>(i));
    return out;
}

double time_of(const Recording& recording, int64_t sample, double rate_hz) {
    const auto after = std::ranges::upper_bound(recording.segments, sample, {}, &Segment::begin);
    CMR_ASSERT(after != recording.segments.begin(), "segments cover a recording from its first sample");
    const Segment& segment = *(after - 1);
    return segment.start_s + static_cast<double>(sample - segment.begin) / rate_hz;
}

}  // namespace cmr::data
