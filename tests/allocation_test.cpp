// Fault A18: a replay allocates, or a step silently runs without its graph; fault A23: the first
// request does more than later ones; and a replay that nobody times reads no clock. A program of
// its own, since it replaces operator new and clock_gettime to count.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <map>
#include <new>
#include <tuple>

#include "backend/wrapped_backend_test.h"
#include "runner/region_timing.h"
#include "runner/step_profile.h"
#include "runner/trace_writer.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace {

std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> clock_reads{0};

// NOLINTBEGIN(cppcoreguidelines-no-malloc): this is the allocator
void* counted(std::size_t bytes) {
  ++allocations;
  if (void* pointer = std::malloc(bytes == 0 ? 1 : bytes)) return pointer;
  throw std::bad_alloc();
}

void* counted_aligned(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* pointer = std::aligned_alloc(step, (bytes + step - 1) / step * step)) return pointer;
  throw std::bad_alloc();
}

}  // namespace

/// What std::chrono reads, too.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  ++clock_reads;
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_aligned(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted_aligned(bytes, alignment);
}
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete[](void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept {
  std::free(pointer);
}

// NOLINTEND(cppcoreguidelines-no-malloc)

namespace deepinfer {
namespace {

TEST(Allocations, TheCounterCounts) {
  const std::uint64_t before = allocations;
  const std::vector<int> vector(100);
  EXPECT_GT(allocations, before);
}

/// Where the n-gram rows are, and the graph mode.
class ReplayAllocations : public testing::TestWithParam<std::tuple<EngramMode, GraphMode>> {
 protected:
  static Options options(int threads = 1) {
    Options options = test_options("cpu");
    options.threads = threads;
    std::tie(options.engram, options.graph_mode) = GetParam();
    return options;
  }
};

TEST_P(ReplayAllocations, A18_decoding_replays_one_graph_and_allocates_nothing) {
  const auto runtime = open_runtime("t41", options(2));
  GraphRunner& runner = runtime->runner();
  constexpr int kSteps = 500;
  const std::vector<std::int32_t> tokens = random_tokens(1, kSteps + 40);
  const SequenceCache cache(runtime->caches(), static_cast<std::int64_t>(tokens.size()));
  SequenceMetadata sequence{.tokens = tokens,
                            .first_position = 0,
                            .rows = 40,
                            .slot = cache.slot(),
                            .blocks = cache.blocks(),
                            .wants_logits = true,
                            .all_logits = false};
  runtime->step({&sequence, 1});  // the prompt, and the warm-up
  sequence.first_position = 40;
  sequence.rows = 1;

  const std::uint64_t compiles = runner.compiles();
  const std::uint64_t replays = runner.replays(1);
  const std::uint64_t before = allocations;
  float sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    sum += runtime->step({&sequence, 1}).logits(0)[3];
    ++sequence.first_position;
  }
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_NE(sum, 0);
  EXPECT_EQ(runner.compiles(), compiles);
  EXPECT_EQ(runner.replays(1), replays + kSteps);
  EXPECT_EQ(runner.eager_fallbacks(), 0U);
}

TEST_P(ReplayAllocations, TheClockIsReadOnlyWhenReplaysAreTimed) {
  const auto runtime = open_runtime("t41", options());
  StepScript script(*runtime);
  script.open(random_tokens(2, 9));
  const auto reads_of_a_step = [&] {
    const std::vector<SequenceMetadata> metadata = script.metadata({{0, 3}});
    const std::uint64_t before = clock_reads;
    runtime->step(metadata);
    return clock_reads - before;
  };
  EXPECT_EQ(reads_of_a_step(), 0U);
  runtime->runner().time_replays(true);
  EXPECT_GT(reads_of_a_step(), 0U);
  EXPECT_GT(runtime->runner().last_replay_times().graph_ms, 0);
  runtime->runner().time_replays(false);
  EXPECT_EQ(reads_of_a_step(), 0U);
}

TEST_P(ReplayAllocations, A18_prompt_chunks_and_batches_allocate_nothing) {
  const auto runtime = open_runtime("t41", options(3));
  StepScript script(*runtime);
  for (std::size_t i = 0; i < 4; ++i) script.open(random_tokens(i, 50));
  for (const int rows : {30, 1, 3}) {
    const std::vector<StepScript::Part> parts = {{0, rows}, {1, rows}, {2, 1}, {3, 1}};
    const std::vector<SequenceMetadata> metadata = script.metadata(parts);
    const std::uint64_t before = allocations;
    runtime->step(metadata);
    EXPECT_EQ(allocations - before, 0U) << rows << " rows";
    for (const StepScript::Part& part : parts) script.skip(part);
  }
  EXPECT_EQ(runtime->runner().eager_fallbacks(), 0U);
}

class WatchedAllocations : public testing::TestWithParam<GraphMode> {};

TEST_P(WatchedAllocations, A18_watched_replays_allocate_nothing) {
  Options options = test_options("cpu");
  options.threads = 2;
  options.graph_mode = GetParam();
  const auto runtime = open_runtime("t41", options);
  double milliseconds = 0;
  std::size_t profiled = 0;
  RegionTiming timing([&](const StepTiming& step) { milliseconds += step.regions_ms; });
  StepProfiler profiler([&](const StepProfile& profile) { profiled += profile.ops.size(); });
  TraceWriter trace(16);
  StepWatchers watchers;
  watchers.add(timing);
  watchers.add(profiler);
  watchers.add(trace);
  runtime->runner().observe(&watchers);

  constexpr int kSteps = 30;  // beyond the profiled and the traced ones
  const std::vector<std::int32_t> tokens = random_tokens(1, kSteps + 40);
  const SequenceCache cache(runtime->caches(), static_cast<std::int64_t>(tokens.size()));
  SequenceMetadata sequence{.tokens = tokens,
                            .first_position = 0,
                            .rows = 40,
                            .slot = cache.slot(),
                            .blocks = cache.blocks(),
                            .wants_logits = true,
                            .all_logits = false};
  const std::uint64_t before = allocations;
  runtime->step({&sequence, 1});
  sequence.first_position = 40;
  sequence.rows = 1;
  for (int step = 0; step < kSteps; ++step) {
    runtime->step({&sequence, 1});
    ++sequence.first_position;
  }
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_GT(milliseconds, 0);
  EXPECT_EQ(profiled, kProfiledOps);
  EXPECT_EQ(trace.steps(), 16U);
}

INSTANTIATE_TEST_SUITE_P(Modes, WatchedAllocations,
                         testing::Values(GraphMode::whole, GraphMode::regions),
                         [](const auto& info) {
                           return info.param == GraphMode::whole ? "whole" : "regions";
                         });

/// Runs of a backend's executables, by rows.
using RunCounts = std::map<int, int>;

class CountedExecutable : public Executable {
 public:
  CountedExecutable(std::unique_ptr<Executable> executable, RunCounts& runs)
      : executable_(std::move(executable)), runs_(runs[executable_->graph().rows]) {}
  void load_inputs() override { executable_->load_inputs(); }
  void run() override {
    ++runs_;
    executable_->run();
  }
  TensorRef output(std::string_view name) const override { return executable_->output(name); }
  ExecutableInfo info() const override { return executable_->info(); }
  const Graph& graph() const override { return executable_->graph(); }
  void observe(StepObserver* observer) override { executable_->observe(observer); }

 private:
  std::unique_ptr<Executable> executable_;
  int& runs_;
};

class CountedBackend : public WrappedBackend {
 public:
  CountedBackend(const Options& options, RunCounts& runs) : WrappedBackend(options), runs_(runs) {}
  std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                      GraphMode mode) override {
    return std::make_unique<CountedExecutable>(
        WrappedBackend::compile(std::move(graph), bindings, mode), runs_);
  }

 private:
  RunCounts& runs_;
};

/// The weights are pages of files, shared with others: whoever looks at them first maps them.
void map_weights(const Checkpoint& checkpoint) {
  constexpr std::size_t kPage = 4096;
  unsigned sum = 0;
  for (const StoredTensor& tensor : checkpoint.tensors())
    for (std::size_t byte = 0; byte < tensor.data.size(); byte += kPage)
      sum += static_cast<unsigned>(tensor.data[byte]);
  EXPECT_NE(sum, 0U);
}

std::uint64_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt) + static_cast<std::uint64_t>(usage.ru_majflt);
}

