#pragma once

// The fake plug-in of tests/support/fake_pjrt for tests: loaded, reset, and looked into.

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "backend/pjrt/client/client.h"
#include "tests/support/fake_pjrt/control.h"

namespace deepinfer::pjrt::test {

fake::Control& fake_control();
fake::Claim& fake_claim();
/// As if nothing had been called or asked for yet.
void reset_fake();

/// Whether every part occurs in `text`.
testing::AssertionResult says(std::string_view text, std::initializer_list<std::string_view> parts);

/// f32[2,2], the only result type of the fake.
NamedType matrix(const std::string& name);
/// One matrix in, one out.
std::shared_ptr<const Signature> copy_signature();
/// What the fake takes for a program that copies its argument.
inline constexpr const char* kCopyProgram = "module { func.func public @main }";
/// What it takes for one that gives the argument's memory back.
inline constexpr const char* kInPlaceProgram =
    "module { func.func public @main { tf.aliasing_output = 0 : i32 } }";

}  // namespace deepinfer::pjrt::test
