#include "core/storage_id.h"

#include <atomic>

namespace deepinfer {

std::uint64_t next_storage_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace deepinfer
