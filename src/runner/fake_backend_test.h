#pragma once

// A backend that computes nothing: tests of the runner watch what reaches it and make it refuse.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "deepinfer/error.h"

namespace deepinfer {

/// What the test shares with every FakeBackend and its executables.
struct FakeDevice {
  /// Called by every load_inputs().
  std::function<void()> on_load;
  /// Called by every run of every executable, with the graph's rows.
  std::function<void(int rows)> on_run;
  /// (rows, mode) that compile() refuses; rows 0 = every size.
  std::set<std::pair<int, GraphMode>> refused;
  Error::Kind refusal = Error::Kind::failed;
  /// Bytes per row that a graph works in, by mode.
  std::map<GraphMode, std::size_t> work_bytes;
  std::vector<std::pair<int, GraphMode>> compiled;
  std::vector<std::string> bound;  ///< names of the storage bound by the last compile
  bool writes_derived = true;      ///< whether runs write 1 to all derived metadata
  bool own_compiler = false;       ///< makes two programs of a graph: one is compiled, one loaded
  std::vector<std::string> notes;
};

class FakeExecutable : public Executable {
 public:
  FakeExecutable(FakeDevice& device, std::shared_ptr<const Graph> graph, const Bindings& bindings)
      : device_(device), graph_(std::move(graph)), logits_(kLogits) {
    for (const Value& value : graph_->values)
      if (value.derived)
        derived_.emplace_back(reinterpret_cast<std::int32_t*>(bindings.storage(value)),
                              static_cast<std::size_t>(value.shape.elements()));
  }

  void load_inputs() override {
    if (device_.on_load) device_.on_load();
  }
  void run() override {
    if (device_.on_run) device_.on_run(graph_->rows);
    if (!device_.writes_derived) return;
    for (const std::span<std::int32_t> values : derived_)
      std::fill(values.begin(), values.end(), 1);
  }
  TensorRef output(std::string_view /*name*/) const override {
    return {.data = logits_.data(), .dtype = DType::f32, .shape = {1, 1}, .row_bytes = kLogits};
  }
  ExecutableInfo info() const override {
    return {.ops = graph_->nodes.size(), .arena_bytes = 64, .executables = 1};
  }
  const Graph& graph() const override { return *graph_; }
  void observe(StepObserver* /*observer*/) override {}

 private:
  static constexpr std::size_t kLogits = sizeof(float);
  FakeDevice& device_;
  std::shared_ptr<const Graph> graph_;
  mutable std::vector<std::byte> logits_;
  std::vector<std::span<std::int32_t>> derived_;
};

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(FakeDevice& device) : device_(device) {}

  std::string_view name() const override { return "fake"; }
  std::string describe() const override { return "fake"; }
  std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                      GraphMode mode) override {
    const int rows = graph->rows;
    if (device_.refused.contains({rows, mode}) || device_.refused.contains({0, mode}))
      throw Error(device_.refusal, "fake compiler", "cannot compile this");
    device_.bound.clear();
    for (const Value& value : graph->values)
      if (value.kind == ValueKind::metadata || value.kind == ValueKind::root)
        if (bindings.storage(value) != nullptr) device_.bound.push_back(value.name);
    device_.compiled.emplace_back(rows, mode);
    if (device_.own_compiler) {
      ++counts_.compiled;
      if (progress_) progress_(1, 2);
      ++counts_.loaded;
      if (progress_) progress_(2, 2);
    }
    return std::make_unique<FakeExecutable>(device_, std::move(graph), bindings);
  }
  void report_compiles(const CompileProgress& progress) override { progress_ = progress; }
  std::optional<CompileCounts> compile_counts() const override {
    if (!device_.own_compiler) return std::nullopt;
    return counts_;
  }
  std::vector<std::string> notes() const override { return device_.notes; }
  std::size_t work_bytes(const Graph& graph, GraphMode mode) const override {
    const auto known = device_.work_bytes.find(mode);
    return known == device_.work_bytes.end() ? 64
                                             : known->second * static_cast<std::size_t>(graph.rows);
  }
  std::size_t workspace_bytes(const Graph& /*graph*/, const Node& /*node*/) const override {
    return 0;
  }

 private:
  FakeDevice& device_;
  CompileProgress progress_;
  CompileCounts counts_;
};

/// For GraphRunner's second constructor; `device` must outlive the runner.
inline std::function<std::unique_ptr<Backend>(const Options&)> fake_backend(FakeDevice& device) {
  return [&device](const Options&) { return std::make_unique<FakeBackend>(device); };
}

}  // namespace deepinfer
