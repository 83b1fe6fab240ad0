#pragma once

// The fake plug-in's entries, named as in the C API without its prefix.

#include <pjrt_c_api.h>

namespace deepinfer::pjrt::fake {

#define FAKE_ENTRY(entry) PJRT_Error* entry(PJRT_##entry##_Args* args)
#define FAKE_VOID_ENTRY(entry) void entry(PJRT_##entry##_Args* args)

FAKE_VOID_ENTRY(Error_Destroy);
FAKE_VOID_ENTRY(Error_Message);
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
#undef FAKE_VOID_ENTRY

}  // namespace deepinfer::pjrt::fake
