// The goldens speak of these files and no others.

#include <gtest/gtest.h>

#include "core/sha256.h"
#include "tests/support/golden_model.h"

namespace deepinfer {
namespace {

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
