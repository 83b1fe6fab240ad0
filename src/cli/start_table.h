#pragma once

// The table that a model-running command prints once on stderr: what was captured, on what, and
// what the caches take. Pure text.

#include <cstdint>
#include <string>
#include <vector>

#include "deepinfer/graph_runner.h"
#include "deepinfer/options.h"

namespace deepinfer::cli {

struct StartInfo {
  GraphMode mode = GraphMode::whole;
  std::vector<CaptureInfo> captures;
  std::string backend;  ///< GraphRunner::backend_description()
  std::int64_t kv_bytes = 0;
  std::int64_t state_bytes = 0;
  std::int64_t max_context = 0;  ///< tokens
  double load_ms = 0;
};

/// Several lines, the last one without a line break.
std::string start_table(const StartInfo& info);

std::string_view name_of(GraphMode mode);

/// "12 B", "3.4 KiB", "1.2 GiB"
std::string human_bytes(std::int64_t bytes);

}  // namespace deepinfer::cli
