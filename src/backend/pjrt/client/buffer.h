#pragma once

// One tensor on a device.
//
// A Buffer owns its memory there and keeps its client alive. Moved, not copied. One thread at a
// time uses a buffer; several may read one in programs that do not consume it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/pjrt/client/event.h"
#include "backend/pjrt/client/handle.h"
#include "backend/pjrt/client/tensor_type.h"

namespace deepinfer::pjrt {

class Client;

class Buffer {
 public:
  Buffer() = default;  ///< empty
  /// Takes `buffer` over. `host_done`, if not null, says when the host bytes it was made of are
  /// free: the destructor waits for it. `name` is what errors call the buffer.
  Buffer(std::shared_ptr<const Client> client, PJRT_Buffer* buffer, NamedType type,
         PJRT_Event* host_done = nullptr);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  const std::string& name() const { return type_.name; }
  void set_name(std::string name) { type_.name = std::move(name); }
  const TensorType& type() const { return type_.type; }
  /// Unlike an address, never used again in this process; 0 if empty.
  std::uint64_t id() const { return id_; }
  /// Whether there is nothing to use: never filled, moved from, or given away to a program.
  bool empty() const { return buffer_ == nullptr; }

  /// Copies the tensor, row-major, into `bytes`, which must have exactly its size, and waits for
  /// it. Throws Error if the buffer is empty, ApiError if the work that makes it failed.
  void download(std::span<std::byte> bytes) const;
  /// The same without waiting: `bytes` must stay until the event is done.
  Event download_later(std::span<std::byte> bytes) const;
  /// Waits until the tensor is there. Throws ApiError if the work that makes it failed.
  void wait() const;

  std::size_t device_bytes() const;  ///< what it takes on the device, padding included
  /// Where it lies on the device, to tell whether a program updated it in place; none if the
  /// plug-in does not say.
  std::optional<std::uintptr_t> device_address() const;
  /// Whether the plug-in holds it for given away.
  bool deleted() const;

  /// The plug-in's object. Throws Error (failed) naming the buffer if it is empty.
  PJRT_Buffer* handle() const;
  /// The program that was given the tensor has it now.
  void consume();

 private:
  void release();

  std::shared_ptr<const Client> client_;
  Owned<PJRT_Buffer> buffer_;
  Event host_done_;
  NamedType type_;
  std::uint64_t id_ = 0;
};

}  // namespace deepinfer::pjrt
