#include "core/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

TEST(SplitRange, parts_are_contiguous_aligned_and_even) {
  for (const std::int64_t count : {0, 1, 2, 7, 8, 64, 65, 1000})
    for (const int members : {1, 2, 3, 7, 16})
      for (const std::int64_t grain : {1, 4, 32}) {
        std::int64_t next = 0;
        std::int64_t smallest = count;
        std::int64_t largest = 0;
        for (int index = 0; index < members; ++index) {
          const Range part = split_range(count, index, members, grain);
          ASSERT_EQ(part.begin, next);
          ASSERT_LE(part.begin, part.end);
          ASSERT_TRUE(part.begin == count || part.begin % grain == 0);
          next = part.end;
          smallest = std::min(smallest, part.end - part.begin);
          largest = std::max(largest, part.end - part.begin);
        }
        ASSERT_EQ(next, count);
        // The last part may also be cut short by up to a grain.
        ASSERT_LE(largest - smallest, grain == 1 ? 1 : 2 * grain - 1);
      }
}

TEST(SplitRange, exact_parts) {
  const auto part = [](std::int64_t count, int index, int members, std::int64_t grain) {
    const Range range = split_range(count, index, members, grain);
    return std::pair(range.begin, range.end);
  };
  EXPECT_EQ(part(10, 0, 3, 1), std::pair(0L, 4L));
  EXPECT_EQ(part(10, 1, 3, 1), std::pair(4L, 7L));
  EXPECT_EQ(part(10, 2, 3, 1), std::pair(7L, 10L));
  EXPECT_EQ(part(70, 0, 2, 32), std::pair(0L, 64L));
  EXPECT_EQ(part(70, 1, 2, 32), std::pair(64L, 70L));
  EXPECT_EQ(part(2, 2, 3, 1), std::pair(2L, 2L));
  EXPECT_EQ(part(std::int64_t{1} << 40, 1, 2, 1), std::pair(1L << 39, 1L << 40));
}

/// Enough rounds for a lost wake-up to show as a hang, with pauses so that members also sleep.
void check_rounds(int threads, int rounds) {
  ThreadPool pool(threads);
  ASSERT_EQ(pool.size(), threads);
  std::vector<int> calls(static_cast<std::size_t>(threads), 0);  // each member writes its own
  for (int round = 0; round < rounds; ++round) {
    pool.run([&](int member) { ++calls[static_cast<std::size_t>(member)]; });
    ASSERT_EQ(std::accumulate(calls.begin(), calls.end(), 0), (round + 1) * threads);
    if (round % 100 == 99) std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  for (const int count : calls) EXPECT_EQ(count, rounds);
}

TEST(ThreadPool, every_member_runs_once_per_round) {
  check_rounds(1, 1000);
  check_rounds(2, 5000);
}

TEST(ThreadPool, more_members_than_processors) {
  check_rounds(static_cast<int>(std::thread::hardware_concurrency()) * 2 + 3, 1000);
}

/// The threads that the parts of one round ran on. Part 0 waits until all others have begun or
/// `patience` is over.
std::vector<std::thread::id> threads_of_a_round(ThreadPool& pool, std::chrono::seconds patience) {
  std::vector<std::thread::id> threads(static_cast<std::size_t>(pool.size()));
  std::atomic<int> begun{0};
  pool.run([&](int member) {
    threads[static_cast<std::size_t>(member)] = std::this_thread::get_id();
    ++begun;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (member == 0 && begun < pool.size() && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  });
  return threads;
}

TEST(ThreadPool, every_member_has_a_thread_of_its_own_when_there_is_time) {
  ThreadPool pool(3);
  const auto first = threads_of_a_round(pool, std::chrono::seconds(20));
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), 3U);
  EXPECT_EQ(threads_of_a_round(pool, std::chrono::seconds(20)), first);
}

TEST(ThreadPool, the_caller_runs_what_no_worker_has_begun) {
  ThreadPool pool(64);  // cannot all wake up within the few rounds' empty parts
  int by_the_caller = 0;
  for (int round = 0; round < 100; ++round) {
    const auto threads = threads_of_a_round(pool, std::chrono::seconds(0));
    by_the_caller +=
        static_cast<int>(std::count(threads.begin(), threads.end(), std::this_thread::get_id()));
  }
  EXPECT_GT(by_the_caller, 100);
}

TEST(ThreadPool, what_a_round_wrote_is_seen_by_the_next) {
  ThreadPool pool(4);
  std::vector<std::int64_t> values(1000, 1);
  std::vector<std::int64_t> sums(4, 0);
  for (int round = 0; round < 200; ++round) {
    pool.parallel_for(1000, 8, [&](std::int64_t begin, std::int64_t end, int /*member*/) {
      for (std::int64_t i = begin; i < end; ++i) values[static_cast<std::size_t>(i)] += 1;
    });
    pool.run([&](int member) {
      sums[static_cast<std::size_t>(member)] =
          std::accumulate(values.begin(), values.end(), std::int64_t{0});
    });
    for (const std::int64_t sum : sums) ASSERT_EQ(sum, 1000 * (round + 2));
  }
}

TEST(ThreadPool, parallel_for_skips_members_without_work) {
  ThreadPool pool(4);
  std::vector<int> calls(4, 0);
  pool.parallel_for(2, 1, [&](std::int64_t begin, std::int64_t end, int member) {
    EXPECT_EQ(end - begin, 1);
    EXPECT_EQ(begin, member);
    ++calls[static_cast<std::size_t>(member)];
  });
  EXPECT_EQ(calls, (std::vector<int>{1, 1, 0, 0}));
  pool.parallel_for(0, 1, [&](std::int64_t, std::int64_t, int) { FAIL(); });
}

TEST(ThreadPool, starts_and_stops_without_work) {
  for (int round = 0; round < 50; ++round) const ThreadPool pool(1 + round % 5);
}

TEST(ThreadPool, two_pools_work_side_by_side) {
  std::vector<std::thread> callers;
  std::vector<int> totals(2, 0);
  for (std::size_t caller = 0; caller < 2; ++caller)
    callers.emplace_back([&totals, caller] {
      ThreadPool pool(2);
      std::vector<int> calls(2, 0);
      for (int round = 0; round < 500; ++round)
        pool.run([&](int member) { ++calls[static_cast<std::size_t>(member)]; });
      totals[caller] = calls[0] + calls[1];
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(totals, (std::vector<int>{1000, 1000}));
}

TEST(ThreadPool, fewer_than_one_member_is_an_error) {
  EXPECT_THROW(ThreadPool(0), Error);
  EXPECT_THROW(ThreadPool(-1), Error);
}

TEST(ThreadPool, default_is_within_the_machine) {
  EXPECT_GE(ThreadPool::default_threads(), 1);
  EXPECT_LE(ThreadPool::default_threads(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace deepinfer
