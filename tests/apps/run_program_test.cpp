#include "run_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <new>
#include <system_error>

#include "base/error.h"
#include "io/file.h"
#include "support/temporary_folder.h"

namespace cmr {
namespace {

using testing::HasSubstr;

std::system_error of_the_system(int error) { return {error, std::generic_category(), "thread"}; }
std::filesystem::filesystem_error of_a_file(int error) {
    return {"cannot copy", "a/b.csv", std::error_code(error, std::generic_category())};
}

TEST(Ending, HasACodePerKindOfFailure) {
    EXPECT_EQ(describe(InputError("x")).code, 2);
    EXPECT_EQ(describe(SystemError("x")).code, 3);
    EXPECT_EQ(describe(InternalError("x")).code, 1);
    EXPECT_EQ(describe(std::out_of_range("x")).code, 1);
    EXPECT_EQ(describe(std::range_error("x")).code, 1);
}

TEST(Ending, TellsFailuresOfTheLibraryByTheirCause) {
    EXPECT_EQ(describe(std::bad_alloc()).code, 3);
    EXPECT_THAT(describe(std::bad_alloc()).message, HasSubstr("out of memory"));
    EXPECT_EQ(describe(std::length_error("vector::reserve")).code, 3);
    EXPECT_THAT(describe(std::length_error("vector::reserve")).message, HasSubstr("more than memory can hold"));
    EXPECT_EQ(describe(of_the_system(EAGAIN)).code, 3);
    EXPECT_THAT(describe(of_the_system(EAGAIN)).message, HasSubstr("thread: Resource temporarily unavailable"));
    EXPECT_EQ(describe(of_a_file(ENOSPC)).code, 3);
    EXPECT_EQ(describe(of_a_file(ENOSPC)).message, "a/b.csv: No space left on device");
    EXPECT_EQ(describe(of_a_file(EACCES)).code, 2);
    EXPECT_EQ(describe(of_a_file(EACCES)).message, "a/b.csv: Permission denied");
    EXPECT_EQ(describe(std::runtime_error("DefaultCPUAllocator: can't allocate memory: 12 bytes")).code, 3);
}

// How a child that runs `body` ends, and what it says.
struct Child {
    int status = 0;
    std::string said;
};
template <typename Body>
Child in_a_child(const Body& body) {
    const test::TemporaryFolder folder;
    const std::string said = folder / "said";
    const pid_t child = fork();
    if (child == 0) {
        if (!std::freopen(said.c_str(), "w", stderr)) ::_exit(99);
        std::setvbuf(stderr, nullptr, _IONBF, 0);  // as it is in a program
        ::_exit(run_program(body));
    }
    Child out;
    waitpid(child, &out.status, 0);
    out.said = io::read_file(said);
    return out;
}

TEST(Interrupt, EndsByItsSignalWithOneLineAndNothingHalfWritten) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const test::TemporaryFolder folder;
        io::write_file_atomically(folder / "a", "old");
        const Child child = in_a_child([&]() -> int {
            io::write_file_atomically(folder / "a", [&](const io::Sink& sink) {
                sink(std::as_bytes(std::span(std::string_view("half"))));
                std::raise(signal);
            });
            return 0;
        });
        ASSERT_TRUE(WIFSIGNALED(child.status));
        EXPECT_EQ(WTERMSIG(child.status), signal);
        EXPECT_EQ(child.said, "cmr: stopped\n");
        EXPECT_EQ(io::read_file(folder / "a"), "old");
        int files = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
        EXPECT_EQ(files, 1);
    }
}

TEST(Interrupt, SaysWhatItWasToldToSay) {
    const Child child = in_a_child([]() -> int {
        end_on_interrupt("stopped after training");
        std::raise(SIGTERM);
        return 0;
    });
    EXPECT_EQ(child.said, "cmr: stopped after training\n");
    const Child thrown = in_a_child([]() -> int { throw Interrupted(SIGINT, "stopped after 3 epochs"); });
    ASSERT_TRUE(WIFSIGNALED(thrown.status));
    EXPECT_EQ(WTERMSIG(thrown.status), SIGINT);
    EXPECT_EQ(thrown.said, "cmr: stopped after 3 epochs\n");
}

TEST(Interrupt, IsIgnoredWhereTheParentWantsThat) {
    const Child child = in_a_child([]() -> int {
        std::signal(SIGINT, SIG_IGN);  // as `nohup` leaves it
        end_on_interrupt();
        std::raise(SIGINT);
        return 7;
    });
    ASSERT_TRUE(WIFEXITED(child.status));
    EXPECT_EQ(WEXITSTATUS(child.status), 7);
}

TEST(Program, EndsWithItsCauseWhereNothingMayBeThrown) {
    const Child child = in_a_child([]() -> int {
        const std::function<void()> fails = [] { throw std::bad_alloc(); };
        [&]() noexcept { fails(); }();
        return 0;
    });
    ASSERT_TRUE(WIFEXITED(child.status));
    EXPECT_EQ(WEXITSTATUS(child.status), 3);
    EXPECT_THAT(child.said, HasSubstr("cmr: out of memory"));
}

}  // namespace
}  // namespace cmr
