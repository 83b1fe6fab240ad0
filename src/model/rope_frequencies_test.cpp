#include "model/rope_frequencies.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace deepinfer {
namespace {

/// The rotary part of the released config (model specification 1.2).
ModelConfig released() {
  ModelConfig config;
  config.qk_rope_head_dim = 64;
  config.rope_theta = 10000;
  config.compress_rope_theta = 160000;
  config.has_yarn = true;
  config.yarn = {
      .factor = 16, .beta_fast = 32, .beta_slow = 1, .original_max_position_embeddings = 65536};
  return config;
}

// Model specification 2.8.
constexpr std::array<float, 32> kCompressed = {
    1.0F,           6.87656045e-1F, 4.72870797e-1F, 3.25172424e-1F, 2.23606795e-1F, 1.53764561e-1F,
    1.05737135e-1F, 7.27107748e-2F, 5.00000008e-2F, 3.43828015e-2F, 2.36435384e-2F, 1.62586235e-2F,
    1.11803403e-2F, 7.68822804e-3F, 5.28685609e-3F, 3.63553851e-3F, 2.26562494e-3F, 1.39680132e-3F,
    8.49689706e-4F, 5.08081983e-4F, 2.96977785e-4F, 1.68179977e-4F, 9.08678412e-5F, 4.54442270e-5F,
    1.95312532e-5F, 5.37231244e-6F, 3.69430336e-6F, 2.54040970e-6F, 1.74692798e-6F, 1.20128561e-6F,
    8.26071300e-7F, 5.68052940e-7F};

TEST(RopeFrequencies, CompressedLayersMatchTheSpecificationsTable) {
  const std::vector<float> f = rope_frequencies(released(), true);
  ASSERT_EQ(f.size(), kCompressed.size());
  for (std::size_t i = 0; i < f.size(); ++i) {
    const float ulp = std::nextafter(kCompressed[i], 2.0F) - kCompressed[i];
    // The power may differ in its last digit between libms, which the reciprocal doubles.
    EXPECT_NEAR(f[i], kCompressed[i], 2 * ulp) << "pair " << i;
  }
}

TEST(RopeFrequencies, WindowLayersHaveTheirOwnBaseAndNoYarn) {
  const std::vector<float> f = rope_frequencies(released(), false);
  ASSERT_EQ(f.size(), 32U);
  EXPECT_EQ(f[0], 1.0F);
  EXPECT_FLOAT_EQ(f[1], 0.749894202F);
  EXPECT_FLOAT_EQ(f[31], 1.33352150e-4F);
}

TEST(RopeFrequencies, WithoutYarnCompressedLayersUseThePlainBase) {
  ModelConfig config = released();
  config.has_yarn = false;
  const std::vector<float> f = rope_frequencies(config, true);
  EXPECT_FLOAT_EQ(f[15], kCompressed[15]);       // YaRN leaves it alone
  EXPECT_FLOAT_EQ(f[25], 16 * kCompressed[25]);  // and divides this by its factor
  EXPECT_FLOAT_EQ(f[31], 16 * kCompressed[31]);
}

}  // namespace
}  // namespace deepinfer
