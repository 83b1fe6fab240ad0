#include "backend/pjrt/device_full.h"

#include <gtest/gtest.h>

#include <map>

#include "backend/op_fixture_test.h"
#include "backend/pjrt/client/fake_plugin_test.h"
#include "backend/pjrt/pjrt_executable.h"

// A device that is full, wherever that shows, and programs over a large root on the fake plug-in.

namespace deepinfer::pjrt {
namespace {

using test::fake_control;

constexpr std::int64_t kRingBytes = std::int64_t{80'000} * 2 * 66;  // above kSmallestRoot

class LargeRootOnTheFake : public testing::Test {
 protected:
  LargeRootOnTheFake()
      : kv_(fixture_.activation("kv", {1, 64})),
        ring_(fixture_.view("ring", DType::u8, {80'000, 2, 66})),
        slots_(fixture_.integers("slots", {1}, {0})),
        at_(fixture_.integers("at", {1}, {0})),
        norm_(fixture_.plain_weight("norm", {64}, std::vector<float>(64, 1))) {
    GraphBuilder b(1);
    const ValueId norm = fixture_.declare(b, norm_);
    const ValueId kv = b.add(RmsNorm{.eps = 1}, {fixture_.declare(b, kv_), norm}, "normed");
    b.add(WindowWrite{},
          {kv, fixture_.declare(b, ring_), fixture_.declare(b, slots_), fixture_.declare(b, at_)},
          "write");
    b.output("y", b.add(Scale{.factor = 2}, {kv}, "y"));
    graph_ = std::make_shared<const Graph>(b.finish());
    fixture_.reset_memory();
    test::reset_fake();
  }
  void TearDown() override {
    EXPECT_EQ(fake_control().live, 0);
    EXPECT_EQ(fake_control().misuses, 0);
  }

  /// What building the executable and one run of it end with; empty: well.
  std::string fault(bool refuse_copies = false) {
    try {
      const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
      ProgramStore programs(client, "", 1, "");
      DeviceStore memory(client);
      PjrtExecutable executable(
          client, programs, memory, graph_, fixture_,
          {.mode = GraphMode::eager, .refuse_copies = refuse_copies, .lowering = {}});
      executable.run();
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::failed);
      return error.what();
    }
  }

  OpFixture fixture_;
  Given kv_;
  Given ring_;
  Given slots_;
  Given at_;
  Given norm_;
  std::shared_ptr<const Graph> graph_;
};

TEST_F(LargeRootOnTheFake, AFullDeviceIsAnErrorWithAnAccountWhereverItShows) {
  std::map<std::string, int> seen;
  std::map<std::string, std::string> texts;
  for (int n = 1;; ++n) {
    test::reset_fake();
    fake_control().fail_at = n;
    fake_control().fail_code = static_cast<int>(StatusCode::resource_exhausted);
    const std::string text = fault();
    EXPECT_EQ(fake_control().live, 0) << n;
    EXPECT_EQ(fake_control().misuses, 0) << n;
    if (fake_control().failed_call == nullptr) break;
    const std::string call = fake_control().failed_call;
    ++seen[call];
    if (call != "PJRT_Client_BufferFromHostBuffer" && call != "PJRT_LoadedExecutable_Execute")
      continue;
    EXPECT_TRUE(test::says(text, {"[device memory] is full at '", "': injected fault",
                                  "expected at most 4000 bytes, got weights ", " + caches ",
                                  "(the device counts 1000 in use)", " takes less"}) ||
                test::says(text, {"[device memory] is full at 'weight': ", "more memory"}))
        << call << ": " << text;
    texts[text.substr(0, text.find("':"))] = text;
  }
  EXPECT_EQ(seen["PJRT_LoadedExecutable_Execute"], 3);
  for (const char* what : {"weight", "kv", "slots", "rms_norm of 1 rows", "window_write of 1 rows"})
    EXPECT_EQ(texts.count("[device memory] is full at '" + std::string(what)), 1U) << what;
  const std::string& root = texts["[device memory] is full at 'ring.root"];
  EXPECT_TRUE(test::says(root, {"got weights 256 + caches 0 + this one ", "--kv-memory"})) << root;
}

TEST_F(LargeRootOnTheFake, AProgramThatDoesNotFitIsNamedWithItsBytes) {
  fake_control().refused_text = "module @window_write";
  fake_control().refusals = 2;
  fake_control().fail_code = static_cast<int>(StatusCode::resource_exhausted);
  EXPECT_TRUE(test::says(
      fault(), {"[device memory] is full at 'window_write of 1 rows', PJRT_Client_Compile: ",
                "compiler exited with 70",
                "expected at most 4000 bytes, got 1000 in use + "
                "arguments ",
                "--prefill-bucket"}));
}

TEST_F(LargeRootOnTheFake, E4_TheStartRefusesAProgramThatCopiesTheRoot) {
  fake_control().copies_roots = true;
  EXPECT_EQ(fault(false), "");  // the plug-in copies, and the start has said so
  EXPECT_TRUE(test::says(fault(true), {"[window_write of 1 rows] copies a cache buffer"}));
  fake_control().copies_roots = false;
  fake_control().temporary_bytes = 10 * kRingBytes;
  EXPECT_EQ(fault(true), "");
}

}  // namespace
}  // namespace deepinfer::pjrt
