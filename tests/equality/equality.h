#pragma once

// What "same bits" is tested on: a model on a backend, run in many ways, each compared with the
// plainest one (eager, one row at a time, one thread, a sequence alone). Before every step arenas
// are full of NaN, cache rows that no sequence owns hold NaN bytes, and host metadata holds indices
// far outside everything.
//
// Two extents of the same checks: `reduced` is part of `make test` and of the sanitizer runs,
// `whole` of `make test-all`.

#include <memory>
#include <string>
#include <vector>

#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer::equality {

enum class Extent { reduced, whole };

struct Subject {
  std::string model;    ///< a directory under tests/data, or kBundledModel
  std::string backend;  ///< one of backend_names()
  Numerics numerics = Numerics::official;
  Extent extent = Extent::reduced;
};

inline constexpr const char* kBundledModel = "bundled";

/// "t41_odd_avx2_fp32"
std::string name_of(const Subject& subject);

/// Prompt chunks of at most kBucket rows, blocks of kBlock positions, batches of up to kBatch: all
/// different from each other and from the models' windows.
inline constexpr int kBucket = 24;
inline constexpr int kBlock = 10;
inline constexpr int kBatch = 5;

/// Opened with poisoned caches and arenas.
std::unique_ptr<Runtime> open(const Subject& subject, GraphMode mode, int threads = 1,
                              int max_batch = kBatch, std::int64_t context_bucket = 0);

/// Tokens long enough to pass two windows, several groups, blocks and buckets.
std::vector<std::int32_t> long_tokens(const Runtime& runtime, std::uint64_t seed);

/// Last logits of each prefix of `tokens`, run in eager mode, one row at a time, alone.
std::vector<std::vector<float>> judge(const Subject& subject,
                                      const std::vector<std::int32_t>& tokens);

/// Lengths at and around every window, group, candidate block, block and bucket boundary, below
/// `limit`.
std::vector<int> boundary_lengths(const Runtime& runtime, int limit, Extent extent);

// The checks; each fails the running test with the way that differed.
void check_modes_and_chunkings(const Subject& subject);
void check_sizes_and_positions(const Subject& subject);
void check_context_buckets(const Subject& subject);
void check_random_schedule(const Subject& subject, std::uint64_t seed);

}  // namespace deepinfer::equality
