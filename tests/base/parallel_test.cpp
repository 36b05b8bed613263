#include "base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "support/memory_limit.h"

namespace cmr {
namespace {

constexpr int kThreadCounts[] = {1, 2, 3, 4, 8, 17};

// The pool is one for the whole program: every test leaves it as it was.
class Parallel : public testing::Test {
  protected:
    void TearDown() override { set_thread_count(before_); }

    int before_ = thread_count();
};

// Half the smallest normal number, computed so that the compiler cannot know it.
bool flushes_denormals() {
    volatile float smallest = std::numeric_limits<float>::min();
    volatile float half = smallest * 0.5f;
    return half == 0.0f;
}

TEST_F(Parallel, RunsEveryTaskExactlyOnce) {
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        for (const int64_t tasks : {0, 1, 2, 3, 16, 17, 1000}) {
            std::vector<std::atomic<int>> runs(static_cast<size_t>(tasks));
            parallel_for(tasks, [&](int64_t task) { ++runs[static_cast<size_t>(task)]; });
            for (const auto& count : runs) ASSERT_EQ(count, 1) << tasks << " tasks on " << threads << " threads";
        }
    }
}

TEST_F(Parallel, DoesNothingForANegativeNumberOfTasks) {
    parallel_for(-1, [](int64_t) { FAIL(); });
}

TEST_F(Parallel, ManySmallCallsInARowAllFinish) {
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        std::atomic<int64_t> sum = 0;
        for (int call = 0; call < 2000; ++call) parallel_for(3, [&](int64_t task) { sum += task; });
        EXPECT_EQ(sum, 2000 * 3);
    }
}

TEST_F(Parallel, ResultsOfTheTasksAreVisibleToTheCaller) {
    set_thread_count(4);
    std::vector<int64_t> plain(1000, -1);  // not atomic on purpose: the thread sanitizer watches
    parallel_for(1000, [&](int64_t task) { plain[static_cast<size_t>(task)] = task; });
    for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(plain[static_cast<size_t>(i)], i);
}

// Tasks are handed out in ascending order, so a chain of waiting tasks cannot lock up however few threads there are.
TEST_F(Parallel, ATaskMayWaitForTheOneBefore) {
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        std::vector<std::atomic<bool>> done(200);
        parallel_for(200, [&](int64_t task) {
            const auto i = static_cast<size_t>(task);
            while (i > 0 && !done[i - 1]) std::this_thread::yield();
            done[i] = true;
        });
        EXPECT_TRUE(done.back());
    }
}

TEST_F(Parallel, UsesAsManyThreadsAsWereSet) {
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        EXPECT_EQ(thread_count(), threads);
        // Every task waits until all of them run at once, which takes exactly this many threads.
        std::atomic<int> arrived = 0;
        std::mutex mutex;
        std::set<std::thread::id> ids;
        parallel_for(threads, [&](int64_t) {
            ++arrived;
            while (arrived < threads) std::this_thread::yield();
            const std::lock_guard lock(mutex);
            ids.insert(std::this_thread::get_id());
        });
        EXPECT_EQ(ids.size(), static_cast<size_t>(threads));
        EXPECT_TRUE(ids.contains(std::this_thread::get_id())) << "the caller works too";
    }
}

TEST_F(Parallel, RethrowsTheExceptionOfTheLowestFailingTask) {
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        for (const bool lowest_fails_last : {true, false}) {
            std::atomic<int> arrived = 0;
            try {
                parallel_for(threads, [&](int64_t task) {
                    ++arrived;
                    while (arrived < threads) std::this_thread::yield();  // all run before the first one fails
                    if ((task == 0) == lowest_fails_last) std::this_thread::sleep_for(std::chrono::milliseconds(5));
                    throw std::runtime_error(std::to_string(task));
                });
                FAIL() << "did not throw";
            } catch (const std::runtime_error& error) {
                EXPECT_STREQ(error.what(), "0") << threads << " threads";
            }
        }
    }
}

TEST_F(Parallel, SkipsTheTasksBehindAFailureAndEndsTheRunningOnes) {
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        std::atomic<int> begun = 0, ended = 0;
        EXPECT_THROW(parallel_for(100'000,
                                  [&](int64_t task) {
                                      if (task == 0) throw std::runtime_error("stop");
                                      ++begun;
                                      std::this_thread::sleep_for(std::chrono::microseconds(100));
                                      ++ended;
                                  }),
                     std::runtime_error);
        EXPECT_EQ(begun, ended);
        EXPECT_LT(begun, 99'999);
    }
}

