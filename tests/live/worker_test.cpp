#include "live/worker.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <string>

#include "support/background.h"

namespace cmr::live {
namespace {

constexpr double kAnHour_s = 3600;

TEST(Worker, AStopCutsAWaitShort) {
    std::atomic<bool> waits = false, told_to_end = false;
    Worker worker;
    worker.start("test", [&] {
        waits = true;
        told_to_end = worker.wait(kAnHour_s);
    });
    EXPECT_TRUE(test::wait_until([&] { return waits.load(); }));
    EXPECT_FALSE(worker.stopping());
    worker.stop();
    EXPECT_TRUE(worker.stopping());
    EXPECT_TRUE(told_to_end);
}

TEST(Worker, AWaitThatIsOverIsNotTheEnd) {
    std::atomic<int> rounds = 0;
    Worker worker;
    worker.start("test", [&] {
        while (!worker.wait(0.001)) ++rounds;
    });
    EXPECT_TRUE(test::wait_until([&] { return rounds >= 3; }));
}

TEST(Worker, IsStoppedTwiceAndWithoutAStart) {
    Worker worker;
    worker.stop();
    worker.start("test", [&] { worker.wait(kAnHour_s); });
    worker.stop();
    worker.stop();
}

TEST(Worker, WorksAgainAfterAStop) {
    std::atomic<int> rounds = 0;
    Worker worker;
    for (int time = 0; time < 2; ++time) {
        rounds = 0;
        worker.start("test", [&] {
            while (!worker.wait(0.001)) ++rounds;
        });
        EXPECT_TRUE(test::wait_until([&] { return rounds >= 3; }));
        worker.stop();
    }
}

TEST(Worker, EndsTheWorkBeforeItself) {
    std::atomic<bool> ended = false;
    {
        Worker worker;
        worker.start("test", [&] {
            worker.wait(kAnHour_s);
            ended = true;
        });
    }
    EXPECT_TRUE(ended);
}

TEST(Worker, WhoAsksDoesNotWait) {
    std::atomic<bool> woken = false, ended = false;
    Worker worker;
    worker.start("test", [&] {
        test::wait_until([&] { return woken.load(); });  // for something else
        ended = worker.stopping();
    });
    worker.ask_to_stop();
    EXPECT_FALSE(ended);
    woken = true;
    worker.stop();
    EXPECT_TRUE(ended);
}

TEST(Worker, ItsThreadHasAName) {
    std::string name;
    Worker worker;
    worker.start("cmr-test", [&] {
        const auto is_named = [&] {
            std::array<char, 16> shown{};
            pthread_getname_np(pthread_self(), shown.data(), shown.size());
            name = shown.data();
            return name == "cmr-test";
        };
        test::wait_until(is_named);  // the name comes just after the thread
    });
    worker.stop();
    EXPECT_EQ(name, "cmr-test");
}

}  // namespace
}  // namespace cmr::live
