#include "tests/equality/equality.h"

#include <algorithm>
#include <set>

#include "tests/support/poison.h"
#include "tests/support/poisoning_backend.h"

namespace deepinfer::equality {
namespace {

std::string directory_of(const Subject& subject) {
  return subject.model == kBundledModel ? "models/DeepInfer-V4.1-tiny" : test_model(subject.model);
}

}  // namespace

std::string name_of(const Subject& subject) {
  std::string name = subject.model + "_" + subject.backend +
                     (subject.numerics == Numerics::fp32 ? "_fp32" : "_official");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::unique_ptr<Runtime> open(const Subject& subject, GraphMode mode, int threads, int max_batch,
                              std::int64_t context_bucket) {
  Options options = test_options(subject.backend, subject.numerics);
  options.graph_mode = mode;
  options.layout = mode == GraphMode::regions ? Layout::layer_major : Layout::block_major;
  options.threads = threads;
  options.max_batch = max_batch;
  options.prefill_bucket = kBucket;
  options.block_tokens = kBlock;
  options.max_context = 512;
  options.context_bucket = context_bucket;
  auto runtime = std::make_unique<Runtime>(open_model(directory_of(subject), options.engram),
                                           options, &make_poisoning_backend);
  poison_caches(runtime->caches());
  return runtime;
}

std::vector<std::int32_t> long_tokens(const Runtime& runtime, std::uint64_t seed) {
  const int window = runtime.model().config().sliding_window;
  return random_tokens(seed, 2 * (static_cast<std::size_t>(window) + kBucket) + 3);
}

std::vector<std::vector<float>> judge(const Subject& subject,
                                      const std::vector<std::int32_t>& tokens) {
  const auto runtime = open(subject, GraphMode::eager, 1, 1);
  SequenceRun run(*runtime, static_cast<std::int64_t>(tokens.size()));
  std::vector<std::vector<float>> logits;
  logits.reserve(tokens.size());
  const std::vector<int> ones(tokens.size(), 1);
  run.feed(tokens, ones, false, [&](const StepOutput& output, std::int64_t, int rows) {
    const auto last = output.logits(rows - 1);
    logits.emplace_back(last.begin(), last.end());
  });
  return logits;
}

std::vector<int> boundary_lengths(const Runtime& runtime, int limit, Extent extent) {
  const ModelConfig& config = runtime.model().config();
  const int window = config.sliding_window;
  // Candidate blocks count compressed entries, of one or two positions each.
  const int candidates = config.candidate_block_size;
  std::set<int> lengths;
  for (const int edge : {2, candidates, 2 * candidates, 4 * candidates, window, 2 * window, kBlock,
                         2 * kBlock, kBucket, 2 * kBucket})
    for (const int length : {edge - 1, edge, edge + 1})
      if (length >= 1 && length < limit &&
          (extent == Extent::whole || edge == window || (edge == kBlock && length != edge)))
        lengths.insert(length);
  return {lengths.begin(), lengths.end()};
}

}  // namespace deepinfer::equality
