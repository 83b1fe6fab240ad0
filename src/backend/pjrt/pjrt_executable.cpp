#include "backend/pjrt/pjrt_executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "backend/host/binding.h"
#include "backend/pjrt/root_copies.h"
#include "backend/pjrt/step_pieces.h"
#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }

bool runs(const Node& node) { return !std::holds_alternative<CacheView>(node.op); }

std::int64_t offset_of(const Graph& graph, ValueId view) {
  for (const Node& node : graph.nodes)
    if (const auto* op = std::get_if<CacheView>(&node.op); op && node.results.front() == view)
      return op->recipe.offset;
  throw Error::failed("pjrt", "no view makes '" + graph.value(view).name + "'");
}

}  // namespace

PjrtExecutable::PjrtExecutable(std::shared_ptr<const Client> client, ProgramStore& programs,
                               DeviceStore& memory, std::shared_ptr<const Graph> graph,
                               const Bindings& bindings, Settings settings)
    : client_(std::move(client)),
      graph_(std::move(graph)),
      holdings_(memory.holdings()),
      storage_(graph_->values.size(), nullptr),
      values_(graph_->values.size()) {
  settings.lowering.plain_type = [&bindings](const Value& value) {
    return bindings.weights(value).front().dtype;
  };
  // One program for all layers must be told where each layer's columns lie.
  settings.lowering.offset_parameters = settings.mode != GraphMode::whole;
  plan(programs, settings);
  for (std::size_t id = 0; id < storage_.size(); ++id) {
    const Value& value = graph_->values[id];
    if (value.kind == ValueKind::metadata || value.kind == ValueKind::root)
      storage_[id] = bindings.storage(value);
  }
  bind(memory, bindings);
  find_last_uses();
  for (const GraphOutput& output : graph_->outputs)
    output_bytes_.emplace_back(graph_->value(output.value).bytes());
  measure();
}

void PjrtExecutable::plan(ProgramStore& programs, const Settings& settings) {
  const bool in_regions = settings.mode == GraphMode::regions;
  const RegionPlan regions = in_regions ? plan_regions(*graph_) : RegionPlan();
  std::vector<Piece> pieces = cut(*graph_, regions, settings.mode, settings.lowering);
  make_programs(programs, pieces);
  if (in_regions && settings.split_regions) {
    pieces = split_failed_regions(std::move(pieces), *graph_, regions, settings.lowering, notes_);
    make_programs(programs, pieces);
  }
  for (const Piece& piece : pieces)
    if (piece.made.fault != nullptr) std::rethrow_exception(piece.made.fault);
  if (settings.refuse_copies)
    refuse_root_copies(programs, pieces, *graph_, regions, settings.lowering);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    const bool inside = piece.region >= 0;
    steps_.push_back(
        {.node = piece.node,
         .region = piece.region,
         .begins = inside && (i == 0 || pieces[i - 1].region != piece.region),
         .ends = inside && (i + 1 == pieces.size() || pieces[i + 1].region != piece.region),
         .program = std::move(piece.made.program),
         .parameters = std::move(piece.module.parameters),
         .sources = {},
         .results = std::move(piece.module.results),
         .roots = {},
         .last_used = {}});
  }
}

void PjrtExecutable::bind(DeviceStore& memory, const Bindings& bindings) {
  std::set<ValueId> made;
  std::set<ValueId> uploaded;
  std::set<ValueId> derived;
  for (Step& step : steps_) {
    for (const Parameter& parameter : step.parameters) {
      step.sources.push_back(source_of(parameter, memory, bindings));
      if (parameter.kind == ParameterKind::value && !made.contains(parameter.value))
        uploaded.insert(parameter.value);
    }
    for (const Result& result : step.results) {
      made.insert(result.value);
      const bool root = result.kind == ResultKind::root;
      step.roots.push_back(root ? memory.root(storage_[at(result.value)]) : nullptr);
      if (result.kind == ResultKind::derived) derived.insert(result.value);
    }
  }
  uploaded_.assign(uploaded.begin(), uploaded.end());
  derived_.assign(derived.begin(), derived.end());
}

PjrtExecutable::Source PjrtExecutable::source_of(const Parameter& parameter, DeviceStore& memory,
                                                 const Bindings& bindings) const {
  const Value& value = graph_->value(parameter.value);
  Source source{.type = {.name = value.name, .type = type_of(parameter)},
                .given = parameter.result >= 0};
  switch (parameter.kind) {
    case ParameterKind::value:
      source.value = parameter.value;
      break;
    case ParameterKind::weight:
    case ParameterKind::scales:
      source.fixed = memory.weight(parameter, bindings.weights(value));
      break;
    case ParameterKind::offset:
      source.fixed = memory.scalar(parameter.type, offset_of(*graph_, parameter.value));
      break;
    case ParameterKind::root:
      source.root = memory.root(storage_[at(parameter.value)]);
      break;
    case ParameterKind::column:
      throw Error::failed("pjrt", "the view '" + value.name + "' has no root in the graph");
  }
  return source;
}

