#include "backend/op_fixture_test.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <stdexcept>

#include "core/numeric_formats.h"

namespace deepinfer {
namespace {

constexpr std::byte kPoison{0xff};    // NaN as fp32, E4M3 and E8M0
constexpr std::int64_t kLead = 64;    // bytes of a root before its view
constexpr std::int64_t kRowGap = 32;  // bytes between the rows of a view

// Root mean square of uniformly drawn codes.
constexpr double kRmsE4m3 = 110;
constexpr double kRmsE2m1 = 2.9;

std::size_t as_size(std::int64_t value) { return static_cast<std::size_t>(value); }

std::int64_t blocks_of_32(std::int64_t n) { return (n + 31) / 32; }

Shape without_first(const Shape& shape) { return {shape[1], shape[2]}; }

std::size_t code_bytes(WeightFormat format, const Shape& shape) {
  const std::size_t n = as_size(shape.elements());
  return format == WeightFormat::fp4 ? n / 2 : n;
}

std::size_t scale_bytes(WeightFormat format, const Shape& shape) {
  const std::int64_t rows = format == WeightFormat::fp8 ? blocks_of_32(shape[0]) : shape[0];
  return as_size(rows * blocks_of_32(shape[1]));
}

/// Nearest fp16 for values whose exponent fp16 has; smaller ones become zero.
std::uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits & 0x7fffffffU) + 0xfffU + ((bits >> 13) & 1U);
  const std::int32_t code = static_cast<std::int32_t>(rounded >> 13) - ((127 - 15) << 10);
  const std::uint32_t magnitude = code < 0x400 ? 0U : static_cast<std::uint32_t>(code);
  return static_cast<std::uint16_t>((bits >> 31) << 15 | magnitude);
}

void require(bool condition, const std::string& what) {
  if (!condition) throw std::logic_error("op fixture: " + what);
}

}  // namespace

std::mt19937_64 OpFixture::generator(std::string_view name) const {
  std::uint64_t hash = seed_;
  for (const char c : name)  // FNV-1a: the same on every platform, unlike std::hash
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return std::mt19937_64(hash);
}

Given OpFixture::add(Entry entry) {
  for (const Entry& other : entries_)
    require(other.name != entry.name, "'" + entry.name + "' exists already");
  entries_.push_back(std::move(entry));
  return {entries_.size() - 1};
}

Given OpFixture::activation(std::string_view name, const Shape& shape,
                            const std::vector<float>& values) {
  require(values.size() == as_size(shape.elements()), "wrong count for " + std::string(name));
  return add({.name = std::string(name), .shape = shape, .contents = to_bytes(values)});
}

Given OpFixture::activation(std::string_view name, const Shape& shape) {
  std::mt19937_64 random = generator(name);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(as_size(shape.elements()));
  for (float& value : values) value = round_bf16(normal(random));
  return activation(name, shape, values);
}

Given OpFixture::integers(std::string_view name, const Shape& shape,
                          const std::vector<std::int32_t>& values) {
  require(values.size() == as_size(shape.elements()), "wrong count for " + std::string(name));
  return add({.name = std::string(name),
              .dtype = DType::i32,
              .shape = shape,
              .contents = to_bytes(values)});
}

Given OpFixture::derived(std::string_view name, const Shape& shape) {
  const Given given =
      integers(name, shape, std::vector<std::int32_t>(as_size(shape.elements()), -1));
  entries_[given.index].derived = true;
  return given;
}

Given OpFixture::bytes(std::string_view name, const Shape& shape,
                       const std::vector<std::uint8_t>& values) {
  require(values.size() == as_size(shape.elements()), "wrong count for " + std::string(name));
  return add({.name = std::string(name),
              .dtype = DType::u8,
              .shape = shape,
              .contents = to_bytes(values)});
}

