#include "backend/pjrt/stablehlo/module_writer.h"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <utility>

#include "backend/pjrt/stablehlo/writer_checks.h"

namespace deepinfer::pjrt {
namespace {

// Around a value's number in the text until names are known.
constexpr char kOpen = '\x01';
constexpr char kClose = '\x02';

std::string legal_name(std::string_view name) {
  std::string legal;
  for (const char c : name) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    legal += fits ? c : '_';
  }
  // Names that begin with a digit are numbers to MLIR.
  if (legal.empty() || std::isdigit(static_cast<unsigned char>(legal.front())) != 0)
    legal.insert(0, "_");
  return legal;
}

std::string literal_of(Element type, double value) {
  if (type == Element::i1) return value != 0 ? "true" : "false";
  if (!is_float(type)) return fmt::format("{}", static_cast<std::int64_t>(value));
  const auto single = static_cast<float>(value);
  if (type == Element::f32 && !std::isfinite(single))
    return fmt::format("0x{:08X}", std::bit_cast<std::uint32_t>(single));
  std::string text = fmt::format("{}", single);  // the shortest that reads back the same
  if (text.find_first_of(".e") == std::string::npos) return text + ".0";
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos)
    text.insert(exponent, ".0");
  return text;
}

}  // namespace

int ModuleWriter::new_id() {
  names_.emplace_back();
  return static_cast<int>(names_.size()) - 1;
}

std::string ModuleWriter::ref(const Val& value) const {
  if (value.id < 0) throw ill_typed("value", "was never made", "an operand", "none");
  if (value.id < block_.first_id)
    throw ill_typed("function", "reads a value of another", "its operands", value.type_text());
  const std::string name = fmt::format("%{}{}{}", kOpen, value.id, kClose);
  return value.part < 0 ? name : fmt::format("{}#{}", name, value.part);
}

void ModuleWriter::line(const std::string& text) {
  block_.body.append(static_cast<std::size_t>(block_.depth) * 2, ' ').append(text).append("\n");
}

Val ModuleWriter::emit(Element type, const Dims& dims, const std::string& text) {
  Val value{.id = new_id(), .type = type, .dims = dims};
  line(ref(value) + " = " + text);
  return value;
}

Val ModuleWriter::param(std::string_view name, Element type, const Dims& dims) {
  Val value{.id = new_id(), .type = type, .dims = dims};
  rename(value, name);
  params_.push_back({.value = value, .name = std::string(name)});
  return value;
}

void ModuleWriter::alias(const Val& param, int result) {
  for (Param& known : params_)
    if (known.value.id == param.id) {
      known.alias = result;
      return;
    }
  throw ill_typed("alias", "is of no parameter", "a parameter", "another value");
}

void ModuleWriter::comment(std::string_view text) {
  std::string shown;
  for (const char c : text) shown += c == '\n' || c == kOpen || c == kClose ? ' ' : c;
  line("// " + shown);
}

void ModuleWriter::rename(const Val& value, std::string_view name) {
  if (value.part >= 0) return;  // results of one op share a name
  std::string& slot = names_.at(static_cast<std::size_t>(value.id));
  if (!slot.empty()) return;
  const std::string legal = legal_name(name);
  const int uses = uses_of_name_[legal]++;
  if (uses == 0) {
    slot = legal;
    return;
  }
  slot = fmt::format("{}_{}", legal, uses);
  while (!uses_of_name_.emplace(slot, 1).second) slot += "_";
}

Val ModuleWriter::hoist(Element type, const Dims& dims, const std::string& literal) {
  const std::string text =
      fmt::format("stablehlo.constant dense<{}> : {}", literal, tensor_type(type, dims));
  const auto known = block_.constant_of.find(text);
  if (known != block_.constant_of.end()) return known->second;
  Val value{.id = new_id(), .type = type, .dims = dims};
  block_.constants += fmt::format("    {} = {}\n", ref(value), text);
  block_.constant_of.emplace(text, value);
  return value;
}

Val ModuleWriter::constant(Element type, double value, const Dims& dims) {
  return hoist(type, dims, literal_of(type, value));
}

