#pragma once

// Whole models made ready to run in tests, and the short ways to ask them for logits.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/sequence_run.h"

namespace deepinfer {

/// Options of a small test run. `backend`: one of backend_names(), "cpu" for the best one, or
/// "pjrt" (the plug-in is the caller's to name).
Options test_options(const std::string& backend, Numerics numerics = Numerics::official);

/// `checkpoint`: a directory under tests/data.
std::unique_ptr<Runtime> open_runtime(const std::string& checkpoint, const Options& options,
                                      bool trace = false);

/// Options::model of a directory under tests/data.
std::string test_model(const std::string& checkpoint);

/// Feeds all tokens and returns the logits of the last one. Chunks longer than the largest step are
/// cut at its size; empty: whole buckets.
std::vector<float> feed(SequenceRun& run, const Runtime& runtime,
                        std::span<const std::int32_t> tokens, std::span<const int> chunks = {});
/// The same for a sequence of its own.
std::vector<float> last_logits(Runtime& runtime, std::span<const std::int32_t> tokens,
                               std::span<const int> chunks = {});

/// `count` greedy tokens after `tokens`.
std::vector<std::int32_t> greedy(Runtime& runtime, std::span<const std::int32_t> tokens,
                                 std::size_t count);

/// Whether the bytes are equal, NaN included.
testing::AssertionResult same_bits(std::span<const float> a, std::span<const float> b);

/// `count` token ids below `vocab` (none of the special ones), the same for the same seed.
std::vector<std::int32_t> random_tokens(std::uint64_t seed, std::size_t count, int vocab = 500);

double cosine(std::span<const float> a, std::span<const float> b);
double largest_difference(std::span<const float> a, std::span<const float> b);

/// Text of the Error that `call` throws; "no error" if it does not.
template <typename Call>
std::string error_text(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace deepinfer
