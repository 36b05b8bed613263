#include "live/formats/json_rows.h"

#include <cmath>

#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Decoded decode(std::string_view text, const JsonOptions& options = {}, double arrival_s = 0) {
    Decoded out;
    decode_json(text, options, arrival_s, out);
    return out;
}

TEST(JsonRows, EveryKeyOfARowIsAChannel) {
    const Decoded out = decode(R"({"time": "2026-01-09T09:54:33Z", "asset": "P-1", "A": 1, "B": 2.5, "open": true,
                                   "state": "running", "list": [1, 2]})");
    EXPECT_THAT(out.readings, ElementsAre(Reading{"P-1", "A", 1767952473, 1}, Reading{"P-1", "B", 1767952473, 2.5f},
                                          Reading{"P-1", "open", 1767952473, 1}));
    EXPECT_EQ(out.ignored, 2);
}

TEST(JsonRows, NullIsAbsent) {
    const Decoded out = decode(R"({"time": 5, "asset": "a", "A": null})");
    ASSERT_EQ(out.readings.size(), 1u);
    EXPECT_TRUE(std::isnan(out.readings[0].value));
}

TEST(JsonRows, AListHoldsRowsAndAFaultyOneIsNamed) {
    JsonOptions options;
    options.asset = "a";
    const Decoded out =
        decode(R"([{"time": 1, "A": 1}, {"A": 2}, 7, {"time": "soon", "A": 3}, {"time": 4, "A": 4}])", options);
    EXPECT_THAT(out.readings, ElementsAre(Reading{"a", "A", 1, 1}, Reading{"a", "A", 4, 4}));
    EXPECT_EQ(out.refused, 3);
    EXPECT_THAT(out.why, HasSubstr("row 2: has no 'time'"));
}

TEST(JsonRows, FieldsAreFoundByKeysWithPointsBetween) {
    JsonOptions options;
    options.asset_field = "tags.host";
    options.time_field = "meta.at";
    const Decoded out =
        decode(R"({"meta": {"at": 1767952473000, "n": 3}, "tags": {"host": 17}, "fields": {"x": 1, "in": {"y": 2}}})",
               options);
    EXPECT_THAT(out.readings,
                ElementsAre(Reading{"17", "meta.n", 1767952473, 3}, Reading{"17", "fields.x", 1767952473, 1},
                            Reading{"17", "fields.in.y", 1767952473, 2}));
}

TEST(JsonRows, OneChannelsValueAndTimeHaveTheKeysThatAreStated) {
    JsonOptions options;
    options.asset = "a";
    options.channel = "pressure";
    options.time_field = "t";
    options.value_field = "v";
    EXPECT_THAT(decode(R"({"t": 1767952473123, "v": 4.25, "q": 192})", options).readings,
                ElementsAre(Reading{"a", "pressure", 1767952473.123, 4.25f}));
    EXPECT_THAT(decode(R"({"t": 1767952473123})", options).why, HasSubstr("has no 'v', expected the value"));
}

TEST(JsonRows, AKeyMayNameTheChannel) {
    JsonOptions options;
    options.channel_field = "sensor";
    const Decoded out = decode(R"([{"time": 1, "asset": "a", "sensor": "T1", "value": 20.5, "x": 3},
                                   {"time": 1, "asset": "a", "value": 3}])",
                               options);
    EXPECT_THAT(out.readings, ElementsAre(Reading{"a", "T1", 1, 20.5f}));
    EXPECT_EQ(out.ignored, 1);
}

TEST(JsonRows, ABareValueIsAReadingAtItsArrivalOnlyWhereAskedFor) {
    JsonOptions options;
    options.asset = "a";
    options.channel = "T1";
    EXPECT_THAT(decode("20.5", options, 9).why, HasSubstr("expected an object"));
    options.arrival_time = true;
    EXPECT_THAT(decode("20.5", options, 9).readings, ElementsAre(Reading{"a", "T1", 9, 20.5f}));
    EXPECT_THAT(decode(R"({"value": 21})", options, 9).readings, ElementsAre(Reading{"a", "T1", 9, 21}));
}

TEST(JsonRows, ARowThatNamesNoAssetIsIgnored) {
    const Decoded out = decode(R"({"time": 1, "A": 1})");
    EXPECT_TRUE(out.readings.empty());
    EXPECT_EQ(out.ignored, 1);
}

TEST(JsonRows, WhatIsNotJsonIsRefusedWithItsPlace) {
    test::expect_input_error([] { decode(R"({"time": 1, "A": })"); }, {"byte 18", "not JSON"});
    test::expect_input_error([] { decode(""); }, {"not JSON"});
    test::expect_input_error([] { decode("{\"time\": 1, \"A\": \"\xff\"}"); }, {"byte 19", "not JSON"});
    test::expect_input_error([] { decode(std::string(5000, '[')); }, {"not JSON"});
}

TEST(JsonRows, DeepObjectsEndSomewhere) {
    std::string text = R"({"time": 1, "asset": "a", "x": )";
    for (int i = 0; i < 500; ++i) text += R"({"x": )";
    text += "1" + std::string(501, '}');
    const Decoded out = decode(text);
    EXPECT_TRUE(out.readings.empty());
    EXPECT_EQ(out.ignored, 1);
}

TEST(JsonRows, LinesAreDocumentsOfTheirOwn) {
    Decoded out;
    JsonOptions options;
    options.asset = "a";
    decode_json_lines("{\"time\": 1, \"A\": 1}\n\n{\"time\": 2, \"A\": \n{\"time\": 3, \"A\": 3}", options, 10, 0, out);
    EXPECT_THAT(out.readings, ElementsAre(Reading{"a", "A", 1, 1}, Reading{"a", "A", 3, 3}));
    EXPECT_EQ(out.refused, 1);
    EXPECT_THAT(out.why, HasSubstr("line 12: byte"));
}

}  // namespace
}  // namespace cmr::live
