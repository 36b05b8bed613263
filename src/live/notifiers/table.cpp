#include "live/notifiers/table.h"

#include <array>

#include "base/suggest.h"

namespace cmr::live {
namespace {

constexpr std::array<NotifierKind, 3> kKinds = {{
    {"webhook", "an HTTP POST per step, in the shape of Alertmanager's webhook", check_http, make_webhook},
    {"alertmanager", "Prometheus Alertmanager, by its API of version 2", check_http, make_alertmanager},
    {"mqtt", "a retained message per asset, and a topic to acknowledge", check_mqtt, make_mqtt},
}};

}  // namespace

void check_http(const NotifierSettings& settings) {
    if (!settings.address.starts_with("http://") && !settings.address.starts_with("https://"))
        throw InputError("'{}' begins neither with http:// nor with https://", settings.address);
}

std::span<const NotifierKind> notifier_kinds() { return kKinds; }

std::unique_ptr<Notifier> make_notifier(const NotifierSettings& settings, const NotifierContext& context) {
    return row_named(kKinds, "notifier", settings.kind).make(settings, context);
}

}  // namespace cmr::live
