#include "backend/pjrt/client/api.h"

namespace deepinfer::pjrt {

void throw_missing_entry(const Api& api, std::string_view call) {
  const PJRT_Api_Version& version = api.table->pjrt_api_version;
  throw Error::bad_input(api.name, "this plug-in has no " + std::string(call),
                         {.expected = {},
                          .got = "PJRT API " + std::to_string(version.major_version) + "." +
                                 std::to_string(version.minor_version) + " with a table of " +
                                 std::to_string(api.table->struct_size) + " bytes",
                          .hint = "use a newer plug-in"});
}

void throw_api_error(const Api& api, Owned<PJRT_Error> error, std::string_view where,
                     std::string_view call) {
  auto message = make_args<PJRT_Error_Message_Args>();
  message.error = error.get();
  enter(api, message);
  auto code = make_args<PJRT_Error_GetCode_Args>();
  code.error = error.get();
  code.code = PJRT_Error_Code_UNKNOWN;
  call_quietly(api, code);
  throw ApiError(where, call, static_cast<StatusCode>(code.code),
                 text_of(message.message, message.message_size));
}

void Destroy::operator()(PJRT_Buffer* buffer) const noexcept {
  auto args = make_args<PJRT_Buffer_Destroy_Args>();
  args.buffer = buffer;
  call_quietly(*api, args);
}

void Destroy::operator()(PJRT_Client* client) const noexcept {
  auto args = make_args<PJRT_Client_Destroy_Args>();
  args.client = client;
  call_quietly(*api, args);
}

void Destroy::operator()(PJRT_Error* error) const noexcept {
  auto args = make_args<PJRT_Error_Destroy_Args>();
  args.error = error;
  enter(*api, args);  // its presence is checked when a plug-in is loaded
}

void Destroy::operator()(PJRT_Event* event) const noexcept {
  auto args = make_args<PJRT_Event_Destroy_Args>();
  args.event = event;
  call_quietly(*api, args);
}

void Destroy::operator()(PJRT_Executable* executable) const noexcept {
  auto args = make_args<PJRT_Executable_Destroy_Args>();
  args.executable = executable;
  call_quietly(*api, args);
}

void Destroy::operator()(PJRT_LoadedExecutable* executable) const noexcept {
  auto args = make_args<PJRT_LoadedExecutable_Destroy_Args>();
  args.executable = executable;
  call_quietly(*api, args);
}

}  // namespace deepinfer::pjrt
