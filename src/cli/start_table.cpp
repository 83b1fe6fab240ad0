#include "cli/start_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace deepinfer::cli {

namespace {

/// Captured or not, ascending.
std::vector<CaptureInfo> all_sizes(const StartInfo& info) {
  std::vector<CaptureInfo> all = info.captures;
  all.insert(all.end(), info.left_out.begin(), info.left_out.end());
  std::sort(all.begin(), all.end(), [](const CaptureInfo& a, const CaptureInfo& b) {
    return std::pair(a.rows, a.context) < std::pair(b.rows, b.context);
  });
  return all;
}

/// Columns of a backend that compiles programs or finds them compiled; else nothing.
std::string program_columns(bool shown, std::string_view compiled, std::string_view loaded) {
  return shown ? fmt::format("{:>10}{:>8}", compiled, loaded) : std::string();
}

std::string device_table(const DeviceMemoryUse& device) {
  std::string text;
  const auto add = [&text](std::string_view name, std::int64_t bytes) {
    text +=
        fmt::format("device memory: {:<23}{:>12}  {:>15} bytes\n", name, human_bytes(bytes), bytes);
  };
  for (const MemoryPart& part : device.parts) add(part.name, part.bytes);
  if (device.in_use.has_value()) add("in use, by its count", *device.in_use);
  if (device.limit.has_value()) add("all that it has", *device.limit);
  return text;
}

/// A column for captures at several lengths of sequences; else nothing.
std::string context_column(bool shown, std::string_view context) {
  return shown ? fmt::format("{:>9}", context) : std::string();
}

}  // namespace

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= kStep && unit + 1 < kUnits.size()) {
    value /= kStep;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string start_table(const StartInfo& info) {
  std::string sizes;
  int last = 0;
  bool contexts = false;
  for (const CaptureInfo& capture : info.captures) {
    contexts = contexts || capture.context != info.captures.front().context;
    if (capture.rows != last) sizes += (sizes.empty() ? "" : ", ") + std::to_string(capture.rows);
    last = capture.rows;
  }
  std::string text = fmt::format("step graphs: backend {}; fullgraph {}; sizes {}\n", info.backend,
                                 info.fullgraph, sizes);
  const bool programs =
      std::any_of(info.captures.begin(), info.captures.end(),
                  [](const CaptureInfo& capture) { return capture.compiled + capture.loaded > 0; });
  text += fmt::format("{:>6}{}  {:<8}{:<9}{:>9}{:>7}{:>13}{}{:>12}{:>13}{:>14}\n", "rows",
                      context_column(contexts, "context"), "kind", "mode", "ops built", "ops",
                      "executables", program_columns(programs, "compiled", "loaded"), "arena",
                      "compile ms", "first run ms");
  std::size_t ops = 0;
  std::size_t arena = 0;
  double compile_ms = 0;
  double first_run_ms = 0;
  for (const CaptureInfo& capture : all_sizes(info)) {
    const std::string_view kind = capture.prefill ? "prefill" : "decode";
    if (capture.runs_at != 0) {
      text += fmt::format("{:>6}{}  {:<8}cannot be compiled: runs at {} rows\n", capture.rows,
                          context_column(contexts, std::to_string(capture.context)), kind,
                          capture.runs_at);
      continue;
    }
    text += fmt::format(
        "{:>6}{}  {:<8}{:<9}{:>9}{:>7}{:>13}{}{:>12}{:>13.1f}{:>14.1f}\n", capture.rows,
        context_column(contexts, std::to_string(capture.context)), kind, name_of(capture.mode),
        capture.ops_built, capture.ops, capture.executables,
        program_columns(programs, std::to_string(capture.compiled), std::to_string(capture.loaded)),
        human_bytes(static_cast<std::int64_t>(capture.arena_bytes)), capture.compile_ms,
        capture.first_run_ms);
    ops += capture.ops;
    arena = std::max(arena, capture.arena_bytes);
    compile_ms += capture.compile_ms;
    first_run_ms += capture.first_run_ms;
  }
  text +=
      fmt::format("{}; KV buffer {}, state buffer {}, longest sequence {} tokens\n", info.backend,
                  human_bytes(info.kv_bytes), human_bytes(info.state_bytes), info.max_context);
  text += memory_table(info.memory);
  text += fmt::format(
      "{} graphs, {} ops, arena {}; opened in {:.0f} ms, compiled in {:.0f} ms, first runs {:.0f} "
      "ms",
      info.captures.size(), ops, human_bytes(static_cast<std::int64_t>(arena)), info.load_ms,
      compile_ms, first_run_ms);
  return text;
}

std::string memory_table(const StartMemory& memory) {
  std::string text;
  for (const MemoryPart& part : memory.parts)
    text += fmt::format("memory: {:<30}{:>12}  {:>15} bytes\n", part.name, human_bytes(part.bytes),
                        part.bytes);
  text += fmt::format("memory: {:<30}{:>12}  {:>15} bytes\n", "total", human_bytes(memory.total()),
                      memory.total());
  text += fmt::format("memory: {:<30}{:>12}  {:>15} bytes, pages of files, not in the total\n",
                      "weights, mapped", human_bytes(memory.mapped_bytes), memory.mapped_bytes);
  if (memory.device.has_value()) text += device_table(*memory.device);
  return text;
}

}  // namespace deepinfer::cli
