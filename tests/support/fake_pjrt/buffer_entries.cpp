// Tensors: bytes in memory, present at once.

#include <cstring>

#include "tests/support/fake_pjrt/entries.h"
#include "tests/support/fake_pjrt/objects.h"

namespace deepinfer::pjrt::fake {
namespace {

PJRT_Buffer make_buffer(PJRT_Buffer_Type type, const std::int64_t* dims, std::size_t rank) {
  std::size_t count = element_bytes(type);
  for (std::size_t i = 0; i < rank; ++i) count *= static_cast<std::size_t>(dims[i]);
  return {.type = type,
          .dims = {dims, dims + rank},
          .bytes = std::make_shared<std::vector<std::byte>>(count)};
}

PJRT_Error* given_away() {
  return error(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer was given away");
}

}  // namespace

PJRT_Error* Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args* args) {
  FAKE_ENTER(PJRT_Client_BufferFromHostBuffer);
  if (args->type == PJRT_Buffer_Type_F4E2M1FN && control().lacks_f4)
    return error(PJRT_Error_Code_UNIMPLEMENTED, "this device has no 4-bit numbers");
  PJRT_Buffer buffer = make_buffer(args->type, args->dims, args->num_dims);
  if (!buffer.bytes->empty()) std::memcpy(buffer.bytes->data(), args->data, buffer.bytes->size());
  args->buffer = make_live(std::move(buffer));
  args->done_with_host_buffer = make_live(PJRT_Event{.failed = false});
  return nullptr;
}

PJRT_Error* Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args* args) {
  FAKE_ENTER(PJRT_Client_CreateUninitializedBuffer);
  args->buffer =
      make_live(make_buffer(args->shape_element_type, args->shape_dims, args->shape_num_dims));
  return nullptr;
}

PJRT_Error* Buffer_Destroy(PJRT_Buffer_Destroy_Args* args) {
  end_live(args->buffer);
  FAKE_ENTER(PJRT_Buffer_Destroy);
  return nullptr;
}

PJRT_Error* Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args* args) {
  FAKE_ENTER(PJRT_Buffer_ToHostBuffer);
  if (!is_live(args->src) || args->src->bytes == nullptr) return given_away();
  const std::vector<std::byte>& bytes = *args->src->bytes;
  if (args->host_layout == nullptr ||
      args->host_layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled)
    return error(PJRT_Error_Code_INVALID_ARGUMENT, "no host layout");
  if (args->dst_size < bytes.size())
    return error(PJRT_Error_Code_INVALID_ARGUMENT, "too few host bytes");
  std::memcpy(args->dst, bytes.data(), bytes.size());
  args->event = make_live(PJRT_Event{.failed = false});
  return nullptr;
}

PJRT_Error* Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args* args) {
  FAKE_ENTER(PJRT_Buffer_ReadyEvent);
  args->event = make_live(PJRT_Event{.failed = false});
  return nullptr;
}

PJRT_Error* Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args* args) {
  FAKE_ENTER(PJRT_Buffer_IsDeleted);
  args->is_deleted = args->buffer->bytes == nullptr;
  return nullptr;
}

PJRT_Error* Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args* args) {
  FAKE_ENTER(PJRT_Buffer_OnDeviceSizeInBytes);
  if (args->buffer->bytes == nullptr) return given_away();
  args->on_device_size_in_bytes = args->buffer->bytes->size();
  return nullptr;
}

PJRT_Error* Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args) {
  FAKE_ENTER(PJRT_Buffer_OpaqueDeviceMemoryDataPointer);
  if (args->buffer->bytes == nullptr) return given_away();
  args->device_memory_ptr = args->buffer->bytes->data();
  return nullptr;
}

}  // namespace deepinfer::pjrt::fake
