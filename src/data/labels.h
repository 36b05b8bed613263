#pragma once
// From label texts and fault lists to spans of healthy, faulty and excluded samples.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

// What a label says.
struct RowLabel {
    State state = State::kHealthy;
    std::string stratum;
    bool operator==(const RowLabel&) const = default;
};

// Equal but for blanks and case ("A ttack" is "Attack"), or equal as numbers ("1.00" is "1").
bool same_label(std::string_view a, std::string_view b);

// The verdict of one row: the texts of its label column and its keep column (empty where the recipe names none).
// `place` begins the message when the recipe does not know the label.
RowLabel label_row(const recipe::Labels& labels, std::string_view label, std::string_view keep,
                   const std::string& place);

// The columns that tell healthy from faulty: none, one or several.
std::vector<std::string> label_columns(const recipe::Labels& labels);

// The same from the texts of those columns, and that of the keep column behind them where there is one. Of several
// columns any may make the row faulty: the first that does names its stratum.
RowLabel label_row(const recipe::Labels& labels, std::span<const std::string> texts, const std::string& place);

// Appends `samples` of one kind; merges with the last span where they are alike.
void append_span(std::vector<Span>& spans, int64_t samples, State state, int32_t stratum);

// The index of a name, added where it is new; -1 for the empty name.
int32_t intern(std::vector<std::string>& names, const std::string& name);

// The recipe's list of faults; empty where it names none, or an optional one is absent.
std::vector<Event> read_events(const recipe::Events& events, const fs::path& root);

// Names the faulty spans after the events that overlap them in time; with `label`, the events also make samples faulty.
void apply_events(Recording& recording, const std::vector<Event>& events, bool label, double rate_hz);

}  // namespace cmr::data
