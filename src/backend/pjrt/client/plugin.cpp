#include "backend/pjrt/client/plugin.h"

#include <dlfcn.h>

#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "backend/pjrt/client/api.h"
#include "backend/pjrt/client/named_value_api.h"

namespace deepinfer::pjrt {
namespace {

// The table's entries were put into another order in 0.57 (the changelog of the PJRT C API).
constexpr int kOldestMinor = 57;

std::string version_text(int major, int minor) {
  return "PJRT API " + std::to_string(major) + "." + std::to_string(minor);
}

const PJRT_Api* load_table(const std::string& file) {
  std::error_code fault;
  const std::filesystem::path path = std::filesystem::absolute(file, fault);
  if (fault || !std::filesystem::exists(path, fault))
    throw Error::bad_input(file, "no such file",
                           {.expected = "a PJRT plug-in, a shared object", .got = {}, .hint = {}});
  // An absolute path: a bare name would be looked for among the system's libraries.
  void* library = [&] {
    const ForeignCall entered(file.c_str(), "its loading");
    return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  if (library == nullptr) {
    const char* reason = dlerror();
    throw Error::bad_input(file, "cannot be loaded: " + std::string(reason ? reason : "?"),
                           {.expected = "a PJRT plug-in, a shared object", .got = {}, .hint = {}});
  }
  using GetPjrtApi = const PJRT_Api* (*)();
  const auto get = reinterpret_cast<GetPjrtApi>(dlsym(library, "GetPjrtApi"));
  if (get == nullptr) throw Error::bad_input(file, "no PJRT plug-in: it exports no GetPjrtApi");
  const PJRT_Api* table = [&] {
    const ForeignCall entered(file.c_str(), "GetPjrtApi");
    return get();
  }();
  if (table == nullptr) throw Error::failed(file, "GetPjrtApi gave no table of entries");
  return table;
}

void check_version(const Api& api) {
  constexpr std::size_t kFirstEntry = offsetof(PJRT_Api, PJRT_Error_Destroy);
  if (api.table->struct_size < kFirstEntry)
    throw Error::bad_input(api.name, "its table of PJRT entries ends before the first entry",
                           {.expected = "at least " + std::to_string(kFirstEntry) + " bytes",
                            .got = std::to_string(api.table->struct_size),
                            .hint = {}});
  const PJRT_Api_Version& version = api.table->pjrt_api_version;
  if (version.major_version != PJRT_API_MAJOR || version.minor_version < kOldestMinor)
    throw Error::bad_input(
        api.name, "a PJRT API that this build cannot speak",
        {.expected = version_text(PJRT_API_MAJOR, kOldestMinor) + " or a newer minor version",
         .got = version_text(version.major_version, version.minor_version),
         .hint = "this build was made for " + version_text(PJRT_API_MAJOR, PJRT_API_MINOR)});
}

/// Without these no work can be done; other entries are looked for when they are needed.
void require_entries(const Api& api) {
  require<PJRT_Error_Destroy_Args>(api);
  require<PJRT_Error_Message_Args>(api);
  require<PJRT_Error_GetCode_Args>(api);
  require<PJRT_Plugin_Initialize_Args>(api);
  require<PJRT_Event_Destroy_Args>(api);
  require<PJRT_Event_Await_Args>(api);
  require<PJRT_Client_Create_Args>(api);
  require<PJRT_Client_Destroy_Args>(api);
  require<PJRT_Client_AddressableDevices_Args>(api);
  require<PJRT_Client_Compile_Args>(api);
  require<PJRT_Client_BufferFromHostBuffer_Args>(api);
  require<PJRT_Executable_Destroy_Args>(api);
  require<PJRT_Executable_NumOutputs_Args>(api);
  require<PJRT_LoadedExecutable_Destroy_Args>(api);
  require<PJRT_LoadedExecutable_GetExecutable_Args>(api);
  require<PJRT_LoadedExecutable_Execute_Args>(api);
  require<PJRT_Buffer_Destroy_Args>(api);
  require<PJRT_Buffer_ToHostBuffer_Args>(api);
}

/// A plug-in is to be initialised once in a process, however often it is opened.
void initialise_once(const Api& api) {
  static std::mutex mutex;
  static std::set<const PJRT_Api*> initialised;
  const std::scoped_lock lock(mutex);
  if (initialised.contains(api.table)) return;
  auto args = make_args<PJRT_Plugin_Initialize_Args>();
  call(api, args);
  initialised.insert(api.table);
}

}  // namespace

std::shared_ptr<const Plugin> Plugin::load(const std::string& file) {
  auto api = std::make_unique<Api>();
  api->name = file;
  api->table = load_table(file);
  check_version(*api);
  require_entries(*api);
  initialise_once(*api);
  return std::shared_ptr<const Plugin>(new Plugin(file, std::move(api)));
}

Plugin::Plugin(std::string file, std::unique_ptr<const Api> api)
    : file_(std::move(file)), api_(std::move(api)) {
  if (!has<PJRT_Plugin_Attributes_Args>(*api_)) return;
  auto args = make_args<PJRT_Plugin_Attributes_Args>();
  call(*api_, args);
  attributes_ = attributes_of(args.attributes, args.num_attributes);
}

Plugin::~Plugin() = default;

ApiVersion Plugin::version() const {
  const PJRT_Api_Version& version = api_->table->pjrt_api_version;
  return {.major = version.major_version, .minor = version.minor_version};
}

ApiVersion Plugin::header_version() { return {.major = PJRT_API_MAJOR, .minor = PJRT_API_MINOR}; }

}  // namespace deepinfer::pjrt
