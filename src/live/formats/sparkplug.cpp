#include "live/formats/sparkplug.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "formats/sparkplug.pb.h"
#include "io/text/spelling.h"

namespace cmr::live {
namespace {

constexpr std::string_view kNamespace = "spBv1.0";
constexpr std::string_view kRebirth = "Node Control/Rebirth";
constexpr std::string_view kBirthNumber = "bdSeq";
constexpr size_t kMaxDevices = 100'000;  // of a decoder: a hostile client must not take memory without end
constexpr uint64_t kSequences = 256;
constexpr double kAskAgain_s = 60;

// Numbers of the specification's data types.
constexpr uint32_t kInt8 = 1, kInt16 = 2, kInt32 = 3, kInt64 = 4, kBoolean = 11, kDateTime = 13;

// Protobuf would print what it finds wrong in a payload; we tell it by an InputError.
void silence_library() { [[maybe_unused]] static const auto before = google::protobuf::SetLogHandler(nullptr); }

// Of the metrics that serve the protocol.
bool is_control(std::string_view name) {
    return name == kBirthNumber || name.starts_with("Node Control/") || name.starts_with("Device Control/");
}

// Signed integers come as the bits of unsigned ones. Nothing where it holds no number.
std::optional<double> number_of(const sparkplug::Metric& metric, uint32_t datatype) {
    if (metric.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (datatype == kDateTime) return std::nullopt;
    switch (metric.value_case()) {
        case sparkplug::Metric::kIntValue:
            if (datatype == kInt8) return static_cast<int8_t>(metric.int_value());
            if (datatype == kInt16) return static_cast<int16_t>(metric.int_value());
            if (datatype == kInt32) return static_cast<int32_t>(metric.int_value());
            return metric.int_value();
        case sparkplug::Metric::kLongValue:
            if (datatype >= kInt8 && datatype <= kInt64)
                return static_cast<double>(static_cast<int64_t>(metric.long_value()));
            return static_cast<double>(metric.long_value());
        case sparkplug::Metric::kFloatValue:
            return metric.float_value();
        case sparkplug::Metric::kDoubleValue:
            return metric.double_value();
        case sparkplug::Metric::kBooleanValue:
            return metric.boolean_value() ? 1 : 0;
        default:
            return std::nullopt;
    }
}

int64_t birth_number(const sparkplug::Payload& payload) {
    for (const sparkplug::Metric& metric : payload.metrics())
        if (metric.name() == kBirthNumber)
            if (const auto number = number_of(metric, metric.datatype())) return static_cast<int64_t>(*number);
    return -1;
}

std::vector<std::string_view> levels_of(std::string_view topic) {
    std::vector<std::string_view> levels;
    for (;;) {
        const size_t slash = topic.find('/');
        levels.push_back(topic.substr(0, slash));
        if (slash == std::string_view::npos) return levels;
        topic.remove_prefix(slash + 1);
    }
}

}  // namespace

struct SparkplugDecoder::Message {
    std::string_view topic, group, type, node, device;
    sparkplug::Payload payload;

