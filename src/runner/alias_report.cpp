#include "runner/alias_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

std::int64_t address_of(const void* pointer) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pointer));
}

std::int64_t code_bytes(const WeightRef& weight) {
  const std::int64_t elements = weight.shape.elements();
  switch (weight.format) {
    case WeightFormat::plain:
      return elements * static_cast<std::int64_t>(size_of(weight.dtype));
    case WeightFormat::fp8:
      return elements;
    case WeightFormat::fp4:
      return elements / 2;
  }
  return 0;
}

std::int64_t scale_bytes(const WeightRef& weight) {
  constexpr std::int64_t kTile = 32;  // model specification 4.2 and 4.3
  const std::int64_t columns = (weight.shape.back() + kTile - 1) / kTile;
  return weight.format == WeightFormat::fp8 ? (weight.shape[0] + kTile - 1) / kTile * columns
                                            : weight.shape[0] * columns;
}

/// Views that ops write; a view made several times counts once per making.
std::set<ValueId> written_values(const Graph& graph) {
  std::set<ValueId> written;
  for (const Node& node : graph.nodes)
    if (const int operand = written_operand(node.op); operand >= 0)
      written.insert(node.operands[static_cast<std::size_t>(operand)]);
  return written;
}

class Collector {
 public:
  Collector(const Graph& graph, const Bindings& bindings)
      : graph_(graph), bindings_(bindings), written_(written_values(graph)) {}

  std::vector<AliasInput> run() {
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const Value& value = graph_.values[id];
      if (value.kind == ValueKind::metadata || value.kind == ValueKind::root)
        add_storage(static_cast<ValueId>(id), value);
    }
    for (const Node& node : graph_.nodes)
      if (const auto* view = std::get_if<CacheView>(&node.op))
        add_column(view->recipe, node.operands.front(), node.results.front());
    for (const Value& value : graph_.values)
      if (value.kind == ValueKind::weight) add_weight(value);
    return std::move(inputs_);
  }

 private:
  void add_storage(ValueId id, const Value& value) {
    input_of_[id] = static_cast<int>(inputs_.size());
    inputs_.push_back({.name = value.name,
                       .what = std::string(name_of(value.kind)),
                       .range = run_of(address_of(bindings_.storage(value)),
                                       static_cast<std::int64_t>(value.bytes())),
                       .written = true,  // metadata before every step, roots by their columns' ops
                       .part_of = -1});
  }

  void add_column(const ViewRecipe& recipe, ValueId root, ValueId view) {
    const int of = input_of_.at(root);
    AliasInput column{.name = graph_.value(view).name,
                      .what = "column of " + graph_.value(root).name,
                      .range = range_of(recipe),
                      .written = written_.contains(view),
                      .part_of = of};
    column.range.begin += inputs_[static_cast<std::size_t>(of)].range.begin;
    // The same column may be viewed by many layers: one input.
    for (AliasInput& known : inputs_)
      if (known.part_of == of && known.range == column.range) {
        known.written = known.written || column.written;
        return;
      }
    inputs_.push_back(std::move(column));
  }

  void add_weight(const Value& value) {
    const std::vector<WeightRef> refs = bindings_.weights(value);
    for (std::size_t index = 0; index < refs.size(); ++index) {
      const WeightRef& weight = refs[index];
      const std::string& name =
          index < value.tensor_names.size() ? value.tensor_names[index] : value.name;
      inputs_.push_back({.name = name,
                         .what = "weight",
                         .range = run_of(address_of(weight.data), code_bytes(weight)),
                         .written = false,
                         .part_of = -1});
      if (weight.scales == nullptr) continue;
      inputs_.push_back({.name = name + " scales",
                         .what = "weight",
                         .range = run_of(address_of(weight.scales), scale_bytes(weight)),
                         .written = false,
                         .part_of = -1});
    }
  }

  const Graph& graph_;
  const Bindings& bindings_;
  std::set<ValueId> written_;
  std::map<ValueId, int> input_of_;
  std::vector<AliasInput> inputs_;
};

AliasPair judge(const std::vector<AliasInput>& inputs, int a, int b, std::int64_t shared) {
  const AliasInput& one = inputs[static_cast<std::size_t>(a)];
  const AliasInput& two = inputs[static_cast<std::size_t>(b)];
  AliasPair pair{.a = a, .b = b, .allowed = true, .reason = {}, .shared = shared};
  if (two.part_of == a || one.part_of == b) {
    pair.reason = "one is declared a column of the other, and ops keep their order";
  } else if (!one.written && !two.written) {
    pair.reason = "both are only read";
  } else {
    pair.allowed = false;
    pair.reason = fmt::format("'{}' is written, and nothing declares that they share bytes",
                              one.written ? one.name : two.name);
  }
  return pair;
}

std::string range_text(const StridedRange& range) {
  const std::string hull = fmt::format("[{:#x}, {:#x})", range.begin, range.end());
  return range.rows == 1 ? hull
                         : fmt::format("{}, {} rows of {} bytes every {}", hull, range.rows,
                                       range.bytes, range.stride);
}

}  // namespace

std::vector<AliasInput> alias_inputs(const Graph& graph, const Bindings& bindings) {
  return Collector(graph, bindings).run();
}

std::vector<AliasPair> find_aliases(const std::vector<AliasInput>& inputs) {
  // A sweep over first and last bytes finds the few pairs worth the exact test.
  std::vector<int> order(inputs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto range = [&](int index) -> const StridedRange& {
    return inputs[static_cast<std::size_t>(index)].range;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return range(a).begin < range(b).begin; });
  std::vector<AliasPair> pairs;
  std::vector<int> open;
  for (const int next : order) {
    std::erase_if(open, [&](int index) { return range(index).end() <= range(next).begin; });
    for (const int other : open)
      if (const auto shared = shared_byte(range(other), range(next)))
        pairs.push_back(judge(inputs, std::min(other, next), std::max(other, next), *shared));
    open.push_back(next);
  }
  std::sort(pairs.begin(), pairs.end(), [](const AliasPair& x, const AliasPair& y) {
    return std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  return pairs;
}

std::string describe(const std::vector<AliasInput>& inputs, const std::vector<AliasPair>& pairs) {
  std::string text;
  std::size_t refused = 0;
  for (const AliasPair& pair : pairs) {
    const AliasInput& a = inputs[static_cast<std::size_t>(pair.a)];
    const AliasInput& b = inputs[static_cast<std::size_t>(pair.b)];
    refused += pair.allowed ? 0 : 1;
    text += fmt::format("alias: {} ({}) {} and {} ({}) {}: {}, {}\n", a.name, a.what,
                        range_text(a.range), b.name, b.what, range_text(b.range),
                        pair.allowed ? "allowed" : "NOT ALLOWED", pair.reason);
  }
  return text + fmt::format("alias: {} inputs, {} pairs share bytes, {} of them not allowed",
                            inputs.size(), pairs.size(), refused);
}

void refuse_undeclared(const std::vector<AliasInput>& inputs, const std::vector<AliasPair>& pairs) {
  for (const AliasPair& pair : pairs) {
    if (pair.allowed) continue;
    const AliasInput& a = inputs[static_cast<std::size_t>(pair.a)];
    const AliasInput& b = inputs[static_cast<std::size_t>(pair.b)];
    throw Error::bad_input("graph input " + a.name,
                           fmt::format("overlaps graph input {}: {}", b.name, pair.reason),
                           {.expected = "memory of its own",
                            .got = fmt::format("both hold the byte at {:#x}", pair.shared),
                            .hint = "--alias-debug true lists every pair with its bytes"});
  }
}

}  // namespace deepinfer
