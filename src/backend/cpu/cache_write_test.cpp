// window_write, block_write and compress: what they leave in the caches.

#include <gtest/gtest.h>

#include "backend/cpu/row_case_test.h"
#include "core/quantise.h"

namespace deepinfer::cpu {
namespace {

/// Cache bytes that no write leaves by chance.
std::vector<std::uint8_t> old_bytes(std::int64_t count) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + 11);
  return bytes;
}

TEST(CpuWindowWrite, WritesEachRowIntoItsSequencesRing) {
  for (const std::int64_t width : {32, 96, 512}) {
    const Shape shape{
        3, 8,
        static_cast<std::int64_t>(record_bytes(Quantiser::q8, static_cast<std::size_t>(width)))};
    // Three sequences and padding; the first wraps round its ring of 8.
    RowCase(WindowWrite{}, 8)
        .random("kv", {width})
        .shared([=](OpFixture& f) {
          return f.view("swa", DType::u8, shape, old_bytes(shape.elements()));
        })
        .ints("slots", {}, {1, 1, 1, 0, 0, 2, 0, 0})
        .ints("positions", {}, {22, 23, 24, 0, 1, 1000, -1, -1})
        .check(0);
  }
}

TEST(CpuBlockWrite, WritesFinishedGroupsAcrossBlocks) {
  for (const Quantiser quantiser : {Quantiser::q4e, Quantiser::q4u})
    for (const int ratio : {1, 2}) {
      const Shape shape{7, 4, static_cast<std::int64_t>(record_bytes(quantiser, 96))};
      RowCase(BlockWrite{.quantiser = quantiser, .ratio = ratio}, 9)
          .random("values", {96})
          .shared([=](OpFixture& f) {
            return f.view("cache", DType::u8, shape, old_bytes(shape.elements()));
          })
          .shared([](OpFixture& f) {
            return f.integers("block_table", {3, 3}, {6, 2, 4, 0, 5, -1, 3, -1, -1});
          })
          .ints("slots", {}, {0, 0, 0, 0, 2, 2, 1, 0, 0})
          .ints("positions", {}, {2, 3, 4, 5, 0, 1, 7, -1, -1})
          .check(0);
    }
}

TEST(CpuWindowWrite, StepOfPaddingRowsChangesNothing) {
  const Shape shape{2, 4, 33};
  const std::vector<std::uint8_t> before = old_bytes(shape.elements());
  for (const NamedBackend& named : cpu_backends()) {
    OpFixture f;
    const Given kv = f.activation("kv", {3, 32});
    const Given cache = f.view("swa", DType::u8, shape, before);
    const Given slots = f.integers("slots", {3}, {0, 0, 1});
    const Given positions = f.integers("positions", {3}, {-1, -1, -1});
    const OpRun run = f.run(*named.backend, WindowWrite{}, {kv, cache, slots, positions});
    EXPECT_EQ(run.view<std::uint8_t>(cache), before) << named.isa;
  }
}

RowCase compress_case(Rounding rounding, std::int64_t width) {
  // Slot 0 runs on from an odd position, reads the state and leaves a new half group there; slot 1
  // starts afresh; slot 2 decodes one even row; slot 3 finishes a group; then padding.
  RowCase step(Compress{.rounding = rounding}, 10);
  step.random("a", {width})
      .random("g", {width}, 4)
      .shared([=](OpFixture& f) {
        return f.view("ca_state", DType::f32, {4, 2, width},
                      random_values(9, static_cast<std::size_t>(8 * width)));
      })
      .ints("slots", {}, {0, 0, 0, 0, 1, 1, 2, 3, 0, 0})
      .ints("positions", {}, {3, 4, 5, 6, 0, 1, 10, 21, -1, -1})
      .ints("prev_rows", {}, {-1, 0, 1, 2, -1, 4, -1, -1, -1, -1});
  return step;
}

TEST(CpuCompress, PoolsPairsWithinAndAcrossSteps) {
  for (const std::int64_t width : {32, 96, 512}) {
    compress_case(Rounding::none, width).check(1e-6, false);
    compress_case(Rounding::bf16, width).check(4e-3, false);
  }
}

TEST(CpuCompress, GatesFarApartPickOneRow) {
  for (const NamedBackend& named : cpu_backends()) {
    OpFixture f;
    const Given a = f.activation("a", {2, 2}, {1.0F, 2.0F, 3.0F, 4.0F});
    const Given g = f.activation("g", {2, 2}, {3e4F, -3e4F, -3e4F, 3e4F});
    const Given state = f.view("ca_state", DType::f32, {1, 2, 2}, std::vector<float>(4, 0.0F));
    const Given slots = f.integers("slots", {2}, {0, 0});
    const Given positions = f.integers("positions", {2}, {0, 1});
    const Given prev = f.integers("prev_rows", {2}, {-1, 0});
    const OpRun run = f.run(*named.backend, Compress{}, {a, g, state, slots, positions, prev});
    EXPECT_EQ(run.f32(), (std::vector<float>{0, 0, 1, 4}));
    EXPECT_EQ(run.view<float>(state), std::vector<float>(4, 0.0F)) << "no half group is left";
  }
}

}  // namespace
}  // namespace deepinfer::cpu
