#include "backend/pjrt/parallel_jobs.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace deepinfer::pjrt {
namespace {

// How long an interrupt of the program waits to be seen while a job runs.
constexpr auto kTick = std::chrono::milliseconds(100);

/// The jobs as their threads see them.
class JobList {
 public:
  JobList(std::size_t count, const std::function<void(std::size_t)>& job)
      : count_(count), job_(job) {}

  /// Jobs until none is left; called by every thread.
  void work() {
    std::unique_lock lock(mutex_);
    while (next_ < count_) {
      const std::size_t index = next_++;
      lock.unlock();
      job_(index);
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  void leave_out_the_rest() {
    const std::scoped_lock lock(mutex_);
    next_ = count_;
  }

  /// Jobs that are done, by the next tick or when one more than `seen` is.
  std::size_t wait(std::size_t seen) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kTick, [&] { return done_ > seen; });
    return done_;
  }

 private:
  std::size_t count_;
  const std::function<void(std::size_t)>& job_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
};

/// As many as the system grants, at most `wanted`.
std::vector<std::jthread> start_threads(std::size_t wanted, JobList& jobs) {
  std::vector<std::jthread> threads;
  try {
    while (threads.size() < wanted) threads.emplace_back([&jobs] { jobs.work(); });
  } catch (const std::system_error&) {  // no more of them
  }
  return threads;
}

}  // namespace

void run_jobs(std::size_t count, int threads, const std::function<void(std::size_t)>& job,
              const JobProgress& progress) {
  if (count == 0) return;
  JobList jobs(count, job);
  std::vector<std::jthread> team =
      start_threads(std::min(count, static_cast<std::size_t>(std::max(threads, 1))), jobs);
  if (team.empty()) jobs.work();
  std::size_t done = 0;
  try {
    do {
      done = jobs.wait(done);
      if (progress) progress(done, count);
    } while (done < count);
  } catch (...) {
    jobs.leave_out_the_rest();
    throw;  // the threads end first
  }
}

}  // namespace deepinfer::pjrt
