#pragma once

// The outcome of `deepinfer bench` as text and as JSON. Pure functions.

#include <string>

#include "limits/machine_limits.h"
#include "measure/bench_run.h"

namespace deepinfer::cli {

struct BenchReport {
  std::string model;    ///< directory
  std::string backend;  ///< in words
  BenchRequest request;
  MachineLimits limits;
  BenchResult result;
  double load_ms = 0;
  double capture_ms = 0;
  std::int64_t peak_resident = 0;  ///< bytes, pages of the mapped weights included
  std::int64_t anonymous = 0;      ///< bytes of it that belong to no file, at the end
  std::int64_t planned = 0;        ///< bytes that the start table says the run takes
};

/// Tables for people: the whole run, then one of components per size of step.
std::string to_text(const BenchReport& report);

/// One object; see docs/performance.md for its fields.
std::string to_json_text(const BenchReport& report);

}  // namespace deepinfer::cli
