// XLA's own CPU plug-in: xla-cpu-pjrt 0.0.1, on which everything is tested here.

#include "backend/pjrt/facts/device_facts.h"

namespace deepinfer::pjrt {

const DeviceFacts& cpu_facts() {
  static const DeviceFacts facts = {
      .family = "cpu",
      .files = {"xla_cpu_pjrt", "pjrt_c_api_cpu_plugin", "libpjrt_cpu"},
      .platform = "cpu",
      .environment = {},
      // It would make four devices and their threads; one is used. Tried with 0.81, 0.106, 0.115.
      .client_options = {{.name = "cpu_device_count", .value = std::int64_t{1}}},
      // It has both types, but is asked for them like any other.
      .types = {.f8e4m3fn = true, .f4e2m1fn = true},
  };
  return facts;
}

}  // namespace deepinfer::pjrt
