#include "kernels/conv.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace cmr::kernels {
namespace {

constexpr int64_t kRowsPerTask = 96;  // short windows are put together to as many
constexpr int64_t kColumnsPerTask = 64;
constexpr int64_t kWideColumns = 256;        // of a product's task, where it has more
constexpr double kWorthThreads = 2'000'000;  // multiply-adds below which nobody is woken

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -ceil_div(-a, b); }

// parallel_for, on the caller's thread alone where there is little to do.
void for_tasks(int64_t tasks, double multiply_adds, const std::function<void(int64_t)>& body) {
    if (multiply_adds >= kWorthThreads) return parallel_for(tasks, body);
    parallel_for(1, [&](int64_t) {
        for (int64_t task = 0; task < tasks; ++task) body(task);
    });
}

thread_local Buffer rows_of_thread;

// A dense product over the sliding rows of every window: y[w, m] = bias + Σ_r x[w, m * step + first + r] · B[r] for m
// in [0, count), zero outside the window.
struct Sliding {
    int64_t taps;  // rows of x that one row of y sees
    int64_t first;
    int64_t step;
    int64_t channels;  // of x
    int64_t length;    // rows of a window of x
    int64_t count;     // of rows of y per window
    int64_t out;       // columns of y
    int64_t y_row;     // floats between two rows of y
    int64_t y_window;  // and between two windows
    const Kernels* kernels;
    const float* packed;
    const float* x;
    const float* bias;  // may be null
    float* y;

    // Rows of x under rows [begin, end) of y.
    int64_t rows(int64_t begin, int64_t end) const { return (end - begin - 1) * step + taps; }

    // Copies those of one window, with zeros around it.
    void copy_rows(int64_t window, int64_t begin, int64_t end, float* to) const {
        const int64_t top = begin * step + first, all = rows(begin, end);
        const int64_t low = std::clamp(-top, int64_t{0}, all), high = std::clamp(length - top, low, all);
        const float* from = x + (window * length + top) * channels;
        std::fill(to, to + low * channels, 0.0f);
        std::copy(from + low * channels, from + high * channels, to + low * channels);
        std::fill(to + high * channels, to + all * channels, 0.0f);
    }

    // Rows [begin, end) of windows [window, last), columns [column, column + columns).
    void run(int64_t window, int64_t last, int64_t begin, int64_t end, int64_t column, int64_t columns) const {
        const int64_t top = begin * step + first, k = taps * channels, m = (last - window) * (end - begin);
        float* to = y + window * y_window + begin * y_row + column;
        if (bias)
            for (int64_t i = 0; i < m; ++i)
                std::copy_n(bias + column, columns, to + i / (end - begin) * y_window + i % (end - begin) * y_row);
        const float* b = packed + kernels->packed_size(k, column);
        if (last - window == 1 && top >= 0 && top + rows(begin, end) <= length)
            return kernels->gemm(m, columns, k, {x + (window * length + top) * channels, step * channels, 1}, b, to,
                                 y_row, bias != nullptr);
        const int64_t group = rows(begin, end) * channels;
        rows_of_thread.reserve((last - window) * group);
        for (int64_t w = window; w < last; ++w) copy_rows(w, begin, end, rows_of_thread.data() + (w - window) * group);
        kernels->gemm_grouped(m, columns, k, {rows_of_thread.data(), end - begin, group, step * channels}, b, to, y_row,
                              bias != nullptr);
    }

    void run_all(int64_t windows) const {
        // Windows share a product where their rows of y follow each other.
        const int64_t together = y_window == count * y_row ? std::max<int64_t>(1, kRowsPerTask / count) : 1;
        const int64_t runs = ceil_div(windows, together), blocks = ceil_div(count, kRowsPerTask);
        const int64_t wide = std::max(kWideColumns / kernels->panel, int64_t{1}) * kernels->panel,
                      sides = ceil_div(out, wide);
        for_tasks(runs * blocks * sides,
                  static_cast<double>(windows * count * taps * channels) * static_cast<double>(out), [&](int64_t task) {
                      const int64_t side = task % sides, block = task / sides % blocks, run_of = task / sides / blocks;
                      run(run_of * together, std::min((run_of + 1) * together, windows), block * kRowsPerTask,
                          std::min((block + 1) * kRowsPerTask, count), side * wide, std::min(wide, out - side * wide));
                  });
    }
};

