// The goldens speak of these files and no others.

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/golden_model.h"
#include "tests/support/sha256.h"

namespace deepinfer {
namespace {

TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::vector<unsigned char> abc = {'a', 'b', 'c'};
  EXPECT_EQ(sha256(abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // 56 bytes: the length no longer fits the block of the last data byte.
  const std::string two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  EXPECT_EQ(sha256({reinterpret_cast<const unsigned char*>(two.data()), two.size()}),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

class CheckpointFiles : public testing::TestWithParam<std::string> {};

TEST_P(CheckpointFiles, AreThoseOfTheGoldens) {
  const GoldenModel& golden = GoldenModel::named(GetParam());
  EXPECT_GT(golden.checkpoint_sha256().size(), 4U);
  for (const auto& [file, digest] : golden.checkpoint_sha256())
    EXPECT_EQ(sha256_of_file("tests/data/" + GetParam() + "/" + file), digest) << file;
}

INSTANTIATE_TEST_SUITE_P(Models, CheckpointFiles,
                         testing::Values("t41", "t41-odd", "t41-saturated"), [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace deepinfer
