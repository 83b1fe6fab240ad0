#include "backend/cpu/product_inputs.h"

#include <algorithm>
#include <array>

#include "backend/cpu/q8_values.h"

namespace deepinfer::cpu {

std::int64_t padded_width(std::int64_t width) {
  return (width + kProductBlock - 1) / kProductBlock * kProductBlock;
}

InputLayout layout_for(const ProductFunctions& isa, const WeightRef& weight, bool bf16_values) {
  const bool tiles = isa.tiles != nullptr && bf16_values;
  switch (weight.format) {
    case WeightFormat::fp8:
      return tiles ? InputLayout::fp8_tiles : InputLayout::rows;
    case WeightFormat::fp4:
      return tiles ? InputLayout::fp4_tiles : InputLayout::split_rows;
    case WeightFormat::plain:
      break;
  }
  return tiles && weight.dtype == DType::bf16 ? InputLayout::bf16_tiles : InputLayout::rows;
}

void TileWriter::write(const float* values, std::int64_t blocks, std::int64_t index,
                       std::int64_t block) const {
  const TilePlace place = TilePlace::of(index, count, padded_width(width) / kProductBlock);
  TileFunctions::Pack pack = functions->pack_bf16;
  if (layout == InputLayout::fp8_tiles) pack = functions->pack_fp8;
  if (layout == InputLayout::fp4_tiles) pack = functions->pack_fp4;
  pack(values, blocks, place.stride, set + place.offset + block * kBlockPairs * place.stride);
}

void store_block(const float* block, const InputForm& form, float* to) {
  std::array<float, kProductBlock> values;
  std::copy_n(block, kProductBlock, values.data());
  if (form.quantise) fake_quantise_q8_block(values.data());
  if (form.layout != InputLayout::split_rows) {
    std::copy_n(values.data(), kProductBlock, to);
    return;
  }
  for (std::size_t i = 0; i < kProductBlock / 2; ++i) {
    to[i] = values[2 * i];
    to[i + kProductBlock / 2] = values[2 * i + 1];
  }
}

std::size_t ProductInputs::bytes(std::int64_t rows, std::int64_t width) {
  using Carver = host::WorkspaceCarver;
  const auto values = static_cast<std::size_t>(rows * padded_width(width));
  return Carver::bytes_for<float>(values) +
         Carver::bytes_for<const float*>(static_cast<std::size_t>(rows)) +
         Carver::bytes_for<Bf16Pair>(values / 2);
}

ProductInputs::ProductInputs(host::WorkspaceCarver& carver, std::int64_t rows, std::int64_t width)
    : rows_(rows),
      row_pairs_(padded_width(width) / 2),
      storage_(carver.take<float>(static_cast<std::size_t>(rows * padded_width(width)))),
      pointers_(carver.take<const float*>(static_cast<std::size_t>(rows))),
      tiles_(carver.take<Bf16Pair>(static_cast<std::size_t>(rows * row_pairs_))) {}

const float* ProductInputs::prepare_row(const float* from, const InputForm& form, float* to) {
  const std::int64_t whole = form.width / kProductBlock * kProductBlock;
  const bool fits = whole == form.width && form.layout != InputLayout::split_rows && !form.quantise;
  if (fits) return from;

  for (std::int64_t c = 0; c < whole; c += kProductBlock) store_block(from + c, form, to + c);
  if (whole < form.width) {
    std::array<float, kProductBlock> last{};
    std::copy(from + whole, from + form.width, last.begin());
    store_block(last.data(), form, to + whole);
  }
  return to;
}

void ProductInputs::pack(const ProductFunctions& isa, const InputForm& form, std::int64_t row,
                         Range set) {
  const TileWriter writer{.functions = isa.tiles,
                          .layout = form.layout,
                          .width = form.width,
                          .count = set.end - set.begin,
                          .set = tiles_ + set.begin * row_pairs_};
  writer.write(pointers_[row], padded_width(form.width) / kProductBlock, row - set.begin, 0);
}

}  // namespace deepinfer::cpu
