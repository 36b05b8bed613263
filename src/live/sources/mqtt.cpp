// Messages of an MQTT 5 broker. A message is acknowledged after its readings are safe; one that cannot be read is
// refused, counted and acknowledged, as it would come again for ever. When the connection breaks, or the sink would not
// take, a new one is made, and the broker sends again what was not acknowledged.

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/duration.h"
#include "base/error.h"
#include "base/pattern.h"
#include "io/file.h"
#include "live/formats/sparkplug.h"
#include "live/mqtt/connection.h"
#include "live/secrets.h"
#include "live/sources/common.h"
#include "live/sources/make.h"
#include "live/worker.h"

namespace cmr::live {
namespace {

constexpr double kWait_s = 0.1;                              // for messages, so that an end is noticed
constexpr double kFirstPause_s = 0.2, kLongestPause_s = 30;  // before a new connection; doubled each time

// A topic of the settings: a filter of MQTT in which {asset} and {channel} may stand for a level or a part of one.
class Topic {
  public:
    explicit Topic(const std::string& text) : filter_(text) {
        if (text.find('{') == std::string::npos) return;
        if (text.find('#') != std::string::npos)
            throw InputError("the topic '{}' has both {{words}} and #, expected one of them", text);
        std::string pattern = text;
        std::ranges::replace(pattern, '+', '*');
        pattern_.emplace(pattern);
        filter_.clear();
        for (size_t at = 0; at <= text.size();) {
            const size_t end = std::min(text.find('/', at), text.size());
            const std::string level = text.substr(at, end - at);
            filter_ += level.find('{') == std::string::npos ? level : "+";
            if (end < text.size()) filter_ += '/';
            at = end + 1;
        }
    }

    const std::string& filter() const { return filter_; }
    // What the words stand for; nothing where the topic is another.
    std::optional<Captures> match(std::string_view topic) const {
        if (pattern_) return pattern_->match(topic);
        return matches_filter(topic, filter_) ? std::optional(Captures{}) : std::nullopt;
    }

  private:
    std::string filter_;
    std::optional<PathPattern> pattern_;
};

std::string password_of(const SourceSettings& settings) {
    if (settings.password_variable.empty()) return read_secret(settings.password_file);
    const char* value = std::getenv(settings.password_variable.c_str());
    if (!value) throw InputError("the environment variable {} is not set", settings.password_variable);
    return value;
}

class MqttSource final : public Source {
  public:
    MqttSource(const SourceSettings& settings, const SourceContext& context)
        : settings_(settings),
          clock_(*context.clock),
          format_(chosen_format(settings, context, "json", {"json", "line-protocol", "sparkplug"})),
          json_(json_options(settings)),
          births_file_(context.folder / "births.json"),
          sparkplug_(sparkplug_naming(settings, settings.asset_field, "device"),
                     Naming(settings.channel_field.empty() ? "metric" : settings.channel_field)),
          status_(clock_) {
        refuse_unused(settings, context,
                      {"address", "topics", "format", "channel_field", "value_field", "time_field", "arrival_time",
                       "user", "password_file", "password_variable", "ca_file", "certificate_file", "key_file",
                       "client_id", "session_s", "presence_topic", "max_message"});
        require(settings.address, "address", settings, context);
        if (format_ == "line-protocol") line_protocol_ = line_protocol_options(settings);
        std::vector<std::string> topics = settings.topics;
        if (topics.empty() && format_ == "sparkplug") topics = {"spBv1.0/#"};
        if (topics.empty()) require("", "topics", settings, context);
        for (const std::string& topic : topics) topics_.emplace_back(topic);
        connection_ = connection_settings();
    }

    void start(Sink& sink) override {
        if (format_ == "sparkplug" && std::filesystem::exists(births_file_)) {
            sparkplug_.restore(io::read_file(births_file_));
            saved_version_ = sparkplug_.version();
        }
        worker_.start("cmr-mqtt", [this, &sink] { run(sink); });
    }
    void stop() override { worker_.stop(); }
    SourceStatus status() const override { return status_.get(); }

