#include <array>
#include <limits>
#include <set>

#include "graph/graph_json.h"
#include "graph/json_field.h"
#include "graph/verify.h"

namespace deepinfer {
namespace {

// No extent, nor the bytes of a value, comes near what arithmetic on shapes can hold: an extent
// fits an int, and the largest value is 256 TiB, more than a machine has.
constexpr std::int64_t kMostExtent = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostBytes = std::int64_t{1} << 48;

constexpr std::array kKinds = {ValueKind::metadata, ValueKind::weight, ValueKind::root,
                               ValueKind::view, ValueKind::intermediate};
constexpr std::array kFormats = {WeightFormat::plain, WeightFormat::fp8, WeightFormat::fp4};
constexpr std::array kDTypes = {DType::f32, DType::f16, DType::bf16, DType::f8_e4m3, DType::f8_e8m0,
                                DType::u8,  DType::i8,  DType::i32,  DType::i64};
constexpr std::array kRoundings = {Rounding::none, Rounding::bf16};
constexpr std::array kQuantisers = {Quantiser::q8, Quantiser::q4u, Quantiser::q4e};
constexpr std::array kScorings = {ScoringFunc::sqrtsoftplus, ScoringFunc::sigmoid,
                                  ScoringFunc::softmax};

/// The one of `all` that the field names.
template <typename Enum, std::size_t N>
Enum one_of(const JsonField& field, const std::array<Enum, N>& all) {
  const std::string name = field.text();
  std::string names;
  for (const Enum one : all) {
    if (name_of(one) == name) return one;
    names += (names.empty() ? "" : ", ") + std::string(name_of(one));
  }
  field.fail("is unknown", names, name);
}

/// 1 to 4 extents of 1 and more; `most` for each and for all bytes.
Shape read_shape(const JsonField& field, DType dtype, std::int64_t most) {
  const std::size_t rank = field.size();
  if (rank < 1 || rank > Shape::kMaxRank)
    field.fail("is no shape", "1 to 4 extents", std::to_string(rank));
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  std::int64_t left = kMostBytes / static_cast<std::int64_t>(size_of(dtype));
  for (std::size_t axis = 0; axis < rank; ++axis) {
    extents[axis] = field.item(axis).integer(1, most);
    if (extents[axis] > left)
      field.fail("is too large", "at most " + std::to_string(kMostBytes) + " bytes", field.shown());
    left /= extents[axis];
  }
  switch (rank) {
    case 1:
      return {extents[0]};
    case 2:
      return {extents[0], extents[1]};
    case 3:
      return {extents[0], extents[1], extents[2]};
    default:
      return {extents[0], extents[1], extents[2], extents[3]};
  }
}

/// A visitor that fills an op's attributes, each of which must be there.
class AttributeReader {
 public:
  AttributeReader(const JsonField& attributes, const std::vector<Frequencies>& frequencies)
      : attributes_(attributes), frequencies_(frequencies) {}

