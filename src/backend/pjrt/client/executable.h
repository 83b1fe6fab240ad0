#pragma once

// A program that a plug-in compiled.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/pjrt/client/api_error.h"
#include "backend/pjrt/client/buffer.h"
#include "backend/pjrt/client/event.h"
#include "backend/pjrt/client/handle.h"
#include "backend/pjrt/client/tensor_type.h"

namespace deepinfer::pjrt {

class Client;

/// What a program takes and gives. Plug-ins do not check argument types: bytes of another type of
/// the same size would be taken as they are, so run() checks against this.
struct Signature {
  std::string name;  ///< of the program, for errors
  std::vector<NamedType> parameters;
  std::vector<NamedType> results;
};

/// A tensor for one parameter. A given one is empty once the program runs: its memory may become a
/// result's (where the program's text says so, with tf.aliasing_output). A lent one stays as it is.
struct Argument {
  Buffer* buffer = nullptr;
  bool given = false;

  static Argument lend(Buffer& buffer) { return {.buffer = &buffer, .given = false}; }
  static Argument give(Buffer& buffer) { return {.buffer = &buffer, .given = true}; }
};

/// Bytes on the device, as the compiler planned them.
struct ProgramMemory {
  std::int64_t code = 0;
  std::int64_t arguments = 0;
  std::int64_t results = 0;
  std::int64_t aliased = 0;  ///< of the results: those that lie in arguments
  std::int64_t temporary = 0;
};

/// One started run. Results may be used at once: the device orders the work itself.
struct StartedRun {
  std::vector<Buffer> results;
  Event done;
};

/// Keeps its client alive. Several threads may run one executable.
class Executable {
 public:
  /// Takes `executable` over and compares its results with the signature. Throws Error (failed) if
  /// they differ, ApiError.
  Executable(std::shared_ptr<const Client> client, PJRT_LoadedExecutable* executable,
             std::shared_ptr<const Signature> signature);
  ~Executable() = default;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  Executable(Executable&& other) noexcept = default;
  Executable& operator=(Executable&& other) noexcept;

  const Signature& signature() const { return *signature_; }

  /// Starts the program. Throws Error (failed) if an argument's type is not the parameter's, or a
  /// given buffer occurs twice; ApiError if the plug-in refuses: then nothing was given away.
  StartedRun start(std::span<const Argument> arguments) const;
  /// Starts the program and waits for its end.
  std::vector<Buffer> run(std::span<const Argument> arguments) const;

  /// Throws ApiError if the plug-in does not say.
  ProgramMemory memory() const;
  /// For Client::deserialise, of the same plug-in on the same kind of machine only. Throws ApiError
  /// if the plug-in cannot.
  std::vector<std::byte> serialise() const;

 private:
  Owned<PJRT_Executable> unloaded() const;
  void check_results() const;
  void check_arguments(std::span<const Argument> arguments) const;

  std::shared_ptr<const Client> client_;
  Owned<PJRT_LoadedExecutable> executable_;
  std::shared_ptr<const Signature> signature_;
};

}  // namespace deepinfer::pjrt
