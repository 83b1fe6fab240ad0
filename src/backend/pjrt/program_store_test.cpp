#include "backend/pjrt/program_store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/client/fake_plugin_test.h"
#include "core/temporary_folder_test.h"

namespace deepinfer::pjrt {
namespace {

namespace fs = std::filesystem;

using test::fake_control;

/// Texts that the fake takes for programs, all different.
std::string program_text(int number) {
  return "module { func.func public @main { // number " + std::to_string(number) + ".\n } }";
}

std::string outcome_text(const ProgramOutcome& outcome) {
  if (outcome.fault == nullptr) return outcome.program == nullptr ? "nothing" : "a program";
  try {
    std::rethrow_exception(outcome.fault);
  } catch (const Error& error) {
    return error.what();
  }
}

class ProgramStoreOnTheFake : public testing::Test {
 protected:
  ProgramStoreOnTheFake() { test::reset_fake(); }
  void TearDown() override {
    EXPECT_EQ(fake_control().live, 0);
    EXPECT_EQ(fake_control().misuses, 0);
  }

  /// As a start makes it. `folder`: of the cache, empty for none.
  static ProgramStore store(const fs::path& folder = {}, int threads = 1,
                            const std::string& plugin = DEEPINFER_FAKE_PJRT_PLUGIN) {
    return {Client::open(Plugin::load(plugin)), compile_option_bytes({}), threads, folder.string()};
  }
  static std::vector<ProgramOutcome> make(ProgramStore& store, int count) {
    ProgramBatch batch;
    for (int i = 0; i < count; ++i) {
      auto signature = std::make_shared<Signature>(*test::copy_signature());
      signature->name = "program " + std::to_string(i);
      batch.add(program_text(i), std::move(signature));
    }
    return store.programs(batch);
  }

  TemporaryFolder folder_;
};

TEST_F(ProgramStoreOnTheFake, EqualTextIsOneProgramAndOneCompile) {
  ProgramStore programs = store();
  ProgramBatch batch;
  EXPECT_EQ(batch.add(program_text(1), test::copy_signature()), 0U);
  EXPECT_EQ(batch.add(program_text(2), test::copy_signature()), 1U);
  EXPECT_EQ(batch.add(program_text(1), test::copy_signature()), 0U);
  EXPECT_EQ(batch.size(), 2U);
  const auto first = programs.programs(batch);
  const auto again = programs.programs(batch);
  EXPECT_EQ(first[0].program, again[0].program);
  EXPECT_NE(first[0].program, first[1].program);
  EXPECT_EQ(fake_control().compiles, 2);
  EXPECT_EQ(programs.counts().compiled, 2U);
  EXPECT_EQ(programs.counts().loaded, 0U);
}

TEST_F(ProgramStoreOnTheFake, ProgramsThatNobodyHasAnyMoreAreCompiledAgain) {
  ProgramStore programs = store();
  make(programs, 1);
  make(programs, 1);
  EXPECT_EQ(programs.counts().compiled, 2U);
}

TEST_F(ProgramStoreOnTheFake, E8_a_second_start_elsewhere_compiles_nothing) {
  const fs::path plugin = folder_.path() / "another name.so";
  fs::copy_file(DEEPINFER_FAKE_PJRT_PLUGIN, plugin);
  {
    ProgramStore first = store(folder_.path() / "here");
    make(first, 3);
    EXPECT_EQ(first.counts().compiled, 3U);
    EXPECT_EQ(first.counts().loaded, 0U);
    EXPECT_TRUE(first.notes().empty());
  }
  fs::rename(folder_.path() / "here", folder_.path() / "there");
  ProgramStore second = store(folder_.path() / "there", 2, plugin.string());
  for (const ProgramOutcome& outcome : make(second, 3))
    EXPECT_EQ(outcome_text(outcome), "a program");
  EXPECT_EQ(second.counts().compiled, 0U);
  EXPECT_EQ(second.counts().loaded, 3U);
  EXPECT_TRUE(second.notes().empty());
}

TEST_F(ProgramStoreOnTheFake, ALoadedProgramIsTheOneThatWasKept) {
  for (int start = 0; start < 2; ++start) {
    const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
    ProgramStore programs(client, "", 1, folder_.path().string());
    const auto in_place = programs.program(test::kInPlaceProgram, test::copy_signature());
    const auto copying = programs.program(test::kCopyProgram, test::copy_signature());
    EXPECT_EQ(in_place->memory().aliased, 16);
    EXPECT_EQ(copying->memory().aliased, 0);
    EXPECT_EQ(programs.counts().loaded, start == 0 ? 0U : 2U);
  }
}

TEST_F(ProgramStoreOnTheFake, OtherOptionsAreOtherPrograms) {
  for (const char* level : {"0", "1"}) {
    ProgramStore programs(Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN)),
                          compile_option_bytes(std::vector<NamedOption>{
                              {.name = "level", .value = std::string(level)}}),
                          1, folder_.path().string());
    make(programs, 1);
    EXPECT_EQ(programs.counts().compiled, 1U) << level;
  }
}

