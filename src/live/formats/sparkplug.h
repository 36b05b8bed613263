#pragma once
// Sparkplug B: edge nodes and their devices say at birth which metrics they have, then send those that change, by name
// or by alias. A decoder remembers the births; save and restore keep them over a restart, since what comes after it may
// name metrics by alias alone.
//
// Births and data give one reading per metric that holds a number or a truth value, at the metric's own time; those
// recorded without a connection (is_historical) too, and a metric that is null is absent. A death gives none: its
// metrics send no more, and so become stale. Where a message was missed (sequence numbers, an alias nobody announced)
// the node is asked for its births again.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/formats/decoded.h"
#include "live/formats/naming.h"

namespace cmr::live {

// To be published.
struct SparkplugCommand {
    std::string topic;
    std::string payload;
};

class SparkplugDecoder {
  public:
    // Of the words {group}, {node}, {device} (of a node's own metrics: the node) and {metric}.
    explicit SparkplugDecoder(Naming asset = Naming("device"), Naming channel = Naming("metric"));

    // InputError where the topic is not one of Sparkplug's or the payload is none; metrics that nobody announced are
    // refused, and the others read. Commands and states of hosts are no data: nothing happens.
    void decode(std::string_view topic, std::string_view payload, double arrival_s, Decoded& out);

    // Requests for births that have become due. One that was not answered within a minute is made again.
    std::vector<SparkplugCommand> take_commands(double now_s);

    // Goes up with every birth and death: what was saved before is of the past.
    int64_t version() const { return version_; }
    std::string save() const;
    // InputError where this was not saved by us; then nothing has changed.
    void restore(const std::string& state);

  private:
    struct Device {
        std::map<std::string, uint32_t> datatypes;  // by name
        std::map<uint64_t, std::string> aliases;
    };
    struct Node {
        int64_t birth_number = -1;              // bdSeq, which a death must match
        std::optional<uint64_t> sequence;       // of the last message
        std::map<std::string, Device> devices;  // by name; the node's own metrics have the empty one
        bool wants_birth = false;
        std::optional<double> asked_s;
    };
    struct Message;

    void read_birth(const Message& message, Node& node);
    void read_death(const Message& message, Node& node);
    void read_metrics(const Message& message, Node& node, double arrival_s, Decoded& out);
    void follow_sequence(const Message& message, Node& node) const;

    Naming asset_, channel_;
    std::map<std::string, Node> nodes_;  // by "group/node"
    int64_t version_ = 0;
};

}  // namespace cmr::live
