// A PJRT plug-in for tests: everything in memory, and errors where a test asks for them.

#include "tests/support/fake_pjrt/entries.h"
#include "tests/support/fake_pjrt/objects.h"

namespace deepinfer::pjrt::fake {
namespace {

Claim& claim() {
  static Claim claim;
  return claim;
}

PJRT_Api make_table() {
  PJRT_Api table{};
  table.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
#define FAKE_ENTRY(entry) table.PJRT_##entry = entry
  FAKE_ENTRY(Error_Destroy);
  FAKE_ENTRY(Error_Message);
  FAKE_ENTRY(Error_GetCode);
  FAKE_ENTRY(Plugin_Initialize);
  FAKE_ENTRY(Plugin_Attributes);
  FAKE_ENTRY(Event_Destroy);
  FAKE_ENTRY(Event_Await);
  FAKE_ENTRY(Client_Create);
  FAKE_ENTRY(Client_Destroy);
  FAKE_ENTRY(Client_PlatformName);
  FAKE_ENTRY(Client_PlatformVersion);
  FAKE_ENTRY(Client_AddressableDevices);
  FAKE_ENTRY(Device_GetDescription);
  FAKE_ENTRY(Device_LocalHardwareId);
  FAKE_ENTRY(Device_AddressableMemories);
  FAKE_ENTRY(Device_MemoryStats);
  FAKE_ENTRY(DeviceDescription_Id);
  FAKE_ENTRY(DeviceDescription_Kind);
  FAKE_ENTRY(DeviceDescription_ToString);
  FAKE_ENTRY(DeviceDescription_Attributes);
  FAKE_ENTRY(Memory_Kind);
  FAKE_ENTRY(Client_BufferFromHostBuffer);
  FAKE_ENTRY(Client_CreateUninitializedBuffer);
  FAKE_ENTRY(Buffer_Destroy);
  FAKE_ENTRY(Buffer_ToHostBuffer);
  FAKE_ENTRY(Buffer_ReadyEvent);
  FAKE_ENTRY(Buffer_IsDeleted);
  FAKE_ENTRY(Buffer_OnDeviceSizeInBytes);
  FAKE_ENTRY(Buffer_OpaqueDeviceMemoryDataPointer);
  FAKE_ENTRY(Client_Compile);
  FAKE_ENTRY(Executable_Destroy);
  FAKE_ENTRY(Executable_NumOutputs);
  FAKE_ENTRY(Executable_OutputElementTypes);
  FAKE_ENTRY(Executable_OutputDimensions);
  FAKE_ENTRY(Executable_Serialize);
  FAKE_ENTRY(Executable_DeserializeAndLoad);
  FAKE_ENTRY(Executable_GetCompiledMemoryStats);
  FAKE_ENTRY(LoadedExecutable_Destroy);
  FAKE_ENTRY(LoadedExecutable_GetExecutable);
  FAKE_ENTRY(LoadedExecutable_Execute);
#undef FAKE_ENTRY
  return table;
}

}  // namespace
}  // namespace deepinfer::pjrt::fake

extern "C" {

// Named by the C API and by control.h.
// NOLINTBEGIN(readability-identifier-naming)
const PJRT_Api* GetPjrtApi() {
  static PJRT_Api table = deepinfer::pjrt::fake::make_table();
  const deepinfer::pjrt::fake::Claim& claim = deepinfer::pjrt::fake::claim();
  table.struct_size =
      claim.table_bytes == 0 ? std::size_t{PJRT_Api_STRUCT_SIZE} : claim.table_bytes;
  table.pjrt_api_version.major_version = claim.major;
  table.pjrt_api_version.minor_version = claim.minor;
  return &table;
}
// NOLINTEND(readability-identifier-naming)

deepinfer::pjrt::fake::Control* fake_pjrt_control() { return &deepinfer::pjrt::fake::control(); }

deepinfer::pjrt::fake::Claim* fake_pjrt_claim() { return &deepinfer::pjrt::fake::claim(); }
}
