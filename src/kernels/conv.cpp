#include "kernels/conv.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace cmr::kernels {
namespace {

constexpr int64_t kRowsPerTask = 192;
constexpr int64_t kColumnsPerTask = 64;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -ceil_div(-a, b); }

// One dense product over a sliding window: y[m] = Σ_r x[m * step + first + r] · B[r] for m in [0, count).
struct Sliding {
    int64_t taps;  // rows of x that one row of y sees
    int64_t first;
    int64_t step;
    int64_t channels;  // of x
    int64_t out;       // columns of y
    int64_t y_row;     // floats between two rows of y
};

// Rows [begin, end) of y for one window of `length` rows; `scratch` holds the rows of x with zeros around the window.
void slide(const Sliding& s, const float* packed, int64_t length, const float* x, const float* bias, int64_t begin,
           int64_t end, float* y, Buffer& scratch) {
    const int64_t top = begin * s.step + s.first, rows = (end - begin - 1) * s.step + s.taps;
    const float* from = x + top * s.channels;
    if (top < 0 || top + rows > length) {
        scratch.reserve(rows * s.channels);
        const int64_t low = std::clamp(-top, int64_t{0}, rows), high = std::clamp(length - top, low, rows);
        float* to = scratch.data();
        std::fill(to, to + low * s.channels, 0.0f);
        std::copy(x + (top + low) * s.channels, x + (top + high) * s.channels, to + low * s.channels);
        std::fill(to + high * s.channels, to + rows * s.channels, 0.0f);
        from = to;
    }
    if (bias)
        for (int64_t m = begin; m < end; ++m) std::copy_n(bias, s.out, y + m * s.y_row);
    kernels().gemm(end - begin, s.out, s.taps * s.channels, {from, s.step * s.channels, 1}, packed, y + begin * s.y_row,
                   s.y_row, bias != nullptr);
}

// The taps of the stride's phase that reach an input position: phase, phase + stride, …
int64_t taps_of_phase(const ConvShape& s, int64_t phase) {
    return std::max<int64_t>(0, ceil_div(s.kernel - phase, s.stride));
}

thread_local Buffer rows_of_thread;

}  // namespace

ConvWeights::ConvWeights(const ConvShape& s, const float* weight, For use) {
    const Kernels& k = kernels();
    if (use == For::forward) {  // B[(j, i), o]
        std::vector<float> b(s.kernel * s.in * s.out);
        for (int64_t o = 0; o < s.out; ++o)
            for (int64_t i = 0; i < s.in; ++i)
                for (int64_t j = 0; j < s.kernel; ++j)
                    b[(j * s.in + i) * s.out + o] = weight[(o * s.in + i) * s.kernel + j];
        packed_.reserve(k.packed_size(s.kernel * s.in, s.out));
        k.pack(s.kernel * s.in, s.out, {b.data(), s.out, 1}, packed_.data());
        return;
    }
    // Per phase B[(r, o), i] with the taps in falling order.
    packed_.reserve(s.stride * k.packed_size(ceil_div(s.kernel, s.stride) * s.out, s.in));
    float* to = packed_.data();
    for (int64_t phase = 0; phase < s.stride; ++phase) {
        const int64_t taps = taps_of_phase(s, phase);
        std::vector<float> b(taps * s.out * s.in);
        for (int64_t r = 0; r < taps; ++r)
            for (int64_t o = 0; o < s.out; ++o)
                for (int64_t i = 0; i < s.in; ++i)
                    b[(r * s.out + o) * s.in + i] =
                        weight[(o * s.in + i) * s.kernel + phase + s.stride * (taps - 1 - r)];
        k.pack(taps * s.out, s.in, {b.data(), s.in, 1}, to);
        to += k.packed_size(taps * s.out, s.in);
    }
}

void conv_forward(const ConvShape& s, const ConvWeights& weights, int64_t windows, int64_t length, const float* x,
                  const float* bias, float* y) {
    int64_t outputs = s.out_length(length);
    if (s.kernel == 1 && s.stride == 1 && s.pad_left == 0 && s.pad_right == 0) {  // windows need not be kept apart
        length = outputs = windows * length;
        windows = 1;
    }
    const Sliding sliding{s.kernel, -s.pad_left, s.stride, s.in, s.out, s.out};
    const int64_t tasks = ceil_div(outputs, kRowsPerTask);
    parallel_for(windows * tasks, [&](int64_t task) {
        const int64_t window = task / tasks, begin = task % tasks * kRowsPerTask;
        slide(sliding, weights.packed_.data(), length, x + window * length * s.in, bias, begin,
              std::min(begin + kRowsPerTask, outputs), y + window * outputs * s.out, rows_of_thread);
    });
}

