#pragma once

// What --region-timing and --trace-file show of a run: lines on stderr while it goes, and files and
// records at its end. Must outlive the steps of what it watches. One thread.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/region_timing.h"
#include "runner/step_profile.h"
#include "runner/trace_writer.h"

namespace deepinfer {
struct Options;
}

namespace deepinfer::cli {

/// Copies of what the callbacks were given.
struct KeptRegion {
  std::string kind;
  int count = 0;
  double mean_ms = 0;
};
struct KeptTiming {
  StepTiming step;  ///< its `regions` are empty: they are beside it
  std::vector<KeptRegion> regions;
};
struct KeptOp {
  ObservedOp op;
  double ms = 0;
  double gb_per_s = 0;
  double gflop_per_s = 0;
  double share = 0;
};
struct KeptProfile {
  StepProfile step;  ///< its `ops` are empty: they are beside it
  std::vector<KeptOp> ops;
};

class Observation {
 public:
  /// `keep`: timings and profile are kept for JSON. Throws Error if the trace file has no chance of
  /// being written.
  Observation(const Options& options, bool keep);

  /// For GraphRunner::observe; nullptr if nothing was asked for.
  StepWatcher* watcher() { return watchers_.empty() ? nullptr : &watchers_; }

  /// Writes the trace file. To be called after the results are out. Throws Error (failed).
  void finish() const;

  bool times_regions() const { return timing_.has_value(); }
  const std::vector<KeptTiming>& timings() const { return timings_; }
  /// Nothing if the run had too few steps.
  const std::optional<KeptProfile>& profile() const { return profile_; }

 private:
  void take(const StepTiming& timing);
  void take(const StepProfile& profile);

  const Options& options_;
  bool keep_;
  bool profiled_ = false;
  std::optional<RegionTiming> timing_;
  std::optional<StepProfiler> profiler_;
  std::optional<TraceWriter> trace_;
  StepWatchers watchers_;
  std::vector<KeptTiming> timings_;
  std::optional<KeptProfile> profile_;
};

}  // namespace deepinfer::cli