  private:
    static Naming sparkplug_naming(const SourceSettings& settings, const std::string& field, const char* usual) {
        if (!settings.asset.empty()) return Naming::fixed(settings.asset);
        return Naming(field.empty() ? usual : field);
    }

    MqttSettings connection_settings() const {
        MqttSettings out;
        out.address = settings_.address;
        check_mqtt_address(out.address);
        out.client_id = settings_.client_id.empty() ? "cmr-" + settings_.name : settings_.client_id;
        out.user = settings_.user;
        out.password = password_of(settings_);
        out.ca_file = settings_.ca_file;
        out.certificate_file = settings_.certificate_file;
        out.key_file = settings_.key_file;
        out.session_s = settings_.session_s;
        out.presence_topic =
            settings_.presence_topic.empty() ? fmt::format("cmr/{}/presence", out.client_id) : settings_.presence_topic;
        out.max_message = settings_.max_message;
        for (const Topic& topic : topics_) out.filters.push_back(topic.filter());
        return out;
    }

    void run(Sink& sink) {
        double pause_s = kFirstPause_s;
        do {
            try {
                decoded_ = {};
                MqttConnection connection(
                    connection_, [this](std::string_view topic, std::string_view payload) { receive(topic, payload); },
                    [this] { return worker_.stopping(); });
                status_.set(true, connection.had_session() ? settings_.address : settings_.address + ", a new session");
                while (!worker_.stopping()) {
                    serve(connection, sink);
                    pause_s = kFirstPause_s;
                }
                connection.close();
                return;
            } catch (const std::exception& error) {
                status_.set(false, fmt::format("{}; again in {}", error.what(), duration_text(pause_s)));
            }
            if (worker_.wait(pause_s)) return;
            pause_s = std::min(2 * pause_s, kLongestPause_s);
        } while (true);
    }

    // What has come is taken and then acknowledged.
    void serve(MqttConnection& connection, Sink& sink) {
        connection.receive(kWait_s);
        if (!decoded_.readings.empty()) sink.take(decoded_.readings);
        if (saved_version_ != sparkplug_.version()) {
            io::write_file_atomically(births_file_, sparkplug_.save());
            saved_version_ = sparkplug_.version();
        }
        for (const SparkplugCommand& command : sparkplug_.take_commands(clock_.wall_s()))
            connection.publish(command.topic, command.payload, /*retained=*/false);
        connection.acknowledge();
        status_.count(decoded_);
        decoded_ = {};
    }

    void receive(std::string_view topic, std::string_view payload) {
        status_.count_bytes(payload.size());
        try {
            if (format_ == "sparkplug") return sparkplug_.decode(topic, payload, clock_.wall_s(), decoded_);
            for (const Topic& known : topics_)
                if (const auto captures = known.match(topic)) return decode(*captures, payload);
        } catch (const InputError& error) {
            decoded_.refuse(fmt::format("topic {}: {}", topic, error.what()));
        }
    }

    void decode(const Captures& captures, std::string_view payload) {
        const auto asset = captures.find("asset");
        const auto channel = captures.find("channel");
        if (line_protocol_) {
            LineProtocolOptions options = *line_protocol_;
            if (asset != captures.end()) options.asset = Naming::fixed(asset->second);
            return decode_line_protocol(payload, options, 1, clock_.wall_s(), decoded_);
        }
        JsonOptions options = json_;
        if (asset != captures.end()) options.asset = asset->second;
        if (channel != captures.end()) options.channel = channel->second;
        decode_json(payload, options, clock_.wall_s(), decoded_);
    }

    const SourceSettings settings_;
    const Clock& clock_;
    const std::string format_;
    std::vector<Topic> topics_;
    const JsonOptions json_;
    std::optional<LineProtocolOptions> line_protocol_;
    MqttSettings connection_;
    const std::filesystem::path births_file_;
    SparkplugDecoder sparkplug_;
    int64_t saved_version_ = 0;  // of the births in the file
    Decoded decoded_;            // since the last acknowledgement
    StatusBoard status_;
    Worker worker_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<Source> make_mqtt_source(const SourceSettings& settings, const SourceContext& context) {
    return std::make_unique<MqttSource>(settings, context);
}

}  // namespace cmr::live
