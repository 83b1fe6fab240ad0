#pragma once

// Products of fp32 rows with fp32 rows, and the unpacking of cache records into such rows. Included
// by the files of isa/, once per instruction set.

#include "backend/cpu/isa/lanes16.h"

namespace deepinfer::cpu {
namespace {

/// out[i * out_stride + j] = a_i . b_j for one tile. Lane = channel mod 16, one sum at the end: the
/// same order for every tile shape.
template <int kRowsA, int kRowsB>
inline void dot_tile(const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride,
                     std::int64_t count, float* out, std::int64_t out_stride) {
  Lanes16 sums[kRowsA][kRowsB];
  for (auto& row : sums)
    for (Lanes16& sum : row) sum = Lanes16::zero();

  const auto step = [&](auto&& load) {
    Lanes16 right[kRowsB];
    for (int j = 0; j < kRowsB; ++j) right[j] = load(b + j * b_stride);
    for (int i = 0; i < kRowsA; ++i) {
      const Lanes16 left = load(a + i * a_stride);
      for (int j = 0; j < kRowsB; ++j) sums[i][j] = Lanes16::fma(left, right[j], sums[i][j]);
    }
  };
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t c = 0; c < whole; c += kLanes)
    step([&](const float* p) { return Lanes16::load(p + c); });
  if (whole < count)
    step([&](const float* p) {
      return Lanes16::load_part(p + whole, static_cast<int>(count - whole));
    });

  for (int i = 0; i < kRowsA; ++i)
    for (int j = 0; j < kRowsB; ++j) out[i * out_stride + j] = sum_of(sums[i][j]);
}

template <int kRowsA>
inline void dot_strip(const float* a, std::int64_t a_stride, const float* b, std::int64_t b_rows,
                      std::int64_t b_stride, std::int64_t count, float* out,
                      std::int64_t out_stride) {
  constexpr int kTile = Lanes16::kTileVectors;
  std::int64_t j = 0;
  for (; j + kTile <= b_rows; j += kTile)
    dot_tile<kRowsA, kTile>(a, a_stride, b + j * b_stride, b_stride, count, out + j, out_stride);
  for (; j < b_rows; ++j)
    dot_tile<kRowsA, 1>(a, a_stride, b + j * b_stride, b_stride, count, out + j, out_stride);
}

/// out[i * out_stride + j] = a_i . b_j over `count` channels.
inline void dots_body(const float* a, std::int64_t a_rows, std::int64_t a_stride, const float* b,
                      std::int64_t b_rows, std::int64_t b_stride, std::int64_t count, float* out,
                      std::int64_t out_stride) {
  constexpr int kTile = Lanes16::kTileRows;
  std::int64_t i = 0;
  for (; i + kTile <= a_rows; i += kTile)
    dot_strip<kTile>(a + i * a_stride, a_stride, b, b_rows, b_stride, count, out + i * out_stride,
                     out_stride);
  for (; i < a_rows; ++i)
    dot_strip<1>(a + i * a_stride, a_stride, b, b_rows, b_stride, count, out + i * out_stride,
                 out_stride);
}

}  // namespace
}  // namespace deepinfer::cpu
