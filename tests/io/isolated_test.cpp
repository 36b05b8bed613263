#include "io/hdf5/isolated.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "support/expect_input_error.h"
#include "support/memory_limit.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace cmr::io {
namespace {

using test::expect_input_error;
using test::expect_system_error;
using test::TemporaryFolder;

IsolatedProcess start(const IsolatedProcess::Handler& handler, IsolationLimits limits = {}) {
    return {"x.h5", "HDF5", limits, -1, handler};
}

size_t open_descriptors() {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
    return count;
}

TEST(IsolatedProcess, AnswersOneRequestAfterTheOtherAndKeepsItsState) {
    IsolatedProcess process = start([sum = 0](std::string_view request) mutable {
        sum += std::stoi(std::string(request));
        return std::to_string(sum);
    });
    EXPECT_EQ(process.ask("1"), "1");
    EXPECT_EQ(process.ask("20"), "21");
    EXPECT_EQ(process.ask("300"), "321");
}

TEST(IsolatedProcess, CarriesAnswersLargerThanASocketBuffers) {
    IsolatedProcess process = start([](std::string_view request) { return std::string(5'000'000, request.at(0)); });
    EXPECT_EQ(process.ask("x"), std::string(5'000'000, 'x'));
    EXPECT_EQ(process.ask(std::string(1'000'000, 'y')), std::string(5'000'000, 'y'));
}

TEST(IsolatedProcess, ChangesNothingInTheParent) {
    int value = 1;
    IsolatedProcess process = start([&](std::string_view) { return std::to_string(++value); });
    EXPECT_EQ(process.ask(""), "2");
    EXPECT_EQ(value, 1);
}

TEST(IsolatedProcess, PassesInputErrorsOnAndStaysUsable) {
    IsolatedProcess process = start([](std::string_view request) -> std::string {
        if (request == "bad") throw InputError("x.h5, row 7: bad");
        return "good";
    });
    expect_input_error([&] { process.ask("bad"); }, {"x.h5, row 7: bad"});
    EXPECT_EQ(process.ask(""), "good");
}

TEST(IsolatedProcess, ReportsACrash) {
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) {
        IsolatedProcess process = start([signal](std::string_view) {
            std::raise(signal);
            return "";
        });
        const std::string number = std::to_string(signal);
        expect_input_error([&] { process.ask(""); },
                           {"x.h5: the HDF5 library failed on this file (signal " + number + "); it is damaged"});
        expect_input_error([&] { process.ask(""); }, {"failed on this file before"});
    }
}

TEST(IsolatedProcess, IsNotTheFilesFaultWhereItWasKilled) {
    IsolatedProcess process = start([](std::string_view) -> std::string {
        std::raise(SIGKILL);
        return "";
    });
    expect_system_error([&] { process.ask(""); }, {"x.h5: the process that reads it was killed; was memory short?"});
}

