#pragma once

// The functions of the row kernels (attention, index, hyper-connections) that exist once per
// instruction set. A kernel gets the table of the instruction set its backend was made for.
//
// All functions are pure over the memory they are given, allocate nothing and give the same bits
// for a row whatever tile it falls in.

#include <cstdint>

#include "backend/cpu/index_tile.h"
#include "backend/cpu/sparse_attention_block.h"

namespace deepinfer::cpu {

struct RowFunctions {
  /// out[i * out_stride + j] = a_i . b_j over `count` channels; strides in floats.
  void (*dots)(const float* a, std::int64_t a_rows, std::int64_t a_stride, const float* b,
               std::int64_t b_rows, std::int64_t b_stride, std::int64_t count, float* out,
               std::int64_t out_stride);
  /// A Q8 record of `width` channels (a multiple of 32) as fp32.
  void (*unpack_window)(const std::uint8_t* record, std::int64_t width, float* out);
  /// A Q4E record as fp32. `e4m3`: the value of every E4M3 code.
  void (*unpack_compressed)(const std::uint8_t* record, std::int64_t width, const float* e4m3,
                            float* out);
  /// Brings one more block of entries into the running softmax of some heads.
  void (*attend_block)(const AttentionBlock& block, const AttentionHeads& heads);
  /// Scores of vectors * 16 Q4U records into `scores`; `keys` is scratch, [width, kIndexTile].
  void (*score_keys)(const IndexQuery& query, const std::uint8_t* const* records,
                     std::int64_t vectors, float* keys, float* scores);
};

}  // namespace deepinfer::cpu
