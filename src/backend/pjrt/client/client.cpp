#include "backend/pjrt/client/client.h"

#include <utility>

#include "backend/pjrt/client/api.h"
#include "backend/pjrt/client/device_query.h"
#include "backend/pjrt/client/element_type_api.h"
#include "backend/pjrt/client/named_value_api.h"

namespace deepinfer::pjrt {

std::shared_ptr<const Client> Client::open(std::shared_ptr<const Plugin> plugin,
                                           std::span<const NamedOption> options,
                                           const AwaitsRuns& awaits_runs) {
  return std::shared_ptr<const Client>(new Client(std::move(plugin), options, awaits_runs));
}

Client::Client(std::shared_ptr<const Plugin> plugin, std::span<const NamedOption> options,
               const AwaitsRuns& awaits_runs)
    : plugin_(std::move(plugin)) {
  const Api& api = plugin_->api();
  const std::vector<PJRT_NamedValue> values = named_values(options);
  auto create = make_args<PJRT_Client_Create_Args>();
  create.create_options = values.data();
  create.num_options = values.size();
  call(api, create);
  client_ = Owned<PJRT_Client>(create.client, Destroy{&api});

  auto devices = make_args<PJRT_Client_AddressableDevices_Args>();
  devices.client = client_.get();
  call(api, devices);
  devices_.assign(devices.addressable_devices,
                  devices.addressable_devices + devices.num_addressable_devices);
  if (devices_.empty()) throw Error::failed(api.name, "the plug-in found no device");

  auto name = make_args<PJRT_Client_PlatformName_Args>();
  name.client = client_.get();
  call(api, name);
  platform_ = text_of(name.platform_name, name.platform_name_size);
  auto version = make_args<PJRT_Client_PlatformVersion_Args>();
  version.client = client_.get();
  call(api, version);
  platform_version_ = text_of(version.platform_version, version.platform_version_size);
  if (awaits_runs) awaits_runs_ = awaits_runs(platform_);
}

Client::~Client() = default;

std::vector<DeviceInfo> Client::devices() const {
  std::vector<DeviceInfo> devices;
  for (PJRT_Device* device : devices_) devices.push_back(query_device(plugin_->api(), device));
  return devices;
}

std::optional<DeviceMemory> Client::memory() const {
  return query_memory(plugin_->api(), devices_.front());
}

bool Client::supports(Element type) const {
  const NamedType one = {.name = std::string(name_of(type)), .type = {.type = type, .dims = {1}}};
  const std::vector<std::byte> zero(one.type.bytes());
  try {
    upload(one, zero).wait();
  } catch (const ApiError& error) {
    if (error.code() == StatusCode::unimplemented || error.code() == StatusCode::invalid_argument)
      return false;
    throw;
  } catch (const Error&) {
    return false;  // the plug-in is older than the type
  }
  return true;
}

Buffer Client::upload(NamedType type, std::span<const std::byte> bytes, HostBytes use) const {
  if (bytes.size() != type.type.bytes())
    throw Error::failed(type.name, "host bytes of another size than the tensor's",
                        {.expected = std::to_string(type.type.bytes()) + " bytes",
                         .got = std::to_string(bytes.size()),
                         .hint = {}});
  const Api& api = plugin_->api();
  auto args = make_args<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client_.get();
  args.data = bytes.data();
  args.type = api_type(api, type.type.type, type.name);
  args.dims = type.type.dims.data();
  args.num_dims = type.type.dims.size();
  args.host_buffer_semantics = use == HostBytes::in_place
                                   ? PJRT_HostBufferSemantics_kImmutableZeroCopy
                                   : PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = devices_.front();
  call(api, args, type.name);
  Owned<PJRT_Event> host_done(args.done_with_host_buffer, Destroy{&api});
  if (use == HostBytes::copied) host_done.reset();  // they were free when the call returned
  return {shared_from_this(), args.buffer, std::move(type), host_done.release()};
}

Buffer Client::allocate(NamedType type) const {
  const Api& api = plugin_->api();
  auto args = make_args<PJRT_Client_CreateUninitializedBuffer_Args>();
  args.client = client_.get();
  args.shape_dims = type.type.dims.data();
  args.shape_num_dims = type.type.dims.size();
  args.shape_element_type = api_type(api, type.type.type, type.name);
  args.device = devices_.front();
  call(api, args, type.name);
  return {shared_from_this(), args.buffer, std::move(type)};
}

Executable Client::compile(std::string_view mlir, std::shared_ptr<const Signature> signature,
                           std::string_view option_bytes) const {
  constexpr std::string_view kFormat = "mlir";
  std::string code(mlir);  // the C API wants it writable
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = code.data();
  program.code_size = code.size();
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  auto args = make_args<PJRT_Client_Compile_Args>();
  args.client = client_.get();
  args.program = &program;
  args.compile_options = option_bytes.data();
  args.compile_options_size = option_bytes.size();
  call(plugin_->api(), args, signature->name);
  return {shared_from_this(), args.executable, std::move(signature)};
}

Executable Client::deserialise(std::span<const std::byte> bytes,
                               std::shared_ptr<const Signature> signature) const {
  auto args = make_args<PJRT_Executable_DeserializeAndLoad_Args>();
  args.client = client_.get();
  args.serialized_executable = reinterpret_cast<const char*>(bytes.data());
  args.serialized_executable_size = bytes.size();
  call(plugin_->api(), args, signature->name);
  return {shared_from_this(), args.loaded_executable, std::move(signature)};
}

}  // namespace deepinfer::pjrt
