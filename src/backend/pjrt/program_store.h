#pragma once

// Compiled programs by their text: equal text is compiled once. Belongs to a backend; one thread at
// a time.

#include <map>
#include <memory>
#include <string>

#include "backend/pjrt/client/client.h"
#include "backend/pjrt/stablehlo/lower.h"

namespace deepinfer::pjrt {

/// Graphs have executables of their own, made of these.
using Program = Executable;

class ProgramStore {
 public:
  /// `option_bytes`: compile_option_bytes() of every compile.
  ProgramStore(std::shared_ptr<const Client> client, std::string option_bytes)
      : client_(std::move(client)), option_bytes_(std::move(option_bytes)) {}

  /// The module's program. `name` is what errors call it if it is new. Throws ApiError with the
  /// compiler's text.
  std::shared_ptr<const Program> program(const LoweredModule& module, const std::string& name);

 private:
  std::shared_ptr<const Client> client_;
  std::string option_bytes_;
  std::map<std::string, std::weak_ptr<const Program>> programs_;
};

}  // namespace deepinfer::pjrt
