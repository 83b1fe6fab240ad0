#include "runner/step_profile.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepinfer {
namespace {

/// 10^9 per second of `amount` in `ms` milliseconds.
double giga_per_second(std::int64_t amount, double ms) {
  constexpr double kGigaPerMillisecond = 1e6;
  return ms > 0 ? static_cast<double>(amount) / ms / kGigaPerMillisecond : 0;
}

}  // namespace

double ProfiledOp::gb_per_s() const { return giga_per_second(op->cost.bytes, ms); }
double ProfiledOp::gflop_per_s() const { return giga_per_second(op->cost.flops, ms); }

std::string to_text(const StepProfile& profile) {
  std::string text = fmt::format(
      "profile of step {} (rows={}): {:.3f} ms, {} ops {:.3f} ms; the {} most expensive\n",
      profile.step, profile.rows, profile.total_ms, profile.op_count, profile.ops_ms,
      profile.ops.size());
  text += fmt::format("{:<28} {:<17}{:>9}{:>13}{:>8}{:>15}{:>9}{:>8}", "place", "op", "ms", "bytes",
                      "GB/s", "flops", "GFLOP/s", "share");
  for (const ProfiledOp& op : profile.ops)
    text += fmt::format("\n{:<28} {:<17}{:>9.4f}{:>13}{:>8.2f}{:>15}{:>9.2f}{:>7.1f}%",
                        op.op->place, op.op->name, op.ms, op.op->cost.bytes, op.gb_per_s(),
                        op.op->cost.flops, op.gflop_per_s(), 100 * op.share);
  return text;
}

void StepProfiler::captured(std::shared_ptr<const ObservedCapture> capture) {
  capture_ = std::move(capture);
  step_ = 0;
  spans_.assign(capture_->most_ops(), {});
  ops_.clear();
  ops_.reserve(capture_->most_ops());
}

void StepProfiler::step_begins(int graph) {
  ++step_;
  graph_ = &capture_->graphs[static_cast<std::size_t>(graph)];
}

void StepProfiler::step_ends() {
  if (!profiling()) return;
  StepProfile profile{.step = step_,
                      .rows = graph_->rows,
                      .total_ms = milliseconds(step_clock_ns() - run_begin_),
                      .ops_ms = 0,
                      .op_count = 0,
                      .ops = {}};
  ops_.clear();
  for (std::size_t node = 0; node < graph_->ops.size(); ++node) {
    if (spans_[node].begin == 0) continue;
    const double ms = milliseconds(spans_[node].length());
    profile.ops_ms += ms;
    ops_.push_back({.op = &graph_->ops[node],
                    .node = static_cast<int>(node),
                    .ms = ms,
                    .share = profile.total_ms > 0 ? ms / profile.total_ms : 0});
  }
  profile.op_count = ops_.size();
  const std::size_t shown = std::min(ops_.size(), kProfiledOps);
  std::partial_sort(ops_.begin(), ops_.begin() + static_cast<std::ptrdiff_t>(shown), ops_.end(),
                    [](const ProfiledOp& a, const ProfiledOp& b) {
                      return a.ms != b.ms ? a.ms > b.ms : a.node < b.node;
                    });
  profile.ops = std::span(ops_).first(shown);
  if (on_profile_) on_profile_(profile);
}

}  // namespace deepinfer