OpFixture::Tensor OpFixture::random_tensor(std::mt19937_64& random, WeightFormat format,
                                           const Shape& shape) const {
  const double target = 1 / std::sqrt(static_cast<double>(shape.back()));
  if (format == WeightFormat::plain) {
    // A vector is a norm's weight, near 1.
    std::normal_distribution<double> normal(shape.rank() == 1 ? 1 : 0,
                                            shape.rank() == 1 ? 0.2 : target);
    std::vector<std::uint16_t> codes(as_size(shape.elements()));
    for (auto& code : codes) code = f32_to_bf16(static_cast<float>(normal(random)));
    return {.data = to_bytes(codes), .scales = {}, .shape = shape};
  }
  std::uniform_int_distribution<int> byte(0, 255);
  std::vector<std::uint8_t> codes(code_bytes(format, shape));
  for (auto& code : codes) {
    do code = static_cast<std::uint8_t>(byte(random));
    while (format == WeightFormat::fp8 && (code & 0x7f) == 0x7f);
  }
  const double rms = format == WeightFormat::fp8 ? kRmsE4m3 : kRmsE2m1;
  const int middle = 127 + static_cast<int>(std::lround(std::log2(target / rms)));
  std::uniform_int_distribution<int> exponent(middle - 1, middle + 1);
  std::vector<std::uint8_t> scales(scale_bytes(format, shape));
  for (auto& scale : scales) scale = static_cast<std::uint8_t>(exponent(random));
  return {.data = to_bytes(codes), .scales = scales, .shape = shape};
}

Given OpFixture::weight(std::string_view name, WeightFormat format, const Shape& shape) {
  std::mt19937_64 random = generator(name);
  Entry entry{.name = std::string(name),
              .kind = ValueKind::weight,
              .dtype = DType::bf16,
              .shape = shape,
              .format = format};
  const bool bank = shape.rank() == 3;
  for (std::int64_t i = 0; i < (bank ? shape[0] : 1); ++i)
    entry.tensors.push_back(random_tensor(random, format, bank ? without_first(shape) : shape));
  return add(std::move(entry));
}

Given OpFixture::plain_weight(std::string_view name, const Shape& shape,
                              const std::vector<float>& values, DType dtype) {
  require(values.size() == as_size(shape.elements()), "wrong count for " + std::string(name));
  require(dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16,
          "plain weights are encoded as f32, bf16 or f16");
  std::vector<std::byte> data = to_bytes(values);
  if (dtype != DType::f32) {
    std::vector<std::uint16_t> codes;
    codes.reserve(values.size());
    for (const float value : values)
      codes.push_back(dtype == DType::bf16 ? f32_to_bf16(value) : f32_to_f16(value));
    data = to_bytes(codes);
  }
  Entry entry{.name = std::string(name), .kind = ValueKind::weight, .dtype = dtype, .shape = shape};
  const bool bank = shape.rank() == 3;
  const std::int64_t tensors = bank ? shape[0] : 1;
  const auto bytes = static_cast<std::ptrdiff_t>(data.size()) / tensors;
  for (std::int64_t i = 0; i < tensors; ++i)
    entry.tensors.push_back({.data = {data.begin() + i * bytes, data.begin() + (i + 1) * bytes},
                             .scales = {},
                             .shape = bank ? without_first(shape) : shape});
  return add(std::move(entry));
}

Given OpFixture::coded_weight(std::string_view name, WeightFormat format, const Shape& shape,
                              const std::vector<std::uint8_t>& codes,
                              const std::vector<std::uint8_t>& scales) {
  const bool bank = shape.rank() == 3;
  const Shape single = bank ? without_first(shape) : shape;
  const std::size_t tensors = bank ? as_size(shape[0]) : 1;
  const std::size_t code_count = code_bytes(format, single);
  const std::size_t scale_count = scale_bytes(format, single);
  require(format != WeightFormat::plain && codes.size() == tensors * code_count &&
              scales.size() == tensors * scale_count,
          "wrong code or scale count for " + std::string(name));
  Entry entry{
      .name = std::string(name), .kind = ValueKind::weight, .shape = shape, .format = format};
  for (std::size_t i = 0; i < tensors; ++i) {
    const auto* first_code = codes.data() + i * code_count;
    const auto* first_scale = scales.data() + i * scale_count;
    entry.tensors.push_back(
        {.data = to_bytes(std::vector<std::uint8_t>(first_code, first_code + code_count)),
         .scales = {first_scale, first_scale + scale_count},
         .shape = single});
  }
  return add(std::move(entry));
}

