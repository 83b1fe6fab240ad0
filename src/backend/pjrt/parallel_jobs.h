#pragma once

// Independent jobs on a few threads that live as long as the jobs do, for work at the start that
// takes seconds a piece.

#include <cstddef>
#include <functional>

namespace deepinfer::pjrt {

/// Told how many of how many jobs are done.
using JobProgress = std::function<void(std::size_t done, std::size_t count)>;

/// Calls job(0) … job(count - 1), each once, on at most `threads` threads at a time, and returns
/// when all have ended. `job` must not throw. `progress` is called on the calling thread, now and
/// then and at the end; if it throws, jobs that have not begun are left out and the exception goes
/// on once the others have ended.
void run_jobs(std::size_t count, int threads, const std::function<void(std::size_t)>& job,
              const JobProgress& progress = {});

}  // namespace deepinfer::pjrt
