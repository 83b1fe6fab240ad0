#include "cli/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/console.h"

namespace deepinfer::cli {
namespace {

constexpr auto kDelay = std::chrono::seconds(1);            // interface: for anything over a second
constexpr auto kInterval = std::chrono::milliseconds(100);  // a tenth of a second looks smooth
constexpr std::size_t kWidth = 30;

}  // namespace

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), next_(Clock::now() + kDelay), active_(stderr_is_terminal()) {}

ProgressBar::~ProgressBar() { end(); }

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  if (!active_ || total == 0 || Clock::now() < next_) return;
  next_ = Clock::now() + kInterval;
  drawn_ = true;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * kWidth);
  fmt::print(stderr, "\r{} [{}{}] {:3.0f}%", label_, std::string(filled, '#'),
             std::string(kWidth - filled, '.'), share * 100);
  (void)std::fflush(stderr);
}

void ProgressBar::end() {
  if (active_ && drawn_) {
    (void)std::fputs("\r\x1b[K", stderr);  // carriage return, erase to the end of the line
    (void)std::fflush(stderr);
  }
  active_ = false;
}

}  // namespace deepinfer::cli
