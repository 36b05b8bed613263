#pragma once
// All kinds of notifiers: a row each, a file each.

#include <memory>
#include <span>
#include <string_view>

#include "live/notifier.h"
#include "live/plant/settings.h"

namespace cmr::live {

struct NotifierKind {
    std::string_view name;
    std::string_view help;
    void (*check)(const NotifierSettings& settings);  // of the address and what belongs to it: InputError
    std::unique_ptr<Notifier> (*make)(const NotifierSettings& settings, const NotifierContext& context);
};

std::span<const NotifierKind> notifier_kinds();
std::unique_ptr<Notifier> make_notifier(const NotifierSettings& settings, const NotifierContext& context);

void check_http(const NotifierSettings& settings);
void check_mqtt(const NotifierSettings& settings);
std::unique_ptr<Notifier> make_webhook(const NotifierSettings& settings, const NotifierContext& context);
std::unique_ptr<Notifier> make_alertmanager(const NotifierSettings& settings, const NotifierContext& context);
std::unique_ptr<Notifier> make_mqtt(const NotifierSettings& settings, const NotifierContext& context);

}  // namespace cmr::live
