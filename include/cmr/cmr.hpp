#pragma once
// libcmr for C++: the C interface of cmr.h with handles that close themselves and failures that are thrown. Header
// only; C++17.

#include <cmr/cmr.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace cmr {

class Error : public std::runtime_error {
  public:
    explicit Error(const cmr_error& error) : std::runtime_error(error.message), status_(error.status) {}
    cmr_status status() const { return status_; }

  private:
    cmr_status status_;
};

// Calls a function of the C interface with `arguments` and a place for its error.
template <typename Function, typename... Arguments>
void check(Function function, Arguments... arguments) {
    cmr_error error;
    if (function(arguments..., &error) != CMR_OK) throw Error(error);
}

struct Close {
    void operator()(cmr_model* model) const { cmr_model_close(model); }
    void operator()(cmr_stream* stream) const { cmr_stream_close(stream); }
};

class Model {
  public:
    explicit Model(const std::string& path) {
        cmr_model* model = nullptr;
        check(cmr_model_open, path.c_str(), &model);
        model_.reset(model);
    }

    const cmr_description& describe() const { return *cmr_model_describe(model_.get()); }
    const cmr_model* handle() const { return model_.get(); }

  private:
    std::unique_ptr<cmr_model, Close> model_;
};

class Stream {
  public:
    explicit Stream(const Model& model, const cmr_settings& settings = {}) {
        cmr_stream* stream = nullptr;
        check(cmr_stream_open, model.handle(), &settings, &stream);
        stream_.reset(stream);
        channels_ = static_cast<size_t>(model.describe().channel_count);
    }

    void push(double time_s, const std::vector<float>& row) {
        if (row.size() != channels_)
            throw std::invalid_argument("a row of " + std::to_string(row.size()) + " values; the model has " +
                                        std::to_string(channels_) + " channels");
        check(cmr_stream_push, stream_.get(), time_s, row.data());
    }
    void push(double time_s, int64_t channel, float value) {
        check(cmr_stream_push_value, stream_.get(), time_s, channel, value);
    }
    void end() { check(cmr_stream_end, stream_.get()); }

    // Null when there is none; lives until the next call.
    const cmr_result* next() {
        const cmr_result* result = nullptr;
        check(cmr_stream_next, stream_.get(), &result);
        return result;
    }
    const cmr_explanation& explain() {
        const cmr_explanation* explanation = nullptr;
        check(cmr_stream_explain, stream_.get(), &explanation);
        return *explanation;
    }
    cmr_counts count() {
        const cmr_counts* counts = nullptr;
        check(cmr_stream_count, stream_.get(), &counts);
        return *counts;
    }
    std::string save() {
        const void* bytes = nullptr;
        size_t size = 0;
        check(cmr_stream_save, stream_.get(), &bytes, &size);
        return {static_cast<const char*>(bytes), size};
    }
    void restore(const std::string& state) { check(cmr_stream_restore, stream_.get(), state.data(), state.size()); }

  private:
    std::unique_ptr<cmr_stream, Close> stream_;
    size_t channels_ = 0;
};

}  // namespace cmr
