#pragma once

// What the lowering of one op sees: its operands as values of the module and where its results go.
// Lives for one op.

#include <optional>

#include "backend/pjrt/stablehlo/caches.h"
#include "backend/pjrt/stablehlo/products.h"
#include "backend/pjrt/stablehlo/weights.h"

namespace deepinfer::pjrt {

/// An operand: one of the three is there.
struct OperandVal {
  std::optional<Val> value;  ///< activations and metadata
  std::optional<WeightVal> weight;
  std::optional<CacheVal> cache;  ///< a view
};

class OpIo {
 public:
  OpIo(ModuleWriter& writer, const TypeSupport& types, std::vector<OperandVal> operands,
       std::size_t results)
      : w(writer), types(types), operands_(std::move(operands)), results_(results) {}

  bool has(std::size_t index) const { return index < operands_.size(); }
  std::size_t results() const { return results_.size(); }
  // Each throws Error (failed) if operand `index` is of another sort.
  const Val& in(std::size_t index) const;
  const WeightVal& weight(std::size_t index) const;
  const CacheVal& cache(std::size_t index) const;

  void out(std::size_t index, const Val& value) { results_.at(index) = value; }
  /// What the written operand's root (or the derived metadata) holds from now on.
  void write(const Val& storage) { written_ = storage; }

  const Val& result(std::size_t index) const { return results_.at(index); }
  const std::optional<Val>& written() const { return written_; }

  ModuleWriter& w;
  const TypeSupport& types;

 private:
  std::vector<OperandVal> operands_;
  std::vector<Val> results_;
  std::optional<Val> written_;
};

// One function per op, each in ops/<op>.cpp; the op's declaration in graph/ops/ says what it means.
void lower(const Embedding& op, OpIo& io);
void lower(const EngramLookup& op, OpIo& io);
void lower(const EngramGate& op, OpIo& io);
void lower(const HcMix& op, OpIo& io);
void lower(const HcCollapse& op, OpIo& io);
void lower(const HcExpand& op, OpIo& io);
void lower(const RmsNorm& op, OpIo& io);
void lower(const Linear& op, OpIo& io);
void lower(const GroupedLinear& op, OpIo& io);
void lower(const Rope& op, OpIo& io);
void lower(const Scale& op, OpIo& io);
void lower(const FakeQuantise& op, OpIo& io);
void lower(const CacheView& op, OpIo& io);
void lower(const WindowWrite& op, OpIo& io);
void lower(const BlockWrite& op, OpIo& io);
void lower(const Compress& op, OpIo& io);
void lower(const VisibleEntries& op, OpIo& io);
void lower(const IndexTopK& op, OpIo& io);
void lower(const SparseAttention& op, OpIo& io);
void lower(const Router& op, OpIo& io);
void lower(const Moe& op, OpIo& io);
void lower(const LmHead& op, OpIo& io);
void lower(const HcCollapseNorm& op, OpIo& io);
void lower(const RmsNormRope& op, OpIo& io);
void lower(const LinearGroup& op, OpIo& io);

// What one op is, for the ops that the pass `fuse` joins as well.
Val collapse(ModuleWriter& w, const HcCollapse& op, const Val& streams, const Val& pre);
Val normalise(ModuleWriter& w, const RmsNorm& op, const Val& x, const WeightVal& weight);
Val rotate(ModuleWriter& w, const Rope& op, const Val& x, const Val& positions);
/// x as the products of `op` read it.
Val prepare(ModuleWriter& w, const TypeSupport& types, const Linear& op, const Val& x);

}  // namespace deepinfer::pjrt