    bool is(std::string_view kind) const { return type.substr(1) == kind; }
};

SparkplugDecoder::SparkplugDecoder(Naming asset, Naming channel)
    : asset_(std::move(asset)), channel_(std::move(channel)) {
    silence_library();
}

void SparkplugDecoder::decode(std::string_view topic, std::string_view payload, double arrival_s, Decoded& out) {
    const auto levels = levels_of(topic);
    if (levels.size() >= 2 && levels[0] == kNamespace && levels[1] == "STATE") return;
    Message message;
    message.topic = topic;
    if (levels.size() < 4 || levels.size() > 5 || levels[0] != kNamespace || levels[2].empty() || levels[3].empty())
        throw InputError("topic {}: expected {}/GROUP/TYPE/NODE[/DEVICE]", io::shown(topic), kNamespace);
    message.group = levels[1];
    message.type = levels[2];
    message.node = levels[3];
    if (levels.size() == 5) message.device = levels[4];
    if (message.is("CMD")) return;
    constexpr std::array<std::string_view, 6> kTypes = {"NBIRTH", "NDATA", "NDEATH", "DBIRTH", "DDATA", "DDEATH"};
    if (std::ranges::find(kTypes, message.type) == kTypes.end() ||
        (message.type.front() == 'D') != (levels.size() == 5 && !message.device.empty()))
        throw InputError("topic {}: the type {} does not suit it", io::shown(topic), io::shown(message.type));
    if (payload.size() > std::numeric_limits<int>::max() ||
        !message.payload.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
        throw InputError("topic {}: {} bytes that are no Sparkplug B payload", io::shown(topic), payload.size());

    const std::string name = std::string(message.group) + "/" + std::string(message.node);
    if (nodes_.size() >= kMaxDevices && !nodes_.contains(name))
        throw InputError("topic {}: more than {} edge nodes", io::shown(topic), kMaxDevices);
    Node& node = nodes_[name];
    if (message.is("DEATH")) return read_death(message, node);
    follow_sequence(message, node);
    if (message.is("BIRTH")) read_birth(message, node);
    read_metrics(message, node, arrival_s, out);
}

void SparkplugDecoder::follow_sequence(const Message& message, Node& node) const {
    if (!message.payload.has_seq()) return;
    const uint64_t sequence = message.payload.seq();
    const bool again = node.sequence == sequence;  // the broker may deliver a message twice
    if (message.type != "NBIRTH" && node.sequence && !again && sequence != (*node.sequence + 1) % kSequences)
        node.wants_birth = true;
    node.sequence = sequence;
}

void SparkplugDecoder::read_birth(const Message& message, Node& node) {
    if (message.type == "NBIRTH") {
        node.devices.clear();
        node.birth_number = birth_number(message.payload);
        node.wants_birth = false;
        node.asked_s.reset();
    }
    if (node.devices.size() >= kMaxDevices)
        throw InputError("topic {}: more than {} devices", io::shown(message.topic), kMaxDevices);
    Device device;
    for (const sparkplug::Metric& metric : message.payload.metrics()) {
        device.datatypes[metric.name()] = metric.datatype();
        if (metric.has_alias()) device.aliases[metric.alias()] = metric.name();
    }
    node.devices[std::string(message.device)] = std::move(device);
    ++version_;
}

void SparkplugDecoder::read_death(const Message& message, Node& node) {
    if (message.type == "DDEATH") {
        node.devices.erase(std::string(message.device));
        follow_sequence(message, node);
    } else {
        // The will of an earlier connection may come after the birth of the next.
        if (birth_number(message.payload) != node.birth_number) return;
        node.sequence.reset();
    }
    ++version_;
}

void SparkplugDecoder::read_metrics(const Message& message, Node& node, double arrival_s, Decoded& out) {
    const auto known = node.devices.find(std::string(message.device));
    if (known == node.devices.end()) {
        node.wants_birth = true;
        return out.refuse(fmt::format("topic {}: data of a device whose birth nobody saw", io::shown(message.topic)));
    }
    const Device& device = known->second;
    Reading reading;
    const auto find = [&](std::string_view word) -> std::optional<std::string_view> {
        if (word == "group") return message.group;
        if (word == "node") return message.node;
        if (word == "device") return message.device.empty() ? message.node : message.device;
        return std::nullopt;
    };
    const auto asset = asset_.fill(find);
    for (const sparkplug::Metric& metric : message.payload.metrics()) {
        std::string name = metric.name();
        if (name.empty() && metric.has_alias()) {
            const auto alias = device.aliases.find(metric.alias());
            if (alias != device.aliases.end()) name = alias->second;
        }
        const auto datatype = device.datatypes.find(name);
        if (datatype == device.datatypes.end()) {
            node.wants_birth = true;
            out.refuse(fmt::format("topic {}: metric {}, alias {}, was in no birth", io::shown(message.topic),
                                   io::shown(name), metric.alias()));
            continue;
        }
        if (is_control(name)) continue;
        const auto number = number_of(metric, metric.has_datatype() ? metric.datatype() : datatype->second);
        const auto channel = channel_.fill([&](std::string_view word) {
            return word == "metric" ? std::optional<std::string_view>(name) : find(word);
        });
        if (!asset || !channel || !number) {
            ++out.ignored;
            continue;
        }
        const bool timed = metric.has_timestamp() || message.payload.has_timestamp();
        const uint64_t time_ms = metric.has_timestamp() ? metric.timestamp() : message.payload.timestamp();
        out.readings.push_back(
            {*asset, *channel, timed ? static_cast<double>(time_ms) / 1000 : arrival_s, static_cast<float>(*number)});
    }
}

std::vector<SparkplugCommand> SparkplugDecoder::take_commands(double now_s) {
    std::vector<SparkplugCommand> commands;
    for (auto& [name, node] : nodes_) {
        if (!node.wants_birth || (node.asked_s && now_s - *node.asked_s < kAskAgain_s)) continue;
        node.asked_s = now_s;
        sparkplug::Payload payload;
        payload.set_timestamp(static_cast<uint64_t>(std::llround(std::max(now_s, 0.0) * 1000)));
        sparkplug::Metric& metric = *payload.add_metrics();
        metric.set_name(std::string(kRebirth));
        metric.set_datatype(kBoolean);
        metric.set_boolean_value(true);
        const size_t slash = name.find('/');
        commands.push_back({fmt::format("{}/{}/NCMD/{}", kNamespace, name.substr(0, slash), name.substr(slash + 1)),
                            payload.SerializeAsString()});
    }
    return commands;
}

std::string SparkplugDecoder::save() const {
    nlohmann::json out = nlohmann::json::object();
    for (const auto& [name, node] : nodes_) {
        nlohmann::json& one = out[name];
        one = {{"birth_number", node.birth_number}, {"devices", nlohmann::json::object()}};
        for (const auto& [device_name, device] : node.devices) {
            nlohmann::json aliases = nlohmann::json::array();
            for (const auto& [alias, metric] : device.aliases) aliases.push_back({alias, metric});
            one["devices"][device_name] = {{"datatypes", device.datatypes}, {"aliases", aliases}};
        }
    }
    return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void SparkplugDecoder::restore(const std::string& state) {
    std::map<std::string, Node> nodes;
    try {
        const nlohmann::json saved_nodes = nlohmann::json::parse(state);
        for (const auto& [name, one] : saved_nodes.items()) {
            Node& node = nodes[name];
            one.at("birth_number").get_to(node.birth_number);
            for (const auto& [device_name, saved] : one.at("devices").items()) {
                Device& device = node.devices[device_name];
                saved.at("datatypes").get_to(device.datatypes);
                for (const auto& pair : saved.at("aliases")) device.aliases[pair.at(0)] = pair.at(1);
            }
        }
    } catch (const nlohmann::json::exception& error) {
        throw InputError("the kept births of Sparkplug cannot be read: {}", error.what());
    }
    nodes_ = std::move(nodes);
}

}  // namespace cmr::live