TEST_F(Parallel, WorksAgainAfterAnException) {
    set_thread_count(4);
    EXPECT_THROW(parallel_for(10, [](int64_t) { throw std::runtime_error("stop"); }), std::runtime_error);
    std::atomic<int> runs = 0;
    parallel_for(10, [&](int64_t) { ++runs; });
    EXPECT_EQ(runs, 10);
}

TEST_F(Parallel, ACallInsideATaskRunsInOrderOnTheSameThread) {
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        parallel_for(8, [](int64_t) {
            const auto self = std::this_thread::get_id();
            std::vector<int64_t> order;
            parallel_for(20, [&](int64_t inner) {
                EXPECT_EQ(std::this_thread::get_id(), self);
                order.push_back(inner);
            });
            EXPECT_EQ(order.size(), 20u);
            EXPECT_TRUE(std::ranges::is_sorted(order));
        });
    }
}

TEST_F(Parallel, PassesOnTheExceptionOfACallInsideATask) {
    set_thread_count(3);
    const auto nested = [](int64_t) {
        parallel_for(5, [](int64_t inner) {
            if (inner == 2) throw std::runtime_error("inner");
        });
    };
    EXPECT_THROW(parallel_for(4, nested), std::runtime_error);
    EXPECT_THROW(parallel_for(1, nested), std::runtime_error);
}

TEST_F(Parallel, SeveralThreadsMayCallAtOnce) {
    set_thread_count(3);
    std::atomic<int> runs = 0;
    {
        std::vector<std::jthread> callers;
        for (int caller = 0; caller < 4; ++caller)
            callers.emplace_back([&] {
                for (int call = 0; call < 100; ++call) parallel_for(10, [&](int64_t) { ++runs; });
            });
    }
    EXPECT_EQ(runs, 4 * 100 * 10);
}

TEST_F(Parallel, FlushesDenormalsInEveryWorkerAndRestoresTheCaller) {
    ASSERT_FALSE(flushes_denormals());
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        std::atomic<int> arrived = 0, flushing = 0;
        parallel_for(threads, [&](int64_t) {
            ++arrived;
            while (arrived < threads) std::this_thread::yield();
            flushing += flushes_denormals() ? 1 : 0;
        });
        EXPECT_EQ(flushing, threads);
        EXPECT_FALSE(flushes_denormals());
    }
    EXPECT_THROW(parallel_for(2, [](int64_t) { throw std::runtime_error("stop"); }), std::runtime_error);
    EXPECT_FALSE(flushes_denormals());
}

TEST_F(Parallel, FlushDenormalsMayBeNested) {
    {
        const FlushDenormals outer;
        { const FlushDenormals inner; }
        EXPECT_TRUE(flushes_denormals());
    }
    EXPECT_FALSE(flushes_denormals());
}

TEST_F(Parallel, TheThreadCountIsAtLeastOneAndNotSetInsideATask) {
    EXPECT_THROW(set_thread_count(0), InternalError);
    EXPECT_THROW(parallel_for(2, [](int64_t) { set_thread_count(2); }), InternalError);
}

// The variable is read when the pool is first needed, so each value wants a fresh process.
TEST(ThreadsVariable, SetsTheThreadCount) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto threads_given = [](const char* text) {
        setenv("CMR_THREADS", text, 1);
        std::exit(thread_count());
    };
    EXPECT_EXIT(threads_given("1"), testing::ExitedWithCode(1), "");
    EXPECT_EXIT(threads_given("5"), testing::ExitedWithCode(5), "");
}

TEST_F(Parallel, WorksWithFewerThreadsWhereTheMachineGivesNoMore) {
    if (!test::kMemoryCanBeLimited) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
    {
        const test::MemoryLimit limit(64 << 20);  // a thread takes 8 MB of addresses for its stack
        set_thread_count(500);
    }
    EXPECT_LT(thread_count(), 500);
    std::atomic<int64_t> sum = 0;
    parallel_for(100, [&](int64_t task) { sum += task; });
    EXPECT_EQ(sum, 4950);
}

TEST(ThreadsVariable, IsRefusedWhenItIsNoUsefulNumber) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto threads_given = [](const char* text) {
        setenv("CMR_THREADS", text, 1);
        try {
            thread_count();
        } catch (const InputError& error) {
            std::fputs(error.what(), stderr);
            std::exit(2);
        }
    };
    for (const char* text : {"0", "-1", "many", "", "1025"})
        EXPECT_EXIT(threads_given(text), testing::ExitedWithCode(2), "CMR_THREADS=.*expected a number from 1 to 1024");
}

}  // namespace
}  // namespace cmr
