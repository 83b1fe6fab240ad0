#pragma once

// One line on a terminal's stderr that shows how far a piece of work is. It appears after a second
// and is wiped when the bar ends; a pipe or a file never sees it. One thread.

#include <chrono>
#include <cstdint>
#include <string>

namespace deepinfer::cli {

class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::uint64_t done, std::uint64_t total);
  /// Wipes the line; later updates do nothing.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  Clock::time_point next_;
  bool active_;
  bool drawn_ = false;
};

}  // namespace deepinfer::cli
