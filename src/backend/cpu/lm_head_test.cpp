#include <gtest/gtest.h>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

RowCase head_case(std::int64_t width, std::int64_t vocabulary,
                  const std::vector<std::int32_t>& wants_logits, DType dtype) {
  RowCase test(LmHead{}, static_cast<int>(wants_logits.size()));
  test.random("h", {width})
      .shared([=](OpFixture& f) {
        return f.plain_weight("w", {vocabulary, width},
                              random_values(4, static_cast<std::size_t>(vocabulary * width)),
                              dtype);
      })
      .ints("wants_logits", {}, wants_logits);
  return test;
}

TEST(CpuLmHead, OnlyRowsThatWantLogitsGetThem) {
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32}) {
    head_case(96, 70, {1, 1, 0, 1, 0, 0, 1}, dtype).check(1e-5);
    head_case(96, 70, {0, 0, 1}, dtype).check(1e-5);
    head_case(96, 70, {0, 0}, dtype).check(0);
  }
}

TEST(CpuLmHead, LargeVocabulariesAreSharedAmongThreads) {
  head_case(200, 500, {0, 1, 1}, DType::bf16).check(1e-5);
}

}  // namespace
}  // namespace deepinfer::cpu
