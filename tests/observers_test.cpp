// Watching a run: what observers see is what ran, and watching changes nothing.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <atomic>
#include <map>
#include <set>

#include "graph/regions.h"
#include "model/step_graph.h"
#include "runner/region_timing.h"
#include "runner/step_profile.h"
#include "runner/trace_writer.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

using Json = nlohmann::json;

struct ModeCase {
  std::string backend;
  GraphMode mode;
};

class Observers : public testing::TestWithParam<ModeCase> {
 protected:
  static constexpr std::size_t kPrompt = 40;
  static constexpr int kDecoded = 10;

  static Options options() {
    Options options = test_options(GetParam().backend);
    options.graph_mode = GetParam().mode;
    options.threads = 2;
    options.prefill_bucket = 32;
    return options;
  }

  /// A prompt of two chunks and ten decode steps: the logits of every step.
  static std::vector<float> run(Runtime& runtime) {
    const std::vector<std::int32_t> tokens = random_tokens(5, kPrompt + kDecoded);
    SequenceRun sequence(runtime, static_cast<std::int64_t>(tokens.size()));
    std::vector<float> all;
    const auto keep = [&](const StepOutput& output, std::int64_t, int rows) {
      const auto logits = output.logits(rows - 1);
      all.insert(all.end(), logits.begin(), logits.end());
    };
    sequence.feed(std::span(tokens).first(kPrompt), {}, false, keep);
    for (int i = 0; i < kDecoded; ++i)
      sequence.feed(std::span(tokens).subspan(kPrompt + static_cast<std::size_t>(i), 1), {}, false,
                    keep);
    return all;
  }
};

/// Counts calls; members of the team call it, too.
class CountingWatcher : public StepWatcher {
 public:
  void captured(std::shared_ptr<const ObservedCapture> /*capture*/) override { ++calls; }
  void step_begins(int /*rows*/) override { ++calls; }
  void run_begins() override { ++calls; }
  void step_ends() override { ++calls; }
  void op_begins(int /*node*/) override { ++calls; }
  void op_ends(int /*node*/) override { ++calls; }
  void region_begins(int /*call*/) override { ++calls, ++regions; }
  void region_ends(int /*call*/) override { ++calls; }
  void work_begins(int member) override {
    ++calls, ++works, seen |= 1U << static_cast<unsigned>(member);
  }
  void work_ends(int /*member*/) override { ++calls; }

  std::atomic<int> calls = 0;
  std::atomic<int> regions = 0;
  std::atomic<int> works = 0;
  std::atomic<unsigned> seen = 0;
};

TEST_P(Observers, LogitsAreTheSameBitsWithAndWithout) {
  const auto runtime = open_runtime("t41", options());
  const std::vector<float> wanted = run(*runtime);
  int timed = 0;
  int profiled = 0;
  RegionTiming timing([&](const StepTiming&) { ++timed; });
  StepProfiler profiler([&](const StepProfile&) { ++profiled; });
  TraceWriter trace(16);
  StepWatchers watchers;
  watchers.add(timing);
  watchers.add(profiler);
  watchers.add(trace);
  runtime->runner().observe(&watchers);
  EXPECT_TRUE(same_bits(run(*runtime), wanted));
  EXPECT_EQ(timed, 12);
  EXPECT_EQ(profiled, 1);
  EXPECT_EQ(trace.steps(), 12U);
  runtime->runner().observe(nullptr);
  EXPECT_TRUE(same_bits(run(*runtime), wanted));
  EXPECT_EQ(timed, 12);
}

TEST_P(Observers, WithoutOneNothingIsCalled) {
  const auto runtime = open_runtime("t41", options());
  CountingWatcher watcher;
  run(*runtime);
  EXPECT_EQ(watcher.calls, 0);
  runtime->runner().observe(&watcher);
  EXPECT_EQ(watcher.calls, 1);  // what is captured
  run(*runtime);
  const int calls = watcher.calls;
  EXPECT_GT(calls, 12 * 3);
  EXPECT_EQ(watcher.regions > 0, GetParam().mode == GraphMode::regions);
  if (GetParam().backend == "cpu") {
    EXPECT_EQ(watcher.seen, 3U);  // both members
  }
  runtime->runner().observe(nullptr);
  run(*runtime);
  EXPECT_EQ(watcher.calls, calls);
}

TEST_P(Observers, RegionTimesAreThoseOfThePlanInEveryMode) {
  const auto runtime = open_runtime("t41", options());
  const CacheLayout& layout = runtime->caches().layout();
  const Graph graph = build_step_graph(runtime->model().config(), layout,
                                       {.rows = 1,
                                        .numerics = options().numerics,
                                        .max_context = runtime->max_context(),
                                        .trace = false});
  std::map<std::string, int> planned;
  const RegionPlan plan = plan_regions(graph);
  for (const RegionCall& call : plan.calls)
    ++planned[plan.kinds[static_cast<std::size_t>(call.kind)].name];

  std::uint64_t steps = 0;
  RegionTiming timing([&](const StepTiming& step) {
    EXPECT_EQ(step.step, ++steps);
    EXPECT_EQ(step.rows, steps == 1 ? 32 : steps == 2 ? 32 : 1);
    EXPECT_GT(step.copy_ms, 0);
    EXPECT_GT(step.regions_ms, 0);
    EXPECT_GE(step.outside_ms(), 0);
    double sum = 0;
    std::map<std::string, int> counts;
    for (const RegionTime& region : step.regions) {
      counts[std::string(region.kind)] = region.count;
      sum += region.total_ms;
    }
    EXPECT_NEAR(sum, step.regions_ms, 1e-9);
    EXPECT_EQ(counts, planned);
  });
  runtime->runner().observe(&timing);
  run(*runtime);
  EXPECT_EQ(steps, 12U);
}

