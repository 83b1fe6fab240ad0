#include "backend/pjrt/stablehlo/module_writer.h"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <cmath>

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
  const std::string name = fmt::format("%{}{}{}", kOpen, value.id, kClose);
  return value.part < 0 ? name : fmt::format("{}#{}", name, value.part);
}

void ModuleWriter::line(const std::string& text) {
  body_.append(static_cast<std::size_t>(depth_) * 2, ' ').append(text).append("\n");
}

Val ModuleWriter::emit(Element type, const Dims& dims, const std::string& text) {
  const Val value{.id = new_id(), .type = type, .dims = dims};
  line(ref(value) + " = " + text);
  return value;
}

Val ModuleWriter::param(std::string_view name, Element type, const Dims& dims) {
  const Val value{.id = new_id(), .type = type, .dims = dims};
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
  const auto known = constant_of_.find(text);
  if (known != constant_of_.end()) return known->second;
  const Val value{.id = new_id(), .type = type, .dims = dims};
  constants_ += fmt::format("    {} = {}\n", ref(value), text);
  constant_of_.emplace(text, value);
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
  text += types + ") {\n" + constants_ + body_;
  text += results.empty() ? "    return\n" : fmt::format("    return {} : {}\n", values, types);
  return resolve(text + "  }\n}\n");
}

}  // namespace deepinfer::pjrt
