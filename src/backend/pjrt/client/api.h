#pragma once

// How an entry of the PJRT C API is called: its arguments zeroed and sized as the header says, its
// place in the plug-in's table checked first, its error turned into an ApiError. For the .cpp files
// of this folder alone: it needs the C header.

#include <pjrt_c_api.h>

#include <string>
#include <string_view>

#include "backend/pjrt/client/api_error.h"
#include "backend/pjrt/client/handle.h"
#include "core/foreign_call.h"

namespace deepinfer::pjrt {

/// A plug-in's table of entries. Owned by a Plugin, which everything made of it keeps alive.
struct Api {
  const PJRT_Api* table = nullptr;
  std::string name;  ///< the plug-in's file, for errors
};

/// Which entry takes `Args`.
template <typename Args>
struct EntryOf;

// The C API names the entry, its field of the table, its arguments and their size alike.
#define DEEPINFER_PJRT_ENTRY(entry)                                     \
  template <>                                                           \
  struct EntryOf<entry##_Args> {                                        \
    static constexpr auto kField = &PJRT_Api::entry;                    \
    static constexpr std::size_t kOffset = offsetof(PJRT_Api, entry);   \
    static constexpr std::size_t kArgsBytes = entry##_Args_STRUCT_SIZE; \
    static constexpr std::string_view kName = #entry;                   \
  }

DEEPINFER_PJRT_ENTRY(PJRT_Error_Destroy);
DEEPINFER_PJRT_ENTRY(PJRT_Error_Message);
DEEPINFER_PJRT_ENTRY(PJRT_Error_GetCode);
DEEPINFER_PJRT_ENTRY(PJRT_Plugin_Initialize);
DEEPINFER_PJRT_ENTRY(PJRT_Plugin_Attributes);
DEEPINFER_PJRT_ENTRY(PJRT_Event_Destroy);
DEEPINFER_PJRT_ENTRY(PJRT_Event_Await);
DEEPINFER_PJRT_ENTRY(PJRT_Client_Create);
DEEPINFER_PJRT_ENTRY(PJRT_Client_Destroy);
DEEPINFER_PJRT_ENTRY(PJRT_Client_PlatformName);
DEEPINFER_PJRT_ENTRY(PJRT_Client_PlatformVersion);
DEEPINFER_PJRT_ENTRY(PJRT_Client_AddressableDevices);
DEEPINFER_PJRT_ENTRY(PJRT_Client_Compile);
DEEPINFER_PJRT_ENTRY(PJRT_Client_BufferFromHostBuffer);
DEEPINFER_PJRT_ENTRY(PJRT_Client_CreateUninitializedBuffer);
DEEPINFER_PJRT_ENTRY(PJRT_Device_GetDescription);
DEEPINFER_PJRT_ENTRY(PJRT_Device_LocalHardwareId);
DEEPINFER_PJRT_ENTRY(PJRT_Device_AddressableMemories);
DEEPINFER_PJRT_ENTRY(PJRT_Device_MemoryStats);
DEEPINFER_PJRT_ENTRY(PJRT_DeviceDescription_Id);
DEEPINFER_PJRT_ENTRY(PJRT_DeviceDescription_Kind);
DEEPINFER_PJRT_ENTRY(PJRT_DeviceDescription_ToString);
DEEPINFER_PJRT_ENTRY(PJRT_DeviceDescription_Attributes);
DEEPINFER_PJRT_ENTRY(PJRT_Memory_Kind);
DEEPINFER_PJRT_ENTRY(PJRT_Executable_Destroy);
DEEPINFER_PJRT_ENTRY(PJRT_Executable_NumOutputs);
DEEPINFER_PJRT_ENTRY(PJRT_Executable_OutputElementTypes);
DEEPINFER_PJRT_ENTRY(PJRT_Executable_OutputDimensions);
DEEPINFER_PJRT_ENTRY(PJRT_Executable_Serialize);
DEEPINFER_PJRT_ENTRY(PJRT_Executable_DeserializeAndLoad);
DEEPINFER_PJRT_ENTRY(PJRT_Executable_GetCompiledMemoryStats);
DEEPINFER_PJRT_ENTRY(PJRT_LoadedExecutable_Destroy);
DEEPINFER_PJRT_ENTRY(PJRT_LoadedExecutable_GetExecutable);
DEEPINFER_PJRT_ENTRY(PJRT_LoadedExecutable_Execute);
DEEPINFER_PJRT_ENTRY(PJRT_Buffer_Destroy);
DEEPINFER_PJRT_ENTRY(PJRT_Buffer_ToHostBuffer);
DEEPINFER_PJRT_ENTRY(PJRT_Buffer_ReadyEvent);
DEEPINFER_PJRT_ENTRY(PJRT_Buffer_IsDeleted);
DEEPINFER_PJRT_ENTRY(PJRT_Buffer_OnDeviceSizeInBytes);
DEEPINFER_PJRT_ENTRY(PJRT_Buffer_OpaqueDeviceMemoryDataPointer);

#undef DEEPINFER_PJRT_ENTRY

template <typename Args>
Args make_args() {
  Args args{};
  args.struct_size = EntryOf<Args>::kArgsBytes;
  return args;
}

/// Whether the plug-in's table reaches to the entry of `Args` and has it. A plug-in older than the
/// header has a shorter table: reading behind its end is not allowed.
template <typename Args>
bool has(const Api& api) {
  using Entry = EntryOf<Args>;
  return Entry::kOffset + sizeof(void*) <= api.table->struct_size &&
         api.table->*Entry::kField != nullptr;
}

[[noreturn]] void throw_missing_entry(const Api& api, std::string_view call);
/// Takes `error` over. `where` as in Error.
[[noreturn]] void throw_api_error(const Api& api, Owned<PJRT_Error> error, std::string_view where,
                                  std::string_view call);

/// Throws Error (bad_input) unless the plug-in has the entry.
template <typename Args>
void require(const Api& api) {
  if (!has<Args>(api)) throw_missing_entry(api, EntryOf<Args>::kName);
}

/// The call itself, known to whoever must explain a crash. REQUIRES: has<Args>(api).
template <typename Args>
auto enter(const Api& api, Args& args) {
  const ForeignCall entered(api.name.c_str(), EntryOf<Args>::kName.data());
  return (api.table->*EntryOf<Args>::kField)(&args);
}

/// Calls the entry of `args`. Throws ApiError with the plug-in's text; `where` names what the call
/// was about, the plug-in's file if empty.
template <typename Args>
void call(const Api& api, Args& args, std::string_view where = {}) {
  require<Args>(api);
  Owned<PJRT_Error> error(enter(api, args), Destroy{&api});
  if (error != nullptr)
    throw_api_error(api, std::move(error), where.empty() ? std::string_view(api.name) : where,
                    EntryOf<Args>::kName);
}

/// Calls the entry and drops its error, for destructors.
template <typename Args>
void call_quietly(const Api& api, Args& args) noexcept {
  if (!has<Args>(api)) return;
  const Owned<PJRT_Error> dropped(enter(api, args), Destroy{&api});
}

/// Text that a plug-in gave as pointer and size.
inline std::string text_of(const char* text, std::size_t size) {
  return text == nullptr ? std::string() : std::string(text, size);
}

}  // namespace deepinfer::pjrt
