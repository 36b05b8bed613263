#include "live/probe.h"
#include "live/sources/table.h"
#include "support/run_command.h"

namespace cmr::live {
namespace {

// Through the shell, as users do.
std::map<int, int> pipe(const std::string& text, const std::string& settings, size_t expected) {
    const test::TemporaryFolder folder;
    const std::string bin = std::getenv("CMR_BIN");
    const std::filesystem::path out = folder / "out";
    test::Background process("printf '" + text + "' | '" + bin + "/source_probe' '" + folder.path().string() + "' '" +
                                 out.string() + "' kind=stdin name=in asset=a " + settings,
                             folder / "log");
    std::map<int, int> values;
    test::wait_until([&] {
        values.clear();
        std::ifstream file(out);
        for (std::string line; std::getline(file, line);) ++values[std::stoi(line)];
        return values.size() >= expected;
    });
    return values;
}

TEST(StdinSource, LinesAreReadingsEvenTheLastWithoutALineEnd) {
    EXPECT_EQ(pipe("time,A\\n1,1\\n2,2\\n3,3", "", 3), (std::map<int, int>{{1, 1}, {2, 1}, {3, 1}}));
}

TEST(StdinSource, ALineThatIsTooLongIsLeftOut) {
    EXPECT_EQ(pipe("{\"time\":1,\"A\":1}\\n" + std::string(100'000, 'x') + "\\n{\"time\":3,\"A\":3}\\n",
                   "format=json max_message=1000", 2),
              (std::map<int, int>{{1, 1}, {3, 1}}));
}

}  // namespace
}  // namespace cmr::live
