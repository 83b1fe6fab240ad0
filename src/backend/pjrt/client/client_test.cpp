#include "backend/pjrt/client/client.h"

#include <gtest/gtest.h>

#include <cstring>

#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"

// The client on the CPU plug-in that `make pjrt` fetches.

namespace deepinfer::pjrt {
namespace {

using test::cpu_client;
using test::download;
using test::upload;

constexpr const char* kAdd = R"(module {
  func.func public @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
})";

NamedType matrix(const std::string& name) {
  return {.name = name, .type = {.type = Element::f32, .dims = {2, 2}}};
}

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

}  // namespace
}  // namespace deepinfer::pjrt
