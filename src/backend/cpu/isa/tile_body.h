#pragma once

// Products on AMX. Included by amx.cpp only.
//
// A panel of 32 outputs is two weight tiles [16 outputs, 32 channels] per block of channels. Blocks
// are unpacked in chunks into a buffer in the first-level cache, the next chunk's while the matrix
// unit works on the present one's: unpacking and multiplying use different parts of the processor.

#include <algorithm>
#include <array>

#include "backend/cpu/isa/tile_formats.h"
#include "backend/cpu/isa/tile_functions.h"
#include "backend/cpu/isa/tile_registers.h"

namespace deepinfer::cpu {
namespace {

inline constexpr std::int64_t kTileBytes = kTileRows * kTileRowBytes;
inline constexpr std::int64_t kPanelRows = 2 * kTileRows;
/// Blocks unpacked at once: 16 KB, so that they, the inputs they meet and what is read to unpack
/// the next ones share the first-level cache. Twice as many are written and read four times as
/// slowly.
inline constexpr std::int64_t kChunkBlocks = 8;
/// Inputs that weights are unpacked for at once: their sums are 32 KB.
inline constexpr std::int64_t kPassInputs = 256;

/// Goes through all panels, chunk by chunk, a tile of 16 rows and 32 channels at a time.
template <typename Format>
class TileUnpacker {
 public:
  TileUnpacker(const TileProduct& product, std::uint8_t* to)
      : product_(product),
        to_(to),
        blocks_((product.width + 31) / 32),
        whole_(product.width / 32),
        row_bytes_(product.width * Format::kBlockBytes / 32),
        panel_(product.begin) {
    set_ahead();
  }

  /// Begins with the next chunk; it is empty after the last panel's last.
  void begin() {
    done_ = 0;
    blocks_here_ = panel_ < product_.end ? std::min(kChunkBlocks, blocks_ - chunk_) : 0;
  }
  /// Unpacks the chunk's next block, if there is one, in its place.
  void advance() {
    if (done_ == blocks_here_) return;
    std::uint8_t* to = to_ + done_ * 2 * kTileBytes;
    unpack(chunk_ + done_, 0, to);
    unpack(chunk_ + done_, 1, to + kTileBytes);
    ++done_;
  }
  /// Unpacks what is left of the chunk and goes to the next.
  void finish() {
    while (done_ < blocks_here_) advance();
    chunk_ += kChunkBlocks;
    if (chunk_ < blocks_) return;
    chunk_ = 0;
    panel_ += kPanelRows;
    set_ahead();
  }

 private:
  void set_ahead() {
    const std::int64_t next = panel_ + kPanelRows;
    ahead_ = product_.next;
    if (next < product_.end) {
      ahead_.codes = product_.codes + next * row_bytes_;
      if constexpr (Format::kScaleRows == 1) ahead_.scales = product_.scales + next * blocks_;
    }
  }

  /// Asks for what is kAhead bytes further on in 16 rows, the next panel's being their
  /// continuation: the processor's own prefetching ends at every page. Likewise for a part of the
  /// next panel's FP4 scales.
  void prefetch(std::int64_t block, std::int64_t half) const {
    constexpr std::int64_t kAhead = 1024;
    constexpr std::int64_t kLine = 64;
    constexpr std::int64_t kBlocks = kLine / Format::kBlockBytes;  // in a line
    constexpr std::int64_t kRows = kTileRows / kBlocks;            // at a time
    const std::int64_t at = block / kBlocks * kLine + kAhead;
    const std::uint8_t* from = nullptr;
    if (at < row_bytes_)
      from = product_.codes + panel_ * row_bytes_ + at;
    else if (ahead_.codes != nullptr)
      from = ahead_.codes + at - row_bytes_;
    else
      return;
    from += (half * kTileRows + block % kBlocks * kRows) * row_bytes_;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) __builtin_prefetch(from + r * row_bytes_, 0, 2);
    if constexpr (Format::kScaleRows == 1)
      if (half == 0 && block % 2 == 0 && ahead_.scales != nullptr)
        __builtin_prefetch(
            ahead_.scales + (2 * block / (kLine / Format::kBlockBytes) + half) * kLine, 0, 2);
  }

  void unpack(std::int64_t block, std::int64_t half, std::uint8_t* to) const {
    prefetch(block, half);
    const std::int64_t first = panel_ + half * kTileRows;
    CodedTile tile{product_.codes + first * row_bytes_ + block * Format::kBlockBytes, row_bytes_,
                   nullptr, 0};
    bool one_scale = true;
    if constexpr (Format::kScaleRows > 0) {
      tile.scales = product_.scales + first / Format::kScaleRows * blocks_ + block;
      tile.scale_stride = Format::kScaleRows == 1 ? blocks_ : 0;
      one_scale = Format::kScaleRows == 1 || first % Format::kScaleRows <= kTileRows;
    }
    if (block < whole_ && first + kTileRows <= product_.end && one_scale) [[likely]]
      Format::tile(tile, to);
    else
      unpack_rows(block, first, to);
  }

