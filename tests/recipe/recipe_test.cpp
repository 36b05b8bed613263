#include "recipe/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/rng.h"
#include "io/file.h"
#include "support/expect_input_error.h"

namespace cmr::recipe {
namespace {

using test::expect_input_error;

fs::path recipes() { return fs::path(__FILE__).parent_path().parent_path().parent_path() / "recipes"; }

std::vector<fs::path> shipped() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(recipes()))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

// Line 1 is `name`; lines are counted on below.
const std::string kSmall = R"toml(name = "small"
[data]
rate_hz = 10.0
[data.read]
delimiter = "tab"
header = "yes"
[[data.part]]
name = "a"
files = "a/*.csv"
state = "healthy"
[[data.part]]
name = "b"
files = "b/{kind}.csv"
state = "faulty"
read = { header = "no" }
[[channels]]
role = "cause"
group = "in"
names = ["u"]
[[channels]]
role = "effect"
group = "out"
names = ["y(1..2)"]
)toml";

const std::string kCycles = R"(name = "cycles"
[data]
rate_hz = 10.0
layout = "cycles"
cycle_s = 2.0
[data.labels]
file = "labels.csv"
column = "state"
faulty = ["1"]
[[data.part]]
name = "a"
files = "{channel}.csv"
[[channels]]
role = "cause"
group = "in"
names = ["u"]
[[channels]]
role = "effect"
group = "out"
names = ["y"]
)";

Recipe parse(const std::string& text, const std::vector<std::string>& settings = {}) {
    return parse_recipe(text, "r.toml", settings);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
}

TEST(Recipe, ASmallOneIsTakenWithTheDefaultsOfThePaper) {
    const Recipe recipe = parse(kSmall);
    EXPECT_EQ(recipe.name, "small");
    EXPECT_EQ(recipe.data.part.size(), 2u);
    EXPECT_EQ(recipe.window.length, 256);
    EXPECT_EQ(recipe.train.seeds, (std::vector<int64_t>{1337, 9999, 777}));
    EXPECT_EQ(recipe.model.width, 128);
    EXPECT_EQ(recipe.train.learning_rate, 5e-4);
    parse(kCycles);
}

TEST(Recipe, HowToReadIsInheritedByPartsAndOverriddenByTheirOwnKeys) {
    const Recipe recipe = parse(kSmall);
    EXPECT_EQ(recipe.data.part[0].read.delimiter, "tab");
    EXPECT_EQ(recipe.data.part[0].read.header, "yes");
    EXPECT_EQ(recipe.data.part[1].read.delimiter, "tab");
    EXPECT_EQ(recipe.data.part[1].read.header, "no");
    EXPECT_EQ(recipe.data.labels.read.delimiter, "auto") << "a file of labels is another kind of file";

    const Recipe other = parse(kSmall, {"data.read.delimiter=bar", "data.read.header=auto"});
    EXPECT_EQ(other.data.part[0].read.delimiter, "bar");
    EXPECT_EQ(other.data.part[0].read.header, "auto");
    EXPECT_EQ(other.data.part[1].read.header, "no");
}

TEST(Recipe, TimesAreInheritedByPartsAndOverriddenByTheirOwnKeys) {
    const std::string text =
        replaced(kSmall, "[data.read]", "[data.time]\ncolumn = \"t\"\nmax_step_s = 5.0\n[data.read]");
    const Recipe recipe = parse(replaced(text, "{ header = \"no\" }", "{ header = \"no\" }\ntime.max_step_s = 9"));
    EXPECT_EQ(recipe.data.part[0].time.column, "t");
    EXPECT_EQ(recipe.data.part[0].time.max_step_s, 5);
    EXPECT_EQ(recipe.data.part[1].time.column, "t");
    EXPECT_EQ(recipe.data.part[1].time.max_step_s, 9);
    EXPECT_EQ(with_settings(recipe, {"data.time.max_step_s=7"}).data.part[1].time.max_step_s, 7);
    EXPECT_EQ(to_toml(parse(to_toml(recipe))), to_toml(recipe));
}

