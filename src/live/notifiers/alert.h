#pragma once
// A step as the alert that Prometheus' tools know: labels that tell which one, annotations that tell what it is.

#include <string>

#include "io/json_fields.h"
#include "live/ledger.h"
#include "live/notifier.h"

namespace cmr::live {

struct Alert {
    bool firing = false;
    std::string starts_at, ends_at;  // RFC 3339; the latter empty while it fires
    io::Json labels, annotations;
};

Alert alert_of(const Entry& entry, const NotifierContext& context);

std::string rfc3339(double unix_s);

}  // namespace cmr::live
