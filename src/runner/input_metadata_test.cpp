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

/// Two per-row fields that the graph computes, beside its positions.
Graph derived_graph() {
  GraphBuilder builder(8);
  const ValueId positions = builder.metadata(step_inputs::kPositions, DType::i32, {8});
  for (const int ratio : {1, 2})
    builder.add(VisibleEntries{.ratio = ratio},
                {positions, builder.derived(step_inputs::visible(ratio), DType::i32, {8})}, "");
  return builder.finish();
}

TEST(InputMetadata, TheCleanListNamesWhatTheGraphComputes) {
  MetadataBuffers buffers(derived_graph());
  EXPECT_EQ(InputMetadata(buffers, 2).clean_list(),
            (std::vector<std::string>{"visible.1", "visible.2"}));
  MetadataBuffers none(graph());
  EXPECT_TRUE(InputMetadata(none, 2).clean_list().empty());
}

TEST(InputMetadata, DerivedFieldsStartUnwrittenAndAreNeverCopied) {
  MetadataBuffers host(derived_graph());
  MetadataBuffers device(derived_graph());
  for (const std::int32_t value : InputMetadata(device, 8).i32("visible.1")) ASSERT_EQ(value, -1);
  for (std::int32_t& value : InputMetadata(host, 8).i32("visible.1")) value = 5;
  InputMetadata(device, 8).copy_from(InputMetadata(host, 8));
  for (const std::int32_t value : InputMetadata(device, 8).i32("visible.1")) ASSERT_EQ(value, -1);
}

TEST(InputMetadata, ResetTakesTheCutOfEveryDerivedFieldAndNothingElse) {
  MetadataBuffers buffers(derived_graph());
  InputMetadata all(buffers, 8);
  for (const MetadataField& field : buffers.fields())
    for (std::int32_t& value : all.i32(field.name)) value = 5;
  InputMetadata(buffers, 3).reset_derived();
  for (const std::string_view name : {"visible.1", "visible.2"}) {
    EXPECT_EQ(all.i32(name)[2], -1);
    EXPECT_EQ(all.i32(name)[3], 5);
  }
  EXPECT_EQ(all.i32(step_inputs::kPositions)[0], 5);
}

TEST(InputMetadata, AnUnwrittenEntryIsNoticedByNameAndRow) {
  MetadataBuffers buffers(derived_graph());
  InputMetadata two(buffers, 2);
  for (const std::string& name : two.clean_list())
    for (std::int32_t& value : two.i32(name)) value = 0;
  EXPECT_NO_THROW(two.check_derived());
  two.i32("visible.2")[1] = -1;
  try {
    two.check_derived();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(
        std::string(error.what())
            .find("did not write derived buffer 'visible.2', expected a value in every row, got "
                  "none in row 1"),
        std::string::npos)
        << error.what();
  }
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
