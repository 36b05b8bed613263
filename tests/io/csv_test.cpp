#include "io/text/csv.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>

#include "base/parallel.h"
#include "base/rng.h"
#include "io/text/csv_index.h"
#include "support/expect_input_error.h"
#include "support/memory_limit.h"
#include "support/run_command.h"
#include "support/shared_data.h"
#include "support/temporary_folder.h"

// Options are named one by one here; the others keep their defaults.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace cmr::io {
namespace {

using test::expect_input_error;
using test::TemporaryFolder;
using testing::ElementsAre;

constexpr double kAbsent = -77777;  // stands for NaN where tables are compared

struct Content {
    std::vector<std::string> columns;
    std::vector<double> numbers;
    std::vector<std::string> texts;
    std::vector<int64_t> lines;
    bool operator==(const Content&) const = default;
};

Content read_table(Table& table, const std::vector<Selection>& selection) {
    table.select(selection);
    Content content{table.columns(), {}, {}, {}};
    TableBlock block;
    while (table.read(block)) {
        EXPECT_GT(block.rows, 0);
        EXPECT_EQ(static_cast<int64_t>(block.lines.size()), block.rows);
        for (const double number : block.numbers) content.numbers.push_back(std::isnan(number) ? kAbsent : number);
        content.texts.insert(content.texts.end(), block.texts.begin(), block.texts.end());
        content.lines.insert(content.lines.end(), block.lines.begin(), block.lines.end());
    }
    return content;
}

std::vector<Selection> all_columns(const Table& table, ColumnKind kind = ColumnKind::kNumber) {
    std::vector<Selection> all;
    for (size_t i = 0; i < table.columns().size(); ++i) all.push_back({static_cast<int64_t>(i), kind});
    return all;
}

class Csv : public testing::Test {
  protected:
    fs::path write(std::string_view text) const {
        const fs::path path = folder_ / "a.csv";
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    Content read(std::string_view text, const TableOptions& options = {}) const {
        const auto table = open_csv(write(text), options);
        return read_table(*table, all_columns(*table));
    }
    std::vector<double> numbers(std::string_view text, const TableOptions& options = {}) const {
        return read(text, options).numbers;
    }
    void expect_error(std::string_view text, const std::string& message, const TableOptions& options = {}) const {
        expect_input_error([&] { read(text, options); }, {(folder_ / "a.csv").string() + message});
    }

    TemporaryFolder folder_;
};

TEST_F(Csv, EveryDelimiterIsFound) {
    for (const char* delimiter : {",", ";", "\t", "|", " ", "   ", " \t ", ", ", " ; "}) {
        const std::string d = delimiter;
        const Content content = read("a" + d + "b" + d + "c\n1" + d + "-2.5" + d + "3e2\n4" + d + "5" + d + "6\n");
        EXPECT_THAT(content.columns, ElementsAre("a", "b", "c")) << "'" << d << "'";
        EXPECT_THAT(content.numbers, ElementsAre(1, -2.5, 300, 4, 5, 6)) << "'" << d << "'";
        EXPECT_THAT(content.lines, ElementsAre(2, 3));
    }
}

TEST_F(Csv, BlanksInNamesAndTimesDoNotSeparateWhereSomethingElseDoes) {
    const auto table = open_csv(write("Time; Volume Flow\n2020-03-09 10:14:33;1\n2020-03-09 10:14:34;2\n"), {});
    EXPECT_THAT(table->columns(), ElementsAre("Time", "Volume Flow"));
    EXPECT_THAT(open_csv(write("Time\n2020-03-09 10:14:33\n2020-03-09 10:14:34\n"), {})->columns(),
                ElementsAre("Time"));
}

TEST_F(Csv, LeadingAndTrailingBlanksDoNotCount) {
    EXPECT_THAT(numbers("   1.0   2.0\n  3 4  \n5\t 6\n"), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(read(" a , b\n 1 ,\t2 \n").columns, ElementsAre("a", "b"));
    EXPECT_THAT(numbers(" a , b\n 1 ,\t2 \n"), ElementsAre(1, 2));
}

TEST_F(Csv, ADelimiterCanBeStated) {
    EXPECT_THAT(read("a;b,c\n1,2\n", {.delimiter = "comma"}).columns, ElementsAre("a;b", "c"));
    expect_error("a,b\n", ": delimiter is 'colon', expected one of auto, comma", {.delimiter = "colon"});
    expect_error("a,b\n", ": decimal is 'dot', expected one of point, comma", {.decimal = "dot"});
    expect_error("a,b\n", ": header is 'maybe', expected one of auto, yes, no", {.header = "maybe"});
}

TEST_F(Csv, AFileWithOneColumnNeedsNoDelimiter) {
    EXPECT_THAT(numbers("1.5\n2.5\n"), ElementsAre(1.5, 2.5));
    EXPECT_THAT(read("Volume Flow\n2.5\n").columns, ElementsAre("Volume Flow"));
}

TEST_F(Csv, TheHeaderIsTheRowWithWordsAboveValues) {
    EXPECT_THAT(read("1,2\n3,4\n").columns, ElementsAre("1", "2"));
    EXPECT_FALSE(open_csv(write("1,2\n3,4\n"), {})->named());
    EXPECT_TRUE(open_csv(write("a,2\n3,4\n"), {})->named());
    EXPECT_TRUE(open_csv(write("a,b\n"), {})->named());
    EXPECT_THAT(numbers("NaN,2\n3,\n"), ElementsAre(kAbsent, 2, 3, kAbsent));
    EXPECT_THAT(numbers("?,2\n3,4\n", {.missing = {"?"}}), ElementsAre(kAbsent, 2, 3, 4));
    // A column of words in every row is no header.
    EXPECT_THAT(open_csv(write("1,Normal\n2,Attack\n"), {})->columns(), ElementsAre("1", "2"));
    EXPECT_THAT(open_csv(write("t,label\n2,Attack\n"), {})->columns(), ElementsAre("t", "label"));
    EXPECT_THAT(open_csv(write("2020-01-01 10:00,1\n2020-01-01 10:01,1\n"), {})->columns(), ElementsAre("1", "2"));
    EXPECT_THAT(read("1,2\n3,4\n", {.header = "yes"}).columns, ElementsAre("1", "2"));
    EXPECT_THAT(numbers("1,2\n3,4\n", {.header = "yes"}), ElementsAre(3, 4));
    EXPECT_THAT(read("a,,c\n1,2,3\n").columns, ElementsAre("a", "2", "c"));
}

TEST_F(Csv, TheHeaderCanBeFoundByOneOfItsCells) {
    const std::string text = "Plant 7; exported, today\n\n\"x\"\n Timestamp,FIT101\n1,2\n";
    const Content content = read(text, {.header_column = "FIT101"});
    EXPECT_THAT(content.columns, ElementsAre("Timestamp", "FIT101"));
    EXPECT_THAT(content.numbers, ElementsAre(1, 2));
    EXPECT_THAT(content.lines, ElementsAre(5));
    expect_error(text, ": none of its first 100 rows has a cell 'FIT102'", {.header_column = "FIT102"});
    std::string deep;
    for (int i = 0; i < 100; ++i) deep += "1,2\n";
    expect_error(deep + "a,b\n3,4\n", ": none of its first 100 rows", {.header_column = "b"});
    EXPECT_THAT(numbers(deep.substr(4) + "a,b\n3,4\n", {.header_column = "b"}), ElementsAre(3, 4));
}

TEST_F(Csv, LinesCanBeSkipped) {
    const Content content = read("made by \"x\n\nt,u\n1,2\n", {.skip_rows = 2});
    EXPECT_THAT(content.columns, ElementsAre("t", "u"));
    EXPECT_THAT(content.lines, ElementsAre(4));
    expect_error("1\n2\n", ": holds no rows", {.skip_rows = 9});
    expect_error("1\n2\n", ": skip_rows is -1", {.skip_rows = -1});
}

TEST_F(Csv, QuotedCellsHoldQuotesDelimitersAndLineEnds) {
    const auto table = open_csv(write("\"a \"\"x\"\"\",\"b,c\",\"d\ne\"\n\"1\",\"u\r\nv\" , 5\" pipe\n2,,\"\"\n"), {});
    EXPECT_THAT(table->columns(), ElementsAre("a \"x\"", "b,c", "d\ne"));
    const Content content = read_table(*table, all_columns(*table, ColumnKind::kText));
    EXPECT_THAT(content.texts, ElementsAre("1", "u\r\nv", "5\" pipe", "2", "", ""));
    EXPECT_THAT(content.lines, ElementsAre(3, 5));
    EXPECT_THAT(numbers("\"a\",\"b\"\n\"1.5\", \"-2\" \n"), ElementsAre(1.5, -2));
}

TEST_F(Csv, AQuoteWithoutEndIsAnError) {
    expect_error("a,b\n1,2\n\"3,4\n5,6\n", ":3: a quote is opened in this row and never closed");
    expect_error("\"a,b\n1,2\n", ": a quote is opened in its first row and never closed");
}

TEST_F(Csv, EveryLineEndCounts) {
    for (const char* end : {"\n", "\r\n", "\r"}) {
        const std::string e = end;
        for (const std::string& last : {std::string(), e, e + e}) {
            const Content content = read("a,b" + e + "1,2" + e + e + " " + e + "3,4" + last);
            EXPECT_THAT(content.numbers, ElementsAre(1, 2, 3, 4));
            EXPECT_THAT(content.lines, ElementsAre(2, 5));
        }
    }
}

TEST_F(Csv, AByteOrderMarkIsNoPartOfTheFirstName) {
    EXPECT_THAT(read("\xef\xbb\xbf"
                     "a,b\n1,2\n")
                    .columns,
                ElementsAre("a", "b"));
}

TEST_F(Csv, ADelimiterAtTheEndOfRowsMakesNoColumn) {
    EXPECT_THAT(numbers("a,b,\n1,2,\n3,4,\n"), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(numbers("a,b\n1,2,\n3,4,\n"), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(numbers("1,2,\n3,4\n"), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(read("a,b,\n1,2,3\n").columns, ElementsAre("a", "b", "3"));
    expect_error("a,b\n1,2,\n3,4,5\n", ":3: 3 columns, expected 2");
    expect_error("a,b\n1,2,,\n", ":2: 4 columns, expected 2");
}

TEST_F(Csv, AbsentValuesArriveAsNaN) {
    EXPECT_THAT(numbers("a,b,c\n,NaN,nAn\n \t,\"\",1\n"), ElementsAre(kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, 1));
    EXPECT_THAT(numbers("a,b\n-999,Bad Input\n-999.0,-9\n", {.missing = {"-999", "Bad Input"}}),
                ElementsAre(kAbsent, kAbsent, -999, -9));
    expect_error("a\n1\nNA\n", ":3: column 'a' holds 'NA', expected a number");
}

TEST_F(Csv, InfinityIsDelivered) {
    EXPECT_THAT(numbers("a,b,c\nInf,-inf,+INFINITY\n"), ElementsAre(INFINITY, -INFINITY, INFINITY));
}

TEST_F(Csv, TheDecimalSignMayBeAComma) {
    EXPECT_THAT(numbers("a;b\n1,5;-0,25e1\n", {.decimal = "comma"}), ElementsAre(1.5, -2.5));
    EXPECT_THAT(numbers("1,5 2,5\n3,5 4\n", {.decimal = "comma"}), ElementsAre(1.5, 2.5, 3.5, 4));
    expect_error("a;b\n1,5;2\n", ":2: column 'a' holds '1,5', expected a number; if the comma is the decimal sign");
    expect_error("a;b\n1;2\n", ": the comma cannot be both", {.delimiter = "comma", .decimal = "comma"});
}

TEST_F(Csv, NamesAreForFilesWithoutAHeader) {
    EXPECT_THAT(read("1 2 3\n", {.names = {"t", "X(1..2)"}}).columns, ElementsAre("t", "X(1)", "X(2)"));
    EXPECT_TRUE(open_csv(write("1 2\n"), {.names = {"t", "u"}})->named());
    expect_error("1 2 3\n", ": 3 columns, but `names` has 2", {.names = {"t", "u"}});
    expect_error("a,b\n1,2\n", ": its first row already names the columns", {.names = {"t", "u"}});
    expect_error("t,u,v\n1,2,3\n", ": its first row already names the columns", {.names = {"t", "u"}});
    EXPECT_THAT(numbers("a,b\n1,2\n", {.header = "no", .missing = {"a", "b"}, .names = {"t", "u"}}),
                ElementsAre(kAbsent, kAbsent, 1, 2));
}

TEST_F(Csv, AHeaderThatSaysTheSameMayStandBesideNames) {
    EXPECT_THAT(numbers("t, u \n1,2\n", {.names = {" t", "u"}}), ElementsAre(1, 2));
    EXPECT_THAT(numbers("3,4\n1,2\n", {.names = {" t", "u"}}), ElementsAre(3, 4, 1, 2));
}

TEST_F(Csv, BlanksAroundNamesCountOnNeitherSide) {
    const auto table = open_csv(write(" MV101 ,\" FIT 101 \"\n1,2\n"), {});
    EXPECT_EQ(table->find("MV101"), 0);
    EXPECT_EQ(table->find("  MV101\t"), 0);
    EXPECT_EQ(table->find("FIT 101"), 1);
    EXPECT_TRUE(table->has(" FIT*"));
    EXPECT_FALSE(table->has("FIT101")) << "a blank inside is a letter";
    EXPECT_THAT(numbers("plant,\n x ,y\n1,2\n", {.header_column = " x"}), ElementsAre(1, 2));
}

TEST_F(Csv, ARowOfAnotherLengthIsAnError) {
    std::string text;
    for (int row = 1; row <= 900; ++row)
        for (int column = 1; column <= (row == 812 || row == 850 ? 5999 : 6000); ++column)
            text += column == (row == 812 ? 5999 : 6000) ? "1\n" : "1\t";
    expect_error(text, ":812: 5,999 columns, expected 6,000");
    expect_error("a,b\n1,2\n\n3\n", ":4: 1 columns, expected 2");
}

TEST_F(Csv, ACellThatIsNoNumberIsNamed) {
    expect_error("t,FIT101\n1,2\n3,Bad\n", ":3: column 'FIT101' holds 'Bad', expected a number");
    expect_error("t,FIT101\n1,2\n3,1.0D+03\n", ":3: column 'FIT101' holds '1.0D+03', expected a number");
    const auto table = open_csv(write("t,FIT101\n1,2\n3,Bad\n"), {});
    EXPECT_THAT(read_table(*table, {{0, ColumnKind::kNumber}}).numbers, ElementsAre(1, 3));  // not looked at
    EXPECT_EQ(table->place(3), (folder_ / "a.csv").string() + ":3");
}

TEST_F(Csv, TheFirstDefectIsToldWhateverTheThreads) {
    std::string text = "a,b\n";
    for (int row = 2; row <= 300'000; ++row)
        text += row == 70'001 ? "1,x\n" : row > 70'001 && row % 1000 == 0 ? "1,2,3\n" : "1,2\n";
    for (const int threads : {1, 2, 4}) {
        set_thread_count(threads);
        expect_error(text, ":70001: column 'b' holds 'x', expected a number");
    }
    set_thread_count(2);
}

TEST_F(Csv, TimesAreReadInTheOrderTheirColumnShows) {
    const auto read_times = [&](const std::string& text, const TableOptions& options = {}) {
        const auto table = open_csv(write(text), options);
        return read_table(*table, {{0, ColumnKind::kTime}}).numbers;
    };
    const double day = 1388966400;  // 2014-01-06
    EXPECT_THAT(read_times("t,x\n06/01/14 00,1\n,1\n13/01/14 00,1\n"), ElementsAre(day, kAbsent, day + 7 * 86'400));
    EXPECT_THAT(read_times("t,x\n06/01/14 01,1\n", {.date_order = "day-first"}), ElementsAre(day + 3600));
    EXPECT_THAT(read_times("t,x\n01/06/14 01,1\n", {.date_order = "month-first"}), ElementsAre(day + 3600));
    EXPECT_THAT(read_times("t,x\n2014-01-06,1\n12.5,1\n"), ElementsAre(day, 12.5));
    EXPECT_THAT(read_times("t;x\n2014-01-06;1\n12,5;1\n", {.decimal = "comma"}), ElementsAre(day, 12.5));
    const auto expect_time_error = [&](const std::string& text, const std::string& message) {
        expect_input_error([&] { read_times(text); }, {(folder_ / "a.csv").string() + message});
    };
    expect_time_error("t,x\n06/01/14 00,1\n", ": column 't' holds dates such as '06/01/14 00', where day or month");
    expect_time_error("t,x\n2014-01-06,1\n2014-13-06,1\n",
                      ":3: column 't' holds '2014-13-06', expected a date and time");
    expect_time_error("t,x\n2014-01-06,1\nInf,1\n", ":3: column 't' holds 'Inf', expected a date and time");
}

TEST_F(Csv, AColumnCanBeSelectedTwiceAndInAnyOrder) {
    const auto table = open_csv(write("t,a,b\n10,x,1\n20,y,2\n"), {});
    const Content content = read_table(
        *table, {{2, ColumnKind::kNumber}, {1, ColumnKind::kText}, {0, ColumnKind::kTime}, {2, ColumnKind::kText}});
    EXPECT_THAT(content.numbers, ElementsAre(1, 10, 2, 20));
    EXPECT_THAT(content.texts, ElementsAre("x", "1", "y", "2"));
}

TEST_F(Csv, WhatIsNoTextIsRefused) {
    using namespace std::string_literals;
    expect_error(
        "\xff\xfe"
        "a\0,\0b\0"s,
        ": is UTF-16; save it as UTF-8");
    expect_error("a\0,\0b\0\n\0"s, ": holds zero bytes, so it is binary, or UTF-16");
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += "1,2\n";
    expect_error(text + "1,\0\n"s, ":200001: a zero byte, so the file is binary or damaged");
    expect_error("\n \n\n", ": holds no rows");
    expect_input_error([&] { open_csv(folder_ / "absent.csv", {}); }, {"absent.csv: cannot open: No such file"});
}

TEST_F(Csv, AFileThatBecomesShorterIsAnError) {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) text += "1,2\n";
    const fs::path path = write(text);
    const auto table = open_csv(path, {}, 1 << 16);
    table->select(all_columns(*table));
    TableBlock block;
    ASSERT_TRUE(table->read(block));
    fs::resize_file(path, 1 << 20);
    expect_input_error(
        [&] {
            while (table->read(block)) {
            }
        },
        {"a.csv: became shorter while it was read"});
}

TEST_F(Csv, EndlessRowsAreAnErrorBeforeMemoryEnds) {
    expect_error("1,2\n1,2\n1,2\n1," + std::string((64 << 20) + 10, '2'), ":4: a row of more than 64 MB");
    expect_error("1,2\n1,2\n1,2\n\"1," + std::string((64 << 20) + 10, '2') + "\n1,2\n",
                 ":4: a quote is opened in this row and never closed");
}

// Everything at once, so that every kind of border meets every letter.
const std::string kMotley =
    "\xef\xbb\xbf"
    "note\r\n\r\n t ;a; \"b\"\"c\";label;\r\n2020-03-09 10:14:33;1.5;-0.25;ok;\r\n;NaN;1e5;\"x\r\ny\";\r\n\r\n"
    "2020-03-09 10:14:34.5;151.4700;12345678901.5;\" \"\"z\";\r17; 4 ;-inf;;";

TEST_F(Csv, BlockBordersMayFallAnywhere) {
    const std::vector<Selection> selection = {
        {0, ColumnKind::kTime}, {1, ColumnKind::kNumber}, {2, ColumnKind::kNumber}, {3, ColumnKind::kText}};
    const fs::path path = write(kMotley);
    const TableOptions options{.header_column = "a"};
    const Content whole = read_table(*open_csv(path, options), selection);
    EXPECT_THAT(whole.columns, ElementsAre("t", "a", "b\"c", "label"));
    EXPECT_THAT(whole.numbers, ElementsAre(1583748873, 1.5, -0.25, kAbsent, kAbsent, 1e5, 1583748874.5, 151.47,
                                           12345678901.5, 17, 4, -INFINITY));
    EXPECT_THAT(whole.texts, ElementsAre("ok", "x\r\ny", "\"z", ""));
    EXPECT_THAT(whole.lines, ElementsAre(4, 5, 8, 9));
    for (size_t bytes = 1; bytes <= kMotley.size() + 1; ++bytes)
        ASSERT_EQ(read_table(*open_csv(path, options, bytes), selection), whole) << bytes;
}

TEST_F(Csv, ThreadsAndBlocksDoNotChangeTheResult) {
    Rng rng(4);
    std::string text = "a\tb\tc\n";
    std::vector<double> wanted;
    for (int i = 0; i < 120'000; ++i) {
        const double value = std::bit_cast<double>(rng.next() & ~(uint64_t{1} << 62));  // many sizes, denormals too
        text += fmt::format("{}\t{:.4f}\t{:.17g}\n", value, static_cast<double>(i % 300), value);
        wanted.insert(wanted.end(), {value, static_cast<double>(i % 300), value});
        if (i % 1000 == 0) text += "\n";
    }
    const fs::path path = write(text);
    for (const int threads : {1, 2, 3})
        for (const size_t bytes : {size_t{50'000}, size_t{1} << 20, size_t{64} << 20}) {
            set_thread_count(threads);
            const auto table = open_csv(path, {}, bytes);
            const Content content = read_table(*table, all_columns(*table));
            ASSERT_EQ(content.numbers.size(), wanted.size());
            ASSERT_EQ(0, std::memcmp(content.numbers.data(), wanted.data(), wanted.size() * sizeof(double)));
            ASSERT_EQ(content.lines.back(), 1 + 120'000 + 120);
        }
    set_thread_count(2);
}

TEST(CsvIndex, TheFastWayFindsTheSameCellsAsTheSlowOne) {
    Rng rng(5);
    const std::string letters = "12, ;\t|\n\r,,  \n";
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (uint64_t i = rng.below(300); i > 0; --i) text += letters[rng.below(letters.size())];
        if (round % 2 == 1) std::erase(text, '\r');
        text += '\n';
        for (const char delimiter : {',', ';', '\t', '|', ' '}) {
            CsvIndex fast, slow;
            fast.build(text, {delimiter, '.'}, round % 2 == 0 || text.find('\r') != std::string::npos);
            slow.build_slowly(text, {delimiter, '.'});
            ASSERT_EQ(fast.lines(), slow.lines());
            ASSERT_EQ(fast.rows().size(), slow.rows().size());
            for (size_t i = 0; i < fast.rows().size(); ++i) {
                ASSERT_EQ(fast.rows()[i].line, slow.rows()[i].line);
                ASSERT_EQ(fast.rows()[i].cells, slow.rows()[i].cells);
                for (int64_t cell = 0; cell < fast.rows()[i].cells; ++cell)
                    ASSERT_EQ(fast.cell(text, fast.rows()[i], cell), slow.cell(text, slow.rows()[i], cell));
            }
        }
    }
}

// The sum of all numbers that genfromtxt reads.
double numpy_sum(const fs::path& path, const std::string& arguments) {
    const auto result = test::run_command("/usr/bin/python3 -c \"import numpy; print(repr(float(numpy.genfromtxt('" +
                                          path.string() + "', " + arguments + ").sum())))\" 2>/dev/null");
    return result.exit_code == 0 ? std::strtod(result.output.c_str(), nullptr) : NAN;
}

struct Recording {
    std::string path;
    int64_t rows, columns;
    bool time_first;
    std::string numpy;  // arguments of genfromtxt that leave the same numbers
};

TEST(CsvRecordings, SumsAreThoseOfNumPy) {
    const fs::path folder = test::shared_data();
    if (folder.empty()) GTEST_SKIP() << test::kNoSharedData;
    const std::string batadal = "delimiter=',', skip_header=1, usecols=range(1, 45)";
    const std::vector<Recording> recordings = {
        {"batadal/dataset03.csv", 8761, 45, true, batadal},
        {"batadal/dataset04.csv", 4177, 45, true, batadal},
        {"batadal/test_dataset.csv", 2089, 45, true, batadal},
        {"tep/d00.dat", 52, 500, false, ""},
        {"tep/d01_te.dat", 960, 52, false, ""},
        {"zema-1hz/PS1.txt", 2205, 60, false, ""},
        {"zema-1hz/profile.txt", 2205, 5, false, ""},
        {"skab/valve1/0.csv", 1147, 11, true, "delimiter=';', skip_header=1, usecols=range(1, 11)"}};
    for (const Recording& recording : recordings) {
        const auto table = open_table(folder / recording.path);
        ASSERT_EQ(static_cast<int64_t>(table->columns().size()), recording.columns) << recording.path;
        auto selection = all_columns(*table);
        if (recording.time_first) selection.erase(selection.begin());
        const Content content = read_table(*table, selection);
        EXPECT_EQ(static_cast<int64_t>(content.lines.size()), recording.rows) << recording.path;
        double sum = 0;
        for (const double number : content.numbers) sum += number;
        const double wanted = numpy_sum(folder / recording.path, recording.numpy);
        if (std::isnan(wanted)) GTEST_SKIP() << "needs python3 with NumPy";
        EXPECT_NEAR(sum, wanted, 1e-10 * std::abs(wanted)) << recording.path;  // NumPy sums in another order
    }
}

TEST(CsvRecordings, EveryFileIsRead) {
    const fs::path folder = test::shared_data();
    if (folder.empty()) GTEST_SKIP() << test::kNoSharedData;
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".csv" && extension != ".txt" && extension != ".dat") continue;
        TableOptions options;
        options.missing = {"#VALUE!"};  // what a spreadsheet leaves where a formula failed
        const auto table = open_table(entry.path(), options);
        auto selection = all_columns(*table);
        std::string first = table->columns().front();
        std::ranges::transform(first, first.begin(), [](unsigned char c) { return std::tolower(c); });
        const bool time_first = table->named() && first.find("time") != std::string::npos;
        if (time_first) selection[0].kind = ColumnKind::kTime;
        const Content content = read_table(*table, selection);
        EXPECT_EQ(content.numbers.size(), content.lines.size() * table->columns().size()) << entry.path();
        for (size_t row = 1; time_first && row < content.lines.size(); ++row)
            ASSERT_GT(content.numbers[row * selection.size()], content.numbers[(row - 1) * selection.size()])
                << entry.path() << ": time runs forward, line " << content.lines[row];
        ++files;
    }
    EXPECT_GE(files, 70);
}

// A file of nothing but commas took twice its size, and more where it was one line.
TEST(CsvOfCommas, IsRefusedByTheNumberOfItsColumnsWithLittleMemory) {
    const TemporaryFolder folder;
    const std::string commas(64 << 20, ',');
    for (const std::string before : {"", "a,b\n1,2\n3,4\n\n"}) {
        const fs::path file = folder / "commas.csv";
        std::ofstream(file) << before << commas << "\n1,2\n";
        const test::MemoryLimit limit(100 << 20);
        expect_input_error(
            [&] {
                const auto table = open_csv(file, {});
                table->select({{0, ColumnKind::kNumber}});
                TableBlock block;
                while (table->read(block)) {
                }
            },
            {file.string() + (before.empty() ? ":1:" : ":5:"), "more than 1,000,000 columns"});
    }
}

TEST(CsvOfCommas, InManyLinesIsATableOfAbsentValues) {
    const TemporaryFolder folder;
    {
        std::ofstream out(folder / "commas.csv");
        const std::string line = std::string(200'000, ',') + "\n";
        for (int i = 0; i < 200; ++i) out << line;
    }
    const test::MemoryLimit limit(260 << 20);
    const auto table = open_csv(folder / "commas.csv", {});
    EXPECT_EQ(table->columns().size(), 200'000u);
    table->select({{0, ColumnKind::kNumber}, {199'999, ColumnKind::kNumber}});
    TableBlock block;
    int64_t rows = 0;
    for (; table->read(block); rows += block.rows)
        for (const double number : block.numbers) ASSERT_TRUE(std::isnan(number));
    EXPECT_EQ(rows, 200);
}

}  // namespace
}  // namespace cmr::io
