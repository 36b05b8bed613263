#pragma once
// The names of all settings of plant.toml, each with its sentence. Included by settings.h.

#include "live/plant/settings.h"

namespace cmr::live {

template <typename C, typename T>
concept Is = std::same_as<std::remove_const_t<C>, T>;

template <Is<Rules> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("lateness_s", c.lateness_s, "readings may come so much after later ones; a window waits as long");
    visit("stale_s", c.stale_s, "a channel that says nothing keeps its last value so long");
    visit("silent_s", c.silent_s, "an asset that says nothing for so long, by the clock, is stale");
    visit("stride", c.stride, "samples from one window to the next; 0: the model's");
    visit("latching", c.latching, "an alarm that is over and acknowledged waits for a reset by hand");
}

template <Is<AssetSettings> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("names", c.names, "machines that share the model; pump-(1..9) is nine of them");
    visit("model", c.model, "a model file of `cmr fit`");
    visit("columns", c.columns, "CHANNEL=name, where a channel of the model has another name outside");
    visit("rules", c.rules, "over [rules]");
}

template <Is<StorageSettings> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("folder", c.folder,
          "for journal, snapshots and ledger; empty: STATE_DIRECTORY, else `state` beside the file");
    visit("snapshot_s", c.snapshot_s, "from one snapshot of all state to the next; the journal goes back so far");
    visit("queue", c.queue, "readings that may wait to be judged; then sources wait");
}

template <Is<LedgerSettings> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("address", c.address, "sqlite:PATH or postgresql://…; empty: ledger.db in the folder of [storage]");
    visit("password_file", c.password_file, "of PostgreSQL");
    visit("level_s", c.level_s, "resolution of the levels that are kept");
    visit("keep_levels_days", c.keep_levels_days, "how long they are");
    visit("keep_hours_days", c.keep_hours_days, "how long the highest level of each hour is");
    visit("keep_alarms_days", c.keep_alarms_days, "how long steps of alarms are, by the clock on the wall");
}

template <Is<NotifierSettings> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "unique");
    visit("kind", c.kind, "webhook, alertmanager or mqtt");
    visit("address", c.address, "http:// or https://, of Alertmanager without the path; mqtt:// or mqtts://");
    visit("topic", c.topic, "mqtt: states are at TOPIC/ASSET/alarm, TOPIC/ASSET/act is listened to");
    visit("user", c.user, "mqtt: to log in with");
    visit("password_file", c.password_file, "mqtt: a file with the password in its first line");
    visit("token_file", c.token_file, "a bearer token to show, in the first line of a file");
    visit("ca_file", c.ca_file, "TLS: whom to trust; empty: as the system does");
    visit("timeout_s", c.timeout_s, "for one attempt");
    visit("repeat_s", c.repeat_s, "alertmanager: alarms that are on are told again so often, or it forgets them");
}

template <Is<WebSettings> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("address", c.address, "host:port to listen on; empty: no page");
    visit("link", c.link, "how others reach it, for messages; empty: by the address");
    visit("token_file", c.token_file, "who writes must show one of its lines; empty: one is made in [storage]");
    visit("certificate_file", c.certificate_file, "TLS: who we are; needed beyond this machine");
    visit("key_file", c.key_file, "TLS: the key of that");
}

template <Is<Plant> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "of the plant, as the page shows it");
    visit("asset", c.asset, "what is watched");
    visit("source", c.source, "where readings come from");
    visit("rules", c.rules, "of all assets");
    visit("storage", c.storage, "what outlives the program");
    visit("ledger", c.ledger, "alarms and levels");
    visit("notify", c.notify, "who is told");
    visit("web", c.web, "page, metrics and API");
}

}  // namespace cmr::live