// The taps of the stride's phase that reach an input position: phase, phase + stride, …
int64_t taps_of_phase(const ConvShape& s, int64_t phase) {
    return std::max<int64_t>(0, ceil_div(s.kernel - phase, s.stride));
}

// Packs B[(r, i), j] with r < parts, i < k, j < n, where part(r) gives B[(r, ·), ·], panel by panel.
template <typename Part>
void pack_parts(const Kernels& kernel, int64_t parts, int64_t k, int64_t n, const Part& part, float* packed) {
    if (k % kernel.packed_rows != 0) {  // a part would end inside a step of the next
        std::vector<float> all(parts * k * n);
        for (int64_t r = 0; r < parts; ++r) {
            const Strided b = part(r);
            for (int64_t i = 0; i < k; ++i)
                for (int64_t j = 0; j < n; ++j) all[(r * k + i) * n + j] = b.data[i * b.row + j * b.column];
        }
        return kernel.pack(parts * k, n, {all.data(), n, 1}, packed);
    }
    for_tasks(ceil_div(n, kernel.panel), static_cast<double>(parts * k * n) * 20.0, [&](int64_t panel) {
        const int64_t column = panel * kernel.panel, columns = std::min(kernel.panel, n - column);
        float* to = packed + kernel.packed_size(parts * k, column);
        for (int64_t r = 0; r < parts; ++r, to += kernel.packed_size(k, columns)) {
            Strided b = part(r);
            b.data += column * b.column;
            kernel.pack(k, columns, b, to);
        }
    });
}

bool is_linear(const ConvShape& s) { return s.kernel == 1 && s.stride == 1 && s.pad_left == 0 && s.pad_right == 0; }

// One block of a weight gradient: Σ over tokens of patch · dy, where a patch is the rows of x under a token's taps.
// Tokens whose patch lies inside a long window are taken as they lie; others are gathered, from many windows, until
// there are enough for a product.
class WeightGradient {
  public:
    WeightGradient(const ConvShape& shape, int64_t length, const float* x, const float* dy, int64_t tap, int64_t taps,
                   int64_t in, int64_t ins, int64_t out, int64_t outs)
        : s_(shape),
          length_(length),
          outputs_(shape.out_length(length)),
          x_(x),
          dy_(dy),
          tap_(tap),
          taps_(taps),
          in_(in),
          ins_(ins),
          out_(out),
          outs_(outs),
          rows_(taps * ins) {
        rows_of_thread.reserve(rows_ * outs_ + kGathered * (rows_ + outs_));
        sums_ = rows_of_thread.data();
        patches_ = sums_ + rows_ * outs_;
        upstream_ = patches_ + kGathered * rows_;
        std::fill_n(sums_, rows_ * outs_, 0.0f);
    }

    void add_window(int64_t window) {
        // Tokens one of whose taps lies inside, and all.
        const int64_t first = std::clamp(first_inside(tap_ + taps_ - 1), int64_t{0}, outputs_);
        const int64_t last = std::clamp(last_inside(tap_) + 1, first, outputs_);
        const int64_t whole = std::clamp(first_inside(tap_), first, last);
        const int64_t end = std::clamp(last_inside(tap_ + taps_ - 1) + 1, whole, last);
        const bool direct = end - whole >= kGathered / 2;
        for (int64_t token = first; token < (direct ? whole : last); ++token) gather(window, token);
        if (!direct) return;
        multiply(end - whole, {x_ + (window * length_ + top(whole)) * s_.in + in_, 1, s_.stride * s_.in},
                 {dy_ + (window * outputs_ + whole) * s_.out + out_, s_.out, 1});
        for (int64_t token = end; token < last; ++token) gather(window, token);
    }

