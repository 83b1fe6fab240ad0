#include "backend/cpu/isa_selection.h"

#include <string>

#include "deepinfer/error.h"

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace deepinfer::cpu {
namespace {

#if defined(__x86_64__)
/// A built-in knows all features but this one, in some compilers.
bool has_f16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool has_amx_bf16() {
  constexpr unsigned kAmxBf16 = 1U << 22U;  // CPUID leaf 7, EDX
  constexpr unsigned kAmxTile = 1U << 24U;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 &&
         (edx & (kAmxBf16 | kAmxTile)) == (kAmxBf16 | kAmxTile);
}

/// Linux gives the tile registers to processes that ask for them (Documentation/arch/x86/xstate).
/// The leave holds for all threads; asking again does no harm.
bool may_use_tiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}
#endif

}  // namespace

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return "scalar";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::amx:
      return "amx";
  }
  return "?";
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas = {Isa::scalar};
#if defined(__x86_64__)
  // The features that the files of isa/ are compiled for; the built-in also asks the operating
  // system whether it saves the wide registers.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c()) {
    isas.push_back(Isa::avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
      isas.push_back(Isa::avx512);
      if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bf16") &&
          has_amx_bf16() && may_use_tiles())
        isas.push_back(Isa::amx);
    }
  }
#endif
  return isas;
}

Isa choose_isa(std::string_view name, const std::vector<Isa>& supported) {
  if (name == "auto") return supported.back();
  std::string names = "auto";
  for (const Isa isa : supported) {
    if (name_of(isa) == name) return isa;
    names += ", " + std::string(name_of(isa));
  }
  bool known = false;
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::amx})
    known |= name_of(isa) == name;
  throw Error::bad_input(
      "--isa",
      known ? "this machine lacks the instruction set" : "there is no such instruction set",
      {.expected = names,
       .got = std::string(name),
       .hint = "leave the flag out to take the fastest"});
}

}  // namespace deepinfer::cpu
