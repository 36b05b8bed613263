// Payloads made by another's implementation; sparkplug/make.js has their content.

#include "live/formats/sparkplug.h"

#include <cmath>

#include "io/file.h"
#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kStart = 1767952473;

std::string payload(const std::string& name) { return io::read_file(std::string(CMR_SPARKPLUG) + "/" + name + ".bin"); }

// One edge node with one device, as a decoder sees it.
class Sparkplug : public testing::Test {
  protected:
    Decoded send(const std::string& type, const std::string& name) {
        Decoded out;
        const std::string device = type.front() == 'D' ? "/press" : "";
        decoder.decode("spBv1.0/ulm/" + type + "/edge" + device, payload(name), 0, out);
        return out;
    }
    void be_born() {
        send("NBIRTH", "nbirth");
        send("DBIRTH", "dbirth");
    }

    SparkplugDecoder decoder;
};

TEST_F(Sparkplug, BirthsGiveTheValueOfEveryMetricThatIsANumber) {
    EXPECT_THAT(send("NBIRTH", "nbirth").readings, ElementsAre(Reading{"edge", "supply", kStart, 23.5f}));
    const Decoded out = send("DBIRTH", "dbirth");
    ASSERT_EQ(out.readings.size(), 7u);
    const double time_s = kStart + 0.001;
    EXPECT_EQ(out.readings[0], (Reading{"press", "pressure", time_s, 4.25f}));
    EXPECT_EQ(out.readings[1], (Reading{"press", "offset", time_s, -3}));
    EXPECT_EQ(out.readings[2], (Reading{"press", "small", time_s, -100}));
    EXPECT_EQ(out.readings[3], (Reading{"press", "total", time_s, -5e9f}));
    EXPECT_EQ(out.readings[4], (Reading{"press", "pulses", time_s, 4e9f}));
    EXPECT_EQ(out.readings[5], (Reading{"press", "open", time_s, 1}));
    EXPECT_EQ(out.readings[6].channel, "level");
    EXPECT_TRUE(std::isnan(out.readings[6].value));  // null
    EXPECT_EQ(out.ignored, 2);                       // a text and a date
}

TEST_F(Sparkplug, DataNameMetricsByNameOrAliasAndHaveTimesOfTheirOwn) {
    be_born();
    EXPECT_THAT(send("DDATA", "ddata").readings, ElementsAre(Reading{"press", "pressure", kStart + 1, 4.5f},
                                                             Reading{"press", "offset", kStart + 1.002, -4}));
    EXPECT_THAT(send("DDATA", "ddata_alias").readings,
                ElementsAre(Reading{"press", "pressure", kStart + 2, 4.75f}, Reading{"press", "open", kStart + 2, 0}));
    EXPECT_THAT(send("DDATA", "ddata_historical").readings,
                ElementsAre(Reading{"press", "pressure", kStart + 0.5, 1.5f}));
    EXPECT_TRUE(decoder.take_commands(0).empty());
}

TEST_F(Sparkplug, DataBeforeABirthAreRefusedAndTheNodeIsAskedForIt) {
    const Decoded out = send("DDATA", "ddata_alias");
    EXPECT_EQ(out.refused, 1);
    EXPECT_THAT(out.why, HasSubstr("whose birth nobody saw"));
    const auto commands = decoder.take_commands(100);
    ASSERT_EQ(commands.size(), 1u);
    EXPECT_EQ(commands[0].topic, "spBv1.0/ulm/NCMD/edge");
    EXPECT_THAT(commands[0].payload, HasSubstr("Node Control/Rebirth"));
    EXPECT_TRUE(decoder.take_commands(159).empty());   // asked already
    EXPECT_EQ(decoder.take_commands(160).size(), 1u);  // no answer for a minute
    be_born();
    EXPECT_TRUE(decoder.take_commands(1000).empty());
}

TEST_F(Sparkplug, AnAliasNobodyAnnouncedIsRefusedAndTheOthersAreRead) {
    be_born();
    send("DDATA", "ddata");
    send("DDATA", "ddata_alias");
    send("DDATA", "ddata_historical");
    const Decoded out = send("DDATA", "ddata_unannounced");
    EXPECT_THAT(out.readings, ElementsAre(Reading{"press", "pressure", kStart + 10, 2.5f}));
    EXPECT_EQ(out.refused, 1);
    EXPECT_THAT(out.why, HasSubstr("alias 99"));
    EXPECT_EQ(decoder.take_commands(0).size(), 1u);
}

