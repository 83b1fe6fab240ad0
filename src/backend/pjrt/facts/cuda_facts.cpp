// NVIDIA: jax-cuda13-pjrt. Loaded once by hand without a device; never run.

#include "backend/pjrt/facts/device_facts.h"

namespace deepinfer::pjrt {

const DeviceFacts& cuda_facts() {
  static const DeviceFacts facts = {
      .family = "cuda",
      .files = {"xla_cuda_plugin", "cuda_pjrt", "pjrt_c_api_gpu_plugin"},
      .platform = "cuda",
      .environment = {},
      // Memory fraction, preallocation and visible devices are options of its client; it refuses
      // names that it does not know (openxla/xla pull request 45684), so none is given unasked.
      .client_options = {},
      // Seen with jax-cuda13-pjrt 0.12: "No visible GPU devices", FAILED_PRECONDITION. The CUDA
      // libraries come from the nvidia wheels at run time.
      .start_hint = "nvidia-smi must list a device, and the CUDA libraries be in LD_LIBRARY_PATH",
  };
  return facts;
}

}  // namespace deepinfer::pjrt
