#include "backend/cpu/product_inputs.h"

#include <algorithm>
#include <array>

#include "backend/cpu/isa/product_functions.h"
#include "backend/cpu/q8_values.h"

namespace deepinfer::cpu {

std::int64_t padded_width(std::int64_t width) {
  return (width + kProductBlock - 1) / kProductBlock * kProductBlock;
}

void store_block(const float* block, const InputForm& form, float* to) {
  std::array<float, kProductBlock> values;
  std::copy_n(block, kProductBlock, values.data());
  if (form.quantise) fake_quantise_q8_block(values.data());
  if (form.format != WeightFormat::fp4) {
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
  return Carver::bytes_for<float>(static_cast<std::size_t>(rows * padded_width(width))) +
         Carver::bytes_for<const float*>(static_cast<std::size_t>(rows));
}

ProductInputs::ProductInputs(host::WorkspaceCarver& carver, std::int64_t rows, std::int64_t width)
    : rows_(rows),
      storage_(carver.take<float>(static_cast<std::size_t>(rows * padded_width(width)))),
      pointers_(carver.take<const float*>(static_cast<std::size_t>(rows))) {}

const float* ProductInputs::prepare_row(const float* from, const InputForm& form, float* to) {
  const std::int64_t whole = form.width / kProductBlock * kProductBlock;
  const bool fits = whole == form.width && form.format != WeightFormat::fp4 && !form.quantise;
  if (fits) return from;

  for (std::int64_t c = 0; c < whole; c += kProductBlock) store_block(from + c, form, to + c);
  if (whole < form.width) {
    std::array<float, kProductBlock> last{};
    std::copy(from + whole, from + form.width, last.begin());
    store_block(last.data(), form, to + whole);
  }
  return to;
}

}  // namespace deepinfer::cpu
