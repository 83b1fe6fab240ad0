#include "core/sha256.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // 56 bytes: the length no longer fits the block of the last data byte.
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  Sha256 million;  // "a" a million times, in parts of a length that no block divides
  const std::string part(1000, 'a');
  for (int i = 0; i < 1000; ++i) million.add(part);
  EXPECT_EQ(million.finish(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesAreCut) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i);
  const std::string whole = sha256(text);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Sha256 parts;
    parts.add(std::string_view(text).substr(0, cut));
    parts.add(std::string_view(text).substr(cut));
    EXPECT_EQ(parts.finish(), whole) << cut;
  }
}

TEST(Sha256, OfAFileThatIsNotThereNamesIt) {
  try {
    sha256_of_file("no/such/file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[no/such/file] cannot be read");
  }
}

}  // namespace
}  // namespace deepinfer
