// Google TPU: libtpu. Never loaded here, in tests or in CI; what is said was seen once by hand.

#include "backend/pjrt/facts/device_facts.h"

namespace deepinfer::pjrt {

const DeviceFacts& tpu_facts() {
  static const DeviceFacts facts = {
      .family = "tpu",
      .files = {"libtpu"},
      .platform = "tpu",
      // Off Google Cloud its start asks a metadata server over the network, thirty times per key
      // (seen with libtpu 0.0.52). On Google Cloud it needs the answers: the user must say which.
      .environment = {{.name = "TPU_SKIP_MDS_QUERY",
                       .value = {},
                       .refusal = "would ask a cloud metadata server over the network when loaded",
                       .hint = "set TPU_SKIP_MDS_QUERY=1 off Google Cloud, TPU_SKIP_MDS_QUERY=0 on "
                               "it"}},
      .client_options = {},
      // Seen with libtpu 0.0.52: "TPU initialization failed: No jellyfish device found".
      .start_hint = "this machine must have a TPU, and no other process may hold it",
  };
  return facts;
}

}  // namespace deepinfer::pjrt
