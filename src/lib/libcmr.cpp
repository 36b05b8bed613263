// The C interface: each function checks its arguments, calls the stream, and turns what is thrown into a status.

#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/version.h"
#include "cmr/cmr.h"
#include "lib/views.h"
#include "monitor/stream.h"
#include "score/file/detector_file.h"

struct cmr_model {
    std::shared_ptr<const cmr::score::Detector> detector;
    cmr::lib::DescriptionView description;
};

struct cmr_stream {
    cmr::monitor::Stream stream;
    // What was handed out last.
    std::optional<cmr::lib::ResultView> result;
    std::optional<cmr::lib::ExplanationView> explanation;
    std::string state;
    cmr_counts counts{};
};

namespace {

cmr_status fail(cmr_error* error, cmr_status status, const char* message) noexcept {
    if (!error) return status;
    error->status = status;
    std::strncpy(error->message, message, sizeof error->message - 1);
    error->message[sizeof error->message - 1] = '\0';
    return status;
}

// The status of `body`, whatever it throws.
template <typename Body>
cmr_status guarded(cmr_error* error, const Body& body) noexcept {
    try {
        if (error) *error = {CMR_OK, ""};
        body();
        return CMR_OK;
    } catch (const cmr::InputError& failure) {
        return fail(error, CMR_INPUT, failure.what());
    } catch (const cmr::SystemError& failure) {
        return fail(error, CMR_SYSTEM, failure.what());
    } catch (const std::bad_alloc&) {
        return fail(error, CMR_SYSTEM, "out of memory");
    } catch (const std::exception& failure) {
        return fail(error, CMR_BUG, failure.what());
    } catch (...) {
        return fail(error, CMR_BUG, "something was thrown that is no exception");
    }
}

void need(const void* argument, const char* name) {
    if (!argument) throw cmr::InputError("{} is null", name);
}

}  // namespace

const char* cmr_version(void) { return cmr::version().data(); }

cmr_status cmr_model_open(const char* path, cmr_model** model, cmr_error* error) {
    return guarded(error, [&] {
        need(path, "path");
        need(model, "model");
        auto detector = std::make_shared<const cmr::score::Detector>(cmr::score::load_detector(path));
        const cmr::monitor::Stream example(detector);
        *model = new cmr_model{detector, {*detector, example}};
    });
}

const cmr_description* cmr_model_describe(const cmr_model* model) {
    return model ? &model->description.get() : nullptr;
}

void cmr_model_close(cmr_model* model) { delete model; }

cmr_status cmr_stream_open(const cmr_model* model, const cmr_settings* settings, cmr_stream** stream,
                           cmr_error* error) {
    return guarded(error, [&] {
        need(model, "model");
        need(stream, "stream");
        const cmr_settings chosen = settings ? *settings : cmr_settings{};
        *stream = new cmr_stream{
            .stream = cmr::monitor::Stream(
                model->detector, {.lateness_s = chosen.lateness_s, .stale_s = chosen.stale_s, .stride = chosen.stride}),
            .result = {},
            .explanation = {},
            .state = {}};
    });
}

void cmr_stream_close(cmr_stream* stream) { delete stream; }

cmr_status cmr_stream_push(cmr_stream* stream, double time_s, const float* row, cmr_error* error) {
    return cmr_stream_push_rows(stream, 1, &time_s, row, error);
}

cmr_status cmr_stream_push_rows(cmr_stream* stream, int64_t count, const double* times_s, const float* rows,
                                cmr_error* error) {
    return guarded(error, [&] {
        need(stream, "stream");
        if (count < 0) throw cmr::InputError("count is {}, expected 0 or more", count);
        if (count == 0) return;
        need(times_s, "times_s");
        need(rows, "rows");
        const size_t channels = stream->stream.channels().size();
        for (int64_t i = 0; i < count; ++i, rows += channels) stream->stream.push(times_s[i], {rows, channels});
    });
}

cmr_status cmr_stream_push_value(cmr_stream* stream, double time_s, int64_t channel, float value, cmr_error* error) {
    return guarded(error, [&] {
        need(stream, "stream");
        stream->stream.push(time_s, channel, value);
    });
}

cmr_status cmr_stream_end(cmr_stream* stream, cmr_error* error) {
    return guarded(error, [&] {
        need(stream, "stream");
        stream->stream.end();
    });
}

cmr_status cmr_stream_next(cmr_stream* stream, const cmr_result** result, cmr_error* error) {
    return guarded(error, [&] {
        need(stream, "stream");
        need(result, "result");
        std::optional<cmr::monitor::JudgedWindow> judged = stream->stream.next();
        *result = judged ? &stream->result.emplace(std::move(*judged), stream->stream).get() : nullptr;
    });
}

cmr_status cmr_stream_explain(cmr_stream* stream, const cmr_explanation** explanation, cmr_error* error) {
    return guarded(error, [&] {
        need(stream, "stream");
        need(explanation, "explanation");
        *explanation = &stream->explanation.emplace(stream->stream.explain()).get();
    });
}

cmr_status cmr_stream_save(cmr_stream* stream, const void** bytes, size_t* size, cmr_error* error) {
    return guarded(error, [&] {
        need(stream, "stream");
        need(bytes, "bytes");
        need(size, "size");
        stream->state = stream->stream.save();
        *bytes = stream->state.data();
        *size = stream->state.size();
    });
}

cmr_status cmr_stream_restore(cmr_stream* stream, const void* bytes, size_t size, cmr_error* error) {
    return guarded(error, [&] {
        need(stream, "stream");
        need(bytes, "bytes");
        stream->stream.restore({static_cast<const char*>(bytes), size});
    });
}

cmr_status cmr_stream_count(cmr_stream* stream, const cmr_counts** counts, cmr_error* error) {
    return guarded(error, [&] {
        need(stream, "stream");
        need(counts, "counts");
        stream->counts = cmr::lib::counts_of(stream->stream.counts());
        *counts = &stream->counts;
    });
}
