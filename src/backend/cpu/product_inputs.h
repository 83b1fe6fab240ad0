#pragma once

// Inputs of products with weights, in the form the products read: quantised if the op says so,
// filled up with zeros to whole blocks of 32, and in the layout that the weight's kernel wants. A
// row that already has this form is used where it lies.
//
// Non-owning: lives in an op's workspace for one run of the op.

#include <cstdint>

#include "backend/cpu/isa/product_functions.h"
#include "backend/cpu/row_split.h"
#include "backend/host/kernel.h"

namespace deepinfer::cpu {

/// `width` rounded up to whole blocks.
std::int64_t padded_width(std::int64_t width);

enum class InputLayout : std::uint8_t {
  rows,        ///< fp32, channels in order
  split_rows,  ///< fp32, in a block the even channels before the odd ones: FP4 weights
  fp8_tiles,   ///< bf16, packed for a matrix unit as that format wants it (isa/tile_functions.h)
  fp4_tiles,
  bf16_tiles,
};

constexpr bool is_tiled(InputLayout layout) { return layout >= InputLayout::fp8_tiles; }

/// How the products of an instruction set read the inputs of `weight`. `bf16_values`: the inputs
/// are bf16 values, be it because they are quantised.
InputLayout layout_for(const ProductFunctions& isa, const WeightRef& weight, bool bf16_values);

/// What the rows of an op's input have in common.
struct InputForm {
  std::int64_t width;
  InputLayout layout;
  bool quantise;  ///< Q8; REQUIRES: width divisible by 32
};

/// Some prepared rows, side by side in a product.
struct InputSet {
  const float* const* rows;
  const Bf16Pair* tiles;  ///< of a tiled layout, else nullptr
  std::int64_t count;
};

/// Writes blocks of 32 values, already in their rows' numbers, as the input `index` of a tiled set
/// of `count`, from block `block` on.
struct TileWriter {
  const TileFunctions* functions;
  InputLayout layout;
  std::int64_t width;
  std::int64_t count;
  Bf16Pair* set;

  void write(const float* values, std::int64_t blocks, std::int64_t index,
             std::int64_t block) const;
};

/// Writes one block (32 values, zeros behind the input's end) as part of a row; may be in place.
/// REQUIRES: a layout of rows.
void store_block(const float* block, const InputForm& form, float* to);

class ProductInputs {
 public:
  static std::size_t bytes(std::int64_t rows, std::int64_t width);
  ProductInputs(host::WorkspaceCarver& carver, std::int64_t rows, std::int64_t width);

  /// Prepares row_of(0) … row_of(rows - 1), each a `const float*`. `set_of(row)` is the set, a
  /// Range of rows, that a product takes at once; empty: nobody reads the row.
  template <typename RowOf, typename SetOf>
  void prepare(host::KernelContext& context, const ProductFunctions& isa, const InputForm& form,
               RowOf&& row_of, SetOf&& set_of) {
    tiled_ = is_tiled(form.layout);
    split_items(context, rows_, form.width, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t row = begin; row < end; ++row) {
        const Range set = set_of(row);
        if (set.begin == set.end) continue;
        pointers_[row] = prepare_row(row_of(row), form, storage_ + row * padded_width(form.width));
        if (tiled_) pack(isa, form, row, set);
      }
    });
  }
  /// The same with all rows in one set.
  template <typename RowOf>
  void prepare(host::KernelContext& context, const ProductFunctions& isa, const InputForm& form,
               RowOf&& row_of) {
    prepare(context, isa, form, row_of, [this](std::int64_t) { return Range{0, rows_}; });
  }

  /// One of the sets that were prepared.
  InputSet set(Range rows) const {
    return {.rows = pointers_ + rows.begin,
            .tiles = tiled_ ? tiles_ + rows.begin * row_pairs_ : nullptr,
            .count = rows.end - rows.begin};
  }
  InputSet all() const { return set({0, rows_}); }
  const float* row(std::int64_t index) const { return pointers_[index]; }

 private:
  static const float* prepare_row(const float* from, const InputForm& form, float* to);
  void pack(const ProductFunctions& isa, const InputForm& form, std::int64_t row, Range set);

  std::int64_t rows_;
  std::int64_t row_pairs_;
  float* storage_;
  const float** pointers_;
  Bf16Pair* tiles_;
  bool tiled_ = false;
};

}  // namespace deepinfer::cpu
