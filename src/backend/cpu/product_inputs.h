#pragma once

// Inputs of products with weights, in the form the products read: quantised if the op says so,
// filled up with zeros to whole blocks of 32, and for FP4 weights with the even channels of a block
// before the odd ones. An input that already has this form is used where it lies.
//
// Non-owning: lives in an op's workspace for one run of the op.

#include <cstdint>

#include "backend/cpu/row_split.h"
#include "backend/host/kernel.h"

namespace deepinfer::cpu {

/// `width` rounded up to whole blocks.
std::int64_t padded_width(std::int64_t width);

/// What the rows of an op's input have in common.
struct InputForm {
  std::int64_t width;
  WeightFormat format;  ///< of the weight they meet
  bool quantise;        ///< Q8; REQUIRES: width divisible by 32
};

/// Writes one block (32 values, zeros behind the input's end) in its form; may be in place.
void store_block(const float* block, const InputForm& form, float* to);

class ProductInputs {
 public:
  static std::size_t bytes(std::int64_t rows, std::int64_t width);
  ProductInputs(host::WorkspaceCarver& carver, std::int64_t rows, std::int64_t width);

  /// Prepares row_of(0) … row_of(rows - 1), each a `const float*`.
  template <typename RowOf>
  void prepare(host::KernelContext& context, const InputForm& form, RowOf&& row_of) {
    split_items(context, rows_, form.width, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t row = begin; row < end; ++row)
        pointers_[row] = prepare_row(row_of(row), form, storage_ + row * padded_width(form.width));
    });
  }

  const float* const* pointers() const { return pointers_; }

 private:
  static const float* prepare_row(const float* from, const InputForm& form, float* to);

  std::int64_t rows_;
  float* storage_;
  const float** pointers_;
};

}  // namespace deepinfer::cpu
