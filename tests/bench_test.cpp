// `deepinfer bench`: what it counts on a whole model, and what it prints.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "measure/bench_run.h"
#include "tests/support/cli.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

using Json = nlohmann::json;

/// Bytes of the tensors that the graph reads whole: all of the text model's but table rows.
double graph_weights(const Checkpoint& checkpoint) {
  double bytes = 0;
  for (const StoredTensor& tensor : checkpoint.tensors())
    if (tensor.name.find("embed") == std::string::npos)
      bytes += static_cast<double>(tensor.data.size());
  return bytes;
}

TEST(Bench, CountsEveryWeightOnce) {
  for (const char* checkpoint : {"t41", "t41-odd"}) {
    const auto runtime = open_runtime(checkpoint, test_options("cpu"));
    ComponentClock clock;
    runtime->runner().observe(&clock);
    for (const ObservedGraph& graph : clock.capture().graphs) {
      // No rows: no cache records and no table rows; every expert chosen: the whole bank.
      const ExpertCounts counts = expert_counts(graph);
      const Work work = step_work(graph, {}, 1, static_cast<double>(counts.experts)).total();
      EXPECT_EQ(work.bytes, graph_weights(*runtime->model().checkpoint)) << checkpoint;
    }
    runtime->runner().observe(nullptr);
  }
}

TEST(Bench, MeasuresEveryBatchInEveryRound) {
  const auto runtime = open_runtime("t41", test_options("cpu"));
  const int bucket = runtime->options().prefill_bucket;
  const BenchRequest request{.prompt_tokens = 2 * bucket + 1,
                             .gen_tokens = 4,
                             .batches = {1, 3},
                             .repeat = 2,
                             .row_by_row = true,
                             .seed = 1};
  int calls = 0;
  int pieces = 0;
  int rounds = 0;
  const BenchResult result = run_bench(*runtime, request,
                                       {.progress =
                                            [&](int done, int count) {
                                              EXPECT_EQ(done, calls++);
                                              pieces = count;
                                            },
                                        .round_ends = [&rounds] { ++rounds; }});
  EXPECT_EQ(calls, pieces);
  EXPECT_EQ(rounds, request.repeat);
  EXPECT_EQ(result.chunks.chunk, bucket);
  EXPECT_EQ(result.chunks.tokens_per_s.samples, 3U + 1U);  // three sequences, then one a round
  EXPECT_EQ(result.chunks.step_ms.samples, 4U * 2U);
  EXPECT_EQ(result.rows.tokens_per_s.samples, 2U);
  EXPECT_EQ(result.rows.work.of(Component::head).bytes, 0);  // but of the last row
  ASSERT_EQ(result.decode.size(), 2U);
  for (const DecodeResult& decode : result.decode) {
    EXPECT_EQ(decode.step_ms.samples, 2U * 2U);  // every other step
    EXPECT_EQ(decode.times.steps, 2U * 2U);
    EXPECT_GT(decode.step_ms.min, 0);
    EXPECT_LE(decode.step_ms.min, decode.step_ms.median);
    EXPECT_GT(decode.work.of(Component::head).macs, 0);
    const StepTimes& times = decode.times.median;
    for (const double ms : times.components) EXPECT_GT(ms, 0);
    EXPECT_GT(times.weight_ops, 0);
    EXPECT_LT(times.weight_ops, times.total);
  }
  EXPECT_EQ(result.decode[1].graph_rows, 4);
  // Three of sixteen experts a row.
  EXPECT_EQ(result.decode[0].experts, 3);
  EXPECT_GT(result.decode[1].experts, 3);
  EXPECT_LE(result.decode[1].experts, 9);
}

TEST(CliBench, PrintsTablesAndJson) {
  const Arguments arguments =
      quick({"bench", "-m", kT41, "--prompt-tokens", "9", "--gen-tokens", "2", "--repeat", "1",
             "--batch", "1,2", "--read-buffer", "16M"});
  const ProgramResult text = call(arguments);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* part : {"limits of", "load ", "prompt of 9", "decode, batch 2", "ms/step",
                           "% of the read bandwidth", "decode step of 2 rows", "experts"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part;

  Arguments json_arguments = arguments;
  json_arguments.emplace_back("--json");
  const ProgramResult result = call(json_arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_GT(json["limits"]["read_gb_per_s"], 0);
  EXPECT_GT(json["limits"]["peaks"][0]["gmac_per_s"], 0);
  EXPECT_GT(json["peak_resident_bytes"], json["anonymous_bytes"]);
  EXPECT_GT(json["prefill"]["tokens_per_s"]["median"], 0);
  EXPECT_FALSE(json.contains("prefill_row_by_row"));
  ASSERT_EQ(json["decode"].size(), 2U);
  for (const Json& decode : json["decode"]) {
    EXPECT_GT(decode["ms_per_step"]["median"], 0);
    EXPECT_GT(decode["bytes_per_token"], 0);
    const Json& step = decode["step"];
    EXPECT_GT(step["bandwidth_share"], 0);
    EXPECT_GT(step["outside_weight_ops_share"], 0);
    EXPECT_LT(step["outside_weight_ops_share"], 1);
    double bytes = 0;
    for (const Json& component : step["components"]) bytes += component["bytes"].get<double>();
    EXPECT_DOUBLE_EQ(bytes, step["bytes"]);
  }
}

TEST(CliBench, RefusesWhatCannotBeMeasured) {
  const auto refused = [](Arguments arguments, const std::string& message) {
    arguments.insert(arguments.begin(), {"bench", "-m", kT41});
    const ProgramResult result = call(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.error_lines(), 1) << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  };
  refused({"--batch", "0"}, "[--batch] a batch size is out of range, expected 1 to 16, got 0");
  refused({"--batch", "4", "--max-batch", "2"}, "expected 1 to 2, got 4");
  refused({"--batch", "few"}, "[--batch]");
  refused({"--prompt-tokens", "5000"}, "[--prompt-tokens]");
  refused({"--prompt-tokens", "0"}, "[--prompt-tokens]");
  refused({"--repeat", "-1"}, "[--repeat]");
  refused({"--read-buffer", "much"}, "[--read-buffer]");
  refused({"--temperature", "1"}, "has no effect");
}

}  // namespace
}  // namespace deepinfer
