#pragma once

// The PJRT plug-in for the CPU that whole models are tested on, where `make pjrt` fetched it. For
// the sources that tests/CMakeLists.txt tells where it is.

#include <cstdlib>
#include <filesystem>

namespace deepinfer {

inline constexpr const char* kPjrtPlugin = DEEPINFER_PJRT_PLUGIN;

/// Whether programs can be run on it; from then on by one thread, which makes sums in the same
/// order every time.
inline bool has_pjrt_plugin() {
#ifdef DEEPINFER_PJRT
  setenv("PJRT_NPROC", "1", 1);
  return std::filesystem::exists(kPjrtPlugin);
#else
  return false;
#endif
}

}  // namespace deepinfer
