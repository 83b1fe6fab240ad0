#include "backend/pjrt/client/device_query.h"

#include "backend/pjrt/client/named_value_api.h"

namespace deepinfer::pjrt {
namespace {

/// Calls an entry that a plug-in may lack or leave unimplemented: whether it answered.
template <typename Args>
bool ask(const Api& api, Args& args) {
  if (!has<Args>(api)) return false;
  try {
    call(api, args);
  } catch (const ApiError& error) {
    if (error.code() == StatusCode::unimplemented) return false;
    throw;
  }
  return true;
}

std::optional<std::int64_t> if_set(std::int64_t value, bool is_set) {
  return is_set ? std::optional(value) : std::nullopt;
}

std::vector<std::string> memory_kinds(const Api& api, PJRT_Device* device) {
  std::vector<std::string> kinds;
  auto memories = make_args<PJRT_Device_AddressableMemories_Args>();
  memories.device = device;
  if (!ask(api, memories)) return kinds;
  for (std::size_t i = 0; i < memories.num_memories; ++i) {
    auto kind = make_args<PJRT_Memory_Kind_Args>();
    kind.memory = memories.memories[i];
    if (ask(api, kind)) kinds.push_back(text_of(kind.kind, kind.kind_size));
  }
  return kinds;
}

void describe(const Api& api, PJRT_DeviceDescription* description, DeviceInfo& info) {
  auto id = make_args<PJRT_DeviceDescription_Id_Args>();
  id.device_description = description;
  if (ask(api, id)) info.id = id.id;
  auto kind = make_args<PJRT_DeviceDescription_Kind_Args>();
  kind.device_description = description;
  if (ask(api, kind)) info.kind = text_of(kind.device_kind, kind.device_kind_size);
  auto text = make_args<PJRT_DeviceDescription_ToString_Args>();
  text.device_description = description;
  if (ask(api, text)) info.text = text_of(text.to_string, text.to_string_size);
  auto attributes = make_args<PJRT_DeviceDescription_Attributes_Args>();
  attributes.device_description = description;
  if (ask(api, attributes))
    info.attributes = attributes_of(attributes.attributes, attributes.num_attributes);
}

}  // namespace

DeviceInfo query_device(const Api& api, PJRT_Device* device) {
  DeviceInfo info;
  auto description = make_args<PJRT_Device_GetDescription_Args>();
  description.device = device;
  if (ask(api, description)) describe(api, description.device_description, info);
  auto hardware = make_args<PJRT_Device_LocalHardwareId_Args>();
  hardware.device = device;
  if (ask(api, hardware) && hardware.local_hardware_id >= 0)
    info.hardware_id = hardware.local_hardware_id;
  info.memory_kinds = memory_kinds(api, device);
  info.memory = query_memory(api, device);
  return info;
}

std::optional<DeviceMemory> query_memory(const Api& api, PJRT_Device* device) {
  auto args = make_args<PJRT_Device_MemoryStats_Args>();
  args.device = device;
  if (!ask(api, args)) return std::nullopt;
  return DeviceMemory{
      .in_use = args.bytes_in_use,
      .peak = if_set(args.peak_bytes_in_use, args.peak_bytes_in_use_is_set),
      .limit = if_set(args.bytes_limit, args.bytes_limit_is_set),
      .largest_free = if_set(args.largest_free_block_bytes, args.largest_free_block_bytes_is_set)};
}

}  // namespace deepinfer::pjrt