    void write(float* d_weight) {
        flush();
        for (int64_t o = 0; o < outs_; ++o)
            for (int64_t r = 0; r < rows_; ++r)
                d_weight[((out_ + o) * s_.in + in_ + r % ins_) * s_.kernel + tap_ + r / ins_] =
                    sums_[turned() ? o * rows_ + r : r * outs_ + o];
    }

  private:
    static constexpr int64_t kGathered = 256;  // tokens of a product

    // A product is fast along its second side.
    bool turned() const { return outs_ < 16 && rows_ > outs_; }
    int64_t top(int64_t token) const { return token * s_.stride - s_.pad_left + tap_; }  // first row of its patch
    int64_t first_inside(int64_t tap) const {
        return ceil_div(s_.pad_left - tap + s_.stride * s_.kernel, s_.stride) - s_.kernel;
    }
    int64_t last_inside(int64_t tap) const { return floor_div(length_ - 1 + s_.pad_left - tap, s_.stride); }

    void gather(int64_t window, int64_t token) {
        float* to = patches_ + gathered_ * rows_;
        for (int64_t tap = 0; tap < taps_; ++tap, to += ins_) {
            const int64_t row = top(token) + tap;
            if (row >= 0 && row < length_)
                std::copy_n(x_ + (window * length_ + row) * s_.in + in_, ins_, to);
            else
                std::fill_n(to, ins_, 0.0f);
        }
        std::copy_n(dy_ + (window * outputs_ + token) * s_.out + out_, outs_, upstream_ + gathered_ * outs_);
        if (++gathered_ == kGathered) flush();
    }
    void flush() {
        if (gathered_ > 0) multiply(gathered_, {patches_, 1, rows_}, {upstream_, outs_, 1});
        gathered_ = 0;
    }
    // patches: [rows, tokens], upstream: [tokens, outs]
    void multiply(int64_t tokens, Strided patches, Strided upstream) {
        if (turned())
            kernels_.gemm_unpacked(outs_, rows_, tokens, {upstream.data, 1, upstream.row},
                                   {patches.data, patches.column, 1}, sums_, rows_, true);
        else
            kernels_.gemm_unpacked(rows_, outs_, tokens, patches, upstream, sums_, outs_, true);
    }

    const ConvShape& s_;
    const Kernels& kernels_ = kernels(s_.precision);
    int64_t length_, outputs_;
    const float *x_, *dy_;
    int64_t tap_, taps_, in_, ins_, out_, outs_, rows_;
    float *sums_, *patches_, *upstream_;
    int64_t gathered_ = 0;
};

}  // namespace

ConvWeights::ConvWeights(const ConvShape& s, const float* weight, For use) {
    const Kernels& k = kernels(s.precision);
    if (use == For::forward) {  // B[(j, i), o]
        packed_.reserve(k.packed_size(s.kernel * s.in, s.out));
        pack_parts(
            k, s.kernel, s.in, s.out,
            [&](int64_t j) {
                return Strided{weight + j, s.kernel, s.in * s.kernel};
            },
            packed_.data());
        return;
    }
    // Per phase B[(r, o), i] with the taps in falling order.
    packed_.reserve(s.stride * k.packed_size(ceil_div(s.kernel, s.stride) * s.out, s.in));
    float* to = packed_.data();
    for (int64_t phase = 0; phase < s.stride; ++phase) {
        const int64_t taps = taps_of_phase(s, phase);
        pack_parts(
            k, taps, s.out, s.in,
            [&](int64_t r) {
                return Strided{weight + phase + s.stride * (taps - 1 - r), s.in * s.kernel, s.kernel};
            },
            to);
        to += k.packed_size(taps * s.out, s.in);
    }
}

