#include "backend/pjrt/compile_cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "backend/pjrt/cache_entry.h"
#include "core/sha256.h"
#include "core/temporary_folder_test.h"

namespace deepinfer::pjrt {
namespace {

namespace fs = std::filesystem;

const std::string kKey = sha256("a program");
const std::string kOtherKey = sha256("another program");

std::vector<std::byte> cached(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_content(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

class CompileCacheFolder : public testing::Test {
 protected:
  fs::path file_of(const std::string& key) const { return folder_.path() / (key + ".program"); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
};

TEST_F(CompileCacheFolder, FindsWhatAnotherStartKept) {
  const fs::path nested = folder_.path() / "not" / "there yet";
  EXPECT_FALSE(CompileCache(nested).find(kKey, "p").has_value());
  CompileCache first(nested);
  first.keep(kKey, cached("compiled"));
  first.keep(kOtherKey, cached(""));
  CompileCache second(nested);
  EXPECT_EQ(second.find(kKey, "p"), cached("compiled"));
  EXPECT_EQ(second.find(kOtherKey, "p"), cached(""));
  first.keep(kKey, cached("compiled again"));
  EXPECT_EQ(second.find(kKey, "p"), cached("compiled again"));
  EXPECT_TRUE(first.notes().empty());
  EXPECT_TRUE(second.notes().empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(nested), fs::directory_iterator()), 2);
}

TEST_F(CompileCacheFolder, EveryDamagedByteIsNoticedAndTheEntryRemoved) {
  CompileCache(folder_.path()).keep(kKey, cached("the compiled program"));
  const std::string good = content_of(file_of(kKey));
  ASSERT_EQ(good, entry_header(kKey, cached("the compiled program")) + "the compiled program");
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x04);
    write_content(file_of(kKey), damaged);
    CompileCache cache(folder_.path());
    EXPECT_FALSE(cache.find(kKey, "region attn.1").has_value()) << at;
    EXPECT_FALSE(fs::exists(file_of(kKey))) << at;
    const std::vector<std::string> notes = cache.notes();
    ASSERT_EQ(notes.size(), 1U) << at;
    EXPECT_EQ(notes[0].rfind("the compile cache's entry for region attn.1 is damaged: it", 0), 0U)
        << notes[0];
  }
}

TEST_F(CompileCacheFolder, AnEntryCutAnywhereOrContinuedIsNotUsed) {
  CompileCache(folder_.path()).keep(kKey, cached("the compiled program"));
  const std::string good = content_of(file_of(kKey));
  for (std::size_t length = 0; length < good.size(); ++length) {
    write_content(file_of(kKey), good.substr(0, length));
    CompileCache cache(folder_.path());
    EXPECT_FALSE(cache.find(kKey, "p").has_value()) << length;
    EXPECT_EQ(cache.notes().size(), 1U) << length;
  }
  write_content(file_of(kKey), good + "x");
  EXPECT_FALSE(CompileCache(folder_.path()).find(kKey, "p").has_value());
}

TEST_F(CompileCacheFolder, AnEntryUnderAnotherNameIsNotUsed) {
  CompileCache cache(folder_.path());
  cache.keep(kKey, cached("compiled"));
  fs::rename(file_of(kKey), file_of(kOtherKey));
  EXPECT_FALSE(cache.find(kOtherKey, "p").has_value());
  EXPECT_NE(cache.notes().at(0).find("it is that of another program"), std::string::npos);
}

TEST_F(CompileCacheFolder, AProcessThatIsKilledWhileItWritesLeavesNothingThatIsUsed) {
  const std::string large(std::size_t{1} << 20, 'x');
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {  // ended by the system at the first write beyond the limit
    const rlimit limit = {.rlim_cur = 4096, .rlim_max = 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    const rlimit no_core = {.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_CORE, &no_core);
    (void)std::signal(SIGXFSZ, SIG_DFL);
    CompileCache(folder_.path()).keep(kKey, cached(large));
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files(), 1U);  // half of it, under another name
  CompileCache cache(folder_.path());
  EXPECT_FALSE(cache.find(kKey, "p").has_value());
  EXPECT_TRUE(cache.notes().empty());
  cache.trim();
  EXPECT_EQ(files(), 1U);  // another process may be writing it still
  for (const auto& file : fs::directory_iterator(folder_.path()))
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.trim();
  EXPECT_EQ(files(), 0U);
}

TEST_F(CompileCacheFolder, AFolderThatCannotBeWrittenIsSaidOnceAndDoesNoHarm) {
  write_content(folder_.path() / "file", "no folder");
  CompileCache cache(folder_.path() / "file" / "cache");
  for (int i = 0; i < 3; ++i) {
    cache.keep(kKey, cached("compiled"));
    EXPECT_FALSE(cache.find(kKey, "p").has_value());
  }
  cache.trim();
  ASSERT_EQ(cache.notes().size(), 1U);
  EXPECT_EQ(cache.notes()[0], "the compile cache " + (folder_.path() / "file" / "cache").string() +
                                  " cannot be written, so that the next start compiles again: Not "
                                  "a directory");
}

TEST_F(CompileCacheFolder, AFolderInPlaceOfAnEntryIsNoEntry) {
  fs::create_directories(file_of(kKey) / "inside");
  CompileCache cache(folder_.path());
  EXPECT_FALSE(cache.find(kKey, "p").has_value());
  cache.keep(kKey, cached("compiled"));
  EXPECT_EQ(cache.notes().size(), 1U);
  EXPECT_EQ(files(), 1U);  // no half-written file stays behind
}

TEST_F(CompileCacheFolder, WhatWasNotUsedForLongestGoesFirst) {
  const std::string header = entry_header(kKey, cached("0123456789"));
  const std::uintmax_t entry = header.size() + 10;
  CompileCache cache(folder_.path(), 2 * entry);
  const std::vector<std::string> keys = {sha256("0"), sha256("1"), sha256("2"), sha256("3")};
  const auto now = fs::file_time_type::clock::now();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    cache.keep(keys[i], cached("0123456789"));
    fs::last_write_time(file_of(keys[i]), now - std::chrono::minutes(10 - i));
  }
  write_content(folder_.path() / "README", "not ours");
  EXPECT_TRUE(cache.find(keys[0], "p").has_value());  // used: now the newest
  cache.trim();
  EXPECT_TRUE(fs::exists(file_of(keys[0])));
  EXPECT_FALSE(fs::exists(file_of(keys[1])));
  EXPECT_FALSE(fs::exists(file_of(keys[2])));
  EXPECT_TRUE(fs::exists(file_of(keys[3])));
  EXPECT_TRUE(fs::exists(folder_.path() / "README"));
  EXPECT_TRUE(cache.notes().empty());
}

TEST_F(CompileCacheFolder, ManyMayReadAndWriteTheSameEntry) {
  const std::vector<std::byte> program = cached(std::string(100'000, 'p'));
  {
    constexpr int kThreads = 4;
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&] {
        CompileCache cache(folder_.path());  // as if each were a process
        for (int i = 0; i < 20; ++i) {
          cache.keep(kKey, program);
          EXPECT_EQ(cache.find(kKey, "p"), program);
        }
        EXPECT_TRUE(cache.notes().empty());
      });
  }
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace deepinfer::pjrt
