#pragma once

// A graph as programs of a plug-in, bound to memory: one for the whole graph, one per region call
// or one per node. Calls and nodes that are alike share a program.
//
// Weights and roots lie on the device. A run uploads the metadata from its host storage, runs the
// programs in order, each on what those before left on the device, and downloads the graph's
// outputs and the metadata that it derives. One thread at a time.

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/host/aligned_buffer.h"
#include "backend/pjrt/device_store.h"
#include "backend/pjrt/program_store.h"

namespace deepinfer::pjrt {

class PjrtExecutable : public deepinfer::Executable {
 public:
  /// `lowering` says what the device takes; plain types and offsets are filled in here. Throws
  /// ApiError if a program cannot be compiled or the device is full.
  PjrtExecutable(std::shared_ptr<const Client> client, ProgramStore& programs, DeviceStore& memory,
                 std::shared_ptr<const Graph> graph, const Bindings& bindings, GraphMode mode,
                 LowerOptions lowering);

  void run() override;
  TensorRef output(std::string_view name) const override;
  ExecutableInfo info() const override { return info_; }
  const Graph& graph() const override { return *graph_; }
  void observe(StepObserver* observer) override { observer_ = observer; }

 private:
  /// Where an argument comes from: one of the three.
  struct Source {
    std::shared_ptr<Buffer> fixed = nullptr;     // weights, offsets
    std::shared_ptr<DeviceRoot> root = nullptr;  // in which case `type` is what the program wants
    ValueId value = -1;                          // metadata, or a result of an earlier step
    NamedType type = {};
    bool given = false;
  };
  struct Step {
    int node = -1;  // of a program of one node
    int call = -1;  // of a region's program
    std::shared_ptr<const Program> program;
    std::vector<Parameter> parameters;
    std::vector<Source> sources;  // by parameter
    std::vector<Result> results;
    std::vector<std::shared_ptr<DeviceRoot>> roots;  // by result; null: not a root
    std::vector<ValueId> last_used;                  // values that no later step reads
  };

  void plan(ProgramStore& programs, GraphMode mode, const LowerOptions& lowering);
  void add(ProgramStore& programs, LoweredModule module, const std::string& name, int node,
           int call);
  void bind(DeviceStore& memory, const Bindings& bindings);
  Source source_of(const Parameter& parameter, DeviceStore& memory, const Bindings& bindings) const;
  void find_last_uses();
  void measure();

  void upload_metadata();
  void run(Step& step);
  void announce_begin(const Step& step) const;
  void announce_end(const Step& step) const;
  void download();

  std::shared_ptr<const Client> client_;
  std::shared_ptr<const Graph> graph_;
  StepObserver* observer_ = nullptr;
  ExecutableInfo info_;
  std::vector<Step> steps_;
  std::vector<std::byte*> storage_;                // by value id: metadata and roots
  std::vector<ValueId> uploaded_;                  // metadata that a step reads
  std::vector<ValueId> derived_;                   // metadata that a step writes
  std::vector<Buffer> values_;                     // by value id, during a run
  std::vector<host::AlignedBuffer> output_bytes_;  // by output
};

}  // namespace deepinfer::pjrt
