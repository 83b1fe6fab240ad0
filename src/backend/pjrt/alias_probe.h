#pragma once

// Whether a device updates a root in place when a program is given it: found out with a small one.

#include <string_view>

#include "backend/pjrt/program_store.h"

namespace deepinfer::pjrt {

enum class Aliasing {
  in_place,  ///< the result lies where the given root lay
  copied,    ///< right, but a copy: every step moves all bytes of the roots
  unknown,   ///< right; the plug-in does not say where tensors lie
  wrong,     ///< the result is not what the program says: programs must not be given roots
};

std::string_view name_of(Aliasing aliasing);

/// Writes a row into a root of a few bytes and looks at what comes out. The program is one of
/// `programs`, compiled as all are. Throws Error if the device cannot run even that.
Aliasing probe_aliasing(const Client& client, ProgramStore& programs);

}  // namespace deepinfer::pjrt
