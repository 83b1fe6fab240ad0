#include "engram/engram.h"

#include <gtest/gtest.h>

#include "engram/numpy_random.h"

namespace deepinfer {
namespace {

// Numbers of this file are those printed in model specification 3.2 to 3.4.

EngramConfig released() {
  EngramConfig config;
  config.layer_ids = {1, 14};
  config.num_embeddings = {384006168, 384016682};
  config.max_ngram_size = 4;
  config.vocab_size = 16000000;
  config.n_heads = 8;
  config.head_dim = 256;
  config.compressed_vocab_size = 99092;
  return config;
}

TEST(NumpyRandom, SeedingAndFirstDrawsMatchTheTrace) {
  NumpyRandom random(10007);
  EXPECT_EQ(random.pool(),
            (std::array<std::uint32_t, 4>{0xf1a1018d, 0xa7c60c02, 0xfd15d50a, 0x03b81232}));
  EXPECT_EQ(random.next64(), 0xd2c3f84026661e33ULL);
  EXPECT_EQ(random.next64(), 0x0d4fb6969eb57435ULL);
  EXPECT_EQ(random.next64(), 0x62e6e1c58c3bd72bULL);
  EXPECT_EQ(random.next64(), 0xcb7dd1a94ca96343ULL);
}

TEST(NumpyRandom, BoundOneDrawsNothing) {
  NumpyRandom random(7);
  NumpyRandom other(7);
  EXPECT_EQ(random.below(1), 0U);
  EXPECT_EQ(random.next64(), other.next64());
}

// Fault B16: a 64-bit constant squeezed through a double.
TEST(EngramMultipliers, B16_multipliers_are_exact_64_bit_integers) {
  EXPECT_EQ(
      engram_multipliers(1, 4, 99092),
      (std::vector<std::uint64_t>{76632096046245, 4839876093313, 35959672319349, 73987337458391}));
  EXPECT_EQ(
      engram_multipliers(14, 4, 99092),
      (std::vector<std::uint64_t>{67716810739261, 51510806800915, 30921347202721, 82619226485591}));
  // Above 2^53: a tiny model's.
  EXPECT_EQ(engram_multipliers(40, 4, 3),
            (std::vector<std::uint64_t>{385804007323006999, 507754148850512669, 2075004571416116805,
                                        2518434488124071091}));
  // The 32-bit branch of the bounded draw.
  EXPECT_EQ(engram_multipliers(7, 4, 2147483648),
            (std::vector<std::uint64_t>{3920440305, 3801034711, 1489166667, 3219680829}));
}

std::vector<std::int64_t> rows_at(const std::vector<std::int64_t>& history, std::int64_t position,
                                  int table) {
  const EngramConfig config = released();
  const EngramLayout layout = engram_layouts(config)[static_cast<std::size_t>(table)];
  std::vector<std::int64_t> window(4, 77);  // what lies before the start must not matter
  for (std::int64_t back = 0; back < 4 && back <= position; ++back)
    window[static_cast<std::size_t>(back)] = history[static_cast<std::size_t>(position - back)];
  pad_blocked(window, position, 2);
  std::vector<std::int64_t> ids(24);
  hash_ngrams(window,
              engram_multipliers(config.layer_ids[static_cast<std::size_t>(table)], 4, 99092),
              hash_columns(layout), 8, ids);
  return ids;
}

TEST(HashNgrams, RowsOfTheWorkedExample) {
  const std::vector<std::int64_t> history = {0, 1337, 42, 99091, 5};
  EXPECT_EQ(
      rows_at(history, 0, 0),
      (std::vector<std::int64_t>{
          5702652,   24393184,  39183301,  61503783,  78984481,  90144770,  103724983, 121476532,
          131476717, 152385926, 164143652, 191599181, 198145581, 217419202, 238329687, 247482304,
          257520185, 283540304, 288689443, 315264704, 322314652, 348890037, 367865216, 380066193}));
  EXPECT_EQ(
      rows_at(history, 3, 0),
      (std::vector<std::int64_t>{
          9990907,   19873187,  42559059,  56587608,  66104965,  82204055,  107677469, 122176752,
          139677575, 156915123, 165143970, 189076503, 206491354, 220062701, 232499318, 244845817,
          259585772, 283683453, 291578211, 314741953, 320708615, 347445661, 353229213, 380549848}));
  EXPECT_EQ(rows_at(history, 4, 1).front(), 743092);
  EXPECT_EQ(rows_at(history, 4, 1).back(), 374396076);
}

TEST(PadBlocked, DeadTokensLatch) {
  const std::vector<std::int64_t> history = {0, 1337, kDeadToken, 42, 5, 7, 9};
  const auto window_at = [&](std::int64_t position) {
    std::vector<std::int64_t> window(4);
    for (std::int64_t back = 0; back < 4 && back <= position; ++back)
      window[static_cast<std::size_t>(back)] = history[static_cast<std::size_t>(position - back)];
    pad_blocked(window, position, 2);
    return window;
  };
  EXPECT_EQ(window_at(2), (std::vector<std::int64_t>{2, 2, 2, 2}));
  EXPECT_EQ(window_at(3), (std::vector<std::int64_t>{42, 2, 2, 2}));
  EXPECT_EQ(window_at(4), (std::vector<std::int64_t>{5, 42, 2, 2}));
  EXPECT_EQ(window_at(5), (std::vector<std::int64_t>{7, 5, 42, 2}));
  EXPECT_EQ(window_at(6), (std::vector<std::int64_t>{9, 7, 5, 42}));
}

TEST(NormaliseToken, CheckValues) {
  EXPECT_EQ(normalise_token(" The"), "the");
  EXPECT_EQ(normalise_token("THE"), "the");
  EXPECT_EQ(normalise_token(" "), " ");
  EXPECT_EQ(normalise_token("\n\n"), " ");
  EXPECT_EQ(normalise_token("été"), "ete");
  EXPECT_EQ(normalise_token("Ａ"), "a");
  EXPECT_EQ(normalise_token("\u2003x "), "x");
  EXPECT_EQ(normalise_token("ﬁ"), "fi");
  EXPECT_EQ(normalise_token("İ"), "i");
  EXPECT_EQ(normalise_token("\uE000"), " ");  // the sentinel itself, pitfall 10
  EXPECT_EQ(normalise_token("\u0301"), "");
  EXPECT_EQ(normalise_token("Σ"), "σ");
  EXPECT_EQ(normalise_token("ς"), "ς");  // no context rules
  EXPECT_EQ(normalise_token("ǅ"), "dz");
  EXPECT_EQ(normalise_token("한"), "\u1112\u1161\u11ab");
}

TEST(Engram, OpensTheTinyCheckpointAndCountsItsCompressedIds) {
  const std::string directory = "tests/data/t41";
  const auto checkpoint = Checkpoint::open(directory);
  const auto tokenizer = Tokenizer::open(directory);
  const auto engram = Engram::open(checkpoint, *tokenizer, EngramMode::memory);
  EXPECT_EQ(engram->token_map().size, 499);
  EXPECT_EQ(engram->tables(), 2);
}

TEST(Engram, MemoryAndDiskGiveTheSameBytes) {
  const std::string directory = "tests/data/t41";
  const auto checkpoint = Checkpoint::open(directory);
  const auto tokenizer = Tokenizer::open(directory);
  const auto memory = Engram::open(checkpoint, *tokenizer, EngramMode::memory);
  const auto disk = Engram::open(checkpoint, *tokenizer, EngramMode::disk);
  const std::vector<std::int32_t> tokens = {375, 368, 385, 550, 216};
  for (int table = 0; table < memory->tables(); ++table) {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(memory->columns()));
    memory->row_ids(table, tokens, 4, ids);
    std::vector<std::byte> from_memory(memory->position_bytes());
    std::vector<std::byte> from_disk(disk->position_bytes());
    memory->gather(table, ids, from_memory.data());
    disk->gather(table, ids, from_disk.data());
    EXPECT_EQ(from_memory, from_disk);
  }
}

}  // namespace
}  // namespace deepinfer
