#include "backend/cpu/isa_selection.h"

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "deepinfer/error.h"

namespace deepinfer::cpu {
namespace {

std::string message_of(std::string_view name, const std::vector<Isa>& supported) {
  try {
    choose_isa(name, supported);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(IsaSelection, AutoTakesTheFastest) {
  EXPECT_EQ(choose_isa("auto", {Isa::scalar, Isa::avx2}), Isa::avx2);
  EXPECT_EQ(choose_isa("auto", {Isa::scalar}), Isa::scalar);
}

TEST(IsaSelection, AnyMachineRunsTheBaseline) {
  EXPECT_EQ(choose_isa("scalar", supported_isas()), Isa::scalar);
}

TEST(IsaSelection, NamesWhatTheMachineHas) {
  EXPECT_EQ(message_of("avx512", {Isa::scalar, Isa::avx2}),
            "[--isa] this machine lacks the instruction set, expected auto, scalar, avx2, got "
            "avx512, leave the flag out to take the fastest");
  EXPECT_EQ(message_of("neon", {Isa::scalar}),
            "[--isa] there is no such instruction set, expected auto, scalar, got neon, leave "
            "the flag out to take the fastest");
}

TEST(IsaSelection, TheBackendSaysWhatItTook) {
  for (const Isa isa : supported_isas())
    EXPECT_EQ(make_cpu_backend(name_of(isa), 2)->describe(),
              "cpu, " + std::string(name_of(isa)) + ", 2 threads");
}

}  // namespace
}  // namespace deepinfer::cpu
