#include "cli/bundled_plugin.h"

#include <filesystem>
#include <system_error>

namespace deepinfer::cli {

std::string plugin_file(const Options& options) {
  if (!options.pjrt_plugin.empty() || options.backend != BackendKind::pjrt)
    return options.pjrt_plugin;
  const std::filesystem::path fetched =
      std::filesystem::path(DEEPINFER_SOURCE_DIR) / "build/pjrt/xla_cpu_pjrt.so";
  std::error_code error;
  return std::filesystem::exists(fetched, error) ? fetched.string() : std::string();
}

}  // namespace deepinfer::cli
