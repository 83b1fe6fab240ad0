#include <algorithm>
#include <limits>
#include <memory>

#include "backend/cpu/index_sweep.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/top_list.h"

namespace deepinfer::cpu {
namespace {

struct Plan {
  std::int64_t rows;
  std::int64_t width;
  std::int64_t topk;
  std::int64_t publish;
  std::int64_t parts;  ///< into which the entries of every row are split
  std::int64_t lists;  ///< one per thread if rows are not split, else one per part of every row
};

Plan plan_of(const IndexTopK& op, const Shape& q, int threads) {
  // Few rows (decoding): the entries of each are split, so that a long context keeps all threads
  // busy. The bound keeps the lists small on machines with very many.
  constexpr std::int64_t kRowsPerThread = 4;
  constexpr std::int64_t kMostParts = 8;
  const bool split = q[0] < kRowsPerThread * threads;
  const std::int64_t parts = split ? std::min<std::int64_t>(threads, kMostParts) : 1;
  return {.rows = q[0],
          .width = q[1] / op.heads,
          .topk = op.topk,
          .publish = op.publish_blocks,
          .parts = parts,
          .lists = parts == 1 ? threads : q[0] * parts};
}

/// The running best of one row, or of one part of it.
struct Lists {
  TopList entries;
  TopList blocks;
};

/// The op's workspace, carved.
struct Workspace {
  Lists* lists;
  std::uint64_t* entry_keys;
  std::uint64_t* block_keys;
  std::byte* scratch;

  static std::size_t bytes(const Plan& plan, int threads) {
    using Carver = host::WorkspaceCarver;
    return Carver::bytes_for<Lists>(static_cast<std::size_t>(plan.lists)) +
           Carver::bytes_for<std::uint64_t>(entry_count(plan)) +
           Carver::bytes_for<std::uint64_t>(block_count(plan)) +
           static_cast<std::size_t>(threads) * IndexScratch::bytes(plan.width);
  }
  Workspace(std::byte* start, const Plan& plan) {
    host::WorkspaceCarver carver(start);
    lists = carver.take<Lists>(static_cast<std::size_t>(plan.lists));
    entry_keys = carver.take<std::uint64_t>(entry_count(plan));
    block_keys = carver.take<std::uint64_t>(block_count(plan));
    scratch = carver.take<std::byte>(0);
  }

  std::uint64_t* entry_keys_of(const Plan& plan, std::int64_t list) const {
    return entry_keys + list * TopList::capacity(plan.topk);
  }
  std::uint64_t* block_keys_of(const Plan& plan, std::int64_t list) const {
    return block_keys + list * TopList::capacity(plan.publish);
  }

 private:
  static std::size_t entry_count(const Plan& plan) {
    return static_cast<std::size_t>(plan.lists * TopList::capacity(plan.topk));
  }
  static std::size_t block_count(const Plan& plan) {
    return plan.publish == 0
               ? 0
               : static_cast<std::size_t>(plan.lists * TopList::capacity(plan.publish));
  }
};

/// The best of part `part` of a row into list `list`.
void sweep_part(const RowFunctions& isa, const IndexTopK& op, const Operands& io, const Plan& plan,
                const Workspace& workspace, const IndexScratch& scratch, std::int64_t row,
                std::int64_t part, std::int64_t list) {
  Lists* lists = std::construct_at(
      workspace.lists + list,
      Lists{.entries = TopList(workspace.entry_keys_of(plan, list), plan.topk),
            .blocks = TopList(workspace.block_keys_of(plan, list), plan.publish)});
  TopList* blocks = plan.publish > 0 ? &lists->blocks : nullptr;
  IndexSweep sweep(isa, op, io, row, scratch);
  sweep.run(split_range(sweep.units(), static_cast<int>(part), static_cast<int>(plan.parts)),
            lists->entries, blocks);
  if (blocks != nullptr && part == 0 && sweep.newest_block() >= 0)
    blocks->push(std::numeric_limits<float>::infinity(), sweep.newest_block());
}

/// Joins the lists of a row's parts, the first of which is `list`, and writes its results.
void write_row(const Operands& io, const Plan& plan, const Workspace& workspace, std::int64_t row,
               std::int64_t list) {
  Lists& first = workspace.lists[list];
  for (std::int64_t other = list + 1; other < list + plan.parts; ++other) {
    const std::int64_t entries = workspace.lists[other].entries.cut();
    for (std::int64_t i = 0; i < entries; ++i)
      first.entries.push_key(workspace.entry_keys_of(plan, other)[i]);
    if (plan.publish == 0) continue;
    const std::int64_t blocks = workspace.lists[other].blocks.cut();
    for (std::int64_t i = 0; i < blocks; ++i)
      first.blocks.push_key(workspace.block_keys_of(plan, other)[i]);
  }
  write_ascending(workspace.entry_keys_of(plan, list), first.entries.cut(),
                  io.out(0).row<std::int32_t>(row), plan.topk);
  if (plan.publish > 0)
    write_ascending(workspace.block_keys_of(plan, list), first.blocks.cut(),
                    io.out(1).row<std::int32_t>(row), plan.publish);
}

}  // namespace

std::size_t index_top_k_workspace(const Graph& graph, const Node& node, int threads) {
  const Plan plan =
      plan_of(std::get<IndexTopK>(node.op), graph.value(node.operands[0]).shape, threads);
  return Workspace::bytes(plan, threads);
}

void index_top_k(const RowFunctions& isa, const IndexTopK& op, const Operands& io,
                 KernelContext& context) {
  const int threads = context.pool.size();
  const Plan plan = plan_of(op, io.in(0).shape, threads);
  const Workspace workspace(context.workspace, plan);

  context.pool.run([&](int member) {
    const IndexScratch scratch(
        workspace.scratch + static_cast<std::size_t>(member) * IndexScratch::bytes(plan.width),
        plan.width);
    for (std::int64_t item = member; item < plan.rows * plan.parts; item += threads) {
      const std::int64_t row = item / plan.parts;
      const std::int64_t list = plan.parts == 1 ? member : item;
      sweep_part(isa, op, io, plan, workspace, scratch, row, item % plan.parts, list);
      if (plan.parts == 1) write_row(io, plan, workspace, row, list);
    }
  });
  if (plan.parts == 1) return;
  context.pool.parallel_for(plan.rows, 1, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row)
      write_row(io, plan, workspace, row, row * plan.parts);
  });
}

}  // namespace deepinfer::cpu
