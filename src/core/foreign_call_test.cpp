#include "core/foreign_call.h"

#include <gtest/gtest.h>

#include <thread>

namespace deepinfer {
namespace {

TEST(ForeignCall, IsTheInnermostOfItsThread) {
  EXPECT_EQ(ForeignCall::current(), nullptr);
  {
    const ForeignCall outer("a.so", "first");
    {
      const ForeignCall inner("a.so", "second");
      EXPECT_EQ(ForeignCall::current(), &inner);
      EXPECT_STREQ(ForeignCall::current()->call(), "second");
      std::thread([] { EXPECT_EQ(ForeignCall::current(), nullptr); }).join();
    }
    EXPECT_EQ(ForeignCall::current(), &outer);
    EXPECT_STREQ(ForeignCall::current()->file(), "a.so");
  }
  EXPECT_EQ(ForeignCall::current(), nullptr);
}

}  // namespace
}  // namespace deepinfer
