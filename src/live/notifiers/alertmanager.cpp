// Prometheus Alertmanager by its API of version 2. It forgets alerts that it does not hear of again, and all of them
// when it is started anew, so alarms that are on are told of again and again, as Prometheus does.

#include "live/http_client.h"
#include "live/notifiers/alert.h"
#include "live/notifiers/table.h"

namespace cmr::live {
namespace {

class Alertmanager final : public Notifier {
  public:
    Alertmanager(const NotifierSettings& settings, const NotifierContext& context)
        : context_(context), repeat_s_(settings.repeat_s) {
        std::string address = settings.address;
        while (address.ends_with('/')) address.pop_back();
        target_ = {address + "/api/v2/alerts", read_secret(settings.token_file), settings.ca_file, settings.timeout_s};
    }

    void send(const Entry& entry) override { post({&entry, 1}); }
    void give_up() override { *target_.give_up = true; }
    std::optional<double> repeat_s() const override { return repeat_s_; }
    void repeat(std::span<const Entry> on) override {
        if (!on.empty()) post(on);
    }

  private:
    void post(std::span<const Entry> entries) {
        io::Json body = io::Json::array();
        for (const Entry& entry : entries) {
            Alert alert = alert_of(entry, context_);
            // Four rounds without news, and it counts as over; Prometheus does it so.
            if (alert.firing) alert.ends_at = rfc3339(context_.clock->wall_s() + 4 * repeat_s_);
            body.push_back({{"labels", alert.labels},
                            {"annotations", alert.annotations},
                            {"startsAt", alert.starts_at},
                            {"endsAt", alert.ends_at},
                            {"generatorURL", context_.link}});
        }
        post_json(target_, io::to_text(body));
    }

    NotifierContext context_;
    double repeat_s_;
    HttpTarget target_;
};

}  // namespace

std::unique_ptr<Notifier> make_alertmanager(const NotifierSettings& settings, const NotifierContext& context) {
    return std::make_unique<Alertmanager>(settings, context);
}

}  // namespace cmr::live
