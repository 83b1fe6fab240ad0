#pragma once

// Under which name a compiled program is kept on disk: a digest of everything that decides what the
// compiler makes of a text, and of nothing else. No path, host or date is in it, so that a folder
// of programs is as good on another machine of the kind.

#include <string>
#include <string_view>

namespace deepinfer::pjrt {

class Client;

/// What a compiled program depends on besides its text and its options.
struct CompilerIdentity {
  /// Of the plug-in's file: one plug-in loads what another version compiled without complaint, and
  /// it computes garbage.
  std::string plugin_sha256;
  std::string platform;
  std::string platform_version;
  std::string device_kind;
  std::string processor;  ///< processor_features()
};

/// `plugin_sha256`: of the file that the client's plug-in was loaded from. Throws ApiError.
CompilerIdentity identity_of(const Client& client, std::string plugin_sha256);

/// Which instructions this processor and its system offer: compilers use what they find.
std::string processor_features();

/// 64 hex digits.
std::string compile_key(const CompilerIdentity& identity, std::string_view text,
                        std::string_view option_bytes);

}  // namespace deepinfer::pjrt
