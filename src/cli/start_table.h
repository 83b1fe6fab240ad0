#pragma once

// The table that a model-running command prints once on stderr: what was captured, on what, and
// what the caches take. Pure text.

#include <cstdint>
#include <string>
#include <vector>

#include "deepinfer/graph_runner.h"
#include "deepinfer/options.h"
#include "deepinfer/start_memory.h"

namespace deepinfer::cli {

struct StartInfo {
  bool fullgraph = true;
  std::vector<CaptureInfo> captures;
  std::vector<CaptureInfo> left_out;  ///< sizes that could not be compiled
  std::string backend;                ///< GraphRunner::backend_description()
  std::int64_t kv_bytes = 0;
  std::int64_t state_bytes = 0;
  std::int64_t max_context = 0;  ///< tokens
  StartMemory memory;
  double load_ms = 0;
};

/// Several lines, the last one without a line break.
std::string start_table(const StartInfo& info);

/// The memory of a start: a line per part, the sum, and what is mapped from files beside it.
std::string memory_table(const StartMemory& memory);

/// "12 B", "3.4 KiB", "1.2 GiB"
std::string human_bytes(std::int64_t bytes);

}  // namespace deepinfer::cli
