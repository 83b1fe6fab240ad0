#pragma once

// Stop strings over streamed text (prompting specification 3.5).
//
// One matcher per sequence, one thread. The earliest start of any stop string wins, so a hit is
// reported only once no earlier start can still complete; the result is the same at every split.

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer {

class StopMatcher {
 public:
  /// Throws Error (bad_input) for an empty stop string. No strings: text passes through.
  explicit StopMatcher(std::vector<std::string> stops);

  /// Appends text; returns what is now certain to stand before any stop string. After a hit:
  /// nothing.
  std::string push(std::string_view text);
  /// Ends the text: what was held back, up to a stop string in it.
  std::string finish();

  bool stopped() const { return stopped_; }
  /// The stop string that was hit (the shortest, if several start at the same place).
  const std::string& matched() const { return matched_; }

 private:
  std::string scan(bool at_end);

  std::vector<std::string> stops_;
  std::array<bool, 256> starts_{};  // bytes that begin a stop string
  std::string held_;                // shorter than the longest stop string
  std::string matched_;
  bool stopped_ = false;
};

}  // namespace deepinfer
