#include "live/notifiers/table.h"

#include <array>

#include "base/suggest.h"

namespace cmr::live {
namespace {

constexpr std::array<NotifierKind, 2> kKinds = {{
    {"webhook", "an HTTP POST per step, in the shape of Alertmanager's webhook", make_webhook},
    {"alertmanager", "Prometheus Alertmanager, by its API of version 2", make_alertmanager},
}};

}  // namespace

std::span<const NotifierKind> notifier_kinds() { return kKinds; }

std::unique_ptr<Notifier> make_notifier(const NotifierSettings& settings, const NotifierContext& context) {
    return row_named(kKinds, "notifier", settings.kind).make(settings, context);
}

}  // namespace cmr::live
