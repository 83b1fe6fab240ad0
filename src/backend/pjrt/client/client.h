#pragma once

// A plug-in at work: its devices, memory on them, its compiler.
//
// Made by open() and shared by everything made of it, so that a client goes last. May be used by
// several threads: compiling in parallel is what plug-ins expect.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/pjrt/client/api_error.h"
#include "backend/pjrt/client/buffer.h"
#include "backend/pjrt/client/device.h"
#include "backend/pjrt/client/executable.h"
#include "backend/pjrt/client/handle.h"
#include "backend/pjrt/client/named_value.h"
#include "backend/pjrt/client/plugin.h"
#include "backend/pjrt/client/tensor_type.h"

namespace deepinfer::pjrt {

/// What the plug-in may do with host bytes that it is shown.
enum class HostBytes {
  copied,    ///< they are free when the call returns
  in_place,  ///< it may use them as the tensor's memory: they must stay as they are while it lives
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  /// Whether runs on a platform can be awaited by their own event.
  using AwaitsRuns = std::function<bool(std::string_view platform)>;

  /// Starts the plug-in with options of its own names ("cpu_device_count"). Runs are awaited unless
  /// `awaits_runs` says otherwise. Throws ApiError if it does not start, Error (failed) if it has
  /// no device.
  static std::shared_ptr<const Client> open(std::shared_ptr<const Plugin> plugin,
                                            std::span<const NamedOption> options = {},
                                            const AwaitsRuns& awaits_runs = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const Plugin& plugin() const { return *plugin_; }
  const std::string& platform() const { return platform_; }  ///< "cpu", "neuron"
  const std::string& platform_version() const { return platform_version_; }
  /// False: runs are only started, and what they compute is waited for where it is read.
  bool awaits_runs() const { return awaits_runs_; }

  /// Every device that this process can use. Memory goes to the first, programs run there.
  std::vector<DeviceInfo> devices() const;
  /// Of the first device; none if the plug-in does not count.
  std::optional<DeviceMemory> memory() const;

  /// Whether the device takes tensors of the type: found out with one element.
  bool supports(Element type) const;

  /// `bytes`: row-major, exactly the type's size. Throws Error (failed) if not, ApiError.
  Buffer upload(NamedType type, std::span<const std::byte> bytes,
                HostBytes use = HostBytes::copied) const;
  /// Memory with nothing in it yet. Throws Error if the plug-in cannot.
  Buffer allocate(NamedType type) const;

  /// Compiles MLIR text with a function @main of the signature. Options as in
  /// compile_option_bytes(). Throws ApiError with the compiler's text.
  Executable compile(std::string_view mlir, std::shared_ptr<const Signature> signature,
                     std::string_view option_bytes) const;
  /// Loads what Executable::serialise() gave. Throws ApiError if the plug-in refuses it.
  Executable deserialise(std::span<const std::byte> bytes,
                         std::shared_ptr<const Signature> signature) const;

 private:
  Client(std::shared_ptr<const Plugin> plugin, std::span<const NamedOption> options,
         const AwaitsRuns& awaits_runs);

  std::shared_ptr<const Plugin> plugin_;
  Owned<PJRT_Client> client_;
  std::vector<PJRT_Device*> devices_;  // the client's own
  std::string platform_;
  std::string platform_version_;
  bool awaits_runs_ = true;
};

}  // namespace deepinfer::pjrt
