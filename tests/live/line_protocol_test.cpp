#include "live/formats/line_protocol.h"

#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Decoded decode(std::string_view text, const LineProtocolOptions& options = {}, double arrival_s = 0) {
    Decoded out;
    decode_line_protocol(text, options, 1, arrival_s, out);
    return out;
}

TEST(LineProtocol, AFieldIsAReadingOfTheAssetThatATagNames) {
    const Decoded out = decode("pump,asset=P-1,site=Ulm pressure=4.25,flow=-1.5e2 1767952473123456789\n");
    EXPECT_THAT(out.readings, ElementsAre(Reading{"P-1", "pressure", 1767952473.1234567, 4.25f},
                                          Reading{"P-1", "flow", 1767952473.1234567, -150.0f}));
    EXPECT_EQ(out.ignored, 0);
    EXPECT_EQ(out.refused, 0);
}

TEST(LineProtocol, IntegersAndTruthValuesAreNumbersAndTextsAreIgnored) {
    const Decoded out = decode(R"(m,asset=a i=-3i,u=7u,t=t,T=TRUE,f=False,s="a text, with = and \" 1" 1000000000)");
    EXPECT_THAT(out.readings, ElementsAre(Reading{"a", "i", 1, -3}, Reading{"a", "u", 1, 7}, Reading{"a", "t", 1, 1},
                                          Reading{"a", "T", 1, 1}, Reading{"a", "f", 1, 0}));
    EXPECT_EQ(out.ignored, 1);
}

TEST(LineProtocol, ABackslashTakesTheMeaningFromCommasBlanksAndEqualsSigns) {
    const Decoded out = decode(R"(my\ pump,asset=line\ 1\,left,x\=y=z volt\ (V)=1,back\slash=2 1000000000)");
    EXPECT_THAT(out.readings,
                ElementsAre(Reading{"line 1,left", "volt (V)", 1, 1}, Reading{"line 1,left", "back\\slash", 1, 2}));
}

TEST(LineProtocol, CommentsBlankLinesCarriageReturnsAndLineEndsInTextsAreRead) {
    const Decoded out =
        decode("# a comment\n\n  m,asset=a x=1 1000000000\r\nm,asset=a s=\"two\nlines\",x=2 2000000000\nm x\n");
    EXPECT_THAT(out.readings, ElementsAre(Reading{"a", "x", 1, 1}, Reading{"a", "x", 2, 2}));
    EXPECT_EQ(out.refused, 1);
    EXPECT_THAT(out.why, HasSubstr("line 6, letter 4"));  // the text's own line end counts
}

TEST(LineProtocol, TheTimeIsOfTheStatedUnit) {
    for (const auto& [word, time] : std::vector<std::pair<std::string, std::string>>{
             {"s", "1767952473"}, {"ms", "1767952473000"}, {"us", "1767952473000000"}, {"ns", "1767952473000000000"}}) {
        LineProtocolOptions options;
        options.unit = io::time_unit(word);
        const Decoded out = decode("m,asset=a x=1 " + time, options);
        ASSERT_EQ(out.readings.size(), 1u) << word;
        EXPECT_EQ(out.readings[0].time_s, 1767952473.0) << word;
    }
}

TEST(LineProtocol, ALineWithoutATimeGetsThatOfItsArrivalOnlyWhereAskedFor) {
    EXPECT_EQ(decode("m,asset=a x=1").refused, 1);
    LineProtocolOptions options;
    options.arrival_time = true;
    EXPECT_THAT(decode("m,asset=a x=1", options, 12.5).readings, ElementsAre(Reading{"a", "x", 12.5, 1}));
}

TEST(LineProtocol, NamesAreMadeOfMeasurementTagsAndField) {
    LineProtocolOptions options;
    options.asset = Naming("{site}/{host}");
    options.channel = Naming("{measurement}.{field}");
    const Decoded out = decode("modbus,host=h,site=u volt=230 1000000000\ncpu,host=h idle=3 1000000000\n", options);
    EXPECT_THAT(out.readings, ElementsAre(Reading{"u/h", "modbus.volt", 1, 230}));
    EXPECT_EQ(out.ignored, 1);  // no tag `site`
}

TEST(LineProtocol, AChannelNamedByATagHasItsValueInOneField) {
    LineProtocolOptions options;
    options.channel = Naming("id");
    options.value_field = "value";
    const Decoded out =
        decode("opcua,asset=a,id=ns\\=2;s\\=T1 value=21.5,Quality=\"OK (0x0)\",n=3 1000000000", options);
    EXPECT_THAT(out.readings, ElementsAre(Reading{"a", "ns=2;s=T1", 1, 21.5f}));
    EXPECT_EQ(out.ignored, 2);
}

TEST(LineProtocol, AFaultyLineIsNamedAndTheOthersAreRead) {
    struct Case {
        std::string line, place, wanted;
    };
    for (const Case& c : std::vector<Case>{
             {"m,asset=a x=one 1000000000", "letter 13", "a number, true, false or a text"},
             {"m,asset=a x=1x 1000000000", "letter 13", "a number"},
             {"m,asset=a x=1.5i 1000000000", "letter 13", "a number"},
             {"m,asset=a x=NaN 1000000000", "letter 13", "a number"},
             {"m,asset=a x=\"never closed 1000000000", "letter 14", "a quote at the end"},
             {"m,asset x=1 1000000000", "letter 8", "the name of a tag and ="},
             {"m,asset= x=1 1000000000", "letter 9", "the value of a tag"},
             {"m,asset=a", "letter 10", "a blank, then fields"},
             {"m,asset=a =1 1000000000", "letter 11", "the name of a field"},
             {"m,asset=a x=1 soon", "letter 15", "a time as a whole number"},
             {"m,asset=a x=1 99999999999999999999", "letter 15", "a time as a whole number"},
             {"m,asset=a x=1 1000000000 7", "letter 26", "the end of the line"},
             {",asset=a x=1 1000000000", "letter 1", "the name of a measurement"},
         }) {
        const Decoded out = decode("m,asset=a x=1 1000000000\n" + c.line + "\nm,asset=a x=3 3000000000");
        EXPECT_EQ(out.refused, 1) << c.line;
        EXPECT_THAT(out.why, HasSubstr("line 2, " + c.place)) << c.line;
        EXPECT_THAT(out.why, HasSubstr(c.wanted)) << c.line;
        EXPECT_THAT(out.readings, ElementsAre(Reading{"a", "x", 1, 1}, Reading{"a", "x", 3, 3})) << c.line;
    }
}

TEST(Naming, ABraceThatDoesNotCloseIsRefused) {
    test::expect_input_error([] { Naming("{a"); }, {"'{a'", "without a word and a }"});
    test::expect_input_error([] { Naming("x{}"); }, {"without a word"});
}

}  // namespace
}  // namespace cmr::live
