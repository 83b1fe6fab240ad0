#include "backend/pjrt/compile_key.h"

#include <fmt/format.h>

#include <utility>

#include "backend/pjrt/client/client.h"
#include "core/sha256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

namespace deepinfer::pjrt {
namespace {

#if defined(__x86_64__)
struct Registers {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
};

/// Zeros if the processor has no such leaf.
Registers cpuid(unsigned leaf, unsigned part = 0) {
  Registers r;
  __get_cpuid_count(leaf, part, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

/// Which registers the system saves: instructions on others cannot be used.
unsigned saved_registers() {
  unsigned low = 0;
  unsigned high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}
#endif

}  // namespace

std::string processor_features() {
#if defined(__x86_64__)
  constexpr unsigned kHasXgetbv = 1U << 27;
  constexpr unsigned kHypervisor = 1U << 31;
  // Of leaf 7's edx: the features that compilers emit instructions for. The other bits say what the
  // system should do about faults of the processor, and change with its microcode.
  constexpr unsigned kInstructions =
      1U << 2 | 1U << 3 | 1U << 5 | 1U << 8 | 1U << 16 | 1U << 22 | 1U << 23 | 1U << 24 | 1U << 25;
  const Registers basic = cpuid(1);
  const Registers more = cpuid(7);
  const Registers newest = cpuid(7, 1);
  const Registers extended = cpuid(0x80000001);
  return fmt::format("x86-64 {:08x} {:08x} {:08x} {:08x} {:08x} {:08x} {:08x} {:08x} {:08x} {:08x}",
                     basic.ecx & ~kHypervisor, basic.edx, more.ebx, more.ecx,
                     more.edx & kInstructions, newest.eax, newest.edx, extended.ecx, extended.edx,
                     (basic.ecx & kHasXgetbv) != 0 ? saved_registers() : 0);
#else
  return fmt::format("{:x} {:x}", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#endif
}

CompilerIdentity identity_of(const Client& client, std::string plugin_sha256) {
  return {.plugin_sha256 = std::move(plugin_sha256),
          .platform = client.platform(),
          .platform_version = client.platform_version(),
          .device_kind = client.devices().front().kind,
          .processor = processor_features()};
}

std::string compile_key(const CompilerIdentity& identity, std::string_view text,
                        std::string_view option_bytes) {
  Sha256 digest;
  // With its length in front, no part can be taken for the end of the one before.
  for (const std::string_view part :
       {std::string_view(identity.plugin_sha256), std::string_view(identity.platform),
        std::string_view(identity.platform_version), std::string_view(identity.device_kind),
        std::string_view(identity.processor), option_bytes, text}) {
    digest.add(fmt::format("{}:", part.size()));
    digest.add(part);
  }
  return digest.finish();
}

}  // namespace deepinfer::pjrt
