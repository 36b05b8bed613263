#pragma once
// A [[source]] of plant.toml. Each kind uses some of the keys and refuses those that it has no use for.

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "io/table.h"

namespace cmr::live {

struct SourceSettings {
    std::string name;                 // unique; that of the folder in which it keeps its place, too
    std::string kind;                 // a row of the table in table.cpp: file, stdin, mqtt, http
    std::string path;                 // file: which; a pattern with * for several
    std::string address;              // mqtt: mqtt://host:1883, mqtts://host:8883; http: host:port to listen on
    std::vector<std::string> topics;  // mqtt: filters in which {asset} and {channel} stand for a level each

    std::string format;       // csv, line-protocol, json, sparkplug; empty: the usual one of the kind
    std::string asset;        // all readings are of this one; empty: the data say
    std::string asset_field;  // where they say: column, tag or JSON path; empty: "asset"
    std::string
        channel_field;        // of data with one channel per message or row; empty: a column, field or key per channel
    std::string value_field;  // of those; empty: "value"
    std::string time_field;   // empty: "time"
    std::string time_unit;    // of numbers: s, ms, us, ns, auto; empty: the usual one of the format
    bool arrival_time = false;  // data without a time get that of their arrival

    std::string user;
    std::string password_file;  // one line; or password_variable
    std::string password_variable;
    std::string token_file;                  // http: who writes must show one of its lines as a bearer token
    std::string ca_file;                     // TLS: whom to trust; empty: as the system does
    std::string certificate_file, key_file;  // TLS: who we are
    std::string client_id;                   // mqtt; empty: "cmr-" and the name
    std::string presence_topic;     // mqtt: "online" or, as our last will, "offline"; empty: cmr/CLIENT_ID/presence
    double session_s = 86400;       // mqtt: how long the broker keeps for us what comes while we are away
    int64_t max_message = 4 << 20;  // bytes of one message, line or request body; larger ones are refused
    io::TableOptions table;         // csv: delimiter, decimal, date_order …, as in a recipe
};

template <typename C, typename Visit>
requires std::same_as<std::remove_const_t<C>, SourceSettings>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "unique; that of the folder in which it keeps its place, too");
    visit("kind", c.kind, "file, stdin, mqtt or http");
    visit("path", c.path, "file: which one; a pattern with * for several");
    visit("address", c.address, "mqtt: mqtt://host:1883 or mqtts://host:8883; http: host:port to listen on");
    visit("topics", c.topics, "mqtt: filters; {asset} and {channel} stand for a level each");
    visit("format", c.format, "csv, line-protocol, json or sparkplug; empty: the usual one of the kind");
    visit("asset", c.asset, "all readings are of this one; empty: the data say");
    visit("asset_field", c.asset_field, "where they say: column, tag or JSON path; empty: asset");
    visit("channel_field", c.channel_field, "of data with one channel per row; empty: a column or key per channel");
    visit("value_field", c.value_field, "of those; empty: value");
    visit("time_field", c.time_field, "column, key or JSON path of the time; empty: time");
    visit("time_unit", c.time_unit, "of numbers: s, ms, us, ns or auto; empty: the usual one of the format");
    visit("arrival_time", c.arrival_time, "data without a time get that of their arrival");
    visit("user", c.user, "to log in with");
    visit("password_file", c.password_file, "a file with the password in its first line");
    visit("password_variable", c.password_variable, "instead: the environment variable that holds it");
    visit("token_file", c.token_file, "http: who writes must show one of its lines as a bearer token");
    visit("ca_file", c.ca_file, "TLS: whom to trust; empty: as the system does");
    visit("certificate_file", c.certificate_file, "TLS: who we are");
    visit("key_file", c.key_file, "TLS: the key of that");
    visit("client_id", c.client_id, "mqtt; empty: cmr- and the name");
    visit("presence_topic", c.presence_topic, "mqtt: online, or offline as the last will; empty: cmr/ID/presence");
    visit("session_s", c.session_s, "mqtt: how long the broker keeps what comes while we are away");
    visit("max_message", c.max_message, "bytes of one message, line or request; larger ones are refused");
    visit("table", c.table, "csv: delimiter, decimal, header, missing, date_order and so on, as in a recipe");
}

}  // namespace cmr::live