TEST(Recipe, ResampledRowsAndAChannelOfAnotherRateDoNotGoTogether) {
    const std::string text = replaced(kSmall, "[data.read]",
                                      "[data.time]\ncolumn = \"t\"\nmax_step_s = 5\nresample = \"hold\"\n[data.read]");
    parse(text);
    expect_input_error([&] { parse(text + "rate_hz = 5.0\n"); }, {"channels[1].rate_hz", "resample"});
}

TEST(Recipe, SettingsOverOneThatWasReadHoldForAllParts) {
    const Recipe recipe = parse(kSmall);
    const Recipe other = with_settings(recipe, {"data.read.header=auto", "window.stride=7"});
    EXPECT_EQ(other.data.read.header, "auto");
    EXPECT_EQ(other.data.part[0].read.header, "auto");
    EXPECT_EQ(other.data.part[1].read.header, "auto") << "over its own key, too";
    EXPECT_EQ(other.data.part[1].read.delimiter, "tab") << "what is not set stays";
    EXPECT_EQ(other.window.stride, 7);
    EXPECT_EQ(to_toml(with_settings(recipe, {})), to_toml(recipe));
    expect_input_error([&] { with_settings(recipe, {"window.stride=-5"}); }, {"--set window.stride=-5"});
    expect_input_error([&] { with_settings(recipe, {"data.gaps=interpolate"}); }, {"the recipe \"small\"", "max_gap"});
    expect_input_error([&] { with_settings(recipe, {"data.red.header=no"}); }, {"--set data.red.header=no", "read"});
}

TEST(Recipe, AMisspeltKeyIsRefusedAtEveryDepthWithItsLineAndTheRightName) {
    const std::string whole = to_toml(parse(kSmall));
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < whole.size();) {
        const size_t end = whole.find('\n', begin);
        lines.push_back(whole.substr(begin, end - begin));
        begin = end + 1;
    }
    int misspelt = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
        const size_t equals = lines[i].find(" = ");
        if (equals == std::string::npos) continue;
        const std::string key = lines[i].substr(0, equals);
        std::string text;
        for (size_t j = 0; j < lines.size(); ++j)
            text += (j == i ? key + "_" + lines[i].substr(equals) : lines[j]) + "\n";
        SCOPED_TRACE(lines[i]);
        expect_input_error([&] { parse(text); }, {"r.toml:" + std::to_string(i + 1) + ": unknown key '" + key + "_'",
                                                  "did you mean '" + key});
        ++misspelt;
    }
    EXPECT_GT(misspelt, 100);
}

TEST(Recipe, AnUnknownKeyOfTheSecondPartIsFoundThere) {
    const std::string text = replaced(kSmall, "files = \"b/{kind}.csv\"", "fiels = \"b/{kind}.csv\"");
    expect_input_error([&] { parse(text); }, {"r.toml:13: unknown key 'fiels' in [data.part[1]]", "'files'"});
    expect_input_error([&] { parse(replaced(kSmall, "{ header = \"no\" }", "{ heeder = \"no\" }")); },
                       {"r.toml:15: unknown key 'heeder' in [data.part[1].read]", "'header'"});
    expect_input_error([&] { parse(kSmall + "[windows]\nlength = 3\n"); },
                       {"r.toml:24: unknown key 'windows'", "'window'"});
    expect_input_error([&] { parse(replaced(kSmall, "delimiter =", "delimitre =")); },
                       {"r.toml:5: unknown key 'delimitre'", "'delimiter'"});
}

