#include "runner/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepinfer {
namespace {

constexpr int kProcess = 1;

/// A string of JSON.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\')
      result += {'\\', character};
    else if (code < 0x20)
      result += fmt::format("\\u{:04x}", code);
    else
      result += character;
  }
  return result + '"';
}

/// Nanoseconds as microseconds, exactly: events that touch must not seem to overlap.
std::string microseconds(std::int64_t nanoseconds) {
  constexpr std::int64_t kPerMicrosecond = 1000;
  return fmt::format("{}.{:03}", nanoseconds / kPerMicrosecond, nanoseconds % kPerMicrosecond);
}

/// Times of a trace count from its first step.
struct EventWriter {
  std::int64_t origin;
  std::string& text;

  void complete(std::string_view name, std::string_view category, TimeSpan span, std::size_t thread,
                std::string_view args) const {
    text += fmt::format(
        ",\n{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{},"
        "\"args\":{{{}}}}}",
        quoted(name), category, microseconds(span.begin - origin), microseconds(span.length()),
        kProcess, thread, args);
  }
};

}  // namespace

void TraceWriter::captured(std::shared_ptr<const ObservedCapture> capture) {
  capture_ = std::move(capture);
  most_ops_ = capture_->most_ops();
  most_regions_ = capture_->most_regions();
  members_ = static_cast<std::size_t>(capture_->members);
  recording_ = false;
  steps_.clear();
  steps_.reserve(most_steps_);
  ops_.assign(most_steps_ * most_ops_, {});
  regions_.assign(most_steps_ * most_regions_, {});
  work_.assign(members_ * most_steps_ * most_ops_, {});
}

void TraceWriter::step_begins(int graph) {
  recording_ = steps_.size() < most_steps_;
  if (!recording_) return;
  current_ = {.graph = &capture_->graphs[static_cast<std::size_t>(graph)],
              .begin = 0,
              .run_begin = 0,
              .end = 0};
  region_spans_.start(*current_.graph, std::span(regions_).subspan(steps_.size() * most_regions_,
                                                                   current_.graph->regions.size()));
  // Left over only if an earlier try at this step failed.
  const std::size_t step = steps_.size();
  std::fill_n(ops_.begin() + static_cast<std::ptrdiff_t>(step * most_ops_), most_ops_, TimeSpan{});
  for (std::size_t member = 0; member < members_; ++member)
    std::fill_n(&work(member, step, 0), most_ops_, Work{});
  current_.begin = step_clock_ns();
}

void TraceWriter::run_begins() {
  if (recording_) current_.run_begin = step_clock_ns();
}

void TraceWriter::step_ends() {
  if (!recording_) return;
  current_.end = step_clock_ns();
  steps_.push_back(current_);
  recording_ = false;
}

void TraceWriter::op_begins(int node) {
  if (!recording_) return;
  node_ = static_cast<std::size_t>(node);
  const std::int64_t now = step_clock_ns();
  region_spans_.op_begins(node, now);
  ops_[steps_.size() * most_ops_ + node_].begin = now;
}

void TraceWriter::op_ends(int node) {
  if (!recording_) return;
  const std::int64_t now = step_clock_ns();
  ops_[steps_.size() * most_ops_ + static_cast<std::size_t>(node)].end = now;
  region_spans_.op_ends(node, now);
}

void TraceWriter::region_begins(int call) {
  if (recording_) region_spans_.region_begins(call, step_clock_ns());
}

void TraceWriter::region_ends(int call) {
  if (recording_) region_spans_.region_ends(call, step_clock_ns());
}

void TraceWriter::work_begins(int member) {
  const auto index = static_cast<std::size_t>(member);
  if (!recording_ || index >= members_) return;
  Work& entry = work(index, steps_.size(), node_);
  entry.part_begin = step_clock_ns();
  if (entry.parts++ == 0) entry.span.begin = entry.part_begin;
}

void TraceWriter::work_ends(int member) {
  const auto index = static_cast<std::size_t>(member);
  if (!recording_ || index >= members_) return;
  Work& entry = work(index, steps_.size(), node_);
  entry.span.end = step_clock_ns();
  entry.busy += entry.span.end - entry.part_begin;
}

void TraceWriter::write_metadata(const Sink& sink) const {
  std::string text = fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
      "{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"tid\":0,"
      "\"args\":{{\"name\":\"deepinfer\"}}}}",
      kProcess);
  for (std::size_t member = 0; member < members_; ++member)
    text += fmt::format(
        ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{},\"tid\":{},"
        "\"args\":{{\"name\":\"{}\"}}}}",
        kProcess, member,
        member == 0 ? std::string("step, member 0") : fmt::format("member {}", member));
  sink(text);
}

void TraceWriter::write_work(std::size_t step, std::size_t node, std::string& text) const {
  const EventWriter events{steps_.front().begin, text};
  const ObservedOp& op = steps_[step].graph->ops[node];
  for (std::size_t member = 0; member < members_; ++member) {
    const Work& entry = work_[(member * most_steps_ + step) * most_ops_ + node];
    if (entry.parts == 0) continue;
    events.complete(op.name, "work", entry.span, member,
                    fmt::format("\"place\":{},\"parts\":{},\"busy_us\":{}", quoted(op.place),
                                entry.parts, microseconds(entry.busy)));
  }
}

void TraceWriter::write_step(std::size_t index, const Sink& sink) const {
  const Step& step = steps_[index];
  const ObservedGraph& graph = *step.graph;
  std::string text;
  const EventWriter events{steps_.front().begin, text};
  events.complete(fmt::format("step rows={}", graph.rows), "step", {step.begin, step.end}, 0,
                  fmt::format("\"step\":{},\"rows\":{}", index + 1, graph.rows));
  events.complete("copy metadata", "copy", {step.begin, step.run_begin}, 0, "");
  for (std::size_t call = 0; call < graph.regions.size(); ++call) {
    const TimeSpan& span = regions_[index * most_regions_ + call];
    if (span.begin == 0) continue;
    const ObservedRegion& region = graph.regions[call];
    events.complete(graph.kinds[static_cast<std::size_t>(region.kind)], "region", span, 0,
                    fmt::format("\"place\":{}", quoted(region.place)));
  }
  for (std::size_t node = 0; node < graph.ops.size(); ++node) {
    const TimeSpan& span = ops_[index * most_ops_ + node];
    if (span.begin == 0) continue;
    const ObservedOp& op = graph.ops[node];
    events.complete(op.name, "op", span, 0,
                    fmt::format("\"place\":{},\"bytes\":{},\"flops\":{}", quoted(op.place),
                                op.cost.bytes, op.cost.flops));
    write_work(index, node, text);
  }
  sink(text);
}

void TraceWriter::write(const Sink& sink) const {
  write_metadata(sink);
  for (std::size_t index = 0; index < steps_.size(); ++index) write_step(index, sink);
  sink("\n]}\n");
}

}  // namespace deepinfer
