#pragma once
// Writes the list of a network's tensors.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/parameters.h"

namespace cmr::model {

class Specs {
  public:
    explicit Specs(int64_t most) : most_(most) {}

    void add(std::string name, std::vector<int64_t> shape, Init init, double bound = 0.0, bool trained = true) {
        if (std::ssize(specs_) >= most_) throw InputError("the settings ask for more than {} tensors", most_);
        specs_.push_back({std::move(name), std::move(shape), init, bound, trained});
    }
    // Weights uniform in ±1/√fan_in, as libraries commonly do; likewise the bias where there is one.
    void add_layer(const std::string& name, std::vector<int64_t> shape, int64_t fan_in, int64_t bias) {
        const double bound = 1.0 / std::sqrt(static_cast<double>(fan_in));
        add(name + ".weight", std::move(shape), Init::uniform, bound);
        if (bias > 0) add(name + ".bias", {bias}, Init::uniform, bound);
    }
    void add_norm(const std::string& name, int64_t n) {
        add(name + ".weight", {n}, Init::ones);
        add(name + ".bias", {n}, Init::zeros);
    }
    void add_batch_norm(const std::string& name, int64_t n) {
        add_norm(name, n);
        add_moments(name, n);
    }
    void add_moments(const std::string& name, int64_t n) {
        add(name + ".running_mean", {n}, Init::zeros, 0.0, false);
        add(name + ".running_variance", {n}, Init::ones, 0.0, false);
    }
    std::vector<ParameterSpec> take() { return std::move(specs_); }

  private:
    int64_t most_;
    std::vector<ParameterSpec> specs_;
};

}  // namespace cmr::model
