#pragma once

// A backend for tests that passes everything on to the one that the options ask for. A test derives
// from it and overrides what it is about.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/backend.h"

namespace deepinfer {

class WrappedBackend : public Backend {
 public:
  explicit WrappedBackend(const Options& options) : backend_(make_backend(options)) {}

  std::string_view name() const override { return backend_->name(); }
  std::string describe() const override { return backend_->describe(); }
  std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                      GraphMode mode) override {
    return backend_->compile(std::move(graph), bindings, mode);
  }
  void report_compiles(const CompileProgress& progress) override {
    backend_->report_compiles(progress);
  }
  std::optional<CompileCounts> compile_counts() const override {
    return backend_->compile_counts();
  }
  std::vector<std::string> notes() const override { return backend_->notes(); }
  std::size_t work_bytes(const Graph& graph, GraphMode mode) const override {
    return backend_->work_bytes(graph, mode);
  }
  std::size_t workspace_bytes(const Graph& graph, const Node& node) const override {
    return backend_->workspace_bytes(graph, node);
  }

 private:
  std::unique_ptr<Backend> backend_;
};

}  // namespace deepinfer
