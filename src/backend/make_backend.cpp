#include "backend/backend.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/pjrt/facts/device_facts.h"
#include "backend/reference/reference_backend.h"
#include "core/thread_pool.h"
#include "deepinfer/error.h"

#ifdef DEEPINFER_PJRT
#include "backend/pjrt/pjrt_backend.h"
#endif

namespace deepinfer {

CacheNeeds cache_needs(const Options& options) {
  switch (options.backend) {
    case BackendKind::reference:
    case BackendKind::cpu:  // kernels get addresses: types of neighbours do not matter
      return {};
    case BackendKind::pjrt: {  // programs see roots as bytes; some plug-ins see more in them
      const pjrt::DeviceFacts& facts = pjrt::facts_of_file(options.pjrt_plugin);
      return {.typed_roots = facts.typed_columns_apart, .whole_rows = facts.narrow_addresses};
    }
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
    case BackendKind::pjrt:
#ifdef DEEPINFER_PJRT
      return pjrt::make_pjrt_backend(options);
#else
      throw Error::bad_input(
          "--backend", "not supported by this build",
          {.expected = "reference or cpu", .got = "pjrt", .hint = "run make pjrt and build again"});
#endif
  }
  return nullptr;
}

}  // namespace deepinfer
