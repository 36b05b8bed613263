#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "io/file.h"
#include "live/address.h"
#include "live/partner.h"
#include "live/plant/settings.h"
#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

using test::expect_input_error;
using testing::ElementsAre;

constexpr const char* kAsset = "[[asset]]\nnames = [\"pump-(1..3)\"]\nmodel = \"m.cmr\"\n";

Plant parse(const std::string& text) { return parse_plant(text, "/plants/one.toml"); }

TEST(Plant, ExpandsNamesAndFindsFilesBesideItself) {
    const Plant plant = parse(kAsset);
    EXPECT_THAT(plant.asset.at(0).names, ElementsAre("pump-1", "pump-2", "pump-3"));
    EXPECT_EQ(plant.asset[0].model, "/plants/m.cmr");
    EXPECT_EQ(plant.storage.folder, "/plants/state");
    EXPECT_EQ(plant.ledger.address, "/plants/state/ledger.db");
    EXPECT_EQ(plant.web.address, "127.0.0.1:8470") << "the loopback unless told otherwise";
}

TEST(Plant, LaysRulesOfAnAssetOverThoseOfAll) {
    const Plant plant = parse("[rules]\nstale_s = 5\nlatching = true\n" + std::string(kAsset) +
                              "[asset.rules]\nstale_s = 7\n[[asset]]\nnames = [\"fan\"]\nmodel = \"f.cmr\"\n");
    EXPECT_EQ(plant.asset[0].rules.stale_s, 7);
    EXPECT_TRUE(plant.asset[0].rules.latching);
    EXPECT_EQ(plant.asset[1].rules.stale_s, 5);
}

TEST(Plant, RefusesWhatCannotBeWithItsLine) {
    const std::string asset = kAsset;
    const std::vector<std::pair<std::string, std::vector<std::string>>> wrong = {
        {"", {"one.toml", "asset"}},
        {asset + "colour = 3\n", {"one.toml:4", "colour"}},
        {asset + "[rules]\nstale_s = -1\n", {"one.toml:5", "rules.stale_s"}},
        {asset + "[rules]\nstale = 1\n", {"one.toml:5", "stale_s"}},
        {asset + "[ledger]\nlevel_s = 7\n", {"one.toml:5", "level_s"}},
        {asset + asset, {"one.toml:5", "pump-1", "twice"}},
        {asset + "columns = [\"x\"]\n", {"one.toml:4", "CHANNEL=name"}},
        {asset + "[[source]]\nname = \"s\"\nkind = \"carrier pigeon\"\n", {"one.toml:6", "carrier pigeon"}},
        {asset + "[[notify]]\nname = \"n\"\nkind = \"webhook\"\naddress = \"ftp://x\"\n", {"one.toml:7", "http"}},
        {asset + "[[notify]]\nname = \"n\"\nkind = \"mail\"\naddress = \"http://x\"\n", {"one.toml:6", "webhook"}},
        {asset + "[web]\naddress = \"8470\"\n", {"one.toml:5", "host:port"}},
        {asset + "[web]\naddress = \"0.0.0.0:8470\"\n", {"one.toml:5", "beyond this machine"}},
        {asset + "[web]\ntoken_file = \"/no/such\"\n", {"one.toml:5", "/no/such"}},
        {asset + "[storage]\nqueue = 1\n", {"one.toml:5", "queue"}},
    };
    for (const auto& [text, words] : wrong) expect_input_error([&, &text = text] { parse(text); }, words);
}

TEST(Plant, TakesSecretsOnlyFromFilesThatNobodyElseReads) {
    const TestFolder folder;
    const std::string file = folder.path() / "token";
    std::ofstream(file) << "one\r\n\ntwo\n";
    fs::permissions(file, fs::perms(0644));
    expect_input_error([&] { read_secret(file); }, {"token", "chmod 600"});
    fs::permissions(file, fs::perms(0600));
    EXPECT_EQ(read_secret(file), "one");
    EXPECT_THAT(read_secrets(file), ElementsAre("one", "two"));
    std::ofstream(file, std::ios::trunc) << "\n";
    expect_input_error([&] { read_secret(file); }, {"empty"});
    EXPECT_EQ(read_secret(""), "");
}

TEST(Address, IsAHostAndAPort) {
    EXPECT_EQ(parse_address("localhost:80").host, "localhost");
    EXPECT_EQ(parse_address("[::1]:8470").host, "::1");
    EXPECT_EQ(to_text(parse_address("[::1]:8470")), "[::1]:8470");
    for (const char* wrong : {"", "80", ":80", "a:", "a:x", "a:70000", "a:-1"})
        EXPECT_THROW(parse_address(wrong), InputError) << wrong;
    EXPECT_TRUE(is_loopback("127.0.0.2"));
    EXPECT_FALSE(is_loopback("0.0.0.0"));
}

}  // namespace
}  // namespace cmr::live