void PjrtExecutable::find_last_uses() {
  std::set<ValueId> used(derived_.begin(), derived_.end());
  for (const GraphOutput& output : graph_->outputs) used.insert(output.value);
  for (std::size_t index = steps_.size(); index-- > 0;) {
    Step& step = steps_[index];
    for (const Source& source : step.sources)
      if (source.value >= 0 && used.insert(source.value).second)
        step.last_used.push_back(source.value);
    for (const Result& result : step.results)
      if (result.kind == ResultKind::value && used.insert(result.value).second)
        step.last_used.push_back(result.value);
  }
}

void PjrtExecutable::measure() {
  std::set<const Program*> programs;
  for (const Step& step : steps_) {
    if (!programs.insert(step.program.get()).second) continue;
    const std::int64_t bytes = temporary_bytes(*step.program).value_or(0);
    info_.arena_bytes =
        std::max(info_.arena_bytes, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0)));
  }
  info_.executables = programs.size();
  info_.ops =
      static_cast<std::size_t>(std::count_if(graph_->nodes.begin(), graph_->nodes.end(), runs));
}

void PjrtExecutable::run() {
  if (!loaded_) load_inputs();
  loaded_ = false;
  for (Step& step : steps_) {
    announce_begin(step);
    run(step);
    announce_end(step);
  }
  download();
  for (Buffer& value : values_) value = Buffer();
}

void PjrtExecutable::load_inputs() {
  for (const ValueId id : uploaded_) {
    const Value& value = graph_->value(id);
    const NamedType type = {
        .name = value.name,
        .type = {.type = element_of(value.dtype), .dims = dims_of(value.shape)}};
    values_[at(id)] =
        holdings_->upload(*client_, type, {storage_[at(id)], type.type.bytes()}, kLessForPrograms);
  }
  loaded_ = true;
}

Buffer& PjrtExecutable::root_of(const Source& source) const {
  try {
    return source.root->as(source.type);
  } catch (const ApiError& fault) {
    if (!fault.out_of_memory()) throw;
    throw device_full(source.type.name, fmt::format("this one {}", source.type.type.bytes()),
                      holdings_->account(*client_), kLessForCaches, fault);
  }
}

std::vector<Buffer> PjrtExecutable::run_program(const Program& program,
                                                std::span<const Argument> arguments) const {
  try {
    return program.run(arguments);
  } catch (const ApiError& fault) {
    if (!fault.out_of_memory()) throw;
    throw device_full(program.signature().name,
                      fmt::format("{} that it works in", temporary_bytes(program).value_or(0)),
                      holdings_->account(*client_), kLessForPrograms, fault);
  }
}

void PjrtExecutable::run(Step& step) {
  std::vector<Argument> arguments;
  arguments.reserve(step.sources.size());
  for (Source& source : step.sources) {
    Buffer* buffer = source.fixed.get();
    if (source.root != nullptr) buffer = &root_of(source);
    if (source.value >= 0) buffer = &values_[at(source.value)];
    arguments.push_back(source.given ? Argument::give(*buffer) : Argument::lend(*buffer));
  }
  std::vector<Buffer> results = run_program(*step.program, arguments);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ValueId id = step.results[i].value;
    results[i].set_name(graph_->value(id).name);
    if (step.roots[i] != nullptr)
      step.roots[i]->replace(std::move(results[i]));
    else
      values_[at(id)] = std::move(results[i]);
  }
  for (const ValueId id : step.last_used) values_[at(id)] = Buffer();
}

void PjrtExecutable::announce_begin(const Step& step) const {
  if (observer_ == nullptr) return;
  if (step.begins) observer_->region_begins(step.region);
  if (step.node >= 0) observer_->op_begins(step.node);
}

void PjrtExecutable::announce_end(const Step& step) const {
  if (observer_ == nullptr) return;
  if (step.node >= 0) observer_->op_ends(step.node);
  if (step.ends) observer_->region_ends(step.region);
}

void PjrtExecutable::download() {
  for (const ValueId id : derived_)
    values_[at(id)].download({storage_[at(id)], graph_->value(id).bytes()});
  for (std::size_t i = 0; i < graph_->outputs.size(); ++i)
    values_[at(graph_->outputs[i].value)].download(
        {output_bytes_[i].data(), output_bytes_[i].size()});
}

TensorRef PjrtExecutable::output(std::string_view name) const {
  const GraphOutput& output = host::find_output(*graph_, name);
  const auto index = static_cast<std::size_t>(&output - graph_->outputs.data());
  return host::contiguous_ref(graph_->value(output.value), output_bytes_[index].data());
}

}  // namespace deepinfer::pjrt
