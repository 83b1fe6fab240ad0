#pragma once

// How a run's steps were run, as fields of a command's `timings`. For .cpp files that already use
// the JSON library.

#include "cli/json_output.h"
#include "deepinfer/graph_runner.h"

namespace deepinfer::cli {

inline void add_counters(Json& timings, const GraphRunner& runner) {
  timings["graph_hits"] = runner.graph_hits();
  timings["eager_fallbacks"] = runner.eager_fallbacks();
  timings["compiles"] = runner.compiles();
  timings["compile_loads"] = runner.compile_loads();
  timings["compile_retries"] = runner.compile_retries();
}

}  // namespace deepinfer::cli
