#include "backend/pjrt/stablehlo/module_lowering.h"

#include <fmt/format.h>

#include "backend/pjrt/stablehlo/writer_checks.h"

namespace deepinfer::pjrt {
const std::string& ModuleLowering::name_of_value(ValueId id) const {
  const auto given = names_.find(id);
  return given != names_.end() ? given->second : graph_.value(id).name;
}

/// "q = linear(qr, layers.0.attn.wq_b) round=bf16"
std::string ModuleLowering::heading(const Node& node) const {
  std::string text;
  for (const ValueId id : node.results) text += (text.empty() ? "" : ", ") + name_of_value(id);
  if (!text.empty()) text += " = ";
  text.append(name_of(node.op)) += "(";
  for (std::size_t i = 0; i < node.operands.size(); ++i)
    text += (i == 0 ? "" : ", ") + name_of_value(node.operands[i]);
  text += ")";
  const AttributeList list = attributes(node.op);
  for (const auto& [name, value] : list.entries()) text += fmt::format(" {}={}", name, value);
  return text;
}

ModuleLowering::ModuleLowering(std::string_view name, const Graph& graph,
                               const LowerOptions& options, std::map<ValueId, std::string> names)
    : graph_(graph), options_(options), names_(std::move(names)), writer_(name, options.types) {
  for (const Node& node : graph.nodes)
    if (const auto* view = std::get_if<CacheView>(&node.op)) {
      root_of_[node.results.front()] = node.operands.front();
      recipes_[node.results.front()] = view->recipe;
    }
}

Val ModuleLowering::param(ParameterKind kind, ValueId id, std::string_view name, Element type,
                          const Dims& dims) {
  Val value = writer_.param(name, type, dims);
  parameters_.push_back(
      {.kind = kind, .value = id, .name = std::string(name), .type = type, .dims = dims});
  parameter_values_.push_back(value);
  return value;
}

const Val& ModuleLowering::current(ValueId id) {
  const auto known = current_.find(id);
  if (known != current_.end()) return known->second;
  const Value& value = graph_.value(id);
  return current_[id] = param(ParameterKind::value, id, name_of_value(id), element_of(value.dtype),
                              dims_of(value.shape));
}

WeightVal ModuleLowering::weight(ValueId id) {
  const auto known = weights_.find(id);
  if (known != weights_.end()) return known->second;
  const Value& value = graph_.value(id);
  const WeightDims dims = weight_dims(value.format, value.shape);
  WeightVal weight{.format = value.format, .codes = {}, .scales = {}, .dims = dims_of(value.shape)};
  Element type = Element::ui8;
  if (value.format == WeightFormat::plain)
    type = element_of(options_.plain_type ? options_.plain_type(value) : DType::bf16);
  weight.codes = param(ParameterKind::weight, id, name_of_value(id), type, dims.codes);
  if (value.format != WeightFormat::plain)
    weight.scales =
        param(ParameterKind::scales, id, name_of_value(id) + ".scale", Element::ui8, dims.scales);
  return weights_[id] = weight;
}

ModuleLowering::Place ModuleLowering::place_of(ValueId id) const {
  const auto root = root_of_.find(id);
  if (root != root_of_.end())
    return {.storage = root->second,
            .dims = root_dims(graph_, root->second),
            .recipe = recipes_.at(id)};
  const Value& value = graph_.value(id);
  const auto rows = value.shape[0];
  const auto row_bytes = static_cast<std::int64_t>(value.bytes()) / rows;
  return {.storage = id,
          .dims = {.rows = rows, .width = row_bytes, .by_rows = true},
          .recipe = {.root = CacheRoot::kv,
                     .offset = 0,
                     .row_bytes = row_bytes,
                     .shape = value.shape,
                     .dtype = value.dtype}};
}

Val ModuleLowering::offset_of(ValueId id, const Place& place) {
  const Element type = place.dims.index_type();
  if (!options_.offset_parameters || place.storage == id)
    return writer_.constant(type, static_cast<double>(place.recipe.offset));
  const auto known = offsets_.find(id);
  if (known != offsets_.end()) return parameter_values_[known->second];
  offsets_[id] = parameters_.size();
  return param(ParameterKind::offset, id, name_of_value(id) + ".offset", type, {});
}

CacheVal ModuleLowering::cache(ValueId id) {
  const Place place = place_of(id);
  if (!current_.contains(place.storage))
    current_[place.storage] =
        param(place.storage == id ? ParameterKind::column : ParameterKind::root, place.storage,
              name_of_value(place.storage), Element::ui8, place.dims.dims());
  return {.storage = current_.at(place.storage),
          .root = place.dims,
          .offset = offset_of(id, place),
          .row_bytes = place.recipe.row_bytes,
          .shape = place.recipe.shape,
          .dtype = place.recipe.dtype};
}

OperandVal ModuleLowering::operand(ValueId id) {
  OperandVal operand;
  switch (graph_.value(id).kind) {
    case ValueKind::weight:
      operand.weight = weight(id);
      break;
    case ValueKind::view:
      operand.cache = cache(id);
      break;
    case ValueKind::metadata:
    case ValueKind::intermediate:
    case ValueKind::root:
      operand.value = current(id);
      break;
  }
  return operand;
}

void ModuleLowering::write(const Node& node, const Val& storage) {
  const ValueId id = node.operands[static_cast<std::size_t>(written_operand(node.op))];
  const bool view = graph_.value(id).kind == ValueKind::view;
  const ValueId target = view ? place_of(id).storage : id;
  writer_.rename(storage, name_of_value(target) + ".new");
  current_[target] = storage;
  for (const Result& known : written_)
    if (known.value == target) return;
  written_.push_back({.kind = view ? ResultKind::root : ResultKind::derived,
                      .value = target,
                      .type = storage.type,
                      .dims = storage.dims});
}

void ModuleLowering::add(const Node& node) {
  if (std::holds_alternative<CacheView>(node.op)) return;
  writer_.comment(heading(node));
  std::vector<OperandVal> operands;
  const int writes = written_operand(node.op);
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    // Derived metadata is written as a whole: what it held before is nobody's business.
    const bool replaced =
        static_cast<int>(i) == writes && graph_.value(node.operands[i]).kind == ValueKind::metadata;
    operands.push_back(replaced ? OperandVal{} : operand(node.operands[i]));
  }
  OpIo io(writer_, options_.types, std::move(operands), node.results.size());
  std::visit([&](const auto& op) { lower(op, io); }, node.op);
  for (std::size_t i = 0; i < node.results.size(); ++i) {
    const Value& value = graph_.value(node.results[i]);
    require_dims(name_of(node.op), io.result(i), dims_of(value.shape));
    require_type(name_of(node.op), io.result(i), element_of(value.dtype));
    writer_.rename(io.result(i), name_of_value(node.results[i]));
    current_[node.results[i]] = io.result(i);
  }
  if (io.written()) write(node, *io.written());
}

LoweredModule ModuleLowering::finish(const std::vector<ValueId>& outputs) {
  LoweredModule module;
  std::vector<Val> values;
  for (const ValueId id : outputs) {
    const Val value = current(id);
    module.results.push_back(
        {.kind = ResultKind::value, .value = id, .type = value.type, .dims = value.dims});
    values.push_back(value);
  }
  for (const Result& written : written_) {
    const auto result = static_cast<int>(values.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      Parameter& parameter = parameters_[i];
      const bool holds =
          parameter.kind == ParameterKind::root || parameter.kind == ParameterKind::column;
      if (!options_.alias_roots || !holds || parameter.value != written.value) continue;
      parameter.result = result;
      writer_.alias(parameter_values_[i], result);
    }
    module.results.push_back(written);
    values.push_back(current_.at(written.value));
  }
  module.text = writer_.finish(values);
  module.parameters = std::move(parameters_);
  return module;
}

}  // namespace deepinfer::pjrt
