// A PJRT plug-in for tests: everything in memory, and errors where a test asks for them.

#include "tests/support/fake_pjrt/entries.h"
#include "tests/support/fake_pjrt/objects.h"

namespace deepinfer::pjrt::fake {
namespace {

Claim& claim() {
  static Claim claim;
  return claim;
}

PJRT_Api make_table() {
  PJRT_Api table{};
  table.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
#define FAKE_SET(name) table.PJRT_##name = name;
  FAKE_PJRT_ENTRIES(FAKE_SET)
  FAKE_PJRT_VOID_ENTRIES(FAKE_SET)
#undef FAKE_SET
  return table;
}

}  // namespace
}  // namespace deepinfer::pjrt::fake

extern "C" {

// Named by the C API and by control.h.
// NOLINTBEGIN(readability-identifier-naming)
const PJRT_Api* GetPjrtApi() {
  static PJRT_Api table = deepinfer::pjrt::fake::make_table();
  const deepinfer::pjrt::fake::Claim& claim = deepinfer::pjrt::fake::claim();
  table.struct_size =
      claim.table_bytes == 0 ? std::size_t{PJRT_Api_STRUCT_SIZE} : claim.table_bytes;
  table.pjrt_api_version.major_version = claim.major;
  table.pjrt_api_version.minor_version = claim.minor;
  return &table;
}
// NOLINTEND(readability-identifier-naming)

deepinfer::pjrt::fake::Control* fake_pjrt_control() { return &deepinfer::pjrt::fake::control(); }

deepinfer::pjrt::fake::Claim* fake_pjrt_claim() { return &deepinfer::pjrt::fake::claim(); }
}
