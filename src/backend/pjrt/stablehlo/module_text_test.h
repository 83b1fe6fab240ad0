#pragma once

// Checks of a module's text that need no compiler.

#include <gtest/gtest.h>

#include <string>

namespace deepinfer::pjrt::test {

/// Brackets are balanced, every %value is defined exactly once in its function and before its use,
/// every called function is there, nothing is left to be named.
testing::AssertionResult is_well_formed(const std::string& text);

int count_of(const std::string& text, const std::string& part);

}  // namespace deepinfer::pjrt::test