TEST(IsolatedProcess, ThatAlwaysDiesIsStartedOnceAndFailsAtOnce) {
    const TemporaryFolder folder;
    const std::string starts = (folder / "starts").string();
    const auto begin = std::chrono::steady_clock::now();
    IsolatedProcess process = start([starts](std::string_view) -> std::string {
        std::ofstream(starts, std::ios::app) << "x";
        std::abort();
    });
    for (int i = 0; i < 1000; ++i) EXPECT_THROW(process.ask(""), InputError);
    EXPECT_EQ(read_file(starts), "x");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST(IsolatedProcess, ThatCannotBeStartedIsTheMachinesFault) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{3, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    expect_system_error([&] { start([](std::string_view) { return ""; }); },
                        {"x.h5: cannot start a process to read it: Too many open files"});
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST(IsolatedProcess, ReportsALibraryThatExits) {
    IsolatedProcess process = start([](std::string_view) -> std::string { ::_exit(3); });
    expect_input_error([&] { process.ask(""); }, {"failed on this file (exit 3)"});
}

TEST(IsolatedProcess, GivesUpOnOneThatHangs) {
    IsolatedProcess process = start(
        [](std::string_view) -> std::string {
            for (;;) ::pause();
        },
        {.patience = std::chrono::seconds(1)});
    expect_input_error([&] { process.ask(""); }, {"x.h5", "gave no answer on this file for 1 s"});
}

TEST(IsolatedProcess, RefusesAnEndlessAnswer) {
    IsolatedProcess process = start([](std::string_view) { return std::string(2000, 'x'); }, {.reply_bytes = 1000});
    expect_input_error([&] { process.ask(""); }, {"answered with 2000 bytes"});
}

TEST(IsolatedProcess, TakesNoMoreMemoryThanAllowed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's allocator ends the process instead";
#endif
    IsolatedProcess process = start([](std::string_view) { return std::to_string(std::string(1 << 29, 'x').size()); },
                                    {.memory_bytes = 1 << 28});
    expect_input_error([&] { process.ask(""); }, {"x.h5", "needs more than 256 MiB"});
}

TEST(IsolatedProcess, IsNotTheFilesFaultWhereTheMachineGivesLess) {
    if (!test::kMemoryCanBeLimited) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
    const test::MemoryLimit limit(uint64_t{1} << 28);
    IsolatedProcess process = start([](std::string_view) { return std::to_string(std::string(1 << 29, 'x').size()); });
    expect_system_error([&] { process.ask(""); }, {"x.h5: out of memory", "`ulimit -v`"});
}

TEST(IsolatedProcess, HoldsNoDescriptorButItsOwn) {
    const int pipe_end = ::open("/dev/null", O_RDONLY);
    const int kept = ::open("/dev/null", O_RDONLY);
    IsolatedProcess process{"x.h5", "HDF5", {}, kept, [=](std::string_view) {
                                return std::to_string(::fcntl(pipe_end, F_GETFD)) + " " +
                                       std::to_string(::fcntl(kept, F_GETFD)) + " " +
                                       std::to_string(open_descriptors());
                            }};
    EXPECT_EQ(process.ask(""), "-1 0 6");  // in, out, error, the channel, the kept one, and the folder being listed
    ::close(pipe_end);
    ::close(kept);
}

TEST(IsolatedProcess, LeavesNoDescriptorAndNoZombieBehind) {
    const size_t before = open_descriptors();
    for (int i = 0; i < 20; ++i) {
        IsolatedProcess process = start([i](std::string_view) -> std::string {
            if (i % 2) std::abort();
            return "";
        });
        try {
            process.ask("");
        } catch (const InputError&) {
        }
    }
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST(IsolatedProcess, WorksInSeveralThreadsAtOnce) {
    if (test::kSanitized) GTEST_SKIP() << "the sanitizer's own memory may be locked in a process that was forked";
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([] {
            for (int i = 0; i < 25; ++i) {
                IsolatedProcess process = start([](std::string_view request) { return std::string(request) + "!"; });
                EXPECT_EQ(process.ask("a"), "a!");
                EXPECT_EQ(process.ask("b"), "b!");
            }
        });
}

TEST(IsolatedProcess, IsNotDisturbedBySignals) {
    struct sigaction quiet {};
    quiet.sa_handler = [](int) {};
    struct sigaction before {};
    sigaction(SIGALRM, &quiet, &before);  // without SA_RESTART, so system calls are interrupted
    IsolatedProcess process = start([](std::string_view) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return std::string(300'000, 'x');
    });
    const pthread_t self = pthread_self();
    std::jthread disturber([self](std::stop_token stop) {
        while (!stop.stop_requested()) {
            pthread_kill(self, SIGALRM);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    });
    for (int i = 0; i < 50; ++i) EXPECT_EQ(process.ask("").size(), 300'000u);
    disturber = {};
    sigaction(SIGALRM, &before, nullptr);
}

}  // namespace
}  // namespace cmr::io
