#include "live/formats/csv_rows.h"

#include <cmath>

#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The layout is found in the whole text, and the rows are read.
Decoded decode(std::string_view text, CsvOptions options = {}) {
    CsvRows rows("plant.csv", std::move(options));
    EXPECT_TRUE(rows.begin(text));
    Decoded out;
    rows.decode(text.substr(rows.data_begin()), rows.data_line(), 99, out);
    return out;
}

CsvOptions of_asset(const std::string& asset) {
    CsvOptions options;
    options.asset = asset;
    return options;
}

TEST(CsvRows, EveryColumnIsAChannel) {
    const Decoded out =
        decode("time,A,B,note\n2026-01-09 09:54:33,1,2.5,fine\n2026-01-09 09:54:34,3,,\n", of_asset("a"));
    ASSERT_EQ(out.readings.size(), 5u);
    EXPECT_EQ(out.readings[0], (Reading{"a", "A", 1767952473, 1}));
    EXPECT_EQ(out.readings[1], (Reading{"a", "B", 1767952473, 2.5f}));
    EXPECT_EQ(out.readings[2], (Reading{"a", "A", 1767952474, 3}));
    EXPECT_TRUE(std::isnan(out.readings[3].value));  // B, absent
    EXPECT_EQ(out.readings[4].channel, "note");      // absent, too
    EXPECT_EQ(out.ignored, 1);                       // the text
}

TEST(CsvRows, AColumnMayNameTheAssetAndOneTheChannel) {
    CsvOptions options;
    options.asset_field = "machine";
    options.channel_field = "tag";
    options.value_field = "val";
    options.time_field = "ts";
    options.unit = io::TimeUnit::kMilliseconds;
    EXPECT_THAT(decode("ts;machine;tag;val\n1767952473500;m1;T1;20.5\n1767952473500;m2;T2;7\n", options).readings,
                ElementsAre(Reading{"m1", "T1", 1767952473.5, 20.5f}, Reading{"m2", "T2", 1767952473.5, 7}));
}

TEST(CsvRows, ARowThatCannotBeReadIsNamedAndTheOthersAreRead) {
    const Decoded out = decode("time,A\n1,1\n2,2,2\nsoon,3\n4,4\n", of_asset("a"));
    EXPECT_THAT(out.readings, ElementsAre(Reading{"a", "A", 1, 1}, Reading{"a", "A", 4, 4}));
    EXPECT_EQ(out.refused, 2);
    EXPECT_THAT(out.why, HasSubstr("plant.csv:3: 3 columns, expected 2"));
}

TEST(CsvRows, DecimalCommasAndSpellingsOfAbsentValuesAreThoseOfTheTable) {
    CsvOptions options = of_asset("a");
    options.table.decimal = "comma";
    options.table.missing = {"Bad"};
    const Decoded out = decode("time;A;B\n1,5;2,25;Bad\n", options);
    ASSERT_EQ(out.readings.size(), 2u);
    EXPECT_EQ(out.readings[0], (Reading{"a", "A", 1.5, 2.25f}));
    EXPECT_TRUE(std::isnan(out.readings[1].value));
}

TEST(CsvRows, ADateThatCanBeReadInTwoWaysIsRefusedUntilTheOrderIsKnown) {
    EXPECT_THAT(decode("time,A\n01/02/2026 10:00:00,1\n", of_asset("a")).why, HasSubstr("say date_order"));
    CsvOptions options = of_asset("a");
    options.table.date_order = "day-first";
    EXPECT_THAT(decode("time,A\n01/02/2026 10:00:00,1\n", options).readings,
                ElementsAre(Reading{"a", "A", 1769940000, 1}));
    EXPECT_EQ(decode("time,A\n01/02/2026 10:00:00,1\n13/02/2026 10:00:00,1\n", of_asset("a")).readings.size(), 2u);
}

TEST(CsvRows, AColumnThatIsNotThereIsAnError) {
    test::expect_input_error([] { decode("stamp,A\n1,1\n", of_asset("a")); },
                             {"plant.csv", "no column 'time'", "stamp, A"});
    CsvOptions options = of_asset("a");
    options.arrival_time = true;
    EXPECT_THAT(decode("A,B\n1,2\n", options).readings,
                ElementsAre(Reading{"a", "A", 99, 1}, Reading{"a", "B", 99, 2}));
}

TEST(CsvRows, RowsThatNameNoAssetAreIgnored) { EXPECT_EQ(decode("time,A\n1,1\n").ignored, 1); }

}  // namespace
}  // namespace cmr::live
