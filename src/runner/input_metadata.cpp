#include "runner/input_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/storage_id.h"
#include "deepinfer/error.h"
#include "model/step_inputs.h"

namespace deepinfer {
namespace {

constexpr std::size_t kFieldAlignment = 64;  // fields share no cache line

std::size_t aligned(std::size_t bytes) {
  return (bytes + kFieldAlignment - 1) / kFieldAlignment * kFieldAlignment;
}

/// Derived fields are i32.
void fill_unwritten(std::byte* data, std::size_t bytes) {
  std::fill_n(reinterpret_cast<std::int32_t*>(data), bytes / sizeof(std::int32_t),
              InputMetadata::kUnwritten);
}

}  // namespace

std::int64_t MetadataBuffers::bytes_for(const Graph& largest) {
  std::size_t bytes = 0;
  for (const Value& value : largest.values)
    if (value.kind == ValueKind::metadata) bytes += aligned(value.bytes());
  return static_cast<std::int64_t>(bytes);
}

MetadataBuffers::MetadataBuffers(const Graph& largest) : storage_id_(next_storage_id()) {
  for (const Value& value : largest.values) {
    if (value.kind != ValueKind::metadata) continue;
    const std::int64_t rows = value.shape[0];
    fields_.push_back({.name = value.name,
                       .rows = rows,
                       .row_bytes = static_cast<std::int64_t>(value.bytes()) / rows,
                       .per_row = value.name != step_inputs::kBlockTable,
                       .derived = value.derived,
                       .offset = size_});
    size_ += aligned(value.bytes());
  }
  bytes_ = std::make_unique<std::byte[]>(size_);
  for (const MetadataField& field : fields_)
    if (field.derived) {
      clean_list_.push_back(field.name);
      fill_unwritten(data(field), static_cast<std::size_t>(field.rows * field.row_bytes));
    }
}

const MetadataField& MetadataBuffers::field(std::string_view name) const {
  for (const MetadataField& field : fields_)
    if (field.name == name) return field;
  throw Error::bad_input("step metadata", fmt::format("there is no buffer '{}'", name));
}

InputMetadata::InputMetadata(MetadataBuffers& buffers, const Graph& graph)
    : buffers_(&buffers), rows_(graph.rows) {
  for (const Value& value : graph.values)
    if (value.kind == ValueKind::metadata && value.name == step_inputs::kBlockTable)
      slot_row_bytes_ = static_cast<std::int64_t>(value.bytes()) / value.shape[0];
}

bool InputMetadata::has(std::string_view name) const {
  for (const MetadataField& field : buffers_->fields())
    if (field.name == name) return true;
  return false;
}

std::size_t InputMetadata::cut_bytes(const MetadataField& field) const {
  if (field.per_row) return static_cast<std::size_t>(rows_ * field.row_bytes);
  const std::int64_t row_bytes = slot_row_bytes_ > 0 ? slot_row_bytes_ : field.row_bytes;
  return static_cast<std::size_t>(field.rows * row_bytes);
}

std::span<std::byte> InputMetadata::raw(std::string_view name) const {
  const MetadataField& field = buffers_->field(name);
  return {buffers_->data(field), cut_bytes(field)};
}

std::span<std::int32_t> InputMetadata::i32(std::string_view name) const {
  const std::span<std::byte> bytes = raw(name);
  return {reinterpret_cast<std::int32_t*>(bytes.data()), bytes.size() / sizeof(std::int32_t)};
}

void InputMetadata::copy_from(const InputMetadata& other) {
  for (const MetadataField& field : buffers_->fields())
    if (!field.derived)
      std::memcpy(buffers_->data(field), other.buffers_->data(field), cut_bytes(field));
}

void InputMetadata::reset_derived() {
  for (const MetadataField& field : buffers_->fields())
    if (field.derived) fill_unwritten(buffers_->data(field), cut_bytes(field));
}

void InputMetadata::check_derived() const {
  for (const MetadataField& field : buffers_->fields()) {
    if (!field.derived) continue;
    const auto* values = reinterpret_cast<const std::int32_t*>(buffers_->data(field));
    const auto* end = values + cut_bytes(field) / sizeof(std::int32_t);
    const auto* unwritten = std::find(values, end, kUnwritten);
    if (unwritten != end)
      throw Error::failed("step metadata",
                          fmt::format("the graph did not write derived buffer '{}'", field.name),
                          {.expected = "a value in every row",
                           .got = fmt::format("none in row {}", unwritten - values),
                           .hint = {}});
  }
}

}  // namespace deepinfer
