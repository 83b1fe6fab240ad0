#include "runner/input_metadata.h"

#include <gtest/gtest.h>

#include <cstring>

#include "deepinfer/error.h"
#include "graph/graph_builder.h"
#include "model/step_inputs.h"

namespace deepinfer {
namespace {

/// A graph of eight rows with a per-row field, a wide one and the block table of three slots.
Graph graph() {
  GraphBuilder builder(8);
  builder.metadata(step_inputs::kPositions, DType::i32, {8});
  builder.metadata("engram.1.rows", DType::u8, {8, 2, 66});
  builder.metadata(step_inputs::kBlockTable, DType::i32, {3, 5});
  const ValueId x = builder.metadata("x", DType::f32, {8, 4});
  builder.output("y", builder.add(Scale{}, {x}, "y"));
  return builder.finish();
}

TEST(InputMetadata, CutsPerRowFieldsAndKeepsTheBlockTableWhole) {
  MetadataBuffers buffers(graph());
  const InputMetadata all(buffers, 8);
  const InputMetadata two(buffers, 2);
  EXPECT_EQ(all.i32(step_inputs::kPositions).size(), 8U);
  EXPECT_EQ(two.i32(step_inputs::kPositions).size(), 2U);
  EXPECT_EQ(two.raw("engram.1.rows").size(), 2U * 2 * 66);
  EXPECT_EQ(two.i32(step_inputs::kBlockTable).size(), 15U);
  EXPECT_EQ(two.rows(), 2);
}

TEST(InputMetadata, CutsOfOneFieldStartAtTheSameAddress) {
  MetadataBuffers buffers(graph());
  EXPECT_EQ(InputMetadata(buffers, 8).raw("x").data(), InputMetadata(buffers, 1).raw("x").data());
}

TEST(InputMetadata, FieldsShareNoBytes) {
  MetadataBuffers buffers(graph());
  const InputMetadata all(buffers, 8);
  unsigned char pattern = 1;
  for (const MetadataField& field : buffers.fields())
    std::memset(all.raw(field.name).data(), pattern++, all.raw(field.name).size());
  pattern = 1;
  for (const MetadataField& field : buffers.fields()) {
    for (const std::byte byte : all.raw(field.name)) ASSERT_EQ(byte, std::byte{pattern});
    ++pattern;
  }
}

TEST(InputMetadata, CopyTakesTheCutRowsOnly) {
  MetadataBuffers host(graph());
  MetadataBuffers device(graph());
  for (std::int32_t& position : InputMetadata(host, 8).i32(step_inputs::kPositions)) position = 7;
  InputMetadata(device, 3).copy_from(InputMetadata(host, 3));
  const auto positions = InputMetadata(device, 8).i32(step_inputs::kPositions);
  EXPECT_EQ(positions[2], 7);
  EXPECT_EQ(positions[3], 0);
}

TEST(InputMetadata, UnknownFieldsAreRefusedByName) {
  MetadataBuffers buffers(graph());
  const InputMetadata all(buffers, 8);
  EXPECT_TRUE(all.has("x"));
  EXPECT_FALSE(all.has("nothing"));
  try {
    all.i32("nothing");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("there is no buffer 'nothing'"), std::string::npos);
  }
}

}  // namespace
}  // namespace deepinfer