TEST_F(ProgramStoreOnTheFake, ADamagedEntryIsCompiledAgainWithANote) {
  {
    ProgramStore first = store(folder_.path());
    make(first, 1);
  }
  const fs::path entry = fs::directory_iterator(folder_.path())->path();
  fs::resize_file(entry, fs::file_size(entry) - 1);
  for (int start = 0; start < 2; ++start) {
    ProgramStore programs = store(folder_.path());
    EXPECT_EQ(outcome_text(make(programs, 1)[0]), "a program");
    EXPECT_EQ(programs.counts().compiled, start == 0 ? 1U : 0U);
    EXPECT_EQ(programs.notes().size(), start == 0 ? 1U : 0U);
  }
}

TEST_F(ProgramStoreOnTheFake, WhatThePluginRefusesToLoadIsCompiledAgain) {
  {
    ProgramStore first = store(folder_.path());
    make(first, 1);
  }
  // Whole, but not of this plug-in: as if its key did not say so.
  const fs::path entry = fs::directory_iterator(folder_.path())->path();
  CompileCache(folder_.path()).keep(entry.stem().string(), std::vector<std::byte>(20));
  {
    ProgramStore programs = store(folder_.path());
    EXPECT_EQ(outcome_text(make(programs, 1)[0]), "a program");
    EXPECT_EQ(programs.counts().compiled, 1U);
    ASSERT_EQ(programs.notes().size(), 1U);
    EXPECT_TRUE(test::says(programs.notes()[0],
                           {"entry for program 0 cannot be loaded", "these bytes are no program"}));
  }
  ProgramStore third = store(folder_.path());
  make(third, 1);
  EXPECT_EQ(third.counts().loaded, 1U);
}

