#pragma once

// The executor that `reference` and `cpu` share: it binds a graph to memory once and then calls one
// kernel per op. The two differ only in their kernel table.

#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/host/aligned_buffer.h"
#include "backend/host/kernel.h"

namespace deepinfer::host {

class HostBackend : public Backend {
 public:
  HostBackend(std::string name, std::string description, const KernelTable& kernels, int threads);

  std::string_view name() const override { return name_; }
  std::string describe() const override { return description_; }
  std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                      GraphMode mode) override;
  std::size_t work_bytes(const Graph& graph, GraphMode mode) const override;
  std::size_t workspace_bytes(const Graph& graph, const Node& node) const override;

 private:
  std::shared_ptr<AlignedBuffer> arena_of(std::size_t bytes);

  std::string name_;
  std::string description_;
  KernelTable kernels_;
  ThreadPool pool_;
  std::shared_ptr<AlignedBuffer>
      arena_;  // shared by all planned executables it is large enough for
};

}  // namespace deepinfer::host
