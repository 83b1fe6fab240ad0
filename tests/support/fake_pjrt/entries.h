#pragma once

// The fake plug-in's entries, named as in the C API without its prefix: the one list of them.

#include <pjrt_c_api.h>

// Calls `entry`(name) for each that can fail.
// clang-format off
#define FAKE_PJRT_ENTRIES(entry) \
  entry(Error_GetCode) \
  entry(Plugin_Initialize) \
  entry(Plugin_Attributes) \
  entry(Event_Destroy) \
  entry(Event_Await) \
  entry(Client_Create) \
  entry(Client_Destroy) \
  entry(Client_PlatformName) \
  entry(Client_PlatformVersion) \
  entry(Client_AddressableDevices) \
  entry(Device_GetDescription) \
  entry(Device_LocalHardwareId) \
  entry(Device_AddressableMemories) \
  entry(Device_MemoryStats) \
  entry(DeviceDescription_Id) \
  entry(DeviceDescription_Kind) \
  entry(DeviceDescription_ToString) \
  entry(DeviceDescription_Attributes) \
  entry(Memory_Kind) \
  entry(Client_BufferFromHostBuffer) \
  entry(Client_CreateUninitializedBuffer) \
  entry(Buffer_Destroy) \
  entry(Buffer_ToHostBuffer) \
  entry(Buffer_ReadyEvent) \
  entry(Buffer_IsDeleted) \
  entry(Buffer_OnDeviceSizeInBytes) \
  entry(Buffer_OpaqueDeviceMemoryDataPointer) \
  entry(Client_Compile) \
  entry(Executable_Destroy) \
  entry(Executable_NumOutputs) \
  entry(Executable_OutputElementTypes) \
  entry(Executable_OutputDimensions) \
  entry(Executable_Serialize) \
  entry(Executable_DeserializeAndLoad) \
  entry(Executable_GetCompiledMemoryStats) \
  entry(LoadedExecutable_Destroy) \
  entry(LoadedExecutable_GetExecutable) \
  entry(LoadedExecutable_Execute)
// And for those that cannot.
#define FAKE_PJRT_VOID_ENTRIES(entry) \
  entry(Error_Destroy) \
  entry(Error_Message)
// clang-format on

namespace deepinfer::pjrt::fake {

#define FAKE_DECLARE(name) PJRT_Error* name(PJRT_##name##_Args* args);
FAKE_PJRT_ENTRIES(FAKE_DECLARE)
#undef FAKE_DECLARE
#define FAKE_DECLARE(name) void name(PJRT_##name##_Args* args);
FAKE_PJRT_VOID_ENTRIES(FAKE_DECLARE)
#undef FAKE_DECLARE

}  // namespace deepinfer::pjrt::fake
