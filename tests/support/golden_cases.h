#pragma once

// The parameters of the golden suites: which checkpoints, backends, graph modes and numerics they
// run, and what such a run is called.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/golden_checks.h"

namespace deepinfer {

/// Checkpoints under tests/data with goldens of their own.
inline auto golden_models() { return testing::Values("t41", "t41-odd", "t41-saturated"); }
/// The plain C++ one, and the machine's best.
inline auto golden_backends() { return testing::Values("reference", "cpu"); }
inline auto golden_modes() {
  return testing::Values(GraphMode::eager, GraphMode::whole, GraphMode::regions);
}
inline auto golden_numerics() { return testing::Values(Numerics::fp32, Numerics::official); }

/// Model, backend, graph mode and numerics.
using GoldenCase = std::tuple<std::string, std::string, GraphMode, Numerics>;

/// Every combination, and all of them for t41-draft too, whose text goldens are t41's.
inline auto golden_cases() {
  return testing::Combine(testing::Values("t41", "t41-odd", "t41-saturated", "t41-draft"),
                          golden_backends(), golden_modes(), golden_numerics());
}

inline GoldenRun golden_run(const GoldenCase& which) {
  const auto& [model, backend, mode, numerics] = which;
  return {.model = model, .backend = backend, .mode = mode, .numerics = numerics};
}

inline std::string golden_case_name(const testing::TestParamInfo<GoldenCase>& info) {
  const auto& [model, backend, mode, numerics] = info.param;
  return golden_run_name(model, backend, mode, numerics);
}

}  // namespace deepinfer
