#pragma once

// A loaded PJRT plug-in: a shared object that exports GetPjrtApi.
//
// Never unloaded, since plug-ins keep threads of their own. Shared by the clients made of it; may
// be used by several threads. This library never sets XLA_FLAGS: an unknown flag in it aborts the
// process.

#include <memory>
#include <string>
#include <vector>

#include "backend/pjrt/client/named_value.h"

namespace deepinfer::pjrt {

struct Api;

struct ApiVersion {
  int major = 0;
  int minor = 0;
};

class Plugin {
 public:
  /// Loads and initialises the plug-in in `file`. Throws Error (bad_input) if it is no plug-in that
  /// this build can use, ApiError if it fails to initialise.
  static std::shared_ptr<const Plugin> load(const std::string& file);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const std::string& file() const { return file_; }
  ApiVersion version() const;
  static ApiVersion header_version();  ///< of the header that this build was made with
  /// What the plug-in says of itself: StableHLO versions and the like. Empty if it cannot say.
  const std::vector<Attribute>& attributes() const { return attributes_; }

  const Api& api() const { return *api_; }  ///< for this folder

 private:
  Plugin(std::string file, std::unique_ptr<const Api> api);

  std::string file_;
  std::unique_ptr<const Api> api_;
  std::vector<Attribute> attributes_;
};

}  // namespace deepinfer::pjrt
