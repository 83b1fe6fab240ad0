// The programs of the released config, lowered by Neuron's facts, are programs to XLA: the CPU
// plug-in's compiler takes every one. Skipped where `make pjrt` was not run.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "backend/pjrt/facts/device_facts.h"
#include "backend/pjrt/facts/module_set.h"
#include "checkpoint/tensor_names.h"
#include "graph/passes.h"
#include "model/step_graph.h"
#include "tests/support/test_runtime.h"

#ifdef DEEPINFER_PJRT
#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/device.h"
#include "backend/pjrt/device_store.h"
#endif

namespace deepinfer {
namespace {

class ReleasedRegions : public testing::TestWithParam<int> {};

TEST_P(ReleasedRegions, AreCompiledByTheCpuPlugin) {
#ifdef DEEPINFER_PJRT
  if (!std::filesystem::exists(DEEPINFER_PJRT_PLUGIN)) GTEST_SKIP() << "no plug-in";
  setenv("PJRT_NPROC", "1", 1);
  const ModelConfig config = read_config(test_model("released"));
  const CacheLayout layout(config, {.block_tokens = 64,
                                    .blocks = 1025,
                                    .slots = 3,
                                    .max_step_rows = 128,
                                    .layout = Layout::block_major,
                                    .typed_roots = pjrt::neuron_facts().typed_columns_apart});
  const Graph graph =
      graph_for(GraphMode::regions, build_step_graph(config, layout,
                                                     {.rows = GetParam(),
                                                      .numerics = Numerics::official,
                                                      .max_context = 4096,
                                                      .trace = false}));
  std::map<std::string, DType> types;
  for (const ExpectedTensor& tensor : expected_tensors(config))
    types.emplace(tensor.name, tensor.dtype());
  pjrt::LowerOptions lowering{.types = pjrt::neuron_facts().types};
  lowering.plain_type = [&types](const Value& value) {
    return types.at(value.tensor_names.empty() ? value.name : value.tensor_names.front());
  };

  const pjrt::OpenDevice device = pjrt::open_device(DEEPINFER_PJRT_PLUGIN, "");
  for (const pjrt::SetModule& entry : pjrt::module_set(graph, GraphMode::regions, lowering)) {
    const auto signature = std::make_shared<pjrt::Signature>();
    signature->name = entry.name;
    for (const pjrt::Parameter& parameter : entry.module.parameters)
      signature->parameters.push_back({parameter.name, pjrt::type_of(parameter)});
    for (const pjrt::Result& result : entry.module.results)
      signature->results.push_back({entry.name, pjrt::type_of(result)});
    EXPECT_NO_THROW(
        device.client->compile(entry.module.text, signature, pjrt::compile_option_bytes({})))
        << entry.name;
  }
#else
  GTEST_SKIP() << "no plug-in";
#endif
}

INSTANTIATE_TEST_SUITE_P(All, ReleasedRegions, testing::Values(1, 128),
                         [](const auto& info) { return std::to_string(info.param) + "_rows"; });

}  // namespace
}  // namespace deepinfer
