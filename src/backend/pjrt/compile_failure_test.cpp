#include "backend/pjrt/compile_failure.h"

#include <gtest/gtest.h>

namespace deepinfer::pjrt {
namespace {

TEST(CompileFailure, TheLastLinesOfALongTextAreShown) {
  EXPECT_EQ(last_lines("one"), "one");
  EXPECT_EQ(last_lines("one\ntwo\r\n  three\n\n"), "one | two | three");
  EXPECT_EQ(last_lines("1\n2\n3\n4\n5\n6\n7"), "3 | 4 | 5 | 6 | 7");
  EXPECT_EQ(last_lines(std::string(300, 'a') + "\n" + std::string(150, 'b') + "\nend"),
            std::string(150, 'b') + " | end");
  // A single line is shown as Error shows it: both its ends.
  EXPECT_EQ(last_lines(std::string(1000, 'a')), std::string(1000, 'a'));
  EXPECT_EQ(last_lines(""), "no text from the plug-in");
  EXPECT_EQ(last_lines(" \n\n"), "no text from the plug-in");
}

TEST(CompileFailure, TheErrorHasNameReasonAndTypes) {
  const Signature signature = {.name = "region attn.1",
                               .parameters = {{"x", {.type = Element::f32, .dims = {8, 64}}},
                                              {"at", {.type = Element::i32, .dims = {}}}},
                               .results = {{"y", {.type = Element::f32, .dims = {8, 64}}}}};
  EXPECT_STREQ(
      compile_failure(signature, {"region attn.1", "PJRT_Client_Compile", StatusCode::internal,
                                  "planning\ncompiler exited with 70\n"})
          .what(),
      "[region attn.1] PJRT_Client_Compile failed twice with INTERNAL: planning | compiler exited "
      "with 70, (x tensor<8x64xf32>, at tensor<i32>) -> (tensor<8x64xf32>)");
}

TEST(CompileFailure, ADeviceThatIsFullIsAnErrorWithAnAccount) {
  const Signature signature = {.name = "region attn.1",
                               .parameters = {{"x", {.type = Element::f32, .dims = {8, 64}}}},
                               .results = {{"y", {.type = Element::f32, .dims = {8, 1}}}}};
  const ApiError fault("region attn.1", "PJRT_Client_Compile", StatusCode::resource_exhausted,
                       "no room");
  const Error full = no_room_for(
      signature, fault, DeviceMemory{.in_use = 900, .peak = {}, .limit = 1000, .largest_free = {}});
  EXPECT_STREQ(full.what(),
               "[device memory] is full at 'region attn.1', PJRT_Client_Compile: no room, expected "
               "at most 1000 bytes, got 900 in use + arguments 2048 + results 32 + what it works "
               "in, a smaller --max-batch, --prefill-bucket or --kv-memory takes less");
  EXPECT_EQ(full.kind(), Error::Kind::failed);
  EXPECT_EQ(std::string(no_room_for(signature, fault, {}).what()).find("in use"),
            std::string::npos);
}

}  // namespace
}  // namespace deepinfer::pjrt
