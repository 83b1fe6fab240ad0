#include "backend/pjrt/client/executable.h"

#include <gtest/gtest.h>

#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/client/fake_plugin_test.h"

// What the wrapper checks before a plug-in sees it.

namespace deepinfer::pjrt {
namespace {

using test::copy_signature;
using test::matrix;
using test::says;

class PjrtExecutable : public testing::Test {
 protected:
  void SetUp() override {
    test::reset_fake();
    client_ = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
  }
  void TearDown() override {
    client_.reset();
    EXPECT_EQ(test::fake_control().live, 0);
    EXPECT_EQ(test::fake_control().misuses, 0);
  }

  Executable program(std::shared_ptr<const Signature> signature = copy_signature()) const {
    return client_->compile(test::kInPlaceProgram, std::move(signature), compile_option_bytes({}));
  }
  Buffer tensor(const std::string& name) const {
    return test::upload<float>(*client_, matrix(name), {1, 2, 3, 4});
  }

  std::shared_ptr<const Client> client_;
};

template <typename Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(PjrtExecutable, E2_use_of_a_given_tensor_fails_with_its_name) {
  Buffer root = tensor("kv root");
  const Executable step = program();
  const int calls_before = [&] {
    step.run(std::vector{Argument::give(root)});
    return test::fake_control().calls;
  }();
  EXPECT_EQ(message_of([&] { step.start(std::vector{Argument::lend(root)}); }),
            "[kv root] this buffer was given away to a program or never filled");
  EXPECT_TRUE(says(message_of([&] { test::download<float>(root); }), {"[kv root]"}));
  EXPECT_EQ(test::fake_control().calls, calls_before);  // the plug-in was not asked
}

TEST_F(PjrtExecutable, ALentTensorStays) {
  Buffer root = tensor("kv root");
  const auto address = root.device_address();
  const std::vector<Buffer> results = program().run(std::vector{Argument::lend(root)});
  EXPECT_FALSE(root.empty());
  EXPECT_NE(results.at(0).device_address(), address);
  EXPECT_EQ(test::download<float>(root), test::download<float>(results.at(0)));
}

TEST_F(PjrtExecutable, AnArgumentOfAnotherTypeIsRefused) {
  Buffer bytes = test::upload<std::int32_t>(
      *client_, {.name = "rows", .type = {.type = Element::i32, .dims = {2, 2}}}, {1, 2, 3, 4});
  EXPECT_TRUE(says(message_of([&] { program().start(std::vector{Argument::lend(bytes)}); }),
                   {"[copy] argument rows for parameter in is of another type",
                    "expected tensor<2x2xf32>, got tensor<2x2xi32>"}));
}

TEST_F(PjrtExecutable, AnotherNumberOfArgumentsIsRefused) {
  EXPECT_TRUE(says(message_of([&] { program().start({}); }), {"expected 1, got 0"}));
}

TEST_F(PjrtExecutable, ATensorIsNotGivenAndReadAtOnce) {
  const Executable pair = program(std::make_shared<Signature>(Signature{
      .name = "pair", .parameters = {matrix("a"), matrix("b")}, .results = {matrix("out")}}));
  Buffer root = tensor("kv root");
  EXPECT_TRUE(says(message_of([&] {
                     pair.start(std::vector{Argument::give(root), Argument::lend(root)});
                   }),
                   {"[pair] argument kv root is given away and passed twice"}));
  EXPECT_FALSE(root.empty());
}

TEST_F(PjrtExecutable, AProgramWithOtherResultsThanItsSignatureIsRefused) {
  NamedType wide = matrix("out");
  wide.type.dims = {2, 3};
  EXPECT_TRUE(says(message_of([&] {
                     program(std::make_shared<Signature>(Signature{
                         .name = "copy", .parameters = {matrix("in")}, .results = {wide}}));
                   }),
                   {"expected tensor<2x3xf32>, got tensor<2x2xf32>"}));
  EXPECT_TRUE(says(message_of([&] {
                     program(std::make_shared<Signature>(
                         Signature{.name = "copy", .parameters = {matrix("in")}, .results = {}}));
                   }),
                   {"expected 0, got 1"}));
}

TEST_F(PjrtExecutable, BytesThatAreNoProgramAreRefused) {
  std::vector<std::byte> bytes = program().serialise();
  bytes.pop_back();
  EXPECT_TRUE(says(message_of([&] { client_->deserialise(bytes, copy_signature()); }),
                   {"these bytes are no program"}));
}

TEST_F(PjrtExecutable, HostBytesOfAnotherSizeAreRefused) {
  Buffer root = tensor("kv root");
  std::vector<std::byte> few(15);
  EXPECT_TRUE(says(message_of([&] { root.download(few); }), {"expected 16 bytes, got 15"}));
  EXPECT_TRUE(
      says(message_of([&] { client_->upload(matrix("x"), few); }), {"expected 16 bytes, got 15"}));
}

TEST_F(PjrtExecutable, IdsAreNeverUsedAgain) {
  const std::uint64_t first = tensor("a").id();
  Buffer second = tensor("b");
  EXPECT_NE(first, second.id());
  const std::uint64_t id = second.id();
  const Buffer moved = std::move(second);
  EXPECT_EQ(moved.id(), id);
}

TEST_F(PjrtExecutable, HostBytesUsedInPlaceAreFreeOnceTheBufferIsGone) {
  const std::vector<float> values = {1, 2, 3, 4};
  {
    Buffer buffer =
        client_->upload(matrix("weights"), std::as_bytes(std::span(values)), HostBytes::in_place);
    EXPECT_EQ(test::fake_control().live, 3);  // client, buffer, and the event to wait for
    buffer = Buffer();
    EXPECT_EQ(test::fake_control().live, 1);
  }
}

TEST_F(PjrtExecutable, AClientGoesAfterEverythingMadeOfIt) {
  Event last;
  {
    Buffer root = tensor("kv root");
    last = program().start(std::vector{Argument::lend(root)}).done;
  }
  client_.reset();
  EXPECT_EQ(test::fake_control().live, 2);  // the event, and the client for its sake
  last = Event();
  EXPECT_EQ(test::fake_control().live, 0);
  EXPECT_EQ(test::fake_control().misuses, 0);
}

}  // namespace
}  // namespace deepinfer::pjrt
