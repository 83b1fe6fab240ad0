// Hash constants, token map and looked-up rows of the tiny models against the goldens.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "checkpoint/engram_layout.h"
#include "engram/engram.h"
#include "model/model.h"
#include "tests/support/golden_file.h"
#include "tests/support/golden_model.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

class EngramGoldens : public testing::TestWithParam<std::string> {
 protected:
  EngramGoldens()
      : model_(open_model(test_model(GetParam()), EngramMode::memory)),
        golden_(GoldenModel::named(GetParam())) {}

  const std::vector<int>& layers() const { return model_.config().engram.layer_ids; }

  Model model_;
  const GoldenModel& golden_;
};

TEST_P(EngramGoldens, B16_multipliers_beyond_a_double_are_exact) {
  std::size_t beyond_double = 0;
  for (std::size_t table = 0; table < layers().size(); ++table) {
    const auto got = model_.engram->multipliers(static_cast<int>(table));
    const auto& wanted = golden_.engram_multipliers().at(layers()[table]);
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], wanted[i]);
      if (static_cast<std::uint64_t>(static_cast<double>(got[i])) != got[i]) ++beyond_double;
    }
  }
  EXPECT_GT(beyond_double, 0U) << "no multiplier could tell a double from an integer";
}

TEST_P(EngramGoldens, PrimesOfEveryColumn) {
  const std::vector<EngramLayout> layouts = engram_layouts(model_.config().engram);
  ASSERT_EQ(layouts.size(), layers().size());
  for (std::size_t table = 0; table < layouts.size(); ++table)
    EXPECT_EQ(layouts[table].primes, golden_.engram_primes().at(layers()[table]));
}

TEST_P(EngramGoldens, TokenMap) {
  const std::vector<std::int64_t> wanted = golden_.tensors().i64("engram.token_map");
  const std::vector<std::int32_t>& got = model_.engram->token_map().compressed;
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t id = 0; id < got.size(); ++id) EXPECT_EQ(got[id], wanted[id]) << "token " << id;
}

TEST_P(EngramGoldens, RowsOf48Tokens) {
  const std::vector<std::int32_t>& ids = golden_.prompt("p48").ids;
  const auto columns = static_cast<std::size_t>(model_.engram->columns());
  std::vector<std::int64_t> rows(columns);
  for (std::size_t table = 0; table < layers().size(); ++table) {
    const std::vector<std::int64_t> wanted =
        golden_.tensors().i64("trace48.engram" + std::to_string(layers()[table]) + ".rows");
    for (std::size_t position = 0; position < ids.size(); ++position) {
      model_.engram->row_ids(static_cast<int>(table), ids, static_cast<std::int64_t>(position),
                             rows);
      const auto* expected = wanted.data() + position * columns;
      EXPECT_EQ(rows, std::vector<std::int64_t>(expected, expected + columns))
          << "layer " << layers()[table] << ", position " << position;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EngramGoldens, testing::Values("t41", "t41-saturated"),
                         [](const auto& info) {
                           return info.param == "t41" ? "t41" : "t41_saturated";
                         });

// Hashes apart from a model: compressed vocabularies from 3 to 2^31, multipliers above 2^53, dead
// ids.
TEST(HashGoldens, RowsOfEveryHistory) {
  const GoldenFile file("tests/data/goldens/ops/ops.safetensors");
  std::ifstream text("tests/data/goldens/ops/ops.json");
  const nlohmann::json cases = nlohmann::json::parse(text)["ops"]["hash"];
  ASSERT_EQ(cases.size(), 8U);
  for (const nlohmann::json& entry : cases) {
    const std::string key = entry["key"];
    SCOPED_TRACE(key);
    const std::vector<std::uint64_t> multipliers =
        engram_multipliers(entry["layer"], entry["max_ngram"], entry["compressed_vocab"]);
    const std::vector<std::int64_t> wanted = file.i64(key + ".mul");
    ASSERT_EQ(multipliers.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(multipliers[i], static_cast<std::uint64_t>(wanted[i])) << "multiplier " << i;

    EngramLayout layout;
    layout.primes = file.i64(key + ".primes");
    layout.offsets.reserve(layout.primes.size());
    std::int64_t offset = 0;
    for (const std::int64_t prime : layout.primes) {
      layout.offsets.push_back(offset);
      offset += prime;
    }
    const std::vector<HashColumn> columns = hash_columns(layout);
    const std::vector<std::int64_t> history = file.i64(key + ".hist");
    const std::vector<std::int64_t> rows = file.i64(key + ".rows");
    ASSERT_EQ(rows.size(), history.size() * columns.size());
    std::vector<std::int64_t> window(multipliers.size());
    std::vector<std::int64_t> ids(columns.size());
    for (std::size_t at = 0; at < history.size(); ++at) {
      for (std::size_t back = 0; back < window.size(); ++back)
        window[back] = back <= at ? history[at - back] : 77;  // not looked at
      pad_blocked(window, static_cast<std::int64_t>(at), entry["pad"]);
      hash_ngrams(window, multipliers, columns, entry["heads"], ids);
      for (std::size_t column = 0; column < ids.size(); ++column)
        ASSERT_EQ(ids[column], rows[at * ids.size() + column]) << at << ", column " << column;
    }
  }
}

}  // namespace
}  // namespace deepinfer
