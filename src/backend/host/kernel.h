#pragma once

// The contract between the host executor and the kernels of the `reference` and `cpu` backends.
//
// A kernel is a free function `void name(const OpStruct&, const Operands&, KernelContext&)`. It
// computes every result row from its own row only, in an order that does not depend on the number
// of rows, on threads or on other rows ("same bits"). It does not allocate: scratch memory comes
// from the context, in the amount its workspace function asked for.

#include <array>
#include <span>
#include <variant>

#include "backend/tensor_ref.h"
#include "core/thread_pool.h"
#include "graph/graph.h"

namespace deepinfer::host {

/// The operands and results of one op, bound to memory.
class Operands {
 public:
  Operands(std::span<const TensorRef> inputs, std::span<const std::span<const WeightRef>> weights,
           std::span<const TensorRef> results)
      : inputs_(inputs), weights_(weights), results_(results) {}

  /// Whether optional operand `index` is there.
  bool has(std::size_t index) const { return index < inputs_.size(); }
  const TensorRef& in(std::size_t index) const { return inputs_[index]; }
  /// Operand `index`, a single weight.
  const WeightRef& weight(std::size_t index) const { return weights_[index].front(); }
  /// Operand `index`, one weight per expert.
  std::span<const WeightRef> bank(std::size_t index) const { return weights_[index]; }

  std::size_t results() const { return results_.size(); }
  const TensorRef& out(std::size_t index) const { return results_[index]; }

 private:
  std::span<const TensorRef> inputs_;
  std::span<const std::span<const WeightRef>> weights_;  // empty span where not a weight
  std::span<const TensorRef> results_;
};

/// What a kernel runs on. `workspace` is 64-byte aligned and as long as the kernel asked for.
struct KernelContext {
  ThreadPool& pool;
  std::byte* workspace = nullptr;
};

/// Hands out parts of a workspace one after the other, each 64-byte aligned.
class WorkspaceCarver {
 public:
  explicit WorkspaceCarver(std::byte* start) : next_(start) {}

  template <typename T>
  T* take(std::size_t count) {
    T* part = reinterpret_cast<T*>(next_);
    next_ += bytes_for<T>(count);
    return part;
  }

  /// What take<T>(count) uses up: for workspace functions.
  template <typename T>
  static constexpr std::size_t bytes_for(std::size_t count) {
    constexpr std::size_t kAlignment = 64;
    return (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  }

 private:
  std::byte* next_;
};

/// One row of a kernel table.
struct Kernel {
  using Run = void (*)(const Op& op, const Operands& io, KernelContext& context);
  using Workspace = std::size_t (*)(const Graph& graph, const Node& node, int threads);

  Run run = nullptr;
  Workspace workspace = nullptr;  ///< nullptr: needs none
};

/// Kernels by op, indexed like the Op variant. cache_view has none: it moves no bytes.
class KernelTable {
 public:
  template <typename OpStruct, void (*Function)(const OpStruct&, const Operands&, KernelContext&)>
  void set(Kernel::Workspace workspace = nullptr) {
    kernels_[index_of<OpStruct>()] = {[](const Op& op, const Operands& io, KernelContext& context) {
                                        Function(std::get<OpStruct>(op), io, context);
                                      },
                                      workspace};
  }

  const Kernel& operator[](const Op& op) const { return kernels_[op.index()]; }

 private:
  template <typename OpStruct, std::size_t Index = 0>
  static constexpr std::size_t index_of() {
    if constexpr (std::is_same_v<std::variant_alternative_t<Index, Op>, OpStruct>)
      return Index;
    else
      return index_of<OpStruct, Index + 1>();
  }

  std::array<Kernel, std::variant_size_v<Op>> kernels_{};
};

}  // namespace deepinfer::host
