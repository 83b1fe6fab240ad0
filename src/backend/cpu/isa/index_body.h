#pragma once

// Index scores of up to 64 entries at once. Lanes are entries, so every score is a plain sum over
// channels in order. Included by the files of isa/, once per instruction set.

#include "backend/cpu/index_tile.h"
#include "backend/cpu/isa/lanes16.h"

namespace deepinfer::cpu {
namespace {

/// Unpacks sixteen Q4U records to keys[channel * kIndexTile + lane].
inline void unpack_keys_body(const std::uint8_t* const* records, std::int64_t width, float* keys) {
  constexpr std::int64_t kBlock = 32;  // channels per scale
  constexpr std::int64_t kWord = 8;    // channels per 32-bit word of nibbles
  constexpr std::int64_t kWords = kBlock / kWord;
  for (std::int64_t block = 0; block < width / kBlock; ++block) {
    std::uint32_t words[kWords][kLanes];
    float scales[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint8_t* record = records[lane];
      for (std::int64_t w = 0; w < kWords; ++w)
        std::memcpy(&words[w][lane], record + block * kBlock / 2 + w * 4, 4);
      // The code of a scale is the exponent field of its fp32; Q4U never goes below 2^-126.
      const std::uint32_t bits = static_cast<std::uint32_t>(record[width / 2 + block]) << 23;
      std::memcpy(&scales[lane], &bits, sizeof(float));
    }
    const Lanes16 scale = Lanes16::load(scales);
    for (std::int64_t w = 0; w < kWords; ++w)
      for (int nibble = 0; nibble < kWord; ++nibble)
        Lanes16::mul(Lanes16::e2m1_nibble(words[w], nibble), scale)
            .store(keys + (block * kBlock + w * kWord + nibble) * kIndexTile);
  }
}

/// Adds the scores of a tile of heads, in order of heads, for a tile of entry vectors.
template <int kHeads, int kVectors>
inline void score_tile(const IndexQuery& query, std::int64_t head, const float* keys,
                       float* scores) {
  Lanes16 sums[kHeads][kVectors];
  for (auto& row : sums)
    for (Lanes16& sum : row) sum = Lanes16::zero();
  const float* q = query.q + head * query.width;
  for (std::int64_t c = 0; c < query.width; ++c) {
    Lanes16 key[kVectors];
    for (int v = 0; v < kVectors; ++v) key[v] = Lanes16::load(keys + c * kIndexTile + v * kLanes);
    for (int i = 0; i < kHeads; ++i) {
      const Lanes16 factor = Lanes16::broadcast(q[i * query.width + c]);
      for (int v = 0; v < kVectors; ++v) sums[i][v] = Lanes16::fma(factor, key[v], sums[i][v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    Lanes16 score = Lanes16::load(scores + v * kLanes);
    for (int i = 0; i < kHeads; ++i) {
      Lanes16 dot = sums[i][v];
      if (query.round_to_bf16) dot = Lanes16::round_bf16(dot);
      dot = Lanes16::max(dot, Lanes16::zero());
      // Not fused, so that every instruction set rounds the product alike.
      Lanes16 part = Lanes16::mul(dot, Lanes16::broadcast(query.weights[head + i]));
      if (query.round_to_bf16) part = Lanes16::round_bf16(part);
      score = Lanes16::add(score, part);
    }
    score.store(scores + v * kLanes);
  }
}

template <int kHeads>
inline void score_strip(const IndexQuery& query, std::int64_t head, const float* keys,
                        std::int64_t vectors, float* scores) {
  constexpr int kTile = Lanes16::kTileVectors;
  std::int64_t v = 0;
  for (; v + kTile <= vectors; v += kTile)
    score_tile<kHeads, kTile>(query, head, keys + v * kLanes, scores + v * kLanes);
  for (; v < vectors; ++v)
    score_tile<kHeads, 1>(query, head, keys + v * kLanes, scores + v * kLanes);
}

inline void score_keys_body(const IndexQuery& query, const std::uint8_t* const* records,
                            std::int64_t vectors, float* keys, float* scores) {
  for (std::int64_t v = 0; v < vectors; ++v) {
    unpack_keys_body(records + v * kLanes, query.width, keys + v * kLanes);
    Lanes16::zero().store(scores + v * kLanes);
  }
  constexpr int kTile = Lanes16::kTileRows;
  std::int64_t head = 0;
  for (; head + kTile <= query.heads; head += kTile)
    score_strip<kTile>(query, head, keys, vectors, scores);
  for (; head < query.heads; ++head) score_strip<1>(query, head, keys, vectors, scores);

  if (query.round_to_bf16)
    for (std::int64_t v = 0; v < vectors; ++v)
      Lanes16::round_bf16(Lanes16::load(scores + v * kLanes)).store(scores + v * kLanes);
}

}  // namespace
}  // namespace deepinfer::cpu
