// One POST per step, in the shape of Alertmanager's webhook (version 4), so that what receives those receives ours.

#include "live/http_client.h"
#include "live/notifiers/alert.h"
#include "live/notifiers/table.h"

namespace cmr::live {
namespace {

class Webhook final : public Notifier {
  public:
    Webhook(const NotifierSettings& settings, const NotifierContext& context)
        : context_(context),
          name_(settings.name),
          target_{settings.address, read_secret(settings.token_file), settings.ca_file, settings.timeout_s} {}

    void send(const Entry& entry) override {
        const Alert alert = alert_of(entry, context_);
        const char* status = alert.firing ? "firing" : "resolved";
        const io::Json group = {{"alertname", "cmr"}, {"asset", entry.asset}};
        const io::Json one = {{"status", status},
                              {"labels", alert.labels},
                              {"annotations", alert.annotations},
                              {"startsAt", alert.starts_at},
                              {"endsAt", alert.firing ? "0001-01-01T00:00:00Z" : alert.ends_at},
                              {"generatorURL", context_.link},
                              {"fingerprint", fmt::format("{}/{}", entry.asset, rfc3339(entry.raised_s))}};
        const io::Json body = {{"version", "4"},
                               {"groupKey", fmt::format("{{}}:{{alertname=\"cmr\", asset=\"{}\"}}", entry.asset)},
                               {"truncatedAlerts", 0},
                               {"status", status},
                               {"receiver", name_},
                               {"groupLabels", group},
                               {"commonLabels", alert.labels},
                               {"commonAnnotations", alert.annotations},
                               {"externalURL", context_.link},
                               {"alerts", io::Json::array({one})}};
        post_json(target_, io::to_text(body));
    }

    void give_up() override { *target_.give_up = true; }

  private:
    NotifierContext context_;
    std::string name_;
    HttpTarget target_;
};

}  // namespace

std::unique_ptr<Notifier> make_webhook(const NotifierSettings& settings, const NotifierContext& context) {
    return std::make_unique<Webhook>(settings, context);
}

}  // namespace cmr::live
