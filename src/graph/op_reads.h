#pragma once

// What an op must read from memory, by its declaration, and which part of a model it belongs to:
// for reports of how near a step comes to the machine's read bandwidth. Unlike op_cost.h only what
// lies in main memory counts (weights, caches, table rows), not the activations between ops, and it
// can be told what a step really holds. Pure functions.

#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/op_cost.h"

namespace deepinfer {

enum class Component : std::uint8_t {
  dense_fp8,          ///< linears over FP8 weights
  dense_plain,        ///< linears over BF16 or F32 weights: router, compressor, index keys
  experts,            ///< the routed ones and the shared one
  head,               ///< logits
  attention,          ///< over caches: windows, compressed entries, their choice and writing
  hyper_connections,  ///< mixing, collapsing, expanding the residual streams
  engram,             ///< n-gram rows, their projection and gate
  rest,               ///< norms, rotations, embedding, …
};
inline constexpr int kComponents = 8;
std::string_view name_of(Component component);

/// Bytes, of tensors and records as they lie in the checkpoint and in the caches.
struct OpReads {
  Component component = Component::rest;
  bool multiplies_weights = false;  ///< products with a weight matrix
  std::int64_t weights = 0;         ///< in every step, whole
  std::int64_t per_row = 0;         ///< table rows that each row looks up
  std::int64_t expert = 0;          ///< one routed expert
  std::int64_t experts = 0;         ///< in the bank
  std::int64_t experts_per_row = 0;
  std::int64_t window_record = 0;
  std::int64_t window = 0;        ///< newest positions that each row reads
  std::int64_t entry = 0;         ///< one record of a compressed cache
  std::int64_t ratio = 1;         ///< positions per entry
  std::int64_t most_entries = 0;  ///< that a row reads; of an index: of its candidates, 0: all
};

OpReads op_reads(const Graph& graph, const Node& node, const PlainDType& plain_dtype = {});

/// Rows of one sequence in a step.
struct StepRows {
  std::int64_t first_position = 0;
  std::int64_t rows = 1;
};

/// Bytes that a step of these rows must read. Rows of a sequence that may read the same record
/// count it once. `experts`: different experts that the step's rows chose.
double bytes_read(const OpReads& reads, const std::vector<StepRows>& step, double experts);

/// Different experts among `experts` that `rows` rows choose if each choice is as likely.
double expected_experts(std::int64_t experts, std::int64_t per_row, std::int64_t rows);

}  // namespace deepinfer