  /// Of a tile at an end, or whose rows do not share their scale. Rows behind the last output hold
  /// what they held: they lead to none.
  void unpack_rows(std::int64_t block, std::int64_t first, std::uint8_t* to) const {
    for (std::int64_t r = 0; r < kTileRows && first + r < product_.end; ++r) {
      const std::int64_t output = first + r;
      std::uint8_t scale = 0;
      if constexpr (Format::kScaleRows > 0)
        scale = product_.scales[output / Format::kScaleRows * blocks_ + block];
      const std::int64_t at = block * Format::kBlockBytes;
      std::uint8_t padded[Format::kBlockBytes] = {};  // as prepared inputs are
      std::memcpy(
          padded, product_.codes + output * row_bytes_ + at,
          static_cast<std::size_t>(std::min<std::int64_t>(Format::kBlockBytes, row_bytes_ - at)));
      Format::row(padded, scale, to + r * kTileRowBytes);
    }
  }

  const TileProduct& product_;
  std::uint8_t* to_;
  std::int64_t blocks_;
  std::int64_t whole_;
  std::int64_t row_bytes_;
  std::int64_t panel_;
  NextPanel ahead_;
  std::int64_t chunk_ = 0;  ///< its first block
  std::int64_t blocks_here_ = 0;
  std::int64_t done_ = 0;
};

/// The sums of one panel for up to 32 inputs: tiles [weights][inputs] of [16 outputs, 16 inputs].
struct alignas(64) TileSums {
  float tiles[2][2][kTileRows * kTileInputs];
};

inline constexpr std::int64_t kSumsStride = kTileInputs * sizeof(float);

/// out[t][o] = tile[o][t].
inline void write_outputs(const float* tile, std::int64_t outputs, std::int64_t inputs, float* out,
                          std::int64_t out_stride) {
  const __m512i column =
      _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                         _mm512_set1_epi32(static_cast<int>(kTileInputs)));
  const auto mask = static_cast<__mmask16>((1U << static_cast<unsigned>(outputs)) - 1U);
  for (std::int64_t t = 0; t < inputs; ++t)
    _mm512_mask_storeu_ps(out + t * out_stride, mask,
                          _mm512_i32gather_ps(column, tile + t, sizeof(float)));
}

/// All panels for inputs [first, first + count) of the product's set.
template <typename Format>
class TilePass {
 public:
  TilePass(const TileProduct& product, std::int64_t first, std::int64_t count)
      : product_(product),
        first_(first),
        count_(count),
        blocks_((product.width + 31) / 32),
        groups_((count + 2 * kTileInputs - 1) / (2 * kTileInputs)),
        unpacker_(product, weights_) {}

  void run() {
    unpacker_.begin();
    unpacker_.finish();
    for (std::int64_t panel = product_.begin; panel < product_.end; panel += kPanelRows) {
      for (std::int64_t chunk = 0; chunk < blocks_; chunk += kChunkBlocks) run_chunk(chunk);
      write(panel);
    }
    TileConfig::release();
  }

 private:
  /// Inputs of tile 0 or 1 of a group; none if not positive.
  std::int64_t tile_inputs(std::int64_t group, int tile) const {
    return std::min(kTileInputs, count_ - (2 * group + tile) * kTileInputs);
  }

  void configure(std::int64_t group) {
    const std::int64_t inputs = std::min(2 * kTileInputs, count_ - 2 * group * kTileInputs);
    if (inputs == configured_) return;
    configured_ = inputs;
    TileConfig config;
    for (int tile = 0; tile < 2; ++tile) {
      const auto columns = static_cast<int>(std::max<std::int64_t>(1, tile_inputs(group, tile)));
      for (int weights = 0; weights < 2; ++weights) config.set(2 * weights + tile, 16, 4 * columns);
      config.set(4 + tile, 16, 64);
      config.set(6 + tile, 16, 4 * columns);
    }
    config.load();
  }

  void run_chunk(std::int64_t chunk) {
    const std::int64_t blocks = std::min(kChunkBlocks, blocks_ - chunk);
    unpacker_.begin();
    for (std::int64_t group = 0; group < groups_; ++group) {
      configure(group);
      if (chunk == 0)
        zero_sums();
      else if (groups_ > 1)
        load_sums(sums_[group]);
      if (tile_inputs(group, 1) > 0)
        multiply<2>(group, chunk, blocks);
      else
        multiply<1>(group, chunk, blocks);
      if (groups_ > 1 || chunk + blocks == blocks_) store_sums(sums_[group]);
    }
    unpacker_.finish();
  }

