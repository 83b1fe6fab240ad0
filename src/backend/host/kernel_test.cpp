#include "backend/host/kernel.h"

#include <gtest/gtest.h>

#include "backend/host/binding.h"
#include "backend/op_fixture_test.h"
#include "deepinfer/error.h"

namespace deepinfer::host {
namespace {

void double_rows(const Scale& op, const Operands& io, KernelContext& /*context*/) {
  io.out(0).as<float>()[0] = io.in(0).as<float>()[0] * op.factor * 2;
}

TEST(WorkspaceCarver, PartsAreAlignedAndAsLongAsBytesForSays) {
  alignas(64) std::byte memory[512];
  WorkspaceCarver carver(memory);
  const auto* a = reinterpret_cast<std::byte*>(carver.take<float>(3));
  const auto* b = reinterpret_cast<std::byte*>(carver.take<double>(9));
  const auto* c = reinterpret_cast<std::byte*>(carver.take<std::uint8_t>(64));
  const auto* d = reinterpret_cast<std::byte*>(carver.take<std::uint8_t>(0));
  EXPECT_EQ(a, memory);
  EXPECT_EQ(b - a, 64);
  EXPECT_EQ(c - b, 128);
  EXPECT_EQ(d - c, 64);
  EXPECT_EQ(WorkspaceCarver::bytes_for<double>(9), 128U);
  EXPECT_EQ(WorkspaceCarver::bytes_for<float>(0), 0U);
}

TEST(KernelTable, CallsTheKernelOfTheOpWithItsAttributes) {
  KernelTable table;
  table.set<Scale, &double_rows>();
  const Op op = Scale{.factor = 3};
  EXPECT_EQ(table[Op{RmsNorm{}}].run, nullptr);
  ASSERT_NE(table[op].run, nullptr);
  EXPECT_EQ(table[op].workspace, nullptr);

  float in = 2.5F;
  float out = 0;
  const TensorRef x{reinterpret_cast<std::byte*>(&in), DType::f32, {1, 1}, 4};
  const TensorRef y{reinterpret_cast<std::byte*>(&out), DType::f32, {1, 1}, 4};
  const std::span<const WeightRef> none;
  ThreadPool pool(1);
  KernelContext context{.pool = pool};
  table[op].run(op, Operands({&x, 1}, {&none, 1}, {&y, 1}), context);
  EXPECT_EQ(out, 15);
}

TEST(Binding, ViewsPointIntoTheirRoot) {
  OpFixture fixture;
  std::vector<std::int32_t> contents = {1, 2, 3, 4, 5, 6};
  const Given view = fixture.view("view", DType::i32, {3, 2}, contents);
  const Given x = fixture.activation("x", {3, 32});
  GraphBuilder builder(3);
  const ValueId view_id = fixture.declare(builder, view);
  const ValueId x_id = fixture.declare(builder, x);
  builder.output("y", builder.add(Scale{.factor = 1}, {x_id}, "y"));
  const Graph graph = builder.finish();
  fixture.reset_memory();

  const std::vector<TensorRef> refs = bind_given_values(graph, fixture);
  const TensorRef& ref = refs[static_cast<std::size_t>(view_id)];
  EXPECT_GT(ref.row_bytes, 8) << "the fixture leaves gaps between rows";
  for (std::int64_t row = 0; row < 3; ++row) {
    EXPECT_EQ(ref.row<std::int32_t>(row)[0], contents[static_cast<std::size_t>(2 * row)]);
    EXPECT_EQ(ref.row<std::int32_t>(row)[1], contents[static_cast<std::size_t>(2 * row + 1)]);
  }
  EXPECT_EQ(refs[static_cast<std::size_t>(x_id)].row_bytes, 128);
  EXPECT_THROW(find_output(graph, "x"), Error);
  EXPECT_EQ(graph.value(find_output(graph, "y").value).name, "y");
}

}  // namespace
}  // namespace deepinfer::host
