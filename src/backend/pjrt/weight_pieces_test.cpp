// Large weights are unpacked piece by piece: what a program works in, as the CPU plug-in counts it.

#include <gtest/gtest.h>

#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/program_store.h"
#include "graph/graph_builder.h"

namespace deepinfer::pjrt {
namespace {

constexpr std::int64_t kPiece = std::int64_t{1} << 20;  // bytes

std::int64_t temporary_bytes(const std::shared_ptr<const Client>& client, const Graph& graph,
                             bool barriers = true) {
  const LowerOptions lowering{
      .types = {.f8e4m3fn = true, .f4e2m1fn = true, .barriers = barriers, .piece_bytes = kPiece}};
  ProgramBatch batch;
  batch.add(lower_graph(graph, lowering), "pieces");
  ProgramStore programs(client, compile_option_bytes({}), 1, "");
  return programs.programs(batch).front().program->memory().temporary;
}

Graph linear_of(std::int64_t outputs, WeightFormat format) {
  GraphBuilder b(2);
  const ValueId x = b.metadata("x", DType::f32, {2, 512});
  const ValueId weight = b.weight("w", format, {outputs, 512});
  b.output("y", b.add(Linear{}, {x, weight}, "y"));
  return b.finish();
}

Graph experts_of(std::int64_t count, WeightFormat format) {
  GraphBuilder b(2);
  const Shape up = {256, 512};
  const Shape down = {512, 256};
  std::vector<ValueId> operands = {
      b.metadata("x", DType::f32, {2, 512}), b.metadata("experts", DType::i32, {2, 3}),
      b.metadata("weights", DType::f32, {2, 3}), b.metadata("at", DType::i32, {2})};
  for (const char* name : {".w1", ".w3", ".w2"}) {
    const Shape& one = std::string_view(name) == ".w2" ? down : up;
    operands.push_back(b.weight_bank("e.", name, format, {count, one[0], one[1]}));
  }
  for (const char* name : {"s1", "s3", "s2"})
    operands.push_back(b.weight(name, format, std::string_view(name) == "s2" ? down : up));
  b.output("y", b.add(Moe{}, std::move(operands), "y"));
  return b.finish();
}

/// Without the barrier XLA unpacks the whole weight, eight pieces, before the loop.
TEST(WeightPieces, TheWholeIsNeverUnpackedAtOnce) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  for (const WeightFormat format : {WeightFormat::plain, WeightFormat::fp8, WeightFormat::fp4})
    for (const std::int64_t outputs : {std::int64_t{4096}, std::int64_t{4000}, std::int64_t{4064}})
      EXPECT_LT(temporary_bytes(client, linear_of(outputs, format)), 3 * kPiece)
          << name_of(format) << " " << outputs;
  // 64 experts of 1.5 MiB.
  for (const WeightFormat format : {WeightFormat::fp8, WeightFormat::fp4})
    EXPECT_LT(temporary_bytes(client, experts_of(64, format)), 6 * kPiece) << name_of(format);
  EXPECT_GT(temporary_bytes(client, linear_of(4096, WeightFormat::plain), false), 8 * kPiece);
}

}  // namespace
}  // namespace deepinfer::pjrt
