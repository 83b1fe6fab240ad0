#include "runner/region_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace deepinfer {

std::string to_text(const StepTiming& timing) {
  std::string parts;
  for (const RegionTime& region : timing.regions)
    parts += fmt::format("{}{} {}x {:.2f} ms", parts.empty() ? "" : ", ", region.kind, region.count,
                         region.mean_ms());
  return fmt::format(
      "step rows={}: {:.1f} ms, regions {:.1f} ms ({}), outside regions {:.1f} ms, copy {:.3f} ms",
      timing.rows, timing.total_ms, timing.regions_ms, parts, timing.outside_ms(), timing.copy_ms);
}

void RegionTiming::captured(std::shared_ptr<const ObservedCapture> capture) {
  capture_ = std::move(capture);
  step_ = 0;
  storage_.assign(capture_->most_regions(), {});
  kinds_.clear();
  kinds_.reserve(capture_->graphs.size());
  for (const ObservedGraph& graph : capture_->graphs) {
    std::vector<std::size_t> order(graph.kinds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return graph.kinds[a] < graph.kinds[b]; });
    Kinds kinds{.times = {}, .place_of_kind = std::vector<std::size_t>(order.size())};
    kinds.times.reserve(order.size());
    for (const std::size_t kind : order) {
      kinds.place_of_kind[kind] = kinds.times.size();
      kinds.times.push_back({.kind = graph.kinds[kind], .count = 0, .total_ms = 0});
    }
    kinds_.push_back(std::move(kinds));
  }
}

void RegionTiming::step_begins(int graph) {
  graph_ = &capture_->graphs[static_cast<std::size_t>(graph)];
  spans_.start(*graph_, std::span(storage_).first(graph_->regions.size()));
  begin_ = step_clock_ns();
}

void RegionTiming::step_ends() {
  const std::int64_t end = step_clock_ns();
  Kinds& kinds = kinds_[static_cast<std::size_t>(graph_ - capture_->graphs.data())];
  for (RegionTime& time : kinds.times) {
    time.count = 0;
    time.total_ms = 0;
  }
  StepTiming timing{.step = ++step_,
                    .rows = graph_->rows,
                    .copy_ms = milliseconds(run_begin_ - begin_),
                    .total_ms = milliseconds(end - run_begin_),
                    .regions_ms = 0,
                    .regions = kinds.times};
  const std::span<const TimeSpan> spans = spans_.spans();
  for (std::size_t call = 0; call < spans.size(); ++call) {
    if (spans[call].begin == 0) continue;
    const auto kind = static_cast<std::size_t>(graph_->regions[call].kind);
    RegionTime& time = kinds.times[kinds.place_of_kind[kind]];
    const double ms = milliseconds(spans[call].length());
    ++time.count;
    time.total_ms += ms;
    timing.regions_ms += ms;
  }
  if (on_step_) on_step_(timing);
}

}  // namespace deepinfer
