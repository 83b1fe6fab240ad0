#pragma once

// One program at a time from its text: found compiled on disk, else compiled, then kept there.
//
// A compile that fails is tried once more. What is found on disk and cannot be used after all is
// compiled again. Belongs to a backend; make() may be called by several threads.

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/pjrt/client/client.h"
#include "backend/pjrt/compile_cache.h"
#include "backend/pjrt/compile_key.h"

namespace deepinfer::pjrt {

/// Graphs have executables of their own, made of these.
using Program = Executable;

/// What a program works in, beside its arguments and results; none: the plug-in does not say.
std::optional<std::int64_t> temporary_bytes(const Program& program);

class ProgramCompiler {
 public:
  /// `option_bytes`: compile_option_bytes() of every compile. `cache_folder`: of the compiled
  /// programs; empty: none are kept.
  ProgramCompiler(std::shared_ptr<const Client> client, std::string option_bytes,
                  const std::string& cache_folder);

  /// Throws Error (failed) with the program's name and types and the compiler's last lines if it
  /// cannot be compiled or the device is full.
  std::shared_ptr<const Program> make(std::string_view text,
                                      const std::shared_ptr<const Signature>& signature);

  /// After some calls of make(): keeps the folder within its bounds.
  void finish();

  CompileCounts counts() const;
  std::vector<std::string> notes() const;

 private:
  /// Empty: nothing is kept on disk.
  std::string key_of(std::string_view text);
  std::shared_ptr<const Program> load(const std::string& key,
                                      const std::shared_ptr<const Signature>& signature);
  std::shared_ptr<const Program> compile(std::string_view text,
                                         const std::shared_ptr<const Signature>& signature);
  void keep(const std::string& key, const Program& program);
  /// The plug-in cannot do what the cache needs.
  void give_up_cache(std::string_view why);
  bool uses_cache() const;

  std::shared_ptr<const Client> client_;
  std::string option_bytes_;
  std::optional<CompileCache> cache_;
  std::shared_future<std::string> plugin_sha256_;

  mutable std::mutex mutex_;  // of what follows
  std::optional<CompilerIdentity> identity_;
  bool cache_works_ = true;
  bool kept_ = false;  // something, since the last finish()
  CompileCounts counts_;
  std::vector<std::string> notes_;
};

}  // namespace deepinfer::pjrt