  template <int kInputTiles>
  void multiply(std::int64_t group, std::int64_t chunk, std::int64_t blocks) {
    const std::uint8_t* weights = weights_;
    const bool last = group + 1 == groups_;  // whoever comes last makes place for the next chunk
    const std::int64_t columns[2] = {tile_inputs(group, 0), tile_inputs(group, 1)};
    const Bf16Pair* inputs[2];
    for (int tile = 0; tile < 2; ++tile)
      inputs[tile] = product_.inputs +
                     (first_ + (2 * group + tile) * kTileInputs) * blocks_ * kBlockPairs +
                     chunk * kBlockPairs * columns[tile];
    constexpr std::int64_t kPairBytes = sizeof(Bf16Pair);
    for (std::int64_t block = 0; block < blocks; ++block) {
      tile_load<4>(weights, kTileRowBytes);
      tile_load<6>(inputs[0], columns[0] * kPairBytes);
      tile_multiply<0, 4, 6>();
      tile_load<5>(weights + kTileBytes, kTileRowBytes);
      tile_multiply<2, 5, 6>();
      if constexpr (kInputTiles > 1) {
        tile_load<7>(inputs[1], columns[1] * kPairBytes);
        tile_multiply<1, 4, 7>();
        tile_multiply<3, 5, 7>();
      }
      weights += 2 * kTileBytes;
      for (int tile = 0; tile < kInputTiles; ++tile) inputs[tile] += kBlockPairs * columns[tile];
      if (last) unpacker_.advance();
    }
  }

  static void zero_sums() {
    tile_zero<0>();
    tile_zero<1>();
    tile_zero<2>();
    tile_zero<3>();
  }
  static void load_sums(const TileSums& sums) {
    tile_load<0>(sums.tiles[0][0], kSumsStride);
    tile_load<1>(sums.tiles[0][1], kSumsStride);
    tile_load<2>(sums.tiles[1][0], kSumsStride);
    tile_load<3>(sums.tiles[1][1], kSumsStride);
  }
  static void store_sums(TileSums& sums) {
    tile_store<0>(sums.tiles[0][0], kSumsStride);
    tile_store<1>(sums.tiles[0][1], kSumsStride);
    tile_store<2>(sums.tiles[1][0], kSumsStride);
    tile_store<3>(sums.tiles[1][1], kSumsStride);
  }

  void write(std::int64_t panel) {
    for (std::int64_t group = 0; group < groups_; ++group)
      for (int tile = 0; tile < 2; ++tile)
        for (int half = 0; half < 2; ++half) {
          const std::int64_t output = panel + half * kTileRows;
          const std::int64_t outputs = std::min(kTileRows, product_.end - output);
          const std::int64_t inputs = tile_inputs(group, tile);
          if (outputs <= 0 || inputs <= 0) continue;
          const std::int64_t input = first_ + (2 * group + tile) * kTileInputs;
          write_outputs(sums_[group].tiles[half][tile], outputs, inputs,
                        product_.out + input * product_.out_stride + output - product_.begin,
                        product_.out_stride);
        }
  }

  const TileProduct& product_;
  std::int64_t first_;
  std::int64_t count_;
  std::int64_t blocks_;
  std::int64_t groups_;  ///< of two input tiles
  TileUnpacker<Format> unpacker_;
  std::int64_t configured_ = 0;
  TileSums sums_[kPassInputs / (2 * kTileInputs)];
  alignas(64) std::uint8_t weights_[kChunkBlocks * 2 * kTileBytes];
};

template <typename Format>
void tile_product(const TileProduct& product) {
  if (product.begin >= product.end) return;
  for (std::int64_t first = 0; first < product.count; first += kPassInputs)
    TilePass<Format>(product, first, std::min(kPassInputs, product.count - first)).run();
}

/// Every kStep-th channel of a block from the first, then from the second, and so on.
template <int kStep>
void tile_pack(const float* from, std::int64_t blocks, std::int64_t stride, Bf16Pair* to) {
  alignas(64) static constexpr auto kOrder = [] {
    std::array<std::uint16_t, 32> order{};
    for (int i = 0; i < 32; ++i)
      order[static_cast<std::size_t>(i)] =
          static_cast<std::uint16_t>(i % (32 / kStep) * kStep + i / (32 / kStep));
    return order;
  }();
  const __m512i places =
      _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                         _mm512_set1_epi32(static_cast<int>(stride)));
  for (std::int64_t block = 0; block < blocks; ++block) {
    const float* values = from + block * 32;
    auto words = reinterpret_cast<__m512i>(
        _mm512_cvtne2ps_pbh(_mm512_loadu_ps(values + 16), _mm512_loadu_ps(values)));
    if constexpr (kStep > 1)
      words = _mm512_permutexvar_epi16(_mm512_load_si512(kOrder.data()), words);
    Bf16Pair* place = to + block * kBlockPairs * stride;
    if (stride == 1)
      _mm512_storeu_si512(place, words);
    else
      _mm512_i32scatter_epi32(place, places, words, sizeof(Bf16Pair));
  }
}

inline constexpr TileFunctions kTileFunctions = {.fp8 = &tile_product<Fp8Tile>,
                                                 .fp4 = &tile_product<Fp4Tile>,
                                                 .bf16 = &tile_product<Bf16Tile>,
                                                 .pack_fp8 = &tile_pack<2>,
                                                 .pack_fp4 = &tile_pack<4>,
                                                 .pack_bf16 = &tile_pack<1>};

}  // namespace
}  // namespace deepinfer::cpu
