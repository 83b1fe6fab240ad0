#pragma once

// Objects that a plug-in hands out, each with exactly one owner here. The C API's types are opaque,
// so naming them needs no PJRT header.

#include <memory>

struct PJRT_Buffer;
struct PJRT_Client;
struct PJRT_Device;
struct PJRT_Error;
struct PJRT_Event;
struct PJRT_Executable;
struct PJRT_LoadedExecutable;

namespace deepinfer::pjrt {

struct Api;

/// Gives an object back to the plug-in. What the plug-in says against it is dropped: there is
/// nobody to tell in a destructor, and nothing left to do.
struct Destroy {
  const Api* api = nullptr;
  void operator()(PJRT_Buffer* buffer) const noexcept;
  void operator()(PJRT_Client* client) const noexcept;
  void operator()(PJRT_Error* error) const noexcept;
  void operator()(PJRT_Event* event) const noexcept;
  void operator()(PJRT_Executable* executable) const noexcept;
  void operator()(PJRT_LoadedExecutable* executable) const noexcept;
};

template <typename Object>
using Owned = std::unique_ptr<Object, Destroy>;

}  // namespace deepinfer::pjrt