TEST_F(ProgramStoreOnTheFake, APluginThatCannotSerialiseRunsWithoutSaidOnce) {
  fake_control().no_serialisation = true;
  ProgramStore programs = store(folder_.path());
  for (const ProgramOutcome& outcome : make(programs, 3))
    EXPECT_EQ(outcome_text(outcome), "a program");
  ASSERT_EQ(programs.notes().size(), 1U);
  EXPECT_TRUE(
      test::says(programs.notes()[0], {"programs are not kept on disk, every start compiles them",
                                       "UNIMPLEMENTED: programs stay in the device"}));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(ProgramStoreOnTheFake, AFolderThatCannotBeWrittenIsAWarning) {
  std::ofstream(folder_.path() / "file") << "no folder";
  ProgramStore programs = store(folder_.path() / "file");
  for (const ProgramOutcome& outcome : make(programs, 3))
    EXPECT_EQ(outcome_text(outcome), "a program");
  EXPECT_EQ(programs.notes().size(), 1U);
}

TEST_F(ProgramStoreOnTheFake, CompilesRunAtTheSameTime) {
  fake_control().compile_together = 3;  // none ends before three have begun
  ProgramStore programs = store({}, 3);
  std::size_t last = 0;
  programs.report([&](std::size_t done, std::size_t count) {
    EXPECT_EQ(count, 6U);
    last = done;
  });
  for (const ProgramOutcome& outcome : make(programs, 6))
    EXPECT_EQ(outcome_text(outcome), "a program");
  EXPECT_EQ(last, 6U);
  EXPECT_EQ(programs.counts().compiled, 6U);
}

TEST_F(ProgramStoreOnTheFake, E9_a_compile_that_fails_once_is_tried_once_more) {
  fake_control().refused_text = "number 2.";
  fake_control().refusals = 1;
  ProgramStore programs = store({}, 4);
  for (const ProgramOutcome& outcome : make(programs, 4))
    EXPECT_EQ(outcome_text(outcome), "a program");
  EXPECT_EQ(programs.counts().compiled, 4U);
  EXPECT_EQ(programs.counts().retried, 1U);
  EXPECT_EQ(programs.notes(),
            std::vector<std::string>{
                "program 2 was compiled at the second try, the first failed with INTERNAL: reading "
                "the program | planning | compiler exited with 70"});
}

TEST_F(ProgramStoreOnTheFake, E9_one_that_fails_twice_is_an_error_and_the_others_are_there) {
  fake_control().refused_text = "number 2.";
  fake_control().refusals = 2;
  {
    ProgramStore programs = store(folder_.path(), 4);
    const auto outcomes = make(programs, 4);
    for (const std::size_t other : {0U, 1U, 3U})
      EXPECT_EQ(outcome_text(outcomes[other]), "a program");
    EXPECT_EQ(outcome_text(outcomes[2]),
              "[program 2] PJRT_Client_Compile failed twice with INTERNAL: reading the program | "
              "planning | compiler exited with 70, (in tensor<2x2xf32>) -> (tensor<2x2xf32>)");
    EXPECT_EQ(programs.counts().compiled, 3U);
    EXPECT_EQ(programs.counts().retried, 1U);
    EXPECT_TRUE(programs.notes().empty());  // the error says it all
  }
  // Nothing of the failure is kept: the next start tries anew.
  ProgramStore next = store(folder_.path());
  EXPECT_EQ(outcome_text(make(next, 4)[2]), "a program");
  EXPECT_EQ(next.counts().compiled, 1U);
  EXPECT_EQ(next.counts().loaded, 3U);
}

/// A start that keeps its program and one that finds it; call `n` of start `faulty` fails. Whether
/// there was such a call.
bool two_starts(int n, int faulty) {
  test::reset_fake();
  const TemporaryFolder folder;
  for (int start = 0; start < 2; ++start) {
    fake_control().fail_at = 0;
    const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
    fake_control().fail_at = start == faulty ? fake_control().calls + n : 0;
    ProgramStore programs(client, "", 1, folder.path().string());
    // No single fault is one too many: a compile is tried again, the rest works without the cache.
    EXPECT_NE(programs.program(test::kCopyProgram, test::copy_signature()), nullptr);
    EXPECT_EQ(programs.counts().compiled + programs.counts().loaded, 1U);
  }
  EXPECT_EQ(fake_control().live, 0);
  EXPECT_EQ(fake_control().misuses, 0);
  return fake_control().failed_call != nullptr;
}

TEST_F(ProgramStoreOnTheFake, AnErrorAtAnyCallLeavesNothingBehind) {
  for (const int faulty : {0, 1}) {
    SCOPED_TRACE(faulty);
    int calls = 0;
    while (two_starts(calls + 1, faulty)) ++calls;
    EXPECT_GT(calls, 10);
  }
}

TEST(ProgramStoreOnTheCpuPlugin, AProgramFromDiskGivesTheSameBits) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  const TemporaryFolder folder;
  const std::string text =
      "module @double {\n  func.func public @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n    "
      "%y = stablehlo.exponential %x : tensor<2x2xf32>\n    return %y : tensor<2x2xf32>\n  }\n}\n";
  std::vector<std::vector<float>> results;
  for (int start = 0; start < 2; ++start) {
    ProgramStore programs(client, compile_option_bytes({}), 2, folder.path().string());
    const auto program = programs.program(text, test::copy_signature());
    Buffer x = test::upload<float>(*client, test::matrix("x"), {0.1F, -2, 3, 1e-3F});
    results.push_back(test::download<float>(program->run(std::vector{Argument::lend(x)})[0]));
    EXPECT_EQ(programs.counts().compiled, start == 0 ? 1U : 0U);
    EXPECT_EQ(programs.counts().loaded, start == 0 ? 0U : 1U);
    EXPECT_TRUE(programs.notes().empty());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_FLOAT_EQ(results[0][2], 20.085537F);
}

}  // namespace
}  // namespace deepinfer::pjrt
