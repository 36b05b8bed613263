#pragma once
// What defines a model beside its weights: the channel groups, the sizes, the loss. Written as JSON into the model
// file.

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "base/fields.h"
#include "kernels/conv.h"
#include "kernels/kernels.h"

namespace cmr::model {

// Channels of the same physical quantity; they share one encoder, which sees them one by one.
struct ChannelGroup {
    std::string name;
    bool effect = false;  // an answer of the machine; else a cause
    int64_t channels = 1;
};

struct Config {
    // Causes and effects may stand in any order; a window's channels are those of the groups, one after the other.
    std::vector<ChannelGroup> groups;

    int64_t width = 128;  // features of a token
    int64_t layers = 4;
    int64_t state = 16;
    int64_t conv = 4;
    int64_t expand = 2;
    int64_t rank = 8;
    int64_t stem_kernel = 7;
    int64_t stem_stride = 4;

    int64_t predictor_width = 0;  // 0: `width` where there is one effect channel, else twice that
    int64_t predictor_kernel = 5;
    int64_t predictor_blocks = 3;
    double dropout = 0.1;

    double mechanism_weight = 0.20;  // γ
    double effect_weight = 1.00;     // α_y; 0: no effect decoders
    double cause_weight = 0.0;       // α_x; 0: no cause decoders
    bool stop_gradient = true;       // of the mechanism loss into the effect encoder

    int64_t channels() const;
    int64_t cause_channels() const;
    int64_t effect_channels() const;
    int64_t hidden() const;  // the predictor's width
    // Tokens that a window of `length` samples gives.
    int64_t tokens(int64_t length) const { return stem().out_length(length); }
    kernels::ConvShape stem() const;
    kernels::MambaShape block() const;
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
    visit("width", c.width, "features of a token");
    visit("layers", c.layers, "Mamba blocks of an encoder");
    visit("state", c.state, "states per inner channel");
    visit("conv", c.conv, "taps of the depthwise convolution");
    visit("expand", c.expand, "inner channels per feature");
    visit("rank", c.rank, "rank of the step-size projection");
    visit("stem_kernel", c.stem_kernel, "samples that one token sees directly");
    visit("stem_stride", c.stem_stride, "samples per token");
    visit("predictor_width", c.predictor_width, "0: as wide as a token for one effect channel, else twice that");
    visit("predictor_kernel", c.predictor_kernel, "tokens that one predictor block sees");
    visit("predictor_blocks", c.predictor_blocks, "causal convolutions of the predictor");
    visit("dropout", c.dropout, "in the predictor, while training");
    visit("mechanism_weight", c.mechanism_weight, "γ, of the prediction of effect from cause embeddings");
    visit("effect_weight", c.effect_weight, "α_y, of the effect reconstruction");
    visit("cause_weight", c.cause_weight, "α_x, of the cause reconstruction");
    visit("stop_gradient", c.stop_gradient, "keep the mechanism loss out of the effect encoder");
}

// Throws InputError naming the field when a model of this kind cannot exist.
void check(const Config& config, const std::string& source);

std::string to_json(const Config& config);
// `source` names the file in messages. Unknown and missing fields are errors.
Config config_from_json(const std::string& text, const std::string& source);

}  // namespace cmr::model
