#include "backend/pjrt/device_store.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "deepinfer/error.h"

namespace deepinfer::pjrt {

TensorType type_of(const Parameter& parameter) {
  return {.type = parameter.type, .dims = parameter.dims};
}

TensorType type_of(const Result& result) { return {.type = result.type, .dims = result.dims}; }

Buffer& DeviceRoot::as(const NamedType& type) {
  const std::span<std::byte> host(storage_, type.type.bytes());
  // An empty buffer after that was lost in a program that failed: the next one says so.
  if (!uploaded_) buffer_ = client_->upload(type, host);
  uploaded_ = true;
  if (!buffer_.empty() && buffer_.type() != type.type) {
    std::vector<std::byte> bytes(buffer_.type().bytes());
    buffer_.download(bytes);
    buffer_ = client_->upload(type, bytes);
  }
  return buffer_;
}

std::shared_ptr<Buffer> DeviceStore::weight(const Parameter& parameter,
                                            std::span<const WeightRef> refs) {
  const bool scales = parameter.kind == ParameterKind::scales;
  DeviceHoldings::WeightKey key = {{}, parameter.type, parameter.dims};
  for (const WeightRef& ref : refs)
    std::get<0>(key).push_back(scales ? reinterpret_cast<const std::byte*>(ref.scales) : ref.data);
  std::weak_ptr<Buffer>& known = holdings_->weights[key];
  if (auto buffer = known.lock()) return buffer;

  const NamedType type = {.name = parameter.name, .type = type_of(parameter)};
  const std::vector<const std::byte*>& parts = std::get<0>(key);
  const std::size_t each = type.type.bytes() / parts.size();
  std::vector<std::byte> joined;
  if (parts.size() > 1) {
    joined.reserve(type.type.bytes());
    for (const std::byte* part : parts) joined.insert(joined.end(), part, part + each);
  }
  const std::span<const std::byte> bytes =
      parts.size() > 1 ? std::span<const std::byte>(joined) : std::span(parts.front(), each);
  auto buffer = std::make_shared<Buffer>(holdings_->upload(*client_, type, bytes, kLessForWeights));
  known = buffer;
  return buffer;
}

Buffer DeviceHoldings::upload(const Client& client, const NamedType& type,
                              std::span<const std::byte> bytes, std::string_view hint) const {
  try {
    return client.upload(type, bytes);
  } catch (const ApiError& fault) {
    if (!fault.out_of_memory()) throw;
    throw device_full(type.name, fmt::format("this one {}", bytes.size()), account(client), hint,
                      fault);
  }
}

std::int64_t DeviceRoot::bytes() const {
  return buffer_.empty() ? 0 : static_cast<std::int64_t>(buffer_.type().bytes());
}

std::int64_t DeviceHoldings::weight_bytes() const {
  std::int64_t sum = 0;
  for (const auto& [key, known] : weights)
    if (const auto buffer = known.lock()) sum += static_cast<std::int64_t>(buffer->type().bytes());
  return sum;
}

std::int64_t DeviceHoldings::root_bytes() const {
  std::int64_t sum = 0;
  for (const auto& [storage, known] : roots)
    if (const auto root = known.lock()) sum += root->bytes();
  return sum;
}

DeviceAccount DeviceHoldings::account(const Client& client) const {
  return {.weights = weight_bytes(), .caches = root_bytes(), .counted = client.memory()};
}

std::shared_ptr<DeviceRoot> DeviceStore::root(std::byte* storage) {
  std::weak_ptr<DeviceRoot>& known = holdings_->roots[storage];
  auto root = known.lock();
  if (root == nullptr) known = root = std::make_shared<DeviceRoot>(client_, storage);
  return root;
}

std::shared_ptr<Buffer> DeviceStore::scalar(Element type, std::int64_t value) {
  std::weak_ptr<Buffer>& known = scalars_[{type, value}];
  if (auto buffer = known.lock()) return buffer;
  const NamedType named = {.name = "offset", .type = {.type = type, .dims = {}}};
  std::array<std::byte, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);  // little-endian: the low bytes come first
  auto buffer = std::make_shared<Buffer>(holdings_->upload(
      *client_, named, std::span(bytes).first(named.type.bytes()), kLessForPrograms));
  known = buffer;
  return buffer;
}

}  // namespace deepinfer::pjrt