void conv_backward_data(const ConvShape& s, const ConvWeights& weights, int64_t windows, int64_t length,
                        const float* dy, const float* bias, float* dx) {
    int64_t outputs = s.out_length(length);
    if (s.kernel == 1 && s.stride == 1 && s.pad_left == 0 && s.pad_right == 0) {
        length = outputs = windows * length;
        windows = 1;
    }
    // Input position t = stride * q + phase - pad_left is reached by outputs q - taps + 1 … q.
    int64_t packed_at = 0;
    for (int64_t phase = 0; phase < s.stride; ++phase) {
        const int64_t taps = taps_of_phase(s, phase);
        const int64_t first_q = ceil_div(s.pad_left - phase + s.stride * s.kernel, s.stride) - s.kernel;
        const int64_t last_q = floor_div(length - 1 + s.pad_left - phase, s.stride);
        const int64_t count = last_q - first_q + 1;
        const Sliding sliding{taps, first_q - taps + 1, 1, s.out, s.in, s.stride * s.in};
        const float* packed = weights.packed_.data() + packed_at;
        packed_at += kernels().packed_size(taps * s.out, s.in);
        if (count <= 0) continue;
        const int64_t first_t = s.stride * first_q + phase - s.pad_left;
        const int64_t tasks = ceil_div(count, kRowsPerTask);
        parallel_for(windows * tasks, [&](int64_t task) {
            const int64_t window = task / tasks, begin = task % tasks * kRowsPerTask;
            const int64_t end = std::min(begin + kRowsPerTask, count);
            float* to = dx + (window * length + first_t) * s.in;
            if (taps == 0) {
                for (int64_t m = begin; m < end; ++m)
                    for (int64_t i = 0; i < s.in; ++i) to[m * s.stride * s.in + i] = bias ? bias[i] : 0.0f;
            } else {
                slide(sliding, packed, outputs, dy + window * outputs * s.out, bias, begin, end, to, rows_of_thread);
            }
        });
    }
}

void conv_backward_weight(const ConvShape& s, int64_t windows, int64_t length, const float* x, const float* dy,
                          float* d_weight) {
    const Kernels& k = kernels();
    int64_t outputs = s.out_length(length);
    if (s.kernel == 1 && s.stride == 1 && s.pad_left == 0 && s.pad_right == 0) {
        length = outputs = windows * length;
        windows = 1;
    }
    // One task per tap, block of input and block of output channels sums over all tokens in order: no partial sums to
    // reduce. Output blocks are narrow because they are packed anew for every task, input blocks wide to make that
    // worth it.
    constexpr int64_t kIn = 128, kOut = 64;
    const int64_t in_blocks = ceil_div(s.in, kIn), out_blocks = ceil_div(s.out, kOut);
    parallel_for(s.kernel * in_blocks * out_blocks, [&](int64_t task) {
        const int64_t tap = task / (in_blocks * out_blocks);
        const int64_t in = task / out_blocks % in_blocks * kIn, out = task % out_blocks * kOut;
        const int64_t rows = std::min(kIn, s.in - in), columns = std::min(kOut, s.out - out);
        // Outputs whose tap falls inside the window.
        const int64_t first = std::max<int64_t>(0, ceil_div(s.pad_left - tap, s.stride));
        const int64_t last = std::min(outputs - 1, floor_div(length - 1 + s.pad_left - tap, s.stride));
        Buffer& sums = rows_of_thread;
        sums.reserve(kIn * kOut);
        std::fill_n(sums.data(), rows * columns, 0.0f);
        if (last >= first)
            for (int64_t window = 0; window < windows; ++window) {
                const int64_t top = first * s.stride - s.pad_left + tap;
                k.gemm_unpacked(rows, columns, last - first + 1,
                                {x + (window * length + top) * s.in + in, 1, s.stride * s.in},
                                {dy + (window * outputs + first) * s.out + out, s.out, 1}, sums.data(), columns, true);
            }
        for (int64_t o = 0; o < columns; ++o)
            for (int64_t i = 0; i < rows; ++i)
                d_weight[((out + o) * s.in + in + i) * s.kernel + tap] = sums.data()[i * columns + o];
    });
}

void column_sums(int64_t rows, int64_t columns, const float* x, float* to) {
    constexpr int64_t kRows = 256;  // summed in float, the blocks in double
    const int64_t tasks = ceil_div(columns, kColumnsPerTask);
    parallel_for(tasks, [&](int64_t task) {
        const int64_t begin = task * kColumnsPerTask, count = std::min(kColumnsPerTask, columns - begin);
        double total[kColumnsPerTask] = {};
        for (int64_t row = 0; row < rows; row += kRows) {
            float part[kColumnsPerTask] = {};
            for (int64_t i = row; i < std::min(row + kRows, rows); ++i)
                for (int64_t j = 0; j < count; ++j) part[j] += x[i * columns + begin + j];
            for (int64_t j = 0; j < count; ++j) total[j] += part[j];
        }
        for (int64_t j = 0; j < count; ++j) to[begin + j] = static_cast<float>(total[j]);
    });
}

}  // namespace cmr::kernels