TEST_P(Observers, TheProfileIsOfTheEighthStep) {
  const auto runtime = open_runtime("t41", options());
  int profiles = 0;
  StepProfiler profiler([&](const StepProfile& profile) {
    ++profiles;
    EXPECT_EQ(profile.step, 8U);
    EXPECT_EQ(profile.rows, 1);
    EXPECT_EQ(profile.ops.size(), 40U);
    EXPECT_GT(profile.op_count, 100U);
    EXPECT_LE(profile.ops_ms, profile.total_ms);
    double shares = 0;
    for (const ProfiledOp& op : profile.ops) {
      EXPECT_GT(op.op->cost.bytes, 0) << op.op->name;
      EXPECT_GT(op.ms, 0) << op.op->name;
      shares += op.share;
    }
    EXPECT_GT(shares, 0.1);
    EXPECT_LE(shares, 1);
  });
  runtime->runner().observe(&profiler);
  run(*runtime);
  EXPECT_EQ(profiles, 1);
}

/// One complete event of a trace.
struct Event {
  std::string name;
  std::string category;
  double begin = 0;
  double end = 0;
  int thread = 0;
  Json args;
};

std::vector<Event> events_of(const TraceWriter& trace, std::set<std::string>* threads = nullptr) {
  std::string text;
  trace.write([&](std::string_view piece) { text += piece; });
  const Json json = Json::parse(text);
  std::vector<Event> events;
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "thread_name" && threads != nullptr)
      threads->insert(event["args"]["name"]);
    if (event["ph"] != "X") continue;
    const double begin = event["ts"];
    events.push_back({.name = event["name"],
                      .category = event["cat"],
                      .begin = begin,
                      .end = begin + event["dur"].get<double>(),
                      .thread = event["tid"],
                      .args = event["args"]});
  }
  return events;
}

bool inside(const Event& inner, const Event& outer) {
  constexpr double kRounding = 1e-6;  // of the addition above, in microseconds
  return inner.begin >= outer.begin - kRounding && inner.end <= outer.end + kRounding;
}

TEST_P(Observers, ATraceNestsStepsRegionsOpsAndWork) {
  const auto runtime = open_runtime("t41", options());
  TraceWriter trace(3);
  runtime->runner().observe(&trace);
  run(*runtime);
  EXPECT_EQ(trace.steps(), 3U);  // the first three of twelve

  std::set<std::string> threads;
  const std::vector<Event> events = events_of(trace, &threads);
  EXPECT_TRUE(threads.contains("step, member 0"));
  EXPECT_TRUE(threads.contains("member 1"));
  std::map<std::string, int> count;
  std::set<int> members;
  const Event* step = nullptr;
  const Event* region = nullptr;
  const Event* op = nullptr;
  for (const Event& event : events) {
    ++count[event.category];
    if (event.category == "step") step = &event;
    ASSERT_NE(step, nullptr);
    EXPECT_TRUE(inside(event, *step)) << event.name;
    if (event.category == "op") {
      op = &event;
      EXPECT_FALSE(event.args["place"].get<std::string>().empty());
      EXPECT_GT(event.args["bytes"], 0);
      EXPECT_GE(event.args["flops"], 0);
    } else if (event.category == "work") {
      ASSERT_NE(op, nullptr);
      EXPECT_TRUE(inside(event, *op)) << event.name;
      EXPECT_EQ(event.name, op->name);
      EXPECT_GE(event.args["parts"], 1);
      EXPECT_LE(event.args["busy_us"].get<double>(), event.end - event.begin + 1e-6);
      members.insert(event.thread);
    }
    if (event.category != "work") {
      EXPECT_EQ(event.thread, 0);
    }
  }
  EXPECT_EQ(count["step"], 3);
  EXPECT_EQ(count["copy"], 3);
  EXPECT_GT(count["op"], 3 * 100);
  EXPECT_GT(count["region"], 3 * 10);
  if (GetParam().backend == "cpu") {
    EXPECT_EQ(members, (std::set<int>{0, 1}));
  }

  // Regions enclose the ops of their places, and no two of a step overlap.
  for (const Event& event : events) {
    if (event.category == "step") region = nullptr;
    if (event.category != "region") continue;
    if (region != nullptr) {
      EXPECT_GE(event.begin, region->end - 1e-6);
    }
    region = &event;
    int enclosed = 0;
    for (const Event& other : events)
      if (other.category == "op" && inside(other, event)) ++enclosed;
    EXPECT_GE(enclosed, 1) << event.name;
  }
}

TEST_P(Observers, ALaterCaptureStartsAnew) {
  const auto runtime = open_runtime("t41", options());
  CountingWatcher watcher;
  TraceWriter trace(64);
  StepWatchers watchers;
  watchers.add(watcher);
  watchers.add(trace);
  runtime->runner().observe(&watchers);
  run(*runtime);
  runtime->runner().observe(&watchers);
  EXPECT_EQ(trace.steps(), 0U);
  run(*runtime);
  EXPECT_EQ(trace.steps(), 12U);
}

INSTANTIATE_TEST_SUITE_P(Modes, Observers,
                         testing::Values(ModeCase{"reference", GraphMode::whole},
                                         ModeCase{"cpu", GraphMode::eager},
                                         ModeCase{"cpu", GraphMode::whole},
                                         ModeCase{"cpu", GraphMode::regions}),
                         [](const auto& info) {
                           const GraphMode mode = info.param.mode;
                           return info.param.backend + (mode == GraphMode::eager     ? "_eager"
                                                        : mode == GraphMode::regions ? "_regions"
                                                                                     : "_whole");
                         });

}  // namespace
}  // namespace deepinfer