class FirstRequest : public testing::TestWithParam<GraphMode> {};

// Counts, since times of a few milliseconds say nothing on a busy machine.
TEST_P(FirstRequest, A23_it_does_nothing_that_the_fifth_does_not) {
  Options options = test_options("cpu");
  options.graph_mode = GetParam();
  options.threads = 2;
  RunCounts runs;
  Runtime runtime(open_model(test_model("t41"), options.engram), options, [&](const Options& o) {
    return std::unique_ptr<Backend>(std::make_unique<CountedBackend>(o, runs));
  });
  // Every size has run before anybody asks: memory is mapped, threads stand ready.
  const GraphRunner& runner = runtime.runner();
  ASSERT_FALSE(runner.graphs().empty());
  for (const int size : runner.graphs()) EXPECT_EQ(runs[size], 1) << "size " << size;
  map_weights(*runtime.model().checkpoint);

  const std::vector<std::int32_t> prompt = random_tokens(5, 20);
  const std::uint64_t compiles = runner.compiles();
  std::vector<std::uint64_t> allocated;
  std::vector<std::uint64_t> faults;
  for (int request = 0; request < 5; ++request) {
    const std::uint64_t allocations_before = allocations;
    const std::uint64_t faults_before = page_faults();
    const auto tokens = greedy(runtime, prompt, 8);
    const std::uint64_t faults_after = page_faults();
    const std::uint64_t allocations_after = allocations;
    ASSERT_EQ(tokens.size(), 8U);
    allocated.push_back(allocations_after - allocations_before);
    faults.push_back(faults_after - faults_before);
  }
  EXPECT_EQ(allocated.front(), allocated.back());
  EXPECT_EQ(runner.compiles(), compiles);
  EXPECT_EQ(runner.eager_fallbacks(), 0U);
  // A page of the heap or of a stack; the arena of one size alone has hundreds.
  constexpr std::uint64_t kMostFaults = 16;
  EXPECT_LE(faults.front(), faults.back() + kMostFaults);
}

INSTANTIATE_TEST_SUITE_P(Modes, FirstRequest, testing::Values(GraphMode::whole, GraphMode::regions),
                         [](const auto& info) {
                           return info.param == GraphMode::whole ? "whole" : "regions";
                         });

INSTANTIATE_TEST_SUITE_P(EngramStorage, ReplayAllocations,
                         testing::Combine(testing::Values(EngramMode::memory, EngramMode::disk),
                                          testing::Values(GraphMode::whole, GraphMode::regions)),
                         [](const auto& info) {
                           return (std::get<0>(info.param) == EngramMode::memory ? "memory_"
                                                                                 : "disk_") +
                                  std::string(name_of(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace deepinfer
