#include <gtest/gtest.h>

#include <string>

#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/client/fake_plugin_test.h"

// Every call of the API fails once, and nothing is left behind.

namespace deepinfer::pjrt {
namespace {

using test::fake_control;
using test::reset_fake;
using test::says;

/// Everything that a backend does with a plug-in.
void work() {
  const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
  EXPECT_EQ(client->platform(), "fake");
  EXPECT_EQ(client->devices().size(), 2U);
  EXPECT_EQ(client->memory()->in_use, 1000);
  EXPECT_TRUE(client->supports(Element::f4e2m1fn));
  const Executable compiled =
      client->compile(test::kInPlaceProgram, test::copy_signature(), compile_option_bytes({}));
  EXPECT_EQ(compiled.memory().aliased, 16);
  const Executable loaded = client->deserialise(compiled.serialise(), test::copy_signature());

  Buffer first = test::upload<float>(*client, test::matrix("first"), {1, 2, 3, 4});
  EXPECT_EQ(client->allocate(test::matrix("room")).device_bytes(), 16U);
  const auto address = first.device_address();
  const std::vector<Buffer> results = loaded.run(std::vector{Argument::give(first)});
  EXPECT_TRUE(first.empty());
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].device_address(), address);
  EXPECT_FALSE(results[0].deleted());
  EXPECT_EQ(test::download<float>(results[0]), (std::vector<float>{1, 2, 3, 4}));
}

/// Objects are given back in destructors, which tell nobody.
bool gives_back(std::string_view call) { return call.ends_with("_Destroy"); }

TEST(PjrtFaultInjection, AnErrorAtAnyCallIsReportedAndLeavesNothingBehind) {
  int failed_calls = 0;
  for (int n = 1;; ++n) {
    SCOPED_TRACE("call " + std::to_string(n));
    reset_fake();
    fake_control().fail_at = n;
    std::string message;
    try {
      work();
    } catch (const ApiError& error) {
      message = error.what();
      EXPECT_EQ(error.code(), StatusCode::internal);
    }
    EXPECT_EQ(fake_control().live, 0);
    EXPECT_EQ(fake_control().misuses, 0);
    if (fake_control().failed_call == nullptr) {
      EXPECT_EQ(message, "");
      break;
    }
    ++failed_calls;
    const std::string call = fake_control().failed_call;
    if (gives_back(call)) {
      EXPECT_EQ(message, "") << call;
      continue;
    }
    EXPECT_TRUE(says(message, {"injected fault " + std::to_string(n)})) << call;
    EXPECT_TRUE(says(message, {"INTERNAL"})) << call;
    // A wait is told as that of the call which it is about.
    EXPECT_TRUE(says(message, {call == "PJRT_Event_Await" ? ", awaited," : call}));
  }
  EXPECT_GT(failed_calls, 50);
}

TEST(PjrtFaultInjection, ARefusedRunLeavesTheGivenTensorWhereItWas) {
  reset_fake();
  const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
  const Executable program =
      client->compile(test::kInPlaceProgram, test::copy_signature(), compile_option_bytes({}));
  Buffer first = test::upload<float>(*client, test::matrix("first"), {1, 2, 3, 4});
  fake_control().fail_at = fake_control().calls + 1;
  EXPECT_THROW(program.start(std::vector{Argument::give(first)}), ApiError);
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(test::download<float>(first), (std::vector<float>{1, 2, 3, 4}));
}

TEST(PjrtFaultInjection, AnExecutionThatFailsLaterSaysSoWhenItIsAwaited) {
  reset_fake();
  {
    const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
    const Executable program =
        client->compile(test::kCopyProgram, test::copy_signature(), compile_option_bytes({}));
    Buffer first = test::upload<float>(*client, test::matrix("first"), {1, 2, 3, 4});
    fake_control().fail_later = true;
    StartedRun run = program.start(std::vector{Argument::lend(first)});
    try {
      run.done.wait();
      FAIL();
    } catch (const ApiError& error) {
      EXPECT_STREQ(
          error.what(),
          "[copy] PJRT_LoadedExecutable_Execute, awaited, failed with INTERNAL: the device "
          "stopped");
    }
  }
  EXPECT_EQ(fake_control().live, 0);
  EXPECT_EQ(fake_control().misuses, 0);
}

TEST(PjrtFaultInjection, AnErrorWithoutCodeIsStillAnError) {
  reset_fake();
  fake_control().fail_code_query = true;
  const auto plugin = Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN);
  fake_control().fail_at = fake_control().calls + 1;
  try {
    Client::open(plugin);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.code(), StatusCode::unknown);
    EXPECT_TRUE(says(error.what(), {"PJRT_Client_Create failed with UNKNOWN: injected fault"}));
  }
  EXPECT_EQ(fake_control().live, 0);
}

TEST(PjrtFaultInjection, MissingDeviceMemoryIsTold) {
  reset_fake();
  const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
  fake_control().fail_at = fake_control().calls + 1;
  fake_control().fail_code = static_cast<int>(StatusCode::resource_exhausted);
  try {
    client->allocate(test::matrix("kv root"));
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_TRUE(error.out_of_memory());
    EXPECT_TRUE(says(error.what(), {"[kv root] PJRT_Client_CreateUninitializedBuffer"}));
    EXPECT_TRUE(says(error.what(), {"the device lacks the memory for it"}));
  }
}

TEST(PjrtFaultInjection, WhatAPluginDoesNotCountIsNotKnown) {
  reset_fake();
  const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
  EXPECT_EQ(client->memory()->limit, 4000);
  fake_control().no_memory_statistics = true;
  EXPECT_FALSE(client->memory().has_value());
}

TEST(PjrtFaultInjection, ATypeThatTheDeviceLacksIsNotSupported) {
  reset_fake();
  const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
  EXPECT_TRUE(client->supports(Element::f4e2m1fn));
  fake_control().lacks_f4 = true;
  EXPECT_FALSE(client->supports(Element::f4e2m1fn));
  EXPECT_TRUE(client->supports(Element::bf16));
  try {
    const std::vector<std::byte> bytes(3);
    client->upload({.name = "w1", .type = {.type = Element::f4e2m1fn, .dims = {3}}}, bytes);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_TRUE(says(error.what(), {"[w1] PJRT_Client_BufferFromHostBuffer failed with "
                                    "UNIMPLEMENTED: this device has no 4-bit numbers"}));
  }
}

}  // namespace
}  // namespace deepinfer::pjrt
