#pragma once

// Mode `eager`: op by op, each op's results in fresh memory, taken when it runs.

#include "backend/host/aligned_buffer.h"
#include "backend/host/host_executable.h"

namespace deepinfer::host {

/// Slower and plainer than the other modes, and their judge.
class EagerExecutable : public HostExecutable {
 public:
  EagerExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                  const KernelTable& kernels, ThreadPool& pool);

  void run() override;
  ExecutableInfo info() const override;

 private:
  const KernelTable& kernels_;
  std::vector<AlignedBuffer> buffers_;  // by value id, of the last run
};

}  // namespace deepinfer::host