std::vector<float> OpFixture::values(Given weight) const {
  const Entry& entry = entries_.at(weight.index);
  std::vector<float> result;
  result.reserve(as_size(entry.shape.elements()));
  for (const Tensor& tensor : entry.tensors) {
    const auto* codes = reinterpret_cast<const std::uint8_t*>(tensor.data.data());
    const std::int64_t width = tensor.shape.back();
    for (std::int64_t i = 0; i < tensor.shape.elements(); ++i) {
      const std::int64_t row = i / width;
      const std::int64_t tile = (i % width) / 32;
      if (entry.format == WeightFormat::fp8) {
        result.push_back(
            e4m3_to_f32(codes[i]) *
            e8m0_to_f32(tensor.scales[as_size(row / 32 * blocks_of_32(width) + tile)]));
      } else if (entry.format == WeightFormat::fp4) {
        const int code = i % 2 == 0 ? codes[i / 2] & 15 : codes[i / 2] >> 4;
        result.push_back(e2m1_to_f32(static_cast<std::uint8_t>(code)) *
                         e8m0_to_f32(tensor.scales[as_size(row * blocks_of_32(width) + tile)]));
      } else if (entry.dtype == DType::f32) {
        result.push_back(reinterpret_cast<const float*>(codes)[i]);
      } else if (entry.dtype == DType::f16) {
        result.push_back(f16_to_f32(reinterpret_cast<const std::uint16_t*>(codes)[i]));
      } else {
        result.push_back(bf16_to_f32(reinterpret_cast<const std::uint16_t*>(codes)[i]));
      }
    }
  }
  return result;
}

Given OpFixture::view(std::string_view name, DType dtype, const Shape& shape,
                      const std::vector<std::byte>& contents) {
  Entry entry{.name = std::string(name),
              .kind = ValueKind::view,
              .dtype = dtype,
              .shape = shape,
              .contents = contents};
  const std::size_t bytes = as_size(shape.elements()) * size_of(dtype);
  if (contents.empty()) entry.contents.assign(bytes, std::byte{0});
  require(entry.contents.size() == bytes, "wrong contents for " + entry.name);
  const std::int64_t column = static_cast<std::int64_t>(bytes) / shape[0];
  entry.recipe = {.root = CacheRoot::kv,
                  .offset = kLead,
                  .row_bytes = column + kRowGap,
                  .shape = shape,
                  .dtype = dtype};
  return add(std::move(entry));
}

void OpFixture::set_bytes(Given given, std::vector<std::byte> contents) {
  Entry& entry = entries_.at(given.index);
  require(contents.size() == entry.contents.size(), "wrong contents for " + entry.name);
  entry.contents = std::move(contents);
}

void OpFixture::keep(const OpRun& run) {
  for (const auto& [index, contents] : run.views_) set_bytes({index}, contents);
}

void OpFixture::reset_memory() {
  for (Entry& entry : entries_) {
    if (entry.kind == ValueKind::metadata) entry.memory = entry.contents;
    if (entry.kind != ValueKind::view) continue;
    const ViewRecipe& recipe = entry.recipe;
    const auto column = as_size(recipe.column_bytes());
    // Nothing behind the last row: an address sanitizer sees a write past it.
    entry.memory.assign(as_size(recipe.offset + (recipe.shape[0] - 1) * recipe.row_bytes) + column,
                        kPoison);
    for (std::int64_t row = 0; row < recipe.shape[0]; ++row)
      std::memcpy(entry.memory.data() + recipe.offset + row * recipe.row_bytes,
                  entry.contents.data() + as_size(row) * column, column);
  }
}

std::vector<std::byte> OpFixture::view_contents(const Entry& entry) const {
  std::vector<std::byte> contents;
  contents.reserve(entry.contents.size());
  const ViewRecipe& recipe = entry.recipe;
  for (std::size_t i = 0; i < entry.memory.size(); ++i) {
    const std::int64_t at = static_cast<std::int64_t>(i) - recipe.offset;
    if (at >= 0 && at % recipe.row_bytes < recipe.column_bytes())
      contents.push_back(entry.memory[i]);
    else if (entry.memory[i] != kPoison)
      ADD_FAILURE() << "byte " << i << " of the root of '" << entry.name
                    << "' lies outside its view and was written";
  }
  return contents;
}

void OpFixture::begin_graph() {
  for (Entry& entry : entries_) entry.id = -1;
}

ValueId OpFixture::declare(GraphBuilder& builder, Given given) {
  Entry& entry = entries_.at(given.index);
  if (entry.id >= 0) return entry.id;
  if (entry.kind == ValueKind::metadata) {
    entry.id = entry.derived ? builder.derived(entry.name, entry.dtype, entry.shape)
                             : builder.metadata(entry.name, entry.dtype, entry.shape);
  } else if (entry.kind == ValueKind::weight) {
    entry.id = entry.tensors.size() > 1 || entry.shape.rank() == 3
                   ? builder.weight_bank(entry.name, "", entry.format, entry.shape)
                   : builder.weight(entry.name, entry.format, entry.shape);
  } else {
    const ValueId root =
        builder.root(entry.name + ".root",
                     entry.recipe.offset + (entry.recipe.shape[0] - 1) * entry.recipe.row_bytes +
                         entry.recipe.column_bytes());
    entry.id = builder.add(CacheView{.recipe = entry.recipe}, {root}, entry.name);
  }
  return entry.id;
}

