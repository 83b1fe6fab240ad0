// Faults A19, A21 and F8: the memory that a start prints is the memory that it takes. A program of
// its own, so that no other test's heap is counted.

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <thread>

#include "core/process_memory.h"
#include "engine/start_memory.h"
#include "tests/support/run_program.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

constexpr double kShare = 0.01;  // of the printed total

/// Runs every captured size with all rows live, spread over sequences, until the caches are full of
/// them.
void run_every_size_full(Runtime& runtime) {
  const CacheGeometry& geometry = runtime.caches().layout().geometry();
  for (const int size : runtime.runner().graphs()) {
    StepScript script(runtime);
    const int sequences = std::min(size, geometry.slots - 1);
    std::vector<StepScript::Part> parts;
    for (int i = 0; i < sequences; ++i) {
      const int rows = size / sequences + (i < size % sequences ? 1 : 0);
      script.open(
          random_tokens(static_cast<std::uint64_t>(size) * 100 + static_cast<std::uint64_t>(i),
                        2 * static_cast<std::size_t>(rows)));
      parts.push_back({static_cast<std::size_t>(i), rows});
    }
    for (int step = 0; step < 2; ++step) {
      const auto before = runtime.runner().replays(size);
      script.step_at_size(size, parts);
      ASSERT_EQ(runtime.runner().replays(size), before + 1);
    }
  }
}

std::string list_of(const StartMemory& memory) {
  std::string text;
  for (const MemoryPart& part : memory.parts)
    text += part.name + " " + std::to_string(part.bytes) + "\n";
  return text;
}

class StartMemoryTest : public testing::TestWithParam<GraphMode> {};

TEST_P(StartMemoryTest, A19_after_every_size_has_run_full_resident_memory_is_what_was_printed) {
  Options options = test_options("cpu");
  options.graph_mode = GetParam();
  options.kv_memory = std::int64_t{192} << 20;
  options.max_context = 4096;
  options.max_batch = 256;  // enough slots to fill a large buffer
  options.prefill_bucket = 300;
  options.threads = 2;
  const std::int64_t before = anonymous_resident() - heap_in_use();  // of earlier tests
  const auto runtime = open_runtime("t41", options);
  const std::int64_t printed = runtime->memory().total();
  ASSERT_GT(printed, std::int64_t{128} << 20) << list_of(runtime->memory());
  run_every_size_full(*runtime);
  const std::int64_t resident = anonymous_resident();
  EXPECT_LE(std::abs(static_cast<double>(resident - printed)),
            kShare * static_cast<double>(printed))
      << "resident " << resident << ", printed " << printed << ", before " << before << "\n"
      << list_of(runtime->memory());
}

INSTANTIATE_TEST_SUITE_P(Modes, StartMemoryTest,
                         testing::Values(GraphMode::whole, GraphMode::regions),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(StartMemoryPlan, A19_nothing_of_it_is_first_taken_while_serving) {
  Options options = test_options("cpu");
  options.kv_memory = std::int64_t{64} << 20;
  options.max_context = 4096;
  options.max_batch = 8;
  options.prefill_bucket = 64;
  const auto runtime = open_runtime("t41", options);
  run_every_size_full(*runtime);
  const std::int64_t warm = anonymous_resident();
  for (int round = 0; round < 3; ++round) run_every_size_full(*runtime);
  EXPECT_LE(anonymous_resident() - warm, std::int64_t{256} << 10);
}

std::string memory_lines(const std::string& text) {
  std::string lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.rfind("memory: ", 0) == 0) lines += line + "\n";
  return lines;
}

/// The memory lines of two programs that are started at the same moment.
std::vector<std::string> plans_of_two(const std::vector<std::string>& options) {
  ProgramCall call{.arguments = {"run", "-m", "tests/data/t41", "--tokens", "5,6", "-n", "1"}};
  call.arguments.insert(call.arguments.end(), options.begin(), options.end());
  std::vector<ProgramResult> results(2);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (ProgramResult& result : results)
    threads.emplace_back([&] { result = run_program(DEEPINFER_PROGRAM, call); });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> plans;
  for (const ProgramResult& result : results) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    plans.push_back(memory_lines(result.err));
  }
  return plans;
}

/// Whether a run with these options is given the same plan with so much free and with twice that.
bool same_plan(const ModelConfig& config, const Options& options, std::int64_t available) {
  const CachePlan one = plan_caches(config, options, available);
  const CachePlan two = plan_caches(config, options, 2 * available);
  return one.max_context == two.max_context && one.geometry.blocks == two.geometry.blocks &&
         one.geometry.slots == two.geometry.slots;
}

