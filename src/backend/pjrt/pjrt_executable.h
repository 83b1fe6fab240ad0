#pragma once

// A graph as programs of a plug-in, bound to memory: one for the whole graph, one per region call
// or one per node. Calls and nodes that are alike share a program.
//
// Weights and roots lie on the device; load_inputs() uploads the metadata from its host storage. A
// run runs the programs in order, each on what those before left on the device, and downloads the
// graph's outputs and the metadata that it derives. One thread at a time.

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/host/aligned_buffer.h"
#include "backend/pjrt/device_store.h"
#include "backend/pjrt/program_store.h"

namespace deepinfer::pjrt {

class PjrtExecutable : public deepinfer::Executable {
 public:
  struct Settings {
    GraphMode mode = GraphMode::whole;
    /// A region that cannot be compiled runs op by op.
    bool split_regions = false;
    /// Programs that copy a root are refused (root_copies.h): the plug-in can update in place.
    bool refuse_copies = false;
    /// What the device takes; plain types and offsets are filled in here.
    LowerOptions lowering = {};
  };

  /// Throws Error (failed) if a program cannot be compiled, the first of them in the graph's order;
  /// Error (failed) with an account if the device is full.
  PjrtExecutable(std::shared_ptr<const Client> client, ProgramStore& programs, DeviceStore& memory,
                 std::shared_ptr<const Graph> graph, const Bindings& bindings, Settings settings);

  void load_inputs() override;
  void run() override;
  TensorRef output(std::string_view name) const override;
  ExecutableInfo info() const override { return info_; }
  const Graph& graph() const override { return *graph_; }
  /// Regions that run op by op, and why: a line each.
  const std::vector<std::string>& notes() const { return notes_; }
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
    int node = -1;        // of a program of one node
    int region = -1;      // the call that the step belongs to
    bool begins = false;  // it is the region's first
    bool ends = false;    // it is the region's last
    std::shared_ptr<const Program> program;
    std::vector<Parameter> parameters;
    std::vector<Source> sources;  // by parameter
    std::vector<Result> results;
    std::vector<std::shared_ptr<DeviceRoot>> roots;  // by result; null: not a root
    std::vector<ValueId> last_used;                  // values that no later step reads
  };

  void plan(ProgramStore& programs, const Settings& settings);
  void bind(DeviceStore& memory, const Bindings& bindings);
  Source source_of(const Parameter& parameter, DeviceStore& memory, const Bindings& bindings) const;
  void find_last_uses();
  void measure();

  void run(Step& step);
  Buffer& root_of(const Source& source) const;
  std::vector<Buffer> run_program(const Program& program,
                                  std::span<const Argument> arguments) const;
  void announce_begin(const Step& step) const;
  void announce_end(const Step& step) const;
  void download();

  std::shared_ptr<const Client> client_;
  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<const DeviceHoldings> holdings_;
  StepObserver* observer_ = nullptr;
  ExecutableInfo info_;
  std::vector<Step> steps_;
  std::vector<std::string> notes_;
  std::vector<std::byte*> storage_;                // by value id: metadata and roots
  std::vector<ValueId> uploaded_;                  // metadata that a step reads
  std::vector<ValueId> derived_;                   // metadata that a step writes
  std::vector<Buffer> values_;                     // by value id, until the end of a run
  bool loaded_ = false;                            // inputs of the next run are in values_
  std::vector<host::AlignedBuffer> output_bytes_;  // by output
};

}  // namespace deepinfer::pjrt