void conv_forward(const ConvShape& s, const ConvWeights& weights, int64_t windows, int64_t length, const float* x,
                  const float* bias, float* y) {
    if (is_linear(s)) {  // windows need not be kept apart
        length *= windows;
        windows = 1;
    }
    const int64_t outputs = s.out_length(length);
    if (windows * outputs == 0) return;
    const Sliding sliding{.taps = s.kernel,
                          .first = -s.pad_left,
                          .step = s.stride,
                          .channels = s.in,
                          .length = length,
                          .count = outputs,
                          .out = s.out,
                          .y_row = s.out,
                          .y_window = outputs * s.out,
                          .kernels = &kernels(s.precision),
                          .packed = weights.packed_.data(),
                          .x = x,
                          .bias = bias,
                          .y = y};
    sliding.run_all(windows);
}

void conv_backward_data(const ConvShape& s, const ConvWeights& weights, int64_t windows, int64_t length,
                        const float* dy, const float* bias, float* dx) {
    if (is_linear(s)) {
        length *= windows;
        windows = 1;
    }
    // Input position t = stride * q + phase - pad_left is reached by outputs q - taps + 1 … q.
    const float* packed = weights.packed_.data();
    for (int64_t phase = 0; phase < s.stride; ++phase) {
        const int64_t taps = taps_of_phase(s, phase);
        const int64_t first_q = ceil_div(s.pad_left - phase + s.stride * s.kernel, s.stride) - s.kernel;
        const int64_t last_q = floor_div(length - 1 + s.pad_left - phase, s.stride);
        const int64_t count = last_q - first_q + 1;
        const int64_t first_t = s.stride * first_q + phase - s.pad_left;
        float* to = dx + first_t * s.in;
        if (count > 0 && taps == 0)
            for (int64_t w = 0; w < windows; ++w)
                for (int64_t m = 0; m < count; ++m)
                    for (int64_t i = 0; i < s.in; ++i)
                        to[(w * length + m * s.stride) * s.in + i] = bias ? bias[i] : 0.0f;
        if (count > 0 && taps > 0 && windows > 0) {
            const Sliding sliding{.taps = taps,
                                  .first = first_q - taps + 1,
                                  .step = 1,
                                  .channels = s.out,
                                  .length = s.out_length(length),
                                  .count = count,
                                  .out = s.in,
                                  .y_row = s.stride * s.in,
                                  .y_window = length * s.in,
                                  .kernels = &kernels(s.precision),
                                  .packed = packed,
                                  .x = dy,
                                  .bias = bias,
                                  .y = to};
            sliding.run_all(windows);
        }
        packed += kernels(s.precision).packed_size(taps * s.out, s.in);
    }
}

void conv_backward_weight(const ConvShape& s, int64_t windows, int64_t length, const float* x, const float* dy,
                          float* d_weight) {
    if (is_linear(s)) {
        length *= windows;
        windows = 1;
    }
    // One task per block of taps and input channels and block of output channels sums over all tokens in order: no
    // partial sums to reduce. Output blocks are narrow because they are packed anew for every task, input blocks wide
    // to make that worth it. Narrow inputs, like samples, take several taps at once: they lie side by side.
    constexpr int64_t kIn = 128, kOut = 96;  // a whole number of panels on every instruction set
    const int64_t taps = 2 * s.in <= kIn ? std::min(s.kernel, kIn / s.in) : 1;
    const int64_t tap_blocks = ceil_div(s.kernel, taps), in_blocks = ceil_div(s.in, kIn),
                  out_blocks = ceil_div(s.out, kOut);
    const double multiply_adds =
        static_cast<double>(windows * s.out_length(length) * s.kernel * s.in) * static_cast<double>(s.out);
    for_tasks(tap_blocks * in_blocks * out_blocks, multiply_adds, [&](int64_t task) {
        const int64_t tap = task / (in_blocks * out_blocks) * taps;
        const int64_t in = task / out_blocks % in_blocks * kIn, out = task % out_blocks * kOut;
        WeightGradient block(s, length, x, dy, tap, std::min(taps, s.kernel - tap), in, std::min(kIn, s.in - in), out,
                             std::min(kOut, s.out - out));
        for (int64_t window = 0; window < windows; ++window) block.add_window(window);
        block.write(d_weight);
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