const OpFixture::Entry& OpFixture::find(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (entry.name == name || entry.name + ".root" == name || entry.name + "*" == name)
      return entry;
  throw std::logic_error("op fixture: nothing is called " + std::string(name));
}

std::byte* OpFixture::storage(const Value& value) const { return find(value.name).memory.data(); }

std::vector<WeightRef> OpFixture::weights(const Value& value) const {
  const Entry& entry = find(value.name);
  std::vector<WeightRef> refs;
  refs.reserve(entry.tensors.size());
  for (const Tensor& tensor : entry.tensors)
    refs.push_back({.format = entry.format,
                    .dtype = entry.dtype,
                    .shape = tensor.shape,
                    .data = tensor.data.data(),
                    .scales = tensor.scales.empty() ? nullptr : tensor.scales.data()});
  return refs;
}

ValueId OpFixture::copied(GraphBuilder& builder, ValueId value) {
  const Shape shape = builder.value(value).shape;
  if (shape.rank() == 2) return builder.add(Scale{.factor = 1}, {value}, "copy");
  // Streams: nothing added, mixed by the identity.
  const std::int64_t n = shape[1];
  const auto given = [&](const char* name, const Shape& extents) {
    return activation("copy." + std::to_string(entries_.size()) + name, extents,
                      std::vector<float>(as_size(extents.elements())));
  };
  const Given y = given(".y", {shape[0], shape[2]});
  const Given post = given(".post", {shape[0], n});
  const Given comb = given(".comb", {shape[0], n, n});
  std::vector<float> identity(as_size(shape[0] * n * n));
  for (std::size_t i = 0; i < identity.size(); ++i)
    identity[i] = i % as_size(n * n) % as_size(n + 1) == 0 ? 1.0F : 0.0F;
  set(comb, identity);
  return builder.add(HcExpand{},
                     {declare(builder, y), value, declare(builder, post), declare(builder, comb)},
                     "copy");
}

OpRun OpFixture::run_graph(Backend& backend, const Op& op, const std::vector<Given>& operands,
                           GraphMode mode, bool in_place) {
  begin_graph();
  const Shape& first = entries_.at(operands.front().index).shape;
  GraphBuilder builder(static_cast<int>(first[0]));
  std::vector<ValueId> ids;
  ids.reserve(operands.size());
  for (const Given given : operands) ids.push_back(declare(builder, given));
  if (in_place) {
    const int index = in_place_operand(op);
    require(index >= 0, std::string(name_of(op)) + " does not work in place");
    ids[static_cast<std::size_t>(index)] = copied(builder, ids[static_cast<std::size_t>(index)]);
  }
  const std::vector<ValueId> results = builder.add_all(op, ids, {"r0", "r1", "r2", "r3"});
  for (std::size_t i = 0; i < results.size(); ++i)
    builder.output("r" + std::to_string(i), results[i]);

  reset_memory();
  const auto graph = std::make_shared<const Graph>(builder.finish());
  const auto executable = backend.compile(graph, *this, mode);
  executable->run();

  OpRun run;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const TensorRef ref = executable->output("r" + std::to_string(i));
    const std::size_t bytes = graph->value(results[i]).bytes();
    run.results_.emplace_back(ref.data, ref.data + bytes);
  }
  for (const Given given : operands) {
    const Entry& entry = entries_[given.index];
    if (entry.kind == ValueKind::view) run.views_[given.index] = view_contents(entry);
    if (entry.derived) run.views_[given.index] = entry.memory;
  }
  return run;
}

OpRun OpFixture::run(Backend& backend, const Op& op, const std::vector<Given>& operands,
                     GraphMode mode) {
  return run_graph(backend, op, operands, mode, false);
}

OpRun OpFixture::run_in_place(Backend& backend, const Op& op, const std::vector<Given>& operands) {
  return run_graph(backend, op, operands, GraphMode::whole, true);
}

}  // namespace deepinfer
