#include "train/networks/optimiser.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/elementwise.h"

namespace cmr::train {
namespace {

constexpr int64_t kPiece = 1 << 16;

}  // namespace

Optimiser::Optimiser(const std::vector<Parameter>& parameters, const OptimiserSettings& settings)
    : parameters_(parameters), settings_(settings) {
    for (size_t i = 0; i < parameters_.size(); ++i) {
        const int64_t count = parameters_[i].value.numel();
        state_.moments.push_back({std::vector<float>(count, 0.0f), std::vector<float>(count, 0.0f)});
        for (int64_t begin = 0; begin < count; begin += kPiece)
            pieces_.push_back({i, begin, std::min(kPiece, count - begin)});
    }
}

template <typename Body>
void Optimiser::for_each_piece(const Body& body) const {
    parallel_for(std::ssize(pieces_), [&](int64_t i) {
        const Tensor& gradient = parameters_[pieces_[i].parameter].value.grad();
        if (gradient.defined()) body(i, pieces_[i], gradient.data_ptr<float>() + pieces_[i].begin);
    });
}

void Optimiser::restore(State state) {
    CMR_ASSERT(state.moments.size() == parameters_.size(), "the state of the same parameters");
    state_ = std::move(state);
}

double Optimiser::step() {
    std::vector<double> squares(pieces_.size(), 0.0);
    for_each_piece([&](int64_t i, const Piece& piece, const float* gradient) {
        squares[i] = kernels::sum_of_squares(piece.count, gradient);
    });
    const double norm = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
    if (std::isfinite(norm)) {
        ++state_.steps;
        kernels::AdamWStep step{.rate = settings_.rate,
                                .weight_decay = settings_.weight_decay,
                                .beta1 = settings_.beta1,
                                .beta2 = settings_.beta2,
                                .step = state_.steps};
        if (settings_.largest_norm > 0 && norm > settings_.largest_norm)
            step.gradient_scale = settings_.largest_norm / (norm + 1e-6);
        for_each_piece([&](int64_t, const Piece& piece, const float* gradient) {
            Moments& moments = state_.moments[piece.parameter];
            kernels::adamw(step, piece.count, gradient,
                           parameters_[piece.parameter].value.data_ptr<float>() + piece.begin,
                           moments.mean.data() + piece.begin, moments.square.data() + piece.begin);
        });
    }
    discard();
    return norm;
}

void Optimiser::discard() {
    for (const Parameter& p : parameters_) p.value.mutable_grad().reset();
}

}  // namespace cmr::train
