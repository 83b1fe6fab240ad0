#pragma once

// What executables of one backend share on the device: weights, cache roots, view offsets.
//
// Each is there once, however many executables use it, and goes with the last of them. Belongs to
// a backend; one thread at a time.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "backend/pjrt/client/client.h"
#include "backend/pjrt/device_full.h"
#include "backend/pjrt/stablehlo/lower.h"
#include "backend/tensor_ref.h"

namespace deepinfer::pjrt {

TensorType type_of(const Parameter& parameter);
TensorType type_of(const Result& result);

/// A cache root. It begins as what its host storage holds at the first use, and lives on the device
/// from then on: the host storage stays as it was.
class DeviceRoot {
 public:
  DeviceRoot(std::shared_ptr<const Client> client, std::byte* storage)
      : client_(std::move(client)), storage_(storage) {}

  /// The root as a program's parameter `type` wants it: programs may see the same bytes as rows of
  /// another length. Throws ApiError.
  Buffer& as(const NamedType& type);
  /// Puts what a program made of it in its place.
  void replace(Buffer written) { buffer_ = std::move(written); }
  /// 0 before its first use.
  std::int64_t bytes() const;

 private:
  std::shared_ptr<const Client> client_;
  std::byte* storage_;
  Buffer buffer_;
  bool uploaded_ = false;
};

/// What is there, known by those that use it.
struct DeviceHoldings {
  /// A tensor by its bytes in the checkpoint, which are mapped and so stay where they are.
  using WeightKey = std::tuple<std::vector<const std::byte*>, Element, Dims>;

  std::map<WeightKey, std::weak_ptr<Buffer>> weights;
  std::map<std::byte*, std::weak_ptr<DeviceRoot>> roots;

  std::int64_t weight_bytes() const;
  std::int64_t root_bytes() const;
  DeviceAccount account(const Client& client) const;
  /// Throws Error (failed) with an account and `hint` if the device is full.
  Buffer upload(const Client& client, const NamedType& type, std::span<const std::byte> bytes,
                std::string_view hint) const;
};

class DeviceStore {
 public:
  explicit DeviceStore(std::shared_ptr<const Client> client) : client_(std::move(client)) {}

  /// The tensor that `parameter`, of kind weight or scales, is: `refs` behind each other. Uploaded
  /// unless it is there already. Throws Error (failed) with an account if the device is full.
  std::shared_ptr<Buffer> weight(const Parameter& parameter, std::span<const WeightRef> refs);
  /// The root that lies in `storage` on the host.
  std::shared_ptr<DeviceRoot> root(std::byte* storage);
  /// A scalar of an integer type.
  std::shared_ptr<Buffer> scalar(Element type, std::int64_t value);

  /// Bytes of what is there now.
  std::int64_t weight_bytes() const { return holdings_->weight_bytes(); }
  std::int64_t root_bytes() const { return holdings_->root_bytes(); }
  /// Stays right, and may outlive the store.
  std::shared_ptr<const DeviceHoldings> holdings() const { return holdings_; }

 private:
  std::shared_ptr<const Client> client_;
  std::shared_ptr<DeviceHoldings> holdings_ = std::make_shared<DeviceHoldings>();
  std::map<std::pair<Element, std::int64_t>, std::weak_ptr<Buffer>> scalars_;
};

}  // namespace deepinfer::pjrt
