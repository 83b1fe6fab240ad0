#include "backend/pjrt/client/client.h"

#include <gtest/gtest.h>

#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/client/fake_plugin_test.h"

// The client on the CPU plug-in that `make pjrt` fetches.

namespace deepinfer::pjrt {
namespace {

using test::cpu_client;
using test::download;
using test::matrix;
using test::says;
using test::upload;

constexpr const char* kAdd = R"(module {
  func.func public @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
})";

std::shared_ptr<const Signature> add_signature() {
  return std::make_shared<Signature>(Signature{
      .name = "add", .parameters = {matrix("a"), matrix("b")}, .results = {matrix("sum")}});
}

TEST(PjrtClient, CompilesAndRunsAModule) {
  const auto client = cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  const Executable add = client->compile(kAdd, add_signature(), compile_option_bytes({}));
  Buffer a = upload<float>(*client, matrix("a"), {1, 2, 3, 4});
  Buffer b = upload<float>(*client, matrix("b"), {10, 20, 30, 40});
  const std::vector<Buffer> results = add.run(std::vector{Argument::lend(a), Argument::lend(b)});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].name(), "sum");
  EXPECT_EQ(download<float>(results[0]), (std::vector<float>{11, 22, 33, 44}));
  EXPECT_EQ(download<float>(a), (std::vector<float>{1, 2, 3, 4}));
}

/// Adds 1 to a matrix in its own memory.
constexpr const char* kIncrease = R"(module {
  func.func public @main(%a: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2x2xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<2x2xf32>
    %0 = stablehlo.add %a, %one : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
})";

TEST(PjrtClient, AGivenTensorIsUpdatedInPlace) {
  const auto client = cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  const Executable increase =
      client->compile(kIncrease, test::copy_signature(), compile_option_bytes({}));
  EXPECT_EQ(increase.memory().aliased, 16);
  Buffer matrix_buffer = upload<float>(*client, matrix("m"), {1, 2, 3, 4});
  const auto address = matrix_buffer.device_address();
  for (int step = 0; step < 3; ++step) {
    std::vector<Buffer> results = increase.run(std::vector{Argument::give(matrix_buffer)});
    EXPECT_TRUE(matrix_buffer.empty());
    matrix_buffer = std::move(results.at(0));
  }
  EXPECT_EQ(matrix_buffer.device_address(), address);
  EXPECT_EQ(download<float>(matrix_buffer), (std::vector<float>{4, 5, 6, 7}));

  const std::vector<Buffer> copy = increase.run(std::vector{Argument::lend(matrix_buffer)});
  EXPECT_NE(copy.at(0).device_address(), address);
  EXPECT_EQ(download<float>(matrix_buffer), (std::vector<float>{4, 5, 6, 7}));
  EXPECT_EQ(download<float>(copy.at(0)), (std::vector<float>{5, 6, 7, 8}));
}

TEST(PjrtClient, AnExecutableSurvivesSerialisation) {
  const auto client = cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  const std::vector<std::byte> bytes =
      client->compile(kIncrease, test::copy_signature(), compile_option_bytes({})).serialise();
  const Executable loaded = client->deserialise(bytes, test::copy_signature());
  Buffer input = upload<float>(*client, matrix("m"), {1, 2, 3, 4});
  const std::vector<Buffer> results = loaded.run(std::vector{Argument::give(input)});
  EXPECT_EQ(download<float>(results.at(0)), (std::vector<float>{2, 3, 4, 5}));
  std::vector<std::byte> damaged(bytes.begin(), bytes.begin() + 100);
  EXPECT_THROW(client->deserialise(damaged, test::copy_signature()), ApiError);
}

TEST(PjrtClient, CompilerOptionsReachTheCompiler) {
  const auto client = cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  const auto compile = [&](const char* options) {
    return client->compile(kAdd, add_signature(),
                           compile_option_bytes(parse_compile_options(options, "test")));
  };
  EXPECT_NO_THROW(compile("xla_backend_optimization_level=0"));
  EXPECT_THROW(compile("xla_no_such_option=1"), ApiError);
}

TEST(PjrtClient, ACompilerErrorNamesTheProgramAndThePlace) {
  const auto client = cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  try {
    client->compile("module {\n  no such text\n}", add_signature(), compile_option_bytes({}));
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_TRUE(says(error.what(), {"[add] PJRT_Client_Compile failed with "}));
    EXPECT_TRUE(says(error.what(), {"2:3"}));
  }
}

TEST(PjrtClient, SaysWhatItRunsOn) {
  const auto client = cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  EXPECT_EQ(client->platform(), "cpu");
  ASSERT_EQ(client->devices().size(), 1U);
  EXPECT_FALSE(client->devices()[0].kind.empty());
  EXPECT_EQ(value_of(client->plugin().attributes(), "stablehlo_current_version"), "1.13.3");
  for (const Element type :
       {Element::i1, Element::ui8, Element::i32, Element::ui32, Element::i64, Element::f32,
        Element::bf16, Element::f16, Element::f8e4m3fn, Element::f4e2m1fn})
    EXPECT_TRUE(client->supports(type)) << name_of(type);
}

TEST(PjrtClient, ScalarsAndEmptyTensorsGoThereAndBack) {
  const auto client = cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  const NamedType scalar = {.name = "scalar", .type = {.type = Element::i32, .dims = {}}};
  EXPECT_EQ(download<std::int32_t>(upload<std::int32_t>(*client, scalar, {7})),
            std::vector<std::int32_t>{7});
  const NamedType empty = {.name = "empty", .type = {.type = Element::i32, .dims = {0, 3}}};
  EXPECT_TRUE(download<std::int32_t>(upload<std::int32_t>(*client, empty, {})).empty());
}

}  // namespace
}  // namespace deepinfer::pjrt
