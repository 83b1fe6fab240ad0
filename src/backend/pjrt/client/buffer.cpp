#include "backend/pjrt/client/buffer.h"

#include <atomic>
#include <utility>

#include "backend/pjrt/client/api.h"
#include "backend/pjrt/client/client.h"

namespace deepinfer::pjrt {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// Dimensions from the fastest one on: of a row-major tensor, last to first.
std::vector<std::int64_t> minor_to_major(std::size_t rank) {
  std::vector<std::int64_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<std::int64_t>(rank - 1 - i);
  return order;
}

}  // namespace

Buffer::Buffer(std::shared_ptr<const Client> client, PJRT_Buffer* buffer, NamedType type,
               PJRT_Event* host_done)
    : client_(std::move(client)),
      buffer_(buffer, Destroy{&client_->plugin().api()}),
      type_(std::move(type)),
      id_(next_id()) {
  if (host_done != nullptr)
    host_done_ = Event(client_, host_done, type_.name, "PJRT_Client_BufferFromHostBuffer");
}

Buffer::~Buffer() { release(); }

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  buffer_ = std::move(other.buffer_);
  host_done_ = std::move(other.host_done_);
  type_ = std::move(other.type_);
  id_ = std::exchange(other.id_, 0);
  client_ = std::move(other.client_);  // last: what was held before lived of it
  return *this;
}

void Buffer::release() {
  buffer_.reset();
  try {
    host_done_.wait();
  } catch (const Error&) {
    // The transfer failed, so the host bytes are free as well; readers of the buffer were told.
  }
}

PJRT_Buffer* Buffer::handle() const {
  if (buffer_ == nullptr)
    throw Error::failed(type_.name.empty() ? "buffer" : type_.name,
                        "this buffer was given away to a program or never filled");
  return buffer_.get();
}

void Buffer::consume() { release(); }

void Buffer::download(std::span<std::byte> bytes) const { download_later(bytes).wait(); }

Event Buffer::download_later(std::span<std::byte> bytes) const {
  PJRT_Buffer* const source = handle();
  if (bytes.size() != type_.type.bytes())
    throw Error::failed(type_.name, "host memory of another size than the tensor's",
                        {.expected = std::to_string(type_.type.bytes()) + " bytes",
                         .got = std::to_string(bytes.size()),
                         .hint = {}});
  if (bytes.empty()) return {};
  // Without a layout the bytes come as they lie on the device, which need not be row-major.
  const std::vector<std::int64_t> order = minor_to_major(type_.type.dims.size());
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();

  auto args = make_args<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = source;
  args.host_layout = &layout;
  args.dst = bytes.data();
  args.dst_size = bytes.size();
  call(client_->plugin().api(), args, type_.name);
  return {client_, args.event, type_.name, EntryOf<decltype(args)>::kName};
}

void Buffer::wait() const {
  auto args = make_args<PJRT_Buffer_ReadyEvent_Args>();
  args.buffer = handle();
  call(client_->plugin().api(), args, type_.name);
  Event(client_, args.event, type_.name, EntryOf<decltype(args)>::kName).wait();
}

std::size_t Buffer::device_bytes() const {
  auto args = make_args<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
  args.buffer = handle();
  call(client_->plugin().api(), args, type_.name);
  return args.on_device_size_in_bytes;
}

std::optional<std::uintptr_t> Buffer::device_address() const {
  const Api& api = client_->plugin().api();
  auto args = make_args<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
  args.buffer = handle();
  if (!has<decltype(args)>(api)) return std::nullopt;
  try {
    call(api, args, type_.name);
  } catch (const ApiError& error) {
    if (error.code() == StatusCode::unimplemented) return std::nullopt;
    throw;
  }
  return reinterpret_cast<std::uintptr_t>(args.device_memory_ptr);
}

bool Buffer::deleted() const {
  auto args = make_args<PJRT_Buffer_IsDeleted_Args>();
  args.buffer = handle();
  call(client_->plugin().api(), args, type_.name);
  return args.is_deleted;
}

}  // namespace deepinfer::pjrt
