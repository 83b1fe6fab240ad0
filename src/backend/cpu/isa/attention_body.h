#pragma once

// The arithmetic of sparse attention over one block of list entries. Included by the files of isa/,
// once per instruction set.

#include "backend/cpu/isa/dots_body.h"
#include "backend/cpu/sparse_attention_block.h"

namespace deepinfer::cpu {
namespace {

/// A window record (Q8) as fp32: codes, then one E8M0 scale per 32 channels.
inline void unpack_window_body(const std::uint8_t* record, std::int64_t width, float* out) {
  constexpr std::int64_t kBlock = 32;
  for (std::int64_t block = 0; block < width / kBlock; ++block) {
    // The code of a scale is the exponent field of its fp32: Q8 never goes below 2^-22.
    const std::uint32_t bits = static_cast<std::uint32_t>(record[width + block]) << 23;
    float scale = 0;
    std::memcpy(&scale, &bits, sizeof(scale));
    for (std::int64_t c = block * kBlock; c < (block + 1) * kBlock; c += kLanes) {
      const Lanes16 value =
          Lanes16::mul(Lanes16::load_e4m3(record + c), Lanes16::broadcast(kE4m3Shift));
      Lanes16::mul(value, Lanes16::broadcast(scale)).store(out + c);
    }
  }
}

/// A compressed record (Q4E) as fp32: nibbles, then one E4M3 scale per 16 channels.
inline void unpack_compressed_body(const std::uint8_t* record, std::int64_t width,
                                   const float* e4m3, float* out) {
  for (std::int64_t block = 0; block < width / kLanes; ++block)
    Lanes16::mul(Lanes16::load_e2m1(record + block * kLanes / 2),
                 Lanes16::broadcast(e4m3[record[width / 2 + block]]))
        .store(out + block * kLanes);
}

/// Scores in, probabilities relative to the new maximum out; returns what the old sums shrink by.
inline float softmax_block(float* scores, std::int64_t count, float scale, bool round_to_bf16,
                           float& maximum, float& denominator) {
  constexpr float kAbsent = -1e38F;  // exp_of() makes next to nothing of it
  constexpr int kVectors = kAttentionBlock / kLanes;
  for (std::int64_t j = 0; j < count; ++j) scores[j] *= scale;
  for (std::int64_t j = count; j < kAttentionBlock; ++j) scores[j] = kAbsent;
  Lanes16 scaled[kVectors];
  Lanes16 largest = Lanes16::broadcast(kAbsent);
  for (int v = 0; v < kVectors; ++v) {
    scaled[v] = Lanes16::load(scores + v * kLanes);
    largest = Lanes16::max(largest, scaled[v]);
  }
  const float block_maximum = largest_of(largest);
  const float new_maximum = block_maximum > maximum ? block_maximum : maximum;

  Lanes16 sum = Lanes16::zero();
  for (int v = 0; v < kVectors; ++v) {
    const Lanes16 p = exp_of(Lanes16::sub(scaled[v], Lanes16::broadcast(new_maximum)));
    sum = Lanes16::add(sum, p);
    (round_to_bf16 ? Lanes16::round_bf16(p) : p).store(scores + v * kLanes);
  }
  float shrink[kLanes];
  exp_of(Lanes16::broadcast(maximum - new_maximum)).store(shrink);
  maximum = new_maximum;
  denominator = denominator * shrink[0] + sum_of(sum);
  return shrink[0];
}

/// out[i] = out[i] * shrink[i] + sum over entries of p[i][j] * values[j], for a tile of heads and
/// channels; entries in order.
template <int kHeads, int kVectors>
inline void value_tile(const float* p, const float* shrink, const float* values,
                       std::int64_t entries, std::int64_t width, float* out) {
  Lanes16 sums[kHeads][kVectors];
  for (auto& row : sums)
    for (Lanes16& sum : row) sum = Lanes16::zero();
  for (std::int64_t j = 0; j < entries; ++j) {
    Lanes16 value[kVectors];
    for (int v = 0; v < kVectors; ++v) value[v] = Lanes16::load(values + j * width + v * kLanes);
    for (int i = 0; i < kHeads; ++i) {
      const Lanes16 factor = Lanes16::broadcast(p[i * kAttentionBlock + j]);
      for (int v = 0; v < kVectors; ++v) sums[i][v] = Lanes16::fma(factor, value[v], sums[i][v]);
    }
  }
  for (int i = 0; i < kHeads; ++i)
    for (int v = 0; v < kVectors; ++v) {
      float* to = out + i * width + v * kLanes;
      Lanes16::fma(Lanes16::load(to), Lanes16::broadcast(shrink[i]), sums[i][v]).store(to);
    }
}

template <int kHeads>
inline void value_strip(const float* p, const float* shrink, const float* values,
                        std::int64_t entries, std::int64_t width, float* out) {
  constexpr int kVectors = Lanes16::kTileVectors;
  std::int64_t c = 0;
  for (; c + kVectors * kLanes <= width; c += kVectors * kLanes)
    value_tile<kHeads, kVectors>(p, shrink, values + c, entries, width, out + c);
  for (; c < width; c += kLanes)
    value_tile<kHeads, 1>(p, shrink, values + c, entries, width, out + c);
}

inline void attend_block_body(const AttentionBlock& block, const AttentionHeads& heads) {
  dots_body(heads.q, heads.count, block.width, block.values, block.entries, block.width,
            block.width, heads.scores, kAttentionBlock);
  for (std::int64_t h = 0; h < heads.count; ++h)
    heads.shrink[h] = softmax_block(heads.scores + h * kAttentionBlock, block.entries, block.scale,
                                    block.round_to_bf16, heads.maxima[h], heads.denominators[h]);

  constexpr int kTile = Lanes16::kTileRows;
  std::int64_t h = 0;
  for (; h + kTile <= heads.count; h += kTile)
    value_strip<kTile>(heads.scores + h * kAttentionBlock, heads.shrink + h, block.values,
                       block.entries, block.width, heads.out + h * block.width);
  for (; h < heads.count; ++h)
    value_strip<1>(heads.scores + h * kAttentionBlock, heads.shrink + h, block.values,
                   block.entries, block.width, heads.out + h * block.width);
}

}  // namespace
}  // namespace deepinfer::cpu
