#include "backend/pjrt/client/compile_options.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  constexpr const char* kDigits = "0123456789abcdef";
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

TEST(PjrtCompileOptions, WithoutOverridesThereIsOneReplicaAndOnePartition) {
  EXPECT_EQ(hex(compile_option_bytes({})), "1a0420012801");
}

TEST(PjrtCompileOptions, OverridesAreMapEntriesOfTheirType) {
  const std::vector<NamedOption> overrides = {{.name = "s", .value = std::string("ab")},
                                              {.name = "b", .value = true},
                                              {.name = "i", .value = std::int64_t{300}},
                                              {.name = "d", .value = 1.0}};
  // Field 7: {1: name, 2: {1 text | 2 bool | 3 integer | 4 double}}.
  EXPECT_EQ(hex(compile_option_bytes(overrides)),
            "1a0420012801"
            "3a090a0173"
            "12040a026162"
            "3a070a0162"
            "12021001"
            "3a080a0169"
            "120318ac02"
            "3a0e0a0164"
            "120921000000000000f03f");
}

TEST(PjrtCompileOptions, ANegativeIntegerTakesTenBytes) {
  const std::vector<NamedOption> overrides = {{.name = "i", .value = std::int64_t{-1}}};
  EXPECT_EQ(hex(compile_option_bytes(overrides)),
            "1a04200128013a100a0169120b18ffffffffffffffffff01");
}

TEST(PjrtCompileOptions, TextIsReadAsTheNarrowestType) {
  const auto options = parse_compile_options("a=true,b=-3,c=0.5,d=fast,e=,f=x=y", "--option");
  ASSERT_EQ(options.size(), 6U);
  EXPECT_EQ(options[0].value, OptionValue(true));
  EXPECT_EQ(options[1].value, OptionValue(std::int64_t{-3}));
  EXPECT_EQ(options[2].value, OptionValue(0.5));
  EXPECT_EQ(options[3].value, OptionValue(std::string("fast")));
  EXPECT_EQ(options[4].value, OptionValue(std::string()));
  EXPECT_EQ(options[5].value, OptionValue(std::string("x=y")));
  EXPECT_TRUE(parse_compile_options("", "--option").empty());
}

TEST(PjrtCompileOptions, APartWithoutNameOrValueIsRefused) {
  for (const char* text : {"a", "=1", "a=1,,b=2", "a=1,b"})
    EXPECT_THROW(parse_compile_options(text, "--option"), Error) << text;
}

}  // namespace
}  // namespace deepinfer::pjrt
