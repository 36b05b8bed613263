// The last step of each asset as a retained message at TOPIC/ASSET/alarm. What others write to TOPIC/ASSET/act, they do
// about its alarm; who may write there is the broker's to say.

#include "io/json_fields.h"
#include "live/mqtt/publisher.h"
#include "live/notifiers/table.h"
#include "live/words.h"

namespace cmr::live {
namespace {

class Mqtt final : public Notifier {
  public:
    Mqtt(const NotifierSettings& settings, const NotifierContext& context)
        : topic_(settings.topic),
          timeout_s_(settings.timeout_s),
          act_(context.act),
          publisher_(connection(settings), [this](std::string_view topic, std::string_view payload) {
              hear(std::string(topic), std::string(payload));
          }) {}

    void send(const Entry& entry) override {
        io::Json body = io::to_json(entry);
        body.erase("id");
        body.erase("evidence");
        body["state"] = std::string(name(entry.step.to));
        body["headline"] = headline(entry);
        publisher_.publish(fmt::format("{}/{}/alarm", topic_, entry.asset), io::to_text(body), /*retained=*/true,
                           timeout_s_);
    }

    void give_up() override { publisher_.give_up(); }

  private:
    static MqttSettings connection(const NotifierSettings& settings) {
        MqttSettings out;
        out.address = settings.address;
        out.client_id = "cmr-notify-" + settings.name;
        out.user = settings.user;
        out.password = read_secret(settings.password_file);
        out.ca_file = settings.ca_file;
        out.session_s = 86400;
        out.filters = {settings.topic + "/+/act"};
        return out;
    }

    // What cannot be done is left: there is nobody to tell.
    void hear(const std::string& topic, const std::string& payload) {
        const std::string asset =
            topic.substr(topic_.size() + 1, topic.size() - topic_.size() - 5);  // between / and /act
        try {
            io::Json body = io::Json::parse(payload, nullptr, /*allow_exceptions=*/false);
            if (!body.is_object()) return;
            body["asset"] = asset;
            act_(parse_action(io::to_text(body)));
        } catch (const InputError&) {
        }
    }

    const std::string topic_;
    const double timeout_s_;
    const std::function<void(const Action&)> act_;
    MqttPublisher publisher_;
};

}  // namespace

void check_mqtt(const NotifierSettings& settings) {
    check_mqtt_address(settings.address);
    if (settings.topic.empty() || settings.topic.find_first_of("+#") != std::string::npos)
        throw InputError("topic '{}': expected a name without + and #", settings.topic);
}

std::unique_ptr<Notifier> make_mqtt(const NotifierSettings& settings, const NotifierContext& context) {
    return std::make_unique<Mqtt>(settings, context);
}

}  // namespace cmr::live
