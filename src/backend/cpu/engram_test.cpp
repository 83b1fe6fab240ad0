// engram_lookup and engram_gate.

#include <gtest/gtest.h>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

TEST(CpuEngramLookup, DequantisesTheRowsInOrder) {
  for (const int head_dim : {32, 96, 256}) {
    const auto width = static_cast<std::size_t>(head_dim);
    RowCase(EngramLookup{.head_dim = head_dim}, 6)
        .bytes("rows", {5, static_cast<std::int64_t>(record_bytes(Quantiser::q8, width))},
               random_records(Quantiser::q8, 4, 6 * 5, width))
        .check(0);
  }
}

TEST(CpuEngramGate, AgreesWithTheReference) {
  for (const std::int64_t streams : {2, 4})
    for (const std::int64_t width : {37, 96, 1280})
      for (const Rounding rounding : {Rounding::none, Rounding::bf16})
        RowCase(EngramGate{.eps = 1e-20F, .rounding = rounding}, 5)
            .random("streams", {streams, width}, 2)
            .random("kv", {(streams + 1) * width})
            .shared([=](OpFixture& f) {
              return f.weight("q_weight", WeightFormat::plain, {streams, width});
            })
            .shared([=](OpFixture& f) {
              return f.weight("k_weight", WeightFormat::plain, {streams, width});
            })
            .check(rounding == Rounding::bf16 ? 4e-3 : 2e-6);
}

}  // namespace
}  // namespace deepinfer::cpu
