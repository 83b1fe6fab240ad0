#pragma once

// A fixed team of threads that runs one function on all members and waits: the fork and join of an
// op inside a replay. No allocation and no mutex in run(); members spin briefly, then sleep.
//
// One caller at a time. run() is not re-entrant. The calling thread runs member 0, and the part of
// any other member whose thread has not begun it by then: a member is a part of the work, not a
// thread.

#include <cstdint>
#include <memory>

#include "core/thread_observer.h"

namespace deepinfer {

/// Half-open range of work items.
struct Range {
  std::int64_t begin;
  std::int64_t end;
};

/// The part of `count` items that member `index` of `members` gets: contiguous, sizes differ by at
/// most one `grain`, every boundary but the end a multiple of `grain`. Depends on nothing else, so
/// a split is the same in every run. REQUIRES: count >= 0, grain >= 1, 0 <= index < members.
Range split_range(std::int64_t count, int index, int members, std::int64_t grain = 1);

class ThreadPool {
 public:
  /// Starts `threads - 1` workers. Throws Error: threads < 1 (bad_input), or the system grants no
  /// more threads (failed).
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const;

  /// Tells `observer` of every member's work from the next run() on; nullptr: nobody. Call between
  /// runs; the observer must outlive the runs it sees.
  void observe(ThreadObserver* observer);

  /// Calls body(member) on every member, 0 … size()-1, and returns when all are done. `body` must
  /// not throw.
  template <typename Body>
  void run(Body&& body) {
    auto call = [&body](int member) { body(member); };
    run_erased([](void* context, int member) { (*static_cast<decltype(call)*>(context))(member); },
               &call);
  }

  /// Splits [0, count) with split_range and calls body(range.begin, range.end, member) on every
  /// member whose part is not empty.
  template <typename Body>
  void parallel_for(std::int64_t count, std::int64_t grain, Body&& body) {
    run([&](int member) {
      const Range part = split_range(count, member, size(), grain);
      if (part.begin < part.end) body(part.begin, part.end, member);
    });
  }

  /// Physical cores in the process's affinity mask and cgroup quota; at least 1.
  static int default_threads();

 private:
  using Entry = void (*)(void* context, int member);
  void run_erased(Entry entry, void* context);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace deepinfer