TEST_F(Sparkplug, AMissedSequenceNumberAsksForBirthsAndARepeatedOneDoesNot) {
    be_born();
    send("DDATA", "ddata");
    send("DDATA", "ddata");  // as after a connection that broke before the acknowledgement
    EXPECT_TRUE(decoder.take_commands(0).empty());
    EXPECT_EQ(send("DDATA", "ddata_gap").readings.size(), 1u);  // what came is read all the same
    EXPECT_EQ(decoder.take_commands(0).size(), 1u);
}

TEST_F(Sparkplug, ADeathEndsWhatItsBirthBegan) {
    be_born();
    const int64_t born = decoder.version();
    EXPECT_TRUE(send("NDEATH", "ndeath_earlier").readings.empty());
    EXPECT_EQ(decoder.version(), born);  // the will of an earlier connection
    EXPECT_TRUE(send("NDEATH", "ndeath").readings.empty());
    EXPECT_EQ(decoder.version(), born + 1);
    be_born();
    EXPECT_TRUE(send("DDEATH", "ddeath").readings.empty());
    EXPECT_EQ(send("DDATA", "ddata").refused, 1);
}

TEST_F(Sparkplug, BirthsAreKeptOverARestart) {
    be_born();
    SparkplugDecoder restarted;
    restarted.restore(decoder.save());
    Decoded out;
    restarted.decode("spBv1.0/ulm/DDATA/edge/press", payload("ddata_alias"), 0, out);
    EXPECT_EQ(out.readings.size(), 2u);
    EXPECT_EQ(restarted.save(), decoder.save());
    test::expect_input_error([&] { restarted.restore("[1]"); }, {"births of Sparkplug"});
}

TEST_F(Sparkplug, EveryBirthAndDeathIsWorthSaving) {
    const int64_t before = decoder.version();
    be_born();
    EXPECT_EQ(decoder.version(), before + 2);
    send("DDATA", "ddata");
    EXPECT_EQ(decoder.version(), before + 2);
    send("NDEATH", "ndeath");
    EXPECT_EQ(decoder.version(), before + 3);
}

TEST_F(Sparkplug, NamesAreMadeOfTheTopic) {
    SparkplugDecoder named(Naming("{group}.{node}"), Naming("{device}:{metric}"));
    Decoded out;
    named.decode("spBv1.0/ulm/DBIRTH/edge/press", payload("dbirth"), 0, out);
    EXPECT_EQ(out.readings.at(0).asset, "ulm.edge");
    EXPECT_EQ(out.readings.at(0).channel, "press:pressure");
}

TEST_F(Sparkplug, WhatIsNoneIsRefused) {
    Decoded out;
    const auto refuse = [&](const std::string& topic, const std::string& bytes, const std::string& why) {
        test::expect_input_error([&] { decoder.decode(topic, bytes, 0, out); }, {why});
    };
    refuse("spBv1.0/ulm/NBIRTH", "", "GROUP/TYPE/NODE");
    refuse("plant/ulm/NBIRTH/edge", "", "GROUP/TYPE/NODE");
    refuse("spBv1.0/ulm/NBIRTH/edge/press", "", "does not suit");
    refuse("spBv1.0/ulm/DDATA/edge", "", "does not suit");
    refuse("spBv1.0/ulm/XDATA/edge", "", "does not suit");
    refuse("spBv1.0/ulm/NBIRTH/edge", "\xff\xff\xff", "3 bytes that are no Sparkplug B payload");
    refuse("spBv1.0/ulm/NBIRTH/edge", "\x12\x03\x0a\x01\xff", "5 bytes that are no");  // a name that is not UTF-8
    decoder.decode("spBv1.0/STATE/host", "{}", 0, out);
    decoder.decode("spBv1.0/ulm/NCMD/edge", "", 0, out);
    EXPECT_EQ(out.refused, 0);
}

}  // namespace
}  // namespace cmr::live