TEST(StartMemoryPlan, A21_the_default_is_the_same_for_two_processes_started_together) {
  const std::vector<std::string> plans = plans_of_two({});
  EXPECT_NE(plans[0], "");
  EXPECT_EQ(plans[0], plans[1]);
}

TEST(StartMemoryPlan, A21_what_is_free_changes_no_plan_that_is_named_or_at_the_ceiling) {
  const ModelConfig config = read_config(test_model("released"));
  Options options = test_options("cpu");
  options.max_context = 0;
  options.kv_memory = 0;
  EXPECT_TRUE(same_plan(config, options, std::int64_t{16} << 30)) << "4 GiB, the ceiling";
  // A quarter of less does follow what is free, as the manual says; a named size never does.
  EXPECT_FALSE(same_plan(config, options, std::int64_t{4} << 30));
  options.kv_memory = std::int64_t{1} << 30;
  EXPECT_TRUE(same_plan(config, options, std::int64_t{4} << 30));
}

TEST(StartMemoryPlan, A21_two_processes_started_together_print_the_same_plan) {
  const std::vector<std::string> plans =
      plans_of_two({"--kv-memory", "64M", "--max-context", "4096"});
  const std::string& plan = plans[0];
  EXPECT_EQ(plan, plans[1]);

  // The total is the sum of the named parts.
  std::istringstream stream(plan);
  std::int64_t sum = 0;
  std::int64_t total = -1;
  std::set<std::string> names;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t end = line.find(" bytes");
    ASSERT_NE(end, std::string::npos) << line;
    const std::size_t start = line.rfind(' ', end - 1) + 1;
    const std::int64_t bytes = std::stoll(line.substr(start, end - start));
    if (line.rfind("memory: total", 0) == 0)
      total = bytes;
    else if (line.find("not in the total") == std::string::npos)
      sum += bytes;
    names.insert(line.substr(0, line.find("  ")));
  }
  EXPECT_EQ(total, sum) << plan;
  for (const char* name : {"memory: KV buffer", "memory: state buffer", "memory: arena",
                           "memory: metadata buffers", "memory: weights, mapped"})
    EXPECT_TRUE(names.contains(name)) << plan;
}

TEST(StartMemoryPlan, F8_a_start_that_does_not_fit_is_refused_and_names_the_parts) {
  const Model model = open_model(test_model("t41"), EngramMode::memory);
  Options options = test_options("cpu");
  const CachePlan plan = plan_caches(model.config(), options, std::int64_t{1} << 40);
  const CacheLayout layout(model.config(), plan.geometry);
  const StartMemory fits =
      plan_start_memory(model, options, layout, plan.max_context, false, std::int64_t{1} << 40);
  EXPECT_NO_THROW(plan_start_memory(model, options, layout, plan.max_context, false, fits.total()));
  const std::string text = error_text([&] {
    plan_start_memory(model, options, layout, plan.max_context, false, fits.total() - 1);
  });
  EXPECT_NE(text.find("do not fit the memory that is free, expected at most " +
                      std::to_string(fits.total() - 1) + " bytes, got KV buffer "),
            std::string::npos)
      << text;
  for (const char* part : {"state buffer", "arena", "metadata buffers", "lower --kv-memory"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(StartMemoryPlan, WithoutFullgraphASmallerModeMayFit) {
  const Model model = open_model(test_model("t41"), EngramMode::memory);
  Options options = test_options("cpu");
  options.prefill_bucket = 256;
  const CachePlan plan = plan_caches(model.config(), options, std::int64_t{1} << 40);
  const CacheLayout layout(model.config(), plan.geometry);
  const auto work = [&](GraphMode mode) {
    Options o = options;
    o.graph_mode = mode;
    return plan_capture_memory(model, o, layout, plan.max_context, false);
  };
  const CaptureMemory whole = work(GraphMode::whole);
  const CaptureMemory regions = work(GraphMode::regions);
  ASSERT_NE(whole.work_bytes, regions.work_bytes);
  options.fullgraph = false;
  const CaptureMemory chosen = plan_capture_memory(model, options, layout, plan.max_context, false,
                                                   whole.metadata_bytes + whole.work_bytes - 1);
  EXPECT_EQ(chosen.mode,
            regions.work_bytes < whole.work_bytes ? GraphMode::regions : GraphMode::eager);
  EXPECT_EQ(plan_capture_memory(model, options, layout, plan.max_context, false,
                                whole.metadata_bytes + whole.work_bytes)
                .mode,
            GraphMode::whole);
}

}  // namespace
}  // namespace deepinfer