  void operator()(std::string_view name, bool& value) { value = take(name).boolean(); }
  void operator()(std::string_view name, int& value) {
    value = static_cast<int>(
        take(name).integer(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  }
  void operator()(std::string_view name, std::int64_t& value) {
    value = take(name).integer(std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max());
  }
  void operator()(std::string_view name, float& value) { value = take(name).number(); }
  void operator()(std::string_view name, Rounding& value) {
    value = one_of(take(name), kRoundings);
  }
  void operator()(std::string_view name, Quantiser& value) {
    value = one_of(take(name), kQuantisers);
  }
  void operator()(std::string_view name, ScoringFunc& value) {
    value = one_of(take(name), kScorings);
  }
  void operator()(std::string_view name, CacheRoot& value) {
    value = one_of(take(name), kCacheRoots);
  }
  void operator()(std::string_view name, DType& value) { value = one_of(take(name), kDTypes); }
  void operator()(std::string_view name, Shape& value) {
    value = read_shape(take(name), DType::u8, kMostExtent);
  }
  void operator()(std::string_view name, Frequencies& value) {
    const auto last = static_cast<std::int64_t>(frequencies_.size()) - 1;
    value = frequencies_[static_cast<std::size_t>(take(name).integer(0, last))];
  }

  /// Names of all attributes that were read.
  const std::vector<std::string_view>& names() const { return names_; }

 private:
  JsonField take(std::string_view name) {
    names_.push_back(name);
    return attributes_.member(name);
  }

  const JsonField& attributes_;
  const std::vector<Frequencies>& frequencies_;
  std::vector<std::string_view> names_;
};

Op read_op(const JsonField& field, const std::vector<Frequencies>& frequencies) {
  const JsonField name = field.member("op");
  std::optional<Op> op = op_named(name.text());
  if (!op.has_value()) name.fail("is no op", "an op of graph/ops", name.text());
  const JsonField attributes = field.member("attributes");
  AttributeReader reader(attributes, frequencies);
  std::visit([&](auto& known) { known.visit(known, reader); }, *op);
  attributes.only(reader.names());
  return *op;
}

std::vector<ValueId> read_ids(const JsonField& field, std::size_t values) {
  std::vector<ValueId> ids;
  ids.reserve(field.size());
  for (std::size_t index = 0; index < field.size(); ++index)
    ids.push_back(
        static_cast<ValueId>(field.item(index).integer(0, static_cast<std::int64_t>(values) - 1)));
  return ids;
}

Value read_value(const JsonField& field) {
  Value value;
  value.name = field.member("name").text();
  value.kind = one_of(field.member("kind"), kKinds);
  value.dtype = one_of(field.member("dtype"), kDTypes);
  const bool root = value.kind == ValueKind::root;
  value.shape = read_shape(field.member("shape"), value.dtype, root ? kMostBytes : kMostExtent);
  if (root && (value.dtype != DType::u8 || value.shape.rank() != 1))
    field.fail("is no root", "u8 [bytes]", field.member("shape").shown());
  if (value.kind == ValueKind::metadata && field.has("derived"))
    value.derived = field.member("derived").boolean();
  if (value.kind != ValueKind::weight) {
    field.only(value.kind == ValueKind::metadata
                   ? std::vector<std::string_view>{"name", "kind", "dtype", "shape", "derived"}
                   : std::vector<std::string_view>{"name", "kind", "dtype", "shape"});
    return value;
  }
  field.only({"name", "kind", "dtype", "shape", "format", "tensor_names"});
  value.format = one_of(field.member("format"), kFormats);
  const JsonField names = field.member("tensor_names");
  const std::int64_t tensors = value.shape.rank() == 3 ? value.shape[0] : 1;
  if (static_cast<std::int64_t>(names.size()) != tensors)
    names.fail("names another number of tensors than the weight has", std::to_string(tensors),
               std::to_string(names.size()));
  value.tensor_names.reserve(names.size());
  for (std::size_t index = 0; index < names.size(); ++index)
    value.tensor_names.push_back(names.item(index).text());
  return value;
}

std::vector<Frequencies> read_frequencies(const JsonField& lists) {
  std::vector<Frequencies> frequencies;
  frequencies.reserve(lists.size());
  for (std::size_t list = 0; list < lists.size(); ++list) {
    const JsonField field = lists.item(list);
    std::vector<float> values;
    values.reserve(field.size());
    for (std::size_t index = 0; index < field.size(); ++index)
      values.push_back(field.item(index).number());
    frequencies.push_back(std::make_shared<const std::vector<float>>(std::move(values)));
  }
  return frequencies;
}

/// Names of values and of outputs, each once.
class Names {
 public:
  void add(const JsonField& field, const std::string& name) {
    if (!names_.insert(name).second) field.fail("is there twice", "a name of its own", name);
  }

 private:
  std::set<std::string> names_;
};

/// What verify() takes for granted, since the builder can make nothing else: only cache_view makes
/// views, of roots, and every computed value is made.
void require_makers(const Graph& graph, const JsonField& ops, const JsonField& values) {
  std::vector<bool> made(graph.values.size());
  for (std::size_t index = 0; index < graph.nodes.size(); ++index) {
    const Node& node = graph.nodes[index];
    const bool is_view = std::holds_alternative<CacheView>(node.op);
    for (const ValueId id : node.results) {
      made[static_cast<std::size_t>(id)] = true;
      const ValueKind kind = graph.value(id).kind;
      if (kind != (is_view ? ValueKind::view : ValueKind::intermediate))
        ops.item(index).fail("makes a value of another kind", is_view ? "view" : "intermediate",
                             std::string(name_of(kind)));
    }
    if (is_view && graph.value(node.operands.front()).kind != ValueKind::root)
      ops.item(index).fail("views no root", "root",
                           std::string(name_of(graph.value(node.operands.front()).kind)));
  }
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const ValueKind kind = graph.values[id].kind;
    if (!made[id] && (kind == ValueKind::view || kind == ValueKind::intermediate))
      values.item(id).fail("is made by no op", "an op", "none");
  }
}

}  // namespace

Graph graph_from_json(std::string_view text, std::string_view source) {
  const JsonDocument document(text, source);
  const JsonField top = document.top();
  Graph graph;
  graph.rows = static_cast<int>(top.member("rows").integer(1, kMostExtent));
  const std::vector<Frequencies> frequencies = read_frequencies(top.member("frequencies"));

  const JsonField values = top.member("values");
  Names value_names;
  graph.values.reserve(values.size());
  for (std::size_t index = 0; index < values.size(); ++index) {
    graph.values.push_back(read_value(values.item(index)));
    value_names.add(values.item(index), graph.values.back().name);
  }

  const JsonField ops = top.member("ops");
  graph.nodes.reserve(ops.size());
  for (std::size_t index = 0; index < ops.size(); ++index) {
    const JsonField op = ops.item(index);
    op.only({"op", "place", "attributes", "operands", "results"});
    graph.nodes.push_back({.op = read_op(op, frequencies),
                           .place = op.member("place").text(),
                           .operands = read_ids(op.member("operands"), graph.values.size()),
                           .results = read_ids(op.member("results"), graph.values.size())});
  }

  const JsonField outputs = top.member("outputs");
  Names output_names;
  graph.outputs.reserve(outputs.size());
  for (std::size_t index = 0; index < outputs.size(); ++index) {
    const JsonField output = outputs.item(index);
    output.only({"name", "value"});
    const auto last = static_cast<std::int64_t>(graph.values.size()) - 1;
    graph.outputs.push_back(
        {.name = output.member("name").text(),
         .value = static_cast<ValueId>(output.member("value").integer(0, last))});
    output_names.add(output, graph.outputs.back().name);
  }
  verify(graph);
  require_makers(graph, ops, values);
  return graph;
}

}  // namespace deepinfer
