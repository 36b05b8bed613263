#include "io/xlsx/xlsx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <fstream>
#include <map>
#include <sstream>

#include "io/file.h"
#include "io/xlsx/date.h"
#include "support/expect_input_error.h"
#include "support/python.h"
#include "support/read_table.h"

namespace cmr::io {
namespace {

using test::expect_input_error;
using test::read_all;
using test::read_selected;
using test::with;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsNan;

constexpr auto kNumber = ColumnKind::kNumber;
constexpr auto kTime = ColumnKind::kTime;
constexpr auto kText = ColumnKind::kText;

const std::string kRelationType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";

std::string relation(const std::string& id, const std::string& type, const std::string& target) {
    return "<Relationship Id=\"" + id + "\" Type=\"" + kRelationType + type + "\" Target=\"" + target + "\"/>";
}

using Parts = std::map<std::string, std::string>;

// A workbook of one sheet, Data, with these rows.
Parts workbook(const std::string& rows) {
    return {
        {"_rels/.rels", "<Relationships>" + relation("r1", "officeDocument", "xl/workbook.xml") + "</Relationships>"},
        {"xl/workbook.xml", "<workbook><sheets><sheet name=\"Data\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"},
        {"xl/_rels/workbook.xml.rels", "<Relationships>" + relation("r1", "worksheet", "worksheets/sheet1.xml") +
                                           relation("r2", "sharedStrings", "sharedStrings.xml") +
                                           relation("r3", "styles", "styles.xml") + "</Relationships>"},
        {"xl/sharedStrings.xml",
         "<sst><si><t>time</t></si><si><t> FIT101 </t></si><si><r><t>Nor</t></r><r><t>mal</t></r>"
         "<rPh><t>sound</t></rPh></si></sst>"},
        {"xl/styles.xml",
         "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts>"
         "<cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs>"
         "<cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"22\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>"},
        {"xl/worksheets/sheet1.xml", "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"},
    };
}

class XlsxFile : public testing::Test {
  protected:
    void write(const Parts& parts) {
        fs::remove(path_);
        zip_t* archive = zip_open(path_.c_str(), ZIP_CREATE, nullptr);
        for (const auto& [name, content] : parts)
            zip_file_add(archive, name.c_str(), zip_source_buffer(archive, content.data(), content.size(), 0), 0);
        ASSERT_EQ(zip_close(archive), 0);
    }
    std::unique_ptr<Table> open_rows(const std::string& rows, const TableOptions& options = {}) {
        write(workbook(rows));
        return open_table(path_, options);
    }
    void expect_refused(const Parts& parts, const std::vector<std::string>& words, const TableOptions& options = {}) {
        write(parts);
        expect_open_refused(words, options);
    }
    void expect_open_refused(std::vector<std::string> words, const TableOptions& options = {}) {
        words.push_back(path_.string());
        expect_input_error([&] { read_all(*open_table(path_, options)); }, words);
    }
    void make(const std::string& script) {
        const auto python = test::run_python(folder_, "import openpyxl, datetime\n" + script);
        ASSERT_EQ(python.exit_code, 0) << python.output;
    }

    test::TemporaryFolder folder_;
    fs::path path_ = folder_ / "swat.xlsx";
};

// A row of cells: numbers as they are, other words as inline texts, "" left out.
std::string row(int number, const std::vector<std::string>& cells) {
    std::string xml = "<row r=\"" + std::to_string(number) + "\">";
    for (size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].empty()) continue;
        const std::string reference = static_cast<char>('A' + i) + std::to_string(number);
        const bool is_number = cells[i].find_first_not_of("0123456789.-") == std::string::npos;
        xml += is_number ? "<c r=\"" + reference + "\"><v>" + cells[i] + "</v></c>"
                         : "<c r=\"" + reference + "\" t=\"inlineStr\"><is><t>" + cells[i] + "</t></is></c>";
    }
    return xml + "</row>";
}

TEST_F(XlsxFile, MadeByOpenpyxlReadsAsItWasMeant) {
    if (!test::python_has("openpyxl")) GTEST_SKIP() << "/usr/bin/python3 has no openpyxl";
    make(R"(
book = openpyxl.Workbook()
book.active.title = 'Notes'
sheet = book.create_sheet('Data')
sheet.append(['Timestamp', ' LIT101', 'on', 'share', 'Normal/Attack'])
for i in range(5):
    sheet.append([datetime.datetime(2015, 12, 28, 9, 59, 58) + datetime.timedelta(seconds=i), i * 0.1, i % 2 == 0,
                  None if i == 2 else i / 3, 'A ttack' if i == 3 else 'Normal '])
book.save('swat.xlsx')
)");
    const auto table = open_table(path_, with(&TableOptions::sheet, "Data"));
    EXPECT_EQ(table->name(), path_.string() + ", sheet Data");
    EXPECT_THAT(table->columns(), ElementsAre("Timestamp", "LIT101", "on", "share", "Normal/Attack"));
    EXPECT_TRUE(table->named());
    const auto whole = read_selected(*table, {{4, kText}, {0, kTime}, {3}, {1}, {2}, {0, kText}});
    EXPECT_THAT(whole.numbers[0], ElementsAre(1451296798, 1451296799, 1451296800, 1451296801, 1451296802));
    EXPECT_THAT(whole.numbers[1], ElementsAre(0, 1. / 3, IsNan(), 1, DoubleEq(4. / 3)));
    for (int i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(whole.numbers[2][i], i * 0.1);  // it writes 16 digits
    EXPECT_THAT(whole.numbers[3], ElementsAre(1, 0, 1, 0, 1));
    EXPECT_THAT(whole.texts[0], ElementsAre("Normal", "Normal", "Normal", "A ttack", "Normal"));
    EXPECT_EQ(whole.texts[1][3], "2015-12-28 10:00:01");
    EXPECT_THAT(whole.lines, ElementsAre(2, 3, 4, 5, 6));
    EXPECT_EQ(table->place(4), path_.string() + ", sheet Data, row 4");
    expect_open_refused({"no cells"});  // the first sheet
    expect_open_refused({"no sheet 'data'", "'Notes', 'Data'"}, with(&TableOptions::sheet, "data"));
}

TEST_F(XlsxFile, GivesTheSecondsThatPythonGivesInBothCalendars) {
    if (!test::python_has("openpyxl")) GTEST_SKIP() << "/usr/bin/python3 has no openpyxl";
    for (const char* epoch : {"WINDOWS_EPOCH", "MAC_EPOCH"}) {
        const auto python = test::run_python(folder_, std::string("epoch = '") + epoch + R"('
import openpyxl, datetime
from openpyxl.utils import datetime as excel
book = openpyxl.Workbook()
book.epoch = getattr(excel, epoch)
for i in range(60):
    moment = datetime.datetime(1905, 2, 3, 4, 5, 6) + datetime.timedelta(days=701 * i, seconds=12345 * i, milliseconds=10 * i)
    book.active.append([moment])
    print((moment - datetime.datetime(1970, 1, 1)) / datetime.timedelta(seconds=1))
book.save('swat.xlsx')
)");
        const auto whole = read_all(*open_table(path_), kTime);
        ASSERT_EQ(whole.lines.size(), 60u) << python.output;
        std::istringstream lines(python.output);
        for (const double seconds : whole.numbers[0]) {
            double wanted = 0;
            ASSERT_TRUE(lines >> wanted);
            EXPECT_NEAR(seconds, wanted, 1e-5);
        }
    }
}

TEST_F(XlsxFile, ReadsEveryKindOfCell) {
    const auto table = open_rows(
        "<row><c t=\"s\"><v>0</v></c><c t=\"s\"><v>1</v></c></row>"
        "<row><c s=\"1\"><v>42366.5</v></c><c><f>A1+1</f><v>1.5E2</v></c></row>"
        "<row><c s=\"2\"><v>42367</v></c><c t=\"str\"><f>\"2\"</f><v> 2.5 </v></c></row>"
        "<row><c t=\"d\"><v>2015-12-30T06:00:00</v></c><c t=\"b\"><v>1</v></c></row>"
        "<row><c t=\"inlineStr\"><is><r><t>2015-12-3</t></r><r><t>1</t></r></is></c><c t=\"str\"><v>NaN</v></c></row>"
        "<row><c t=\"n\"><v>100</v></c><c/></row>"
        "<row><c/><c t=\"str\"><v></v></c></row>");
    EXPECT_THAT(table->columns(), ElementsAre("time", "FIT101"));
    const auto whole = read_selected(*table, {{0, kTime}, {1}, {0, kText}, {1, kText}});
    EXPECT_THAT(whole.numbers[0], ElementsAre(1451304000, 1451347200, 1451455200, 1451520000, 100));
    EXPECT_THAT(whole.numbers[1], ElementsAre(150, 2.5, 1, IsNan(), IsNan()));
    EXPECT_THAT(whole.texts[0],
                ElementsAre("2015-12-28 12:00:00", "2015-12-29 00:00:00", "2015-12-30T06:00:00", "2015-12-31", "100"));
    EXPECT_THAT(whole.texts[1], ElementsAre("150", "2.5", "TRUE", "NaN", ""));
}

TEST_F(XlsxFile, NamesTheCellThatIsNoNumber) {
    const std::string rows = row(1, {"t", "FIT101"}) + row(812, {"1", "Bad"}) +
                             "<row><c t=\"e\"><v>#N/A</v></c><c t=\"b\"><v>0</v></c></row>";
    expect_input_error([&] { read_selected(*open_rows(rows), {{1}}); },
                       {path_.string() + ", sheet Data, row 812: column 'FIT101' holds 'Bad', expected a number"});
    expect_input_error([&] { read_selected(*open_rows(rows), {{0}}); },
                       {"row 813: column 't' holds '#N/A', expected a number"});
    expect_input_error([&] { read_selected(*open_rows(rows), {{1, kTime}}); }, {"holds 'Bad', expected a time"});
    const auto whole = read_all(*open_rows(rows, with(&TableOptions::missing, {"Bad", "#N/A", "1"})));
    EXPECT_THAT(whole.numbers[0], ElementsAre(IsNan(), IsNan()));
    EXPECT_THAT(whole.numbers[1], ElementsAre(IsNan(), 0));
}

TEST_F(XlsxFile, MayLeaveOutCellsAndRows) {
    const auto whole = read_all(*open_rows(row(1, {"a", "b", "c"}) + row(3, {"", "", "3"}) + "<row r=\"4\"/>" +
                                           row(6, {"1", "", "4"}) + "<row r=\"7\"><c r=\"B7\" s=\"1\"/></row>"));
    EXPECT_THAT(whole.lines, ElementsAre(3, 4, 5, 6));  // blank rows at the end are none
    EXPECT_THAT(whole.numbers[0], ElementsAre(IsNan(), IsNan(), IsNan(), 1));
    EXPECT_THAT(whole.numbers[1], ElementsAre(IsNan(), IsNan(), IsNan(), IsNan()));
    EXPECT_THAT(whole.numbers[2], ElementsAre(3, IsNan(), IsNan(), 4));
    expect_refused(workbook(row(1, {"a"}) + row(2, {"1"}) + row(900'000, {"2"})), {"rows 3 to 899999 are empty"});
}

TEST_F(XlsxFile, FindsItsHeader) {
    const std::string banner = row(1, {"", "P1", "", "P2"}) + row(2, {" Timestamp", "FIT101", "", "AIT201"}) +
                               row(3, {"28/12/2015 10:00:00 AM", "1", "", "2"});
    const auto swat = open_rows(banner, with(&TableOptions::header_column, "Timestamp"));
    EXPECT_THAT(swat->columns(), ElementsAre("Timestamp", "FIT101", "3", "AIT201"));
    EXPECT_THAT(read_selected(*swat, {{0, kTime}}).numbers[0], ElementsAre(1451296800));
    EXPECT_EQ(open_rows(banner, with(&TableOptions::skip_rows, 1))->columns()[0], "Timestamp");
    EXPECT_EQ(open_rows(banner, with(&TableOptions::skip_rows, 2))->columns()[0], "1");
    expect_refused(workbook(banner), {"no row has the cell 'Time'"}, with(&TableOptions::header_column, "Time"));
    expect_refused(workbook(banner), {"no cells below the 3 rows"}, with(&TableOptions::skip_rows, 3));
    // Years as names, told by the word beside them; and data with a label in front, which are no header.
    EXPECT_TRUE(open_rows(row(1, {"site", "2015"}) + row(2, {"7", "1"}))->named());
    EXPECT_FALSE(open_rows(row(1, {"Normal", "2"}) + row(2, {"Attack", "1"}))->named());
}

TEST_F(XlsxFile, WithoutAHeaderTakesNames) {
    const std::string rows = row(1, {"1", "2"}) + row(2, {"3", "4"});
    EXPECT_THAT(open_rows(rows)->columns(), ElementsAre("1", "2"));
    EXPECT_THAT(read_all(*open_rows(rows)).numbers[0], ElementsAre(1, 3));
    EXPECT_THAT(open_rows(rows, with(&TableOptions::header, "yes"))->columns(), ElementsAre("1", "2"));
    EXPECT_THAT(read_all(*open_rows(rows, with(&TableOptions::header, "yes"))).numbers[0], ElementsAre(3));
    EXPECT_THAT(open_rows(rows, with(&TableOptions::names, {"a", "b"}))->columns(), ElementsAre("a", "b"));
    expect_refused(workbook(rows), {"2 columns, but `names` has 1"}, with(&TableOptions::names, {"a"}));
    expect_refused(workbook(row(1, {"x"}) + row(2, {"1"})), {"already names"}, with(&TableOptions::names, {"a"}));
    const std::string named = row(1, {"a", " b"}) + row(2, {"3", "4"});
    EXPECT_THAT(read_all(*open_rows(named, with(&TableOptions::names, {"a", "b"}))).numbers[1], ElementsAre(4));
    expect_refused(workbook(rows), {"header is 'perhaps'"}, with(&TableOptions::header, "perhaps"));
    expect_refused(workbook(rows + row(3, {"1", "2", "3"})), {"row 3: 3 columns, expected 2"});
}

TEST_F(XlsxFile, SearchesForTheOrderOfDayAndMonth) {
    const std::string head = row(1, {"t"}) + row(2, {"1/2/2015"}) + row(3, {"2/2/2015"});
    const auto first = [&](const std::string& rows, const TableOptions& options = {}) {
        return read_all(*open_rows(rows, options), kTime).numbers[0][0];
    };
    EXPECT_EQ(first(head + row(4, {"13/2/2015"})), 1422748800);  // the 1st of February
    EXPECT_EQ(first(head + row(4, {"2/13/2015"})), 1420156800);  // the 2nd of January
    EXPECT_EQ(first(head, with(&TableOptions::date_order, "month-first")), 1420156800);
    expect_input_error([&] { first(head); }, {"sheet Data", "column 't'", "1/2/2015", "date_order"});
}

TEST_F(XlsxFile, MayPrefixItsNamesAndMoveItsParts) {
    Parts parts = {
        {"_rels/.rels",
         "<p:Relationships xmlns:p=\"p\">" + relation("a", "officeDocument", "/book/b.xml") + "</p:Relationships>"},
        {"book/b.xml",
         "<x:workbook xmlns:x=\"x\"><x:sheets><x:sheet name=\"Chart\" r:id=\"c\"/><x:sheet name=\"S\" "
         "r:id=\"s\"/></x:sheets></x:workbook>"},
        {"book/_rels/b.xml.rels", "<Relationships>" + relation("c", "chartsheet", "c.xml") +
                                      relation("s", "worksheet", "../Sheets/one.xml") + "</Relationships>"},
        {"sheets/ONE.xml",
         "<?xml version=\"1.0\" encoding=\"UTF-8\"?><x:worksheet xmlns:x=\"x\"><x:sheetData><x:row r=\"2\"><x:c "
         "r=\"B2\"><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>"}};
    write(parts);
    const auto table = open_table(path_);
    EXPECT_EQ(table->name(), path_.string() + ", sheet S");
    EXPECT_THAT(read_selected(*table, {{1}}).numbers[0], ElementsAre(7));
}

TEST_F(XlsxFile, LargerThanABlockIsStreamed) {
    std::string rows = row(1, {"a", "b", "c"});
    for (int i = 2; i < 100'002; ++i) rows += row(i, {std::to_string(i), "0.5", i % 2 ? "odd" : "even"});
    const auto whole = read_selected(*open_rows(rows), {{0}, {2, kText}, {1}});
    EXPECT_GT(whole.blocks, 1);
    ASSERT_EQ(whole.lines.size(), 100'000u);
    for (size_t i = 0; i < whole.lines.size(); ++i) {
        ASSERT_EQ(whole.numbers[0][i], static_cast<double>(i + 2));
        ASSERT_EQ(whole.texts[0][i], i % 2 ? "odd" : "even");
    }
}

TEST_F(XlsxFile, WithoutRowsIsRefused) {
    expect_refused(workbook(""), {"sheet Data", "no cells"});
    expect_refused(workbook("<row r=\"5\"><c r=\"A5\"/></row>"), {"no cells"});
    expect_refused(workbook(row(1, {"a", "b"})), {"a header, but no rows below it"});
}

TEST_F(XlsxFile, WithImpossiblePlacesIsRefused) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"<row r=\"1048577\"/>", "up to 1048576"},
        {"<row r=\"0\"/>", "row '0' follows row 0"},
        {"<row r=\"x\"/>", "row 'x'"},
        {"<row r=\"3\"/><row r=\"2\"/>", "row '2' follows row 3"},
        {"<row r=\"1\"><c r=\"XFE1\"/></row>", "up to 16384"},
        {"<row r=\"1\"><c r=\"ZZZZZZZ1\"/></row>", "calls itself 'ZZZZZZZ1'"},
        {"<row r=\"1\"><c r=\"B1\"/><c r=\"A1\"/></row>", "column 1 follows column 2"},
        {"<row r=\"1\"><c r=\"B2\"/></row>", "row 1: a cell calls itself 'B2'"},
        {"<row r=\"1\"><c r=\"12\"/></row>", "calls itself '12'"},
        {"<row><c><v>1</v></c><x><row><c><v>2</v></c></row></x></row>", "row 1: holds a row"},
        {"<row><c><v>1</v><c><v>2</v></c></c></row>", "row 1: a cell holds a cell"},
        {"<row r=\"1\"><c t=\"s\"><v>77</v></c></row><row><c><v>1</v></c></row><row><c t=\"s\"><v>99</v></c></row>",
         "a shared text that is not there"},
    };
    for (const auto& [rows, word] : cases) {
        SCOPED_TRACE(rows);
        expect_refused(workbook(rows), {word, "sheet Data"});
    }
}

TEST_F(XlsxFile, WithHarmfulXmlIsRefused) {
    const auto with_sheet = [](const std::string& xml) {
        Parts parts = workbook("");
        parts["xl/worksheets/sheet1.xml"] = xml;
        return parts;
    };
    expect_refused(with_sheet("<!DOCTYPE w [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><w>&b;</w>"),
                   {"document type"});
    expect_refused(with_sheet("<w>&a;</w>"), {"not well-formed", "entity"});
    expect_refused(with_sheet("<w><sheetData><row>"), {"not well-formed XML at line 1, column 20"});
    expect_refused(with_sheet(""), {"no element found"});
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<a>";
    expect_refused(with_sheet(deep), {"nested deeper than 64"});
    expect_refused(with_sheet("<w a=\"" + std::string(20'000'000, 'x') + "\"/>"), {"bytes without a tag"});
    expect_refused(workbook("<row><c t=\"str\"><v>" + std::string(20'000'000, 'x') + "</v></c></row>"),
                   {"row 1: more than 16 MB of text in one row"});
}

TEST_F(XlsxFile, WithoutAPartIsRefused) {
    const Parts whole = workbook(row(1, {"1"}));
    for (const auto& [name, content] : whole) {
        if (name == "_rels/.rels") continue;  // the workbook is where it always is
        SCOPED_TRACE(name);
        Parts parts = whole;
        parts.erase(name);
        expect_refused(parts, {name});
    }
    Parts empty = whole;
    empty["xl/workbook.xml"] = "<workbook/>";
    expect_refused(empty, {"without a sheet"});
}

TEST_F(XlsxFile, IsRefusedWhenCutAnywhereAndNeverCrashesWhenDamaged) {
    write(workbook(row(1, {"a", "b"}) + row(2, {"1", "2"})));
    const std::string whole = read_file(path_);
    for (size_t position = 0; position < whole.size(); ++position) {
        std::ofstream(path_, std::ios::binary) << whole.substr(0, position);
        EXPECT_THROW(read_all(*open_xlsx(path_, {})), InputError) << position;
    }
    for (size_t position = 0; position < whole.size(); ++position) {
        std::string bytes = whole;
        bytes[position] = static_cast<char>(bytes[position] ^ 0x11);
        std::ofstream(path_, std::ios::binary) << bytes;
        try {
            read_all(*open_xlsx(path_, {}));
        } catch (const InputError&) {
        }
    }
}

TEST(ExcelDates, AreToldByTheFormatCode) {
    for (const char* code : {"yyyy-mm-dd", "h:mm:ss AM/PM", "[h]:mm", "[$-409]d-mmm-yy", "\"at\" hh", "[Red]MM/DD"})
        EXPECT_TRUE(is_date_format(std::string_view(code))) << code;
    for (const char* code : {"General", "0.00", "#,##0 \"days\"", "[Red]0.0", "0.0\\s", "0_d", "0.00E+00", "\"open",
                             "[", "", "[$-409]0", "*d0"})
        EXPECT_FALSE(is_date_format(std::string_view(code))) << code;
    for (const int id : {14, 22, 45, 47}) EXPECT_TRUE(is_date_format(id));
    for (const int id : {0, 13, 23, 44, 48, -1}) EXPECT_FALSE(is_date_format(id));
}

TEST(ExcelDates, CountAroundTheDayThatDidNotExist) {
    EXPECT_EQ(seconds_since_1970(25569, false), 0);
    EXPECT_EQ(seconds_since_1970(25569 - 1462, true), 0);
    EXPECT_EQ(seconds_since_1970(61, false) - seconds_since_1970(59, false), 86400);  // 28 February, 1 March 1900
    EXPECT_EQ(seconds_since_1970(42366 + 1. / 3, false), 1451260800 + 28800);
}

}  // namespace
}  // namespace cmr::io
