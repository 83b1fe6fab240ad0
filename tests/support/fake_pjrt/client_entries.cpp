// Errors, events, the client and its devices.

#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/support/fake_pjrt/entries.h"
#include "tests/support/fake_pjrt/objects.h"

namespace deepinfer::pjrt::fake {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// What Neuron's plug-in chooses its table by, at the moment that this object is loaded.
const std::string kSeenWhenLoaded = variable("NEURON_INTERNAL_PJRT_C_API_VERSION");

/// The names of client options that are taken, as strict plug-ins do.
bool takes(const PJRT_NamedValue& option) {
  const std::string_view name(option.name, option.name_size);
  return name == "cpu_device_count" || name == "answer";
}

}  // namespace

void Error_Destroy(PJRT_Error_Destroy_Args* args) { end_live(args->error); }

void Error_Message(PJRT_Error_Message_Args* args) {
  args->message = args->error->text.data();
  args->message_size = args->error->text.size();
}

PJRT_Error* Error_GetCode(PJRT_Error_GetCode_Args* args) {
  if (control().fail_code_query) return error(PJRT_Error_Code_INTERNAL, "no code");
  args->code = static_cast<PJRT_Error_Code>(args->error->code);
  return nullptr;
}

PJRT_Error* Plugin_Initialize(PJRT_Plugin_Initialize_Args* args) {
  FAKE_ENTER(PJRT_Plugin_Initialize);
  return nullptr;
}

PJRT_Error* Plugin_Attributes(PJRT_Plugin_Attributes_Args* args) {
  FAKE_ENTER(PJRT_Plugin_Attributes);
  static const std::int64_t version[] = {1, 2, 3};
  static PJRT_NamedValue attributes[2] = {};
  attributes[0].struct_size = PJRT_NamedValue_STRUCT_SIZE;
  attributes[0].name = "stablehlo_current_version";
  attributes[0].name_size = 25;
  attributes[0].type = PJRT_NamedValue_kInt64List;
  attributes[0].int64_array_value = version;
  attributes[0].value_size = 3;
  attributes[1].struct_size = PJRT_NamedValue_STRUCT_SIZE;
  attributes[1].name = "seen_when_loaded";
  attributes[1].name_size = 16;
  attributes[1].type = PJRT_NamedValue_kString;
  attributes[1].string_value = kSeenWhenLoaded.data();
  attributes[1].value_size = kSeenWhenLoaded.size();
  args->attributes = attributes;
  args->num_attributes = kSeenWhenLoaded.empty() ? 1 : 2;
  return nullptr;
}

PJRT_Error* Event_Destroy(PJRT_Event_Destroy_Args* args) {
  end_live(args->event);
  FAKE_ENTER(PJRT_Event_Destroy);
  return nullptr;
}

PJRT_Error* Event_Await(PJRT_Event_Await_Args* args) {
  FAKE_ENTER(PJRT_Event_Await);
  if (!is_live(args->event) || !args->event->failed) return nullptr;
  return error(PJRT_Error_Code_INTERNAL, "the device stopped");
}

PJRT_Error* Client_Create(PJRT_Client_Create_Args* args) {
  FAKE_ENTER(PJRT_Client_Create);
  // Set by tests: what a plug-in says on a machine without its device.
  const std::string missing = variable("FAKE_PJRT_NO_DEVICE");
  if (!missing.empty()) return error(PJRT_Error_Code_FAILED_PRECONDITION, missing);
  for (std::size_t i = 0; i < args->num_options; ++i)
    if (!takes(args->create_options[i]))
      return error(
          PJRT_Error_Code_INVALID_ARGUMENT,
          "Unexpected option name passed to PJRT_Client_Create: " +
              std::string(args->create_options[i].name, args->create_options[i].name_size));
  args->client = make_live(PJRT_Client{});
  // The client's lists point into itself.
  args->client->first.memories = &args->client->first.memory;
  args->client->second.memories = &args->client->second.memory;
  args->client->devices[0] = &args->client->first;
  args->client->devices[1] = &args->client->second;
  return nullptr;
}

PJRT_Error* Client_Destroy(PJRT_Client_Destroy_Args* args) {
  // A client goes last: whatever it made is gone by then, except an error about to be given back.
  if (control().live != 1) ++control().misuses;
  end_live(args->client);
  FAKE_ENTER(PJRT_Client_Destroy);
  return nullptr;
}

PJRT_Error* Client_PlatformName(PJRT_Client_PlatformName_Args* args) {
  FAKE_ENTER(PJRT_Client_PlatformName);
  args->platform_name = "fake";
  args->platform_name_size = 4;
  return nullptr;
}

PJRT_Error* Client_PlatformVersion(PJRT_Client_PlatformVersion_Args* args) {
  FAKE_ENTER(PJRT_Client_PlatformVersion);
  args->platform_version = "1.0 of the fake";
  args->platform_version_size = 15;
  return nullptr;
}

PJRT_Error* Client_AddressableDevices(PJRT_Client_AddressableDevices_Args* args) {
  FAKE_ENTER(PJRT_Client_AddressableDevices);
  args->addressable_devices = args->client->devices;
  args->num_addressable_devices = control().no_devices ? 0 : 2;
  return nullptr;
}

PJRT_Error* Device_GetDescription(PJRT_Device_GetDescription_Args* args) {
  FAKE_ENTER(PJRT_Device_GetDescription);
  args->device_description = &args->device->description;
  return nullptr;
}

PJRT_Error* Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args* args) {
  FAKE_ENTER(PJRT_Device_LocalHardwareId);
  args->local_hardware_id = args->device->description.id;
  return nullptr;
}

PJRT_Error* Device_AddressableMemories(PJRT_Device_AddressableMemories_Args* args) {
  FAKE_ENTER(PJRT_Device_AddressableMemories);
  args->memories = &args->device->memories;
  args->num_memories = 1;
  return nullptr;
}

PJRT_Error* Device_MemoryStats(PJRT_Device_MemoryStats_Args* args) {
  FAKE_ENTER(PJRT_Device_MemoryStats);
  if (control().no_memory_statistics) return error(PJRT_Error_Code_UNIMPLEMENTED, "not counted");
  args->bytes_in_use = 1000;
  args->bytes_limit = 4000;
  args->bytes_limit_is_set = true;
  return nullptr;
}

PJRT_Error* DeviceDescription_Id(PJRT_DeviceDescription_Id_Args* args) {
  FAKE_ENTER(PJRT_DeviceDescription_Id);
  args->id = args->device_description->id;
  return nullptr;
}

PJRT_Error* DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args* args) {
  FAKE_ENTER(PJRT_DeviceDescription_Kind);
  args->device_kind = args->device_description->kind.data();
  args->device_kind_size = args->device_description->kind.size();
  return nullptr;
}

PJRT_Error* DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args* args) {
  FAKE_ENTER(PJRT_DeviceDescription_ToString);
  args->to_string = "a fake device";
  args->to_string_size = 13;
  return nullptr;
}

PJRT_Error* DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args* args) {
  FAKE_ENTER(PJRT_DeviceDescription_Attributes);
  return nullptr;
}

PJRT_Error* Memory_Kind(PJRT_Memory_Kind_Args* args) {
  FAKE_ENTER(PJRT_Memory_Kind);
  args->kind = args->memory->kind.data();
  args->kind_size = args->memory->kind.size();
  return nullptr;
}

}  // namespace deepinfer::pjrt::fake
