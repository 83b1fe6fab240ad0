#include "backend/backend.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/reference/reference_backend.h"
#include "core/thread_pool.h"

namespace deepinfer {

CacheNeeds cache_needs(const Options& options) {
  switch (options.backend) {
    case BackendKind::reference:
    case BackendKind::cpu:
      return {.typed_roots = false};  // kernels get addresses: types of neighbours do not matter
  }
  return {};
}

std::unique_ptr<Backend> make_backend(const Options& options) {
  const int threads = options.threads > 0 ? options.threads : ThreadPool::default_threads();
  switch (options.backend) {
    case BackendKind::reference:
      return reference::make_reference_backend();
    case BackendKind::cpu:
      return cpu::make_cpu_backend(options.isa, threads);
  }
  return nullptr;
}

}  // namespace deepinfer