TEST(Recipe, EveryImpossibleValueIsRefusedWithItsKey) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
        {"name=", {"name", "no name"}},
        {"data.rate_hz=0", {"data.rate_hz"}},
        {"data.rate_hz=-1", {"data.rate_hz"}},
        {"data.rate_hz=nan", {"data.rate_hz"}},
        {"data.rate_hz=1e300", {"greater than 0 and less than 1,000,000,000; it is 1e+300"}},
        {"data.rate_hz=inf", {"data.rate_hz"}},
        {"data.layout=cycle", {"data.layout is 'cycle'", "'cycles'"}},
        {"data.gaps=drop", {"data.gaps is 'drop'", "drop-window"}},
        {"data.gaps=interpolate", {"data.max_gap"}},
        {"data.max_gap=3", {"data.max_gap", "interpolate"}},
        {"data.max_gap=-3", {"data.max_gap", "-3"}},
        {"data.storage=disc", {"data.storage is 'disc'", "'disk'"}},
        {"data.time.max_step_s=-1", {"data.time.max_step_s"}},
        {"data.time.max_step_s=nan", {"data.time.max_step_s"}},
        {"data.time.repeated=keep-last", {"data.time.repeated is 'keep-last', did you mean 'keep-first'?"}},
        {"data.time.restarts=segments", {"data.time.restarts", "'segment'"}},
        {"data.time={column = \"t\", max_step_s = 2, resample = \"liner\"}", {"data.time.resample", "'linear'"}},
        {"data.time={resample = \"mean\", max_step_s = 2}", {"data.time.resample", "`column` is needed"}},
        {"data.time={column = \"t\", resample = \"mean\"}", {"data.time.resample", "max_step_s"}},
        {"data.time={column = \"t\", resample = \"mean\", max_step_s = 1e6}", {"max_step_s", "1000000 samples"}},
        {"data.part=[{name = \"a\", files = \"x\", state = \"healthy\", time.max_step_s = -1}]",
         {"data.part[0].time.max_step_s"}},
        {"data.read.time_unit=msec", {"data.read.time_unit is 'msec'", "excel-days"}},
        {"data.layout=cycles", {"data.cycle_s"}},
        {"data.read.format=cvs", {"data.read.format is 'cvs'", "'csv'"}},
        {"data.read.delimiter=;", {"delimiter is ';'", "semicolon"}},
        {"data.read.decimal=.", {"decimal"}},
        {"data.read.header=true", {"data.read.header is true or false, expected a text"}},
        {"data.read.header=maybe", {"header is 'maybe'"}},
        {"data.read.date_order=year-first", {"date_order"}},
        {"data.read.skip_rows=-1", {"skip_rows", "-1"}},
        {"data.read.names=[\"a(3..1)\"]", {"names", "a(3..1)", "ascending"}},
        {"data.read.names=[\"a(0..99999999)\"]", {"names", "ascending"}},
        {"data.read.names=[\"a(1..60000)\", \"b(1..60000)\"]", {"data.read.names", "more than 100000 names"}},
        {"data.labels.column=x", {"data.labels.column", "healthy", "faulty"}},
        {"data.labels.strata=[\"weak\"]", {"data.labels.strata", "1 names for 0"}},
        {"data.labels.keep=[\"1\"]", {"data.labels.keep", "keep_column"}},
        {"data.labels.keep_column=x", {"data.labels.keep", "keep_column"}},
        {"data.labels={column = \"x\", healthy = [\"0\"], faulty = [\"0\"]}", {"data.labels.faulty", "'0'"}},
        {"data.part=[{name = \"a\", files = \"x\", state = \"healthy\", join = [{files = \"y\"}]}]",
         {"data.part[0].join[0]", "joined by time"}},
        {"data.part=[{name = \"a\", files = \"x\", state = \"healthy\", time.column = \"t\", join = [{files = "
         "\"*\"}]}]",
         {"data.part[0].join[0].files", "without *"}},
        {"data.part=[{name = \"a\", files = \"x\", state = \"healthy\", time.column = \"t\", join = [{files = "
         "\"y\"}]}]",
         {"data.part[0].join[0].time", "resample"}},
        {"data.labels.file=labels.csv", {"data.labels.file", "which of its columns"}},
        {"data.labels={file = \"l-{run}.csv\", keep_column = \"x\", keep = [\"1\"]}",
         {"data.labels.file", "{run}", "'a'"}},
        {"data.labels={column = \"x\", columns = [\"y\"], faulty = [\"1\"]}", {"data.labels.columns", "together"}},
        {"data.labels={columns = [\"x\", \"y\"]}", {"data.labels.columns", "'x'"}},
        {"data.labels={columns = [\"x\", \"y\"], faulty = [\"1\"], strata = [\"w\"]}",
         {"strata", "1 names for 2 columns"}},
        {"data.labels={column = \"x\", faulty = [\"1\"], time = \"t\"}", {"data.labels.time", "`file`"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"a\"], made = \"derivative\"}]", {"made", "`columns`"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"a\"], columns = [\"b\"], made = \"diff\"}]",
         {"channels[0].made is 'diff'", "difference"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"a\"], columns = [\"b\"], made = \"difference\"}]",
         {"channels[0].columns", "1 columns for 1 channels", "two for each"}},
        {"data.labels.read.header=maybe", {"data.labels.read.header"}},
        {"data.events.read.header=maybe", {"data.events.read.header"}},
        {"data.events.label=true", {"data.events.label"}},
        {"data.events={label = true, file = \"e.csv\"}", {"data.events.label", "[data.time]"}},
        {"split.order=[\"a.csv\"]", {"split.order", "by-file"}},
        {"split={kind = \"by-file\", order = [\"{run.csv\"]}", {"split.order", "does not close"}},
        {"data.part=[]", {"[[data.part]]"}},
        {"data.part=[{}]", {"no name"}},
        {"data.part=[{name = \"a\"}]", {"'a' names no files"}},
        {"data.part=[{name = \"a\", files = \"/etc/x\", state = \"healthy\"}]", {"below the data root"}},
        {"data.part=[{name = \"a\", files = \"../x\", state = \"healthy\"}]", {"below the data root"}},
        {"data.part=[{name = \"a\", files = \"x\"}]", {"data.part[0].state", "what are the rows"}},
        {"data.part=[{name = \"a\", files = \"x\", state = \"good\"}]", {"data.part[0].state is 'good'"}},
        {"data.part=[{name = \"a\", files = \"x\", state = \"healthy\", role = \"train\"}]",
         {"data.part[0].role is 'train'", "fit"}},
        {"data.part=[{name = \"a\", files = \"x\", state = \"healthy\", skip_samples = -1}]", {"skip_samples", "-1"}},
        {"data.part=[{name = \"a\", files = \"{channel}\", state = \"healthy\"}]", {"{channel}", "rows"}},
        {"data.part=[{name = \"a\", files = \"{k}\", state = \"faulty\", stratum = \"{x}\"}]",
         {"data.part[0].stratum", "{x}", "'{k}'"}},
        {"data.part=[{name = \"a\", files = \"x\", state = \"healthy\"}, "
         "{name = \"a\", files = \"y\", state = \"healthy\"}]",
         {"data.part[1]", "two parts are called 'a'"}},
        {"data.unit=[{names = [\"K1\"]}]", {"[[data.unit]]", "no {unit}"}},
        {"channels=[]", {"[[channels]]"}},
        {"channels=[{role = \"caus\", group = \"g\", names = [\"u\"]}]", {"channels[0].role is 'caus'", "'cause'"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"u\"]}]", {"role = \"effect\""}},
        {"channels=[{role = \"effect\", group = \"g\", names = [\"u\"]}]", {"role = \"cause\""}},
        {"channels=[{role = \"cause\", names = [\"u\"]}]", {"channels[0].group"}},
        {"channels=[{role = \"cause\", group = \"g\"}]", {"channels[0].names", "'g' has no channels"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"u(1..2)\", \"u(2)\"]}]", {"'u(2)' is named twice"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"u\"]}, "
         "{role = \"effect\", group = \"g\", names = [\"y\"]}]",
         {"channels[1].group", "two groups are called 'g'"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"u\"], columns = [\"a\", \"b\"]}]",
         {"channels[0].columns", "2 columns for 1 channels"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"u\"], align = \"cubic\"}]",
         {"channels[0].align is 'cubic'"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"u\"], rate_hz = -1}]", {"channels[0].rate_hz"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"u\"], rate_hz = inf}]", {"channels[0].rate_hz"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"u\"], step = -0.1}]", {"channels[0].step", "-0.1"}},
        {"channels=[{role = \"cause\", group = \"g\", names = [\"u\"], columns = [\"a\"], made = \"integral\", step = "
         "1}]",
         {"channels[0].step", "columns are rounded"}},
        {"window.length=0", {"window.length", "0 is not between 1"}},
        {"window.stride=0", {"window.stride"}},
        {"window.train_stride=-1", {"window.train_stride"}},
        {"window.faulty_fraction=1", {"window.faulty_fraction"}},
        {"window.faulty_fraction=-0.1", {"window.faulty_fraction"}},
        {"window.faulty_fraction=nan", {"window.faulty_fraction"}},
        {"split.kind=random", {"split.kind is 'random'"}},
        {"split.per=file", {"split.per is 'file'"}},
        {"split.held_out=test", {"split.held_out"}},
        {"split.protocol=lax", {"split.protocol"}},
        {"split.train_fraction=0", {"split.train_fraction"}},
        {"split.train_fraction=1.5", {"split.train_fraction"}},
        {"split.validation_fraction=0", {"split.validation_fraction"}},
        {"split.validation_fraction=1", {"split.validation_fraction"}},
        {"split.train_samples=-1", {"split.train_samples"}},
        {"split.leave_out=0", {"split.leave_out"}},
        {"split.purge=-1", {"split.purge"}},
        {"split={per = \"recording\", kind = \"by-file\"}", {"split.per", "by-file"}},
        {"screening.coupled_r2=1.5", {"screening.coupled_r2"}},
        {"screening.coupled_r2=nan", {"screening.coupled_r2"}},
        {"model.width=0", {"model.width"}},
        {"model.layers=0", {"model.layers"}},
        {"model.state=0", {"model.state"}},
        {"model.conv=0", {"model.conv"}},
        {"model.expand=0", {"model.expand"}},
        {"model.rank=0", {"model.rank"}},
        {"model.stem_kernel=0", {"model.stem_kernel"}},
        {"model.stem_stride=0", {"model.stem_stride"}},
        {"model.predictor_kernel=0", {"model.predictor_kernel"}},
        {"model.predictor_width=-1", {"model.predictor_width"}},
        {"model.predictor_blocks=-1", {"model.predictor_blocks"}},
        {"model.dropout=1", {"model.dropout"}},
        {"model.mechanism_weight=-1", {"model.mechanism_weight"}},
        {"model.effect_weight=nan", {"model.effect_weight"}},
        {"model.cause_weight=inf", {"model.cause_weight"}},
        {"model.effect_input=none", {"model.effect_input"}},
        {"train.batch=0", {"train.batch"}},
        {"train.max_epochs=0", {"train.max_epochs"}},
        {"train.patience=0", {"train.patience"}},
        {"train.warmup_epochs=-1", {"train.warmup_epochs"}},
        {"train.schedule=linear", {"train.schedule is 'linear'", "plateau, cosine"}},
        {"train.learning_rate=0", {"train.learning_rate"}},
        {"train.weight_decay=-1", {"train.weight_decay"}},
        {"train.clip=0", {"train.clip"}},
        {"train.seeds=[]", {"train.seeds"}},
        {"score.main=nkn", {"score.main is 'nkn'", "'knn'"}},
        {"score.metric=l1", {"score.metric is 'l1'", "'l2'"}},
        {"score.pooling=median", {"score.pooling", "mean+std"}},
        {"score.k=0", {"score.k"}},
        {"score.lags=-1", {"score.lags"}},
        {"score.lags=256", {"score.lags: 256 samples before each do not fit into a window of 256; give at most 255"}},
    };
    for (const auto& [assignment, words] : cases) {
        SCOPED_TRACE(assignment);
        std::vector<std::string> all = words;
        all.push_back("--set " + assignment.substr(0, assignment.find('=')));
        // What is absent is missed where it should stand.
        for (const char* elsewhere : {"data.gaps=", "data.layout=cycles", "data.part=[]", "data.unit="})
            if (assignment.starts_with(elsewhere)) all.back() = ": data";
        expect_input_error([&, &assignment = assignment] { parse(kSmall, {assignment}); }, all);
    }
}

TEST(Recipe, CyclesNeedTheirOwnSettings) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
        {"data.cycle_s=0", {"data.cycle_s", "duration"}},
        {"data.cycle_s=nan", {"data.cycle_s"}},
        {"data.cycle_s=1e300", {"data.cycle_s", "samples"}},
        {"data.labels.file=", {"data.labels", "a row of labels per cycle"}},
        {"data.part=[{name = \"a\", files = \"x.csv\"}]", {"{channel}"}},
        {"data.part=[{name = \"a\", files = \"{channel}\", skip_samples = 5}]", {"skip_samples", "keep"}},
    };
    for (const auto& [assignment, words] : cases) {
        SCOPED_TRACE(assignment);
        expect_input_error([&, &assignment = assignment] { parse(kCycles, {assignment}); }, words);
    }
}

TEST(Recipe, HealthyWindowsAreJudgedAsDenselyAsTheyAreScored) {
    const auto step = [](int64_t stride, int64_t train_stride) {
        return Window{.length = 256, .stride = stride, .train_stride = train_stride}.judging_stride();
    };
    EXPECT_EQ(step(64, 256), 64);
    EXPECT_EQ(step(64, 64), 64);
    EXPECT_EQ(step(64, 0), 64);
    EXPECT_EQ(step(256, 64), 64) << "training's own are there anyway";
    EXPECT_EQ(step(60, 256), 32) << "a step that hits those of training";
    EXPECT_EQ(step(3, 256), 2);
    EXPECT_EQ(step(3, 7), 1);
}

TEST(Recipe, UnitsAreDescribedOnceAndHaveNames) {
    const std::string part = "data.part=[{name = \"a\", files = \"{unit}.csv\"}]";
    const auto with = [&](const std::string& units) { return parse(kSmall, {part, "data.unit=" + units}); };
    EXPECT_EQ(with("[{names = [\"K(1..3)\"]}]").data.unit.size(), 1u);
    expect_input_error([&] { with("[{names = [\"K(1..3)\"]}, {names = [\"K(2)\"]}]"); },
                       {"data.unit[1]", "'K(2)' is described twice"});
    expect_input_error([&] { with("[{names = []}]"); }, {"data.unit[0]", "no names"});
    expect_input_error([&] { with("[{names = [\"K\"], state = \"ill\"}]"); }, {"data.unit[0].state is 'ill'"});
}

TEST(Recipe, AnImpossibleValueOfTheFileIsFoundByItsLine) {
    expect_input_error([] { parse(replaced(kSmall, "state = \"faulty\"", "state = \"broken\"")); }, {"r.toml:14: "});
    expect_input_error([] { parse(replaced(kSmall, "rate_hz = 10.0", "rate_hz = -10.0")); }, {"r.toml:3: "});
    expect_input_error([] { parse(replaced(kSmall, "role = \"effect\"", "role = \"efect\"")); }, {"r.toml:21: "});
    expect_input_error([] { parse(kSmall + "[score]\nk = 0\n"); }, {"r.toml:25: score.k"});
    expect_input_error([] { parse(kSmall + "[score]\nlags = 5000\n"); }, {"r.toml:25: score.lags: 5000 samples"});
    expect_input_error([] { parse(replaced(kSmall, "state = \"faulty\"\n", "")); }, {"r.toml:11: data.part[1].state"});
}

TEST(Recipe, GarbageIsRefusedAndNeverCrashes) {
    for (const std::string& text :
         {std::string(), std::string("\0\0", 2), std::string("garbage"), std::string(1 << 16, '['),
          "[" + std::string(1 << 16, '.') + "]", std::string("data = 5"), std::string("data.part = 5"),
          std::string("data.part = [5]"), std::string("data.read = 5\ndata.part = [{}]"), std::string("channels = {}"),
          std::string("[[data]]"), std::string("name = [[[]]]"), std::string(3 << 20, 'a')})
        expect_input_error([&] { parse(text); }, {"r.toml"});
    // Every prefix, and every recipe with a byte changed, is a recipe or an InputError.
    const std::string whole = io::read_file(recipes() / "zema-1hz.toml");
    Rng rng(1);
    int refused = 0;
    for (int round = 0; round < 600; ++round) {
        std::string text = whole;
        if (round % 3 == 0)
            text.resize(rng.below(whole.size()));
        else
            text[rng.below(whole.size())] = static_cast<char>(rng.below(256));
        try {
            parse(text);
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 200);
}

TEST(Recipe, AFileThatIsAbsentIsNamed) {
    expect_input_error([] { read_recipe("/nowhere/r.toml"); }, {"/nowhere/r.toml"});
}

TEST(ShippedRecipes, PrintedAndReadTheyStayTheSame) {
    ASSERT_GE(shipped().size(), 7u);
    for (const fs::path& file : shipped()) {
        SCOPED_TRACE(file.string());
        const std::string once = to_toml(read_recipe(file));
        const std::string twice = to_toml(parse(once));
        EXPECT_EQ(once, twice);
        EXPECT_NE(once.find("obtain = "), std::string::npos);
        EXPECT_EQ(read_recipe(file).file, file);
        EXPECT_EQ(read_recipe(file).name, file.stem().string());
    }
}

// Calls use(name) for every setting, at any depth.
template <typename T, typename Use>
void for_each_setting(const T& value, const Use& use) {
    visit_fields(value, [&](const char* name, const auto& member, const char*) {
        use(std::string(name));
        if constexpr (kHasFields<std::remove_cvref_t<decltype(member)>>) for_each_setting(member, use);
    });
}

TEST(ShippedRecipes, TheTemplateShowsEverySetting) {
    const std::string text = io::read_file(recipes() / "template.toml");
    const auto shown = [&](const std::string& name) {
        for (const std::string& form : {name + " = ", "[" + name + "]", "." + name + "]", "[[" + name + "]]"})
            if (text.find(form) != std::string::npos) return;
        ADD_FAILURE() << name;
    };
    for_each_setting(Recipe{}, shown);
    for_each_setting(Part{}, shown);
    for_each_setting(Unit{}, shown);
    for_each_setting(Channels{}, shown);
}

TEST(ShippedRecipes, TellWhereTheirDataCanBeHad) {
    for (const fs::path& file : shipped()) {
        SCOPED_TRACE(file.string());
        const Recipe recipe = read_recipe(file);
        EXPECT_NE(recipe.data.obtain.find("https://"), std::string::npos);
        const std::string& files = recipe.data.part.front().files;
        const std::string folder = files.substr(0, files.find('/'));
        EXPECT_NE(recipe.data.obtain.find("DATA_ROOT/" + folder), std::string::npos);
        EXPECT_FALSE(recipe.description.empty());
    }
}

struct PaperSettings {
    std::string name;
    double rate_hz;
    int64_t length, stride;
    double mechanism, effect, cause;
    bool stop_gradient;
    int64_t batch, epochs, patience;
    std::string schedule, main;
    int64_t k;
    std::string metric;
};

TEST(ShippedRecipes, HoldTheSettingsOfThePaper) {
    for (const PaperSettings& paper : {
             PaperSettings{"pu", 64000, 32768, 16384, 0.20, 1.00, 0.75, true, 12, 100, 10, "cosine", "knn", 1,
                           "cosine"},
             PaperSettings{"zema", 100, 6000, 6000, 0.20, 1.00, 0.0, false, 32, 200, 15, "plateau", "knn", 20, "l2"},
             PaperSettings{"swat", 1, 256, 128, 0.20, 1.00, 0.0, true, 32, 150, 15, "plateau", "residual", 5, "l2"},
         }) {
        SCOPED_TRACE(paper.name);
        const Recipe recipe = read_recipe(recipes() / (paper.name + ".toml"));
        EXPECT_EQ(recipe.data.rate_hz, paper.rate_hz);
        EXPECT_EQ(recipe.window.length, paper.length);
        EXPECT_EQ(recipe.window.stride, paper.stride);
        EXPECT_EQ(recipe.model.mechanism_weight, paper.mechanism);
        EXPECT_EQ(recipe.model.effect_weight, paper.effect);
        EXPECT_EQ(recipe.model.cause_weight, paper.cause);
        EXPECT_EQ(recipe.model.stop_gradient, paper.stop_gradient);
        EXPECT_EQ(recipe.train.batch, paper.batch);
        EXPECT_EQ(recipe.train.max_epochs, paper.epochs);
        EXPECT_EQ(recipe.train.patience, paper.patience);
        EXPECT_EQ(recipe.train.warmup_epochs, 5);
        EXPECT_EQ(recipe.train.schedule, paper.schedule);
        EXPECT_EQ(recipe.train.learning_rate, 5e-4);
        EXPECT_EQ(recipe.train.weight_decay, 1e-5);
        EXPECT_EQ(recipe.train.clip, 1.0);
        EXPECT_EQ(recipe.train.seeds, (std::vector<int64_t>{1337, 9999, 777}));
        EXPECT_EQ(recipe.score.main, paper.main);
        EXPECT_EQ(recipe.score.pooling, "std");
        EXPECT_EQ(recipe.score.k, paper.k);
        EXPECT_EQ(recipe.score.metric, paper.metric);
        EXPECT_EQ(recipe.split.protocol, "paper");
        EXPECT_EQ(recipe.model.stem_kernel, 7);
        EXPECT_EQ(recipe.model.stem_stride, 4);
        EXPECT_EQ(recipe.model.dropout, 0.1);
        EXPECT_EQ(recipe.model.effect_input, "signal");
    }
}

TEST(ShippedRecipes, PaderbornHas25Bearings) {
    const Recipe recipe = read_recipe(recipes() / "pu.toml");
    std::map<std::string, size_t> of_stratum;
    size_t healthy = 0;
    for (const Unit& unit : recipe.data.unit) {
        const size_t bearings = io::expand_names(unit.names).size();
        if (unit.state == "healthy")
            healthy += bearings;
        else
            of_stratum[unit.stratum] += bearings;
        EXPECT_EQ(unit.state == "healthy", unit.severity == 0);
        EXPECT_EQ(unit.state == "healthy", unit.kind.empty());
    }
    EXPECT_EQ(healthy, 6u);
    EXPECT_EQ(of_stratum, (std::map<std::string, size_t>{{"artificial", 8}, {"real", 11}}));
    EXPECT_EQ(recipe.split.kind, "leave-units-out");
    EXPECT_EQ(recipe.split.leave_out, 2);  // 6 over 2: 15 folds
}

TEST(ShippedRecipes, SwatHas26ActuatorsAnd25Sensors) {
    const Recipe recipe = read_recipe(recipes() / "swat.toml");
    ASSERT_EQ(recipe.channels.size(), 2u);
    EXPECT_EQ(recipe.channels[0].role, "cause");
    EXPECT_EQ(recipe.channels[0].names.size(), 26u);
    EXPECT_EQ(recipe.channels[1].role, "effect");
    EXPECT_EQ(recipe.channels[1].names.size(), 25u);
    EXPECT_TRUE(recipe.screening.prune_constants);
    EXPECT_EQ(recipe.screening.coupled_r2, 0.55);
    EXPECT_EQ(recipe.data.part[0].skip_samples, 6 * 3600);
}

TEST(ShippedRecipes, ZemaTellsWeakFromSevereLeakage) {
    for (const char* name : {"zema.toml", "zema-1hz.toml"}) {
        const Recipe recipe = read_recipe(recipes() / name);
        EXPECT_EQ(recipe.data.labels.strata, (std::vector<std::string>{"weak", "severe"}));
        EXPECT_EQ(recipe.data.labels.keep, (std::vector<std::string>{"0"}));
        EXPECT_EQ(static_cast<double>(recipe.window.length), recipe.data.rate_hz * recipe.data.cycle_s);
    }
}

}  // namespace
}  // namespace cmr::recipe
