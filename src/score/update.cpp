#include "score/update.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/fingerprint.h"
#include "data/leakage.h"
#include "data/split.h"
#include "score/fit_detector.h"

namespace cmr::score {
namespace {

// The fold that the detector was fitted on, proven anew.
data::Fold fold_of(const Detector& detector, const data::Dataset& original) {
    if (data::fingerprint(original) != detector.provenance.fingerprint)
        throw InputError(
            "{}: these are not the data that the model was fitted on (fingerprint {}, expected {}); it learns more on "
            "top of those alone",
            original.root.string(), data::fingerprint(original), detector.provenance.fingerprint);
    data::Fold out = data::make_folds(original, detector.recipe).at(detector.provenance.fold_index);
    if (data::runs_of(out) != detector.fold)
        throw InputError("{}: its windows are split otherwise than when the model was fitted, by cmr {}",
                         original.root.string(), detector.provenance.version);
    return out;
}

// In order, those that touch joined.
std::vector<HealthySpan> joined(std::vector<HealthySpan> spans) {
    std::ranges::sort(spans, {}, &HealthySpan::begin_s);
    std::vector<HealthySpan> out;
    for (const HealthySpan& span : spans)
        if (!out.empty() && span.begin_s <= out.back().end_s)
            out.back().end_s = std::max(out.back().end_s, span.end_s);
        else
            out.push_back(span);
    return out;
}

// Samples begin … end-1 of a segment as a recording of their own.
data::Recording piece_of(const data::Recording& recording, const data::Segment& segment, int64_t begin, int64_t end,
                         double rate_hz) {
    data::Recording out;
    out.unit = recording.unit;
    out.dated = recording.dated;
    for (const data::Samples& channel : recording.channels) {
        out.channels.emplace_back(channel.storage());
        out.channels.back().append(channel.values().subspan(begin, end - begin));
        out.channels.back().seal();
        out.absent += std::ranges::count_if(out.channels.back().values(), [](float x) { return std::isnan(x); });
    }
    out.segments = {{0, end - begin, segment.start_s + static_cast<double>(begin - segment.begin) / rate_hz}};
    return out;
}

// What is healthy of a recording: all of it, or the samples whose time is in a span. The rest is left behind, for
// exports hold much that is known or tested already.
std::vector<data::Recording> healthy_pieces(data::Recording recording, const std::vector<HealthySpan>& spans,
                                            double rate_hz) {
    std::vector<data::Recording> out;
    if (spans.empty()) {
        out.push_back(std::move(recording));
        return out;
    }
    for (const HealthySpan& span : joined(spans))
        for (const data::Segment& segment : recording.segments) {
            const auto sample = [&](double time_s) {
                const double at = std::clamp((time_s - segment.start_s) * rate_hz, -1.0,
                                             static_cast<double>(segment.end - segment.begin));
                return segment.begin + static_cast<int64_t>(std::ceil(at - 1e-6));
            };
            const int64_t begin = std::max(segment.begin, sample(span.begin_s)),
                          end = std::min(segment.end, sample(span.end_s + 1e-3 / rate_hz));
            if (begin < end) out.push_back(piece_of(recording, segment, begin, end, rate_hz));
        }
    return out;
}

// Puts what an addition holds behind the recordings of the dataset; the windows that it gives.
std::vector<data::Window> append(data::Dataset& dataset, const recipe::Recipe& recipe, MoreHealthy more) {
    CMR_ASSERT(dataset.channels.size() == more.dataset.channels.size(), "they are read by one recipe");
    const auto part = static_cast<int32_t>(dataset.parts.size());
    dataset.parts.push_back({"added: " + more.about.file, "fit", std::ssize(more.dataset.recordings)});
    // Of a span, mostly an alarm, each window that was scored; of whole files those that training would take.
    const int64_t stride = more.about.spans.empty() ? recipe.window.training_stride() : recipe.window.judging_stride();
    std::vector<data::Window> out;
    for (data::Recording& recording : more.dataset.recordings)
        for (data::Recording& piece : healthy_pieces(std::move(recording), more.about.spans, dataset.rate_hz)) {
            piece.part = part;
            piece.name = more.about.file;
            piece.spans = {{0, piece.length(), data::State::kHealthy}};
            dataset.recordings.push_back(std::move(piece));
            data::cut_windows(dataset, static_cast<int32_t>(dataset.recordings.size()) - 1, recipe.window, stride, out);
        }
    return out;
}

// What was added twice would count as twice as many healthy days.
void refuse_added_before(const data::Dataset& dataset, const std::vector<data::SampleRange>& before,
                         const std::vector<data::SampleRange>& now) {
    if (before.empty()) return;
    const auto share = [](const std::vector<data::SampleRange>& all, int32_t recording, int64_t begin,
                          int64_t samples) {
        return std::ranges::any_of(all, [&](const data::SampleRange& range) {
            return range.recording == recording && range.begin < begin + samples && begin < range.end;
        });
    };
    for (const data::Copy& copy : data::find_copies(dataset))
        if (share(now, copy.recording, copy.begin, copy.samples) &&
            share(before, copy.source, copy.source_begin, copy.samples))
            throw InputError("{}: samples {} to {} were added before, with {}", dataset.recordings[copy.recording].name,
                             copy.begin, copy.begin + copy.samples - 1, dataset.recordings[copy.source].name);
}

}  // namespace

Detector update(const Detector& before, data::Dataset original, std::vector<MoreHealthy> added,
                const FitProgress& progress) {
    const recipe::Recipe& recipe = before.recipe;
    data::Fold fold = fold_of(before, original), learned = fold;
    std::vector<data::Window> more;
    data::Dataset dataset = std::move(original);
    Provenance provenance = before.provenance;
    const size_t known = provenance.added.size();
    CMR_ASSERT(added.size() > known, "something is new, and what is known is there");
    // By the protocol "paper" only what stands for training is learned.
    std::vector<data::Window>& side = recipe.split.protocol == "paper" ? fold.train : fold.validation;
    std::vector<data::SampleRange> earlier;
    for (size_t i = 0; i < added.size(); ++i) {
        Addition about = added[i].about;
        about.fingerprint = data::fingerprint(added[i].dataset);
        if (i < known && about.fingerprint != provenance.added[i].fingerprint)
            throw InputError(
                "{}: was added to the model on an earlier day and is another file now; `cmr update --undo` "
                "takes additions back",
                about.file);
        const std::vector<data::Window> windows = append(dataset, recipe, std::move(added[i]));
        about.windows = std::ssize(windows);
        if (windows.empty())
            throw InputError("{}: holds no whole window of {} samples without gaps{}", about.file, recipe.window.length,
                             about.spans.empty() ? "" : " in the spans that are healthy");
        const std::vector<data::SampleRange> now = data::covered(windows, recipe.window.length);
        if (i >= known) {
            refuse_added_before(dataset, earlier, now);
            provenance.added.push_back(about);
        }
        earlier.insert(earlier.end(), now.begin(), now.end());
        side.insert(side.end(), windows.begin(), windows.end());
        more.insert(more.end(), windows.begin(), windows.end());
    }
    std::ranges::sort(side);
    // Against what was trained on, and, as training, against what is tested and validated.
    const data::LeakageCheck check(dataset, recipe);
    check(fold);
    learned.train.insert(learned.train.end(), more.begin(), more.end());
    check(learned);
    check_memory_to_fit(dataset, recipe, std::ssize(fold.train) + std::ssize(fold.validation));
    Detector out = fit_detector(dataset, recipe, fold, before.pipeline.preprocessing(),
                                before.pipeline.features().network(), std::move(provenance), progress);
    out.fold = before.fold;  // of the original data, which the fingerprint is of
    out.alarm.rule = before.alarm.rule;
    if (before.alarm.calibration)
        out.alarm.calibration =
            calibrate(out.healthy.trace, before.alarm.rule, before.alarm.calibration->promised_per_day);
    return out;
}

}  // namespace cmr::score