Val ModuleWriter::f32_bits(std::uint32_t bits, const Dims& dims) {
  return hoist(Element::f32, dims, fmt::format("0x{:08X}", bits));
}

Val ModuleWriter::table(std::span<const float> values) {
  std::string literal = "\"0x";
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int byte = 0; byte < 4; ++byte)
      literal += fmt::format("{:02X}", (bits >> (8 * byte)) & 0xff);
  }
  return hoist(Element::f32, {static_cast<std::int64_t>(values.size())}, literal + "\"");
}

std::string ModuleWriter::resolve(const std::string& text) const {
  std::string resolved;
  resolved.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != kOpen) {
      resolved += text[at];
      continue;
    }
    const std::size_t close = text.find(kClose, at);
    resolved += names_.at(std::stoul(text.substr(at + 1, close - at - 1)));
    at = close;
  }
  return resolved;
}

Val ModuleWriter::call(std::string_view name, std::span<const Val> operands, const Function& body) {
  std::string types;
  for (const Val& operand : operands) types += (types.empty() ? "" : ", ") + operand.type_text();
  const std::string key = fmt::format("{}({})", name, types);
  auto known = known_.find(key);
  if (known == known_.end()) {
    int number = 0;
    for (const auto& [other, function] : known_)
      number += other.starts_with(fmt::format("{}(", name));
    Known made;
    made.name = legal_name(name);
    if (number > 0) made.name += fmt::format("_{}", number);
    Block outer = std::exchange(block_, {});
    block_.first_id = static_cast<int>(names_.size());
    std::vector<Val> inner;
    std::string text;
    for (const Val& operand : operands) {
      inner.push_back({.id = new_id(), .type = operand.type, .dims = operand.dims});
      text +=
          fmt::format("{}{}: {}", text.empty() ? "" : ", ", ref(inner.back()), operand.type_text());
    }
    const Val result = body(inner);
    made.type = result.type;
    made.dims = result.dims;
    functions_ += fmt::format(
        "  func.func private @{}({}) -> {} {{\n{}{}    return {} : {}\n  }}\n", made.name, text,
        result.type_text(), block_.constants, block_.body, ref(result), result.type_text());
    block_ = std::move(outer);
    known = known_.emplace(key, made).first;
  }
  std::string values;
  for (const Val& operand : operands) values += (values.empty() ? "" : ", ") + ref(operand);
  const Known& function = known->second;
  return emit(function.type, function.dims,
              fmt::format("func.call @{}({}) : ({}) -> {}", function.name, values, types,
                          tensor_type(function.type, function.dims)));
}

std::string ModuleWriter::finish(std::span<const Val> results) {
  for (std::size_t id = 0; id < names_.size(); ++id) {
    Val value;
    value.id = static_cast<int>(id);
    rename(value, fmt::format("t{}", id));
  }
  std::string text =
      fmt::format("module @{} {{\n  func.func public @main(", legal_name(module_name_));
  for (std::size_t i = 0; i < params_.size(); ++i) {
    const Param& param = params_[i];
    text += fmt::format("{}\n      {}: {}", i == 0 ? "" : ",", ref(param.value),
                        param.value.type_text());
    if (param.alias < 0) continue;
    if (param.alias >= static_cast<int>(results.size()) ||
        results[static_cast<std::size_t>(param.alias)].type_text() != param.value.type_text())
      throw ill_typed("alias", fmt::format("of '{}' does not fit its result", param.name),
                      param.value.type_text(), "another type");
    text += fmt::format(" {{tf.aliasing_output = {} : i32}}", param.alias);
  }
  text += ") -> (";
  std::string values;
  std::string types;
  for (std::size_t i = 0; i < results.size(); ++i) {
    values += (i == 0 ? "" : ", ") + ref(results[i]);
    types += (i == 0 ? "" : ", ") + results[i].type_text();
  }
  text += types + ") {\n" + block_.constants + block_.body;
  text += results.empty() ? "    return\n" : fmt::format("    return {} : {}\n", values, types);
  return resolve(text + "  }\n" + functions_ + "}\n");
}

}  // namespace deepinfer::pjrt
