// Selection without a sort against selection by sorting, on the CPU plug-in.

#include "backend/pjrt/stablehlo/counting_selection.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/stablehlo/selection.h"

namespace deepinfer::pjrt {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Rows of scores of every sort: ties, both zeros and infinities, subnormals, few or no entries.
std::vector<float> scores_of_every_sort(std::int64_t rows, std::int64_t entries) {
  std::mt19937 random(static_cast<unsigned>(entries));
  std::vector<float> scores;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < entries; ++i) {
      const auto draw = static_cast<float>(random() % 1000);
      switch (row) {
        case 0:  // all different, of both signs
          scores.push_back((draw - 500) * std::ldexp(1.0F, static_cast<int>(random() % 40) - 20));
          break;
        case 1:  // many ties
          scores.push_back(static_cast<float>(static_cast<int>(draw) % 3));
          break;
        case 2:  // all equal, zeros of both signs
          scores.push_back(i % 3 == 0 ? -0.0F : 0.0F);
          break;
        case 3:  // few entries
          scores.push_back(i % 7 == 2 ? draw : -kInf);
          break;
        case 4:  // none
          scores.push_back(-kInf);
          break;
        default:  // extremes
          scores.push_back(i % 5 == 0   ? kInf
                           : i % 5 == 1 ? -std::numeric_limits<float>::max()
                                        : draw * std::numeric_limits<float>::max() / 1000);
      }
    }
  return scores;
}

class CountingSelection : public testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {};

TEST_P(CountingSelection, ChoosesWhatSortingChooses) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  const auto [entries, k] = GetParam();
  constexpr std::int64_t kSorts = 6;
  const NamedType given = {.name = "scores",
                           .type = {.type = Element::f32, .dims = {kSorts, entries}}};
  const TensorType list = {.type = Element::i32, .dims = {kSorts, k}};
  ModuleWriter w("both");
  const Val scores = w.param("scores", Element::f32, given.type.dims);
  const std::array<Val, 2> results = {top_k_by_counting(w, scores, k),
                                      top_k_ascending(w, scores, k)};
  const auto signature = std::make_shared<const Signature>(
      Signature{.name = "both",
                .parameters = {given},
                .results = {{"by counting", list}, {"by sorting", list}}});
  const Executable program =
      client->compile(w.finish(results), signature, compile_option_bytes({}));
  Buffer buffer = test::upload(*client, given, scores_of_every_sort(kSorts, entries));
  const std::array arguments = {Argument::lend(buffer)};
  const std::vector<Buffer> made = program.run(arguments);
  const auto by_counting = test::download<std::int32_t>(made[0]);
  const auto by_sorting = test::download<std::int32_t>(made[1]);
  for (std::int64_t row = 0; row < kSorts; ++row) {
    const auto row_of = [&, width = k](const std::vector<std::int32_t>& list) {
      return std::vector<std::int32_t>(list.begin() + row * width,
                                       list.begin() + (row + 1) * width);
    };
    EXPECT_EQ(row_of(by_counting), row_of(by_sorting)) << "row " << row;
  }
}

// One block of entries, its edges, several blocks, and blocks of blocks.
INSTANTIATE_TEST_SUITE_P(All, CountingSelection,
                         testing::Values(std::pair{1, 1}, std::pair{5, 8}, std::pair{128, 16},
                                         std::pair{129, 128}, std::pair{1000, 300},
                                         std::pair{16500, 64}));

}  // namespace
}  // namespace deepinfer::pjrt
