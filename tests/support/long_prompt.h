#pragma once

// One long prompt through t41, and the memory that it worked in.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "deepinfer/options.h"

namespace deepinfer {

struct LongPromptRun {
  std::int64_t printed = 0;         ///< the arena of the memory plan, as a start prints it
  std::vector<std::size_t> arenas;  ///< of each captured size
  std::int64_t growth = 0;          ///< of resident memory, while the prompt ran
};

/// Starts the cpu backend for a context of `tokens` and runs a prompt of so many. Fails the running
/// test if that takes anything but replays.
LongPromptRun run_long_prompt(std::int64_t tokens, GraphMode mode);

/// Fails the running test where `longer` needed more memory to work in than `shorter`.
void expect_same_arena(const LongPromptRun& longer, const LongPromptRun& shorter);

}  // namespace deepinfer
