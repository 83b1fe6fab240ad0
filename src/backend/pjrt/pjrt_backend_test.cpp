#include "backend/pjrt/pjrt_backend.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "backend/op_fixture_test.h"
#include "backend/test_backends_test.h"
#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

constexpr std::int64_t kWidth = 64;

Options options_with_plugin() {
  Options options;
  options.backend = BackendKind::pjrt;
  options.pjrt_plugin = DEEPINFER_PJRT_PLUGIN;
  return options;
}

std::unique_ptr<Backend> cpu_plugin_backend() {
  if (!std::filesystem::exists(DEEPINFER_PJRT_PLUGIN)) return nullptr;
  setenv("PJRT_NPROC", "1", 1);
  return make_pjrt_backend(options_with_plugin());
}

std::string text_of(const Options& options) {
  try {
    make_pjrt_backend(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Steps of two sizes over one ring: two rows of a sequence, then its third.
class TwoSteps {
 public:
  TwoSteps()
      : ring_(fixture_.view("ring", DType::u8, {2, 8, kWidth + kWidth / 32})),
        sink_(fixture_.plain_weight("sink", {1}, {0.5F})),
        weight_(fixture_.weight("w", WeightFormat::fp8, {kWidth, kWidth})) {}

  std::vector<float> run(Backend& backend, GraphMode first_mode, GraphMode second_mode) {
    const auto two_rows = step("a", {0, 1});
    const auto one_row = step("b", {2});
    fixture_.reset_memory();
    const auto first = backend.compile(two_rows, fixture_, first_mode);
    const auto second = backend.compile(one_row, fixture_, second_mode);
    first->run();
    second->run();
    const TensorRef y = second->output("y");
    return {y.as<float>(), y.as<float>() + kWidth};
  }

 private:
  std::shared_ptr<const Graph> step(const std::string& name, const std::vector<std::int32_t>& at) {
    const auto rows = static_cast<std::int64_t>(at.size());
    const Given x = fixture_.activation(name + ".x", {rows, kWidth});
    const Given slots =
        fixture_.integers(name + ".slots", {rows}, std::vector<std::int32_t>(at.size(), 1));
    const Given positions = fixture_.integers(name + ".positions", {rows}, at);
    fixture_.begin_graph();
    GraphBuilder builder(static_cast<int>(rows));
    const auto id = [&](Given given) { return fixture_.declare(builder, given); };
    builder.add(WindowWrite{}, {id(x), id(ring_), id(slots), id(positions)}, "");
    const ValueId o = builder.add(SparseAttention{.heads = 1, .window = 4, .softmax_scale = 0.125F},
                                  {id(x), id(ring_), id(slots), id(positions), id(sink_)}, "o");
    builder.output("y", builder.add(Linear{}, {o, id(weight_)}, "y"));
    return std::make_shared<const Graph>(builder.finish());
  }

  OpFixture fixture_;
  Given ring_;
  Given sink_;
  Given weight_;
};

TEST(PjrtBackend, ExecutablesOfAllModesShareTheRootsOnTheDevice) {
  const auto backend = cpu_plugin_backend();
  if (backend == nullptr) GTEST_SKIP() << "no plug-in";
  const auto reference = backend_named("reference");
  const std::vector<float> expected =
      TwoSteps().run(*reference, GraphMode::whole, GraphMode::whole);
  for (const GraphMode first : {GraphMode::whole, GraphMode::eager})
    for (const GraphMode second : {GraphMode::whole, GraphMode::eager, GraphMode::regions})
      EXPECT_TRUE(
          is_close(TwoSteps().run(*backend, first, second), expected, tolerance_of("scalar")))
          << name_of(first) << ", " << name_of(second);
}

TEST(PjrtBackend, NamesThePlugin) {
  const auto backend = cpu_plugin_backend();
  if (backend == nullptr) GTEST_SKIP() << "no plug-in";
  EXPECT_EQ(backend->name(), "pjrt");
  EXPECT_EQ(backend->describe(),
            "pjrt, cpu cpu (plug-in xla_cpu_pjrt.so, PJRT 0.81), roots updated in place");
}

TEST(PjrtBackend, SaysWhatIsWrongWithItsOptions) {
  EXPECT_EQ(text_of({}),
            "[--pjrt-plugin] is needed by --backend pjrt, expected the shared object of a PJRT "
            "plug-in, got none, make pjrt fetches one for the CPU, build/pjrt/xla_cpu_pjrt.so");
  Options options = options_with_plugin();
  options.compile_backend = "fast";
  EXPECT_EQ(text_of(options).rfind("[--compile-backend] ", 0), 0U) << text_of(options);
}

TEST(PjrtBackend, CompileOptionsReachTheCompiler) {
  if (!std::filesystem::exists(DEEPINFER_PJRT_PLUGIN)) GTEST_SKIP() << "no plug-in";
  Options options = options_with_plugin();
  options.compile_backend = "xla_no_such_option=1";
  EXPECT_NE(text_of(options).find("xla_no_such_option"), std::string::npos) << text_of(options);
  options.compile_backend = "xla_backend_optimization_level=0";
  const std::string described = make_pjrt_backend(options)->describe();
  EXPECT_NE(described.find("compile options xla_backend_optimization_level=0"), std::string::npos)
      << described;
}

}  // namespace
}  // namespace deepinfer::pjrt
