#pragma once
// What defines a model beside its weights: the channel groups, and the recipe's sizes and loss. Written as JSON into
// the model file.

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "base/fields.h"
#include "kernels/conv.h"
#include "kernels/kernels.h"
#include "recipe/recipe.h"

namespace cmr::model {

// Channels of the same physical quantity; they share one encoder, which sees them one by one.
struct ChannelGroup {
    std::string name;
    bool effect = false;  // an answer of the machine; else a cause
    int64_t channels = 1;
};

struct Config : recipe::Model {
    // Causes and effects may stand in any order; a window's channels are those of the groups, one after the other.
    std::vector<ChannelGroup> groups;

    int64_t channels() const;
    int64_t cause_channels() const;
    int64_t effect_channels() const;
    int64_t hidden() const;  // the predictor's width
    // Tokens that a window of `length` samples gives.
    int64_t tokens(int64_t length) const { return stem().out_length(length); }
    kernels::ConvShape stem() const;
    kernels::MambaShape block(kernels::Precision precision = kernels::Precision::float32) const;
    // Of the products, where CMR_PRECISION does not say otherwise. Training knows no bf16: float32 stands in.
    kernels::Precision scoring_precision() const;
    kernels::Precision training_precision() const;
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, ChannelGroup>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "of the physical quantity");
    visit("effect", c.effect, "true: the machine's answer; false: a cause");
    visit("channels", c.channels, "how many channels share this encoder");
}

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, Config>
void visit_fields(C& c, const Visit& visit) {
    visit("groups", c.groups, "channel groups, each with one encoder");
    using Settings = std::conditional_t<std::is_const_v<C>, const recipe::Model, recipe::Model>;
    visit_fields(static_cast<Settings&>(c), visit);
}

// Throws InputError naming the field when a model of this kind cannot exist.
void check(const Config& config, const std::string& source);

std::string to_json(const Config& config);
// `source` names the file in messages. Unknown and missing fields are errors.
Config config_from_json(const std::string& text, const std::string& source);

}  // namespace cmr::model
