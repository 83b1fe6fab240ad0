#include "engine/start_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

constexpr std::string_view kArena = "arena";
constexpr std::string_view kMetadata = "metadata buffers";

// Private pages of the program and its libraries (relocated tables, data) before anything is
// allocated, and the touched part of a thread's stack. Measured on the release build: RssAnon of
// `deepinfer` less its heap.
constexpr std::int64_t kProgramBytes = std::int64_t{192} << 10U;
constexpr std::int64_t kThreadBytes = std::int64_t{24} << 10U;
// The heap's part is rounded up to this: a path that is a few letters longer is no other plan.
constexpr std::int64_t kHeapGrain = std::int64_t{64} << 10U;

std::int64_t bytes_of(const StartMemory& memory, std::string_view name) {
  for (const MemoryPart& part : memory.parts)
    if (part.name == name) return part.bytes;
  return 0;
}

std::string list_of(const StartMemory& memory) {
  std::string text;
  for (const MemoryPart& part : memory.parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", part.name, part.bytes);
  return text;
}

}  // namespace

StartMemory plan_start_memory(const Model& model, const Options& options, const CacheLayout& layout,
                              std::int64_t max_context, bool trace, std::int64_t available) {
  const std::int64_t caches = layout.root_bytes(CacheRoot::kv) + layout.state_bytes();
  const CaptureMemory capture = plan_capture_memory(model, options, layout, max_context, trace,
                                                    std::max<std::int64_t>(available - caches, 0));
  StartMemory memory;
  memory.parts = {{"KV buffer", layout.root_bytes(CacheRoot::kv)},
                  {"state buffer", layout.state_bytes()},
                  {std::string(kArena), capture.work_bytes},
                  {std::string(kMetadata), capture.metadata_bytes}};
  for (const StoredTensor& tensor : model.checkpoint->tensors())
    memory.mapped_bytes += static_cast<std::int64_t>(tensor.data.size());
  if (memory.total() > available)
    throw Error::bad_input(
        "memory", "the model's caches and graphs do not fit the memory that is free",
        {.expected = fmt::format("at most {} bytes", available),
         .got = fmt::format("{} = {}", list_of(memory), memory.total()),
         .hint = "lower --kv-memory, --max-context, --max-batch or --prefill-bucket"});
  return memory;
}

std::int64_t work_limit(const StartMemory& memory, std::int64_t available) {
  return available - (memory.total() - bytes_of(memory, kArena));
}

void add_program_parts(StartMemory& memory, std::int64_t heap, int threads) {
  const std::int64_t known = bytes_of(memory, kArena) + bytes_of(memory, kMetadata);
  const std::int64_t rest = std::max<std::int64_t>(heap - known, 0);
  memory.parts.push_back(
      {"tokenizer, tables and graphs", (rest + kHeapGrain - 1) / kHeapGrain * kHeapGrain});
  memory.parts.push_back({"program and threads", kProgramBytes + threads * kThreadBytes});
}

}  // namespace deepinfer
