#include "text/stop_matcher.h"

#include <algorithm>

#include "deepinfer/error.h"

namespace deepinfer {

StopMatcher::StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    if (stops_[i].empty()) {
      throw Error::bad_input("stop[" + std::to_string(i) + "]", "empty stop string",
                             {"at least one character", "none", ""});
    }
    starts_[static_cast<unsigned char>(stops_[i].front())] = true;
  }
  // Shortest first: of several that start at one place, the same one is reported at every split.
  std::stable_sort(stops_.begin(), stops_.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
}

std::string StopMatcher::push(std::string_view text) {
  if (stopped_) return "";
  held_ += text;
  return scan(false);
}

std::string StopMatcher::finish() { return stopped_ ? std::string() : scan(true); }

std::string StopMatcher::scan(bool at_end) {
  std::size_t at = 0;
  for (; at < held_.size(); ++at) {
    if (!starts_[static_cast<unsigned char>(held_[at])]) continue;
    const std::string_view rest = std::string_view(held_).substr(at);
    bool may_complete = false;
    for (const std::string& stop : stops_) {
      if (rest.substr(0, stop.size()) == stop) {
        stopped_ = true;
        matched_ = stop;
        break;
      }
      may_complete = may_complete || stop.compare(0, rest.size(), rest) == 0;
    }
    if (stopped_ || (may_complete && !at_end)) break;
  }
  std::string out = held_.substr(0, at);
  held_.erase(0, stopped_ ? held_.size() : at);
  return out;
}

}  // namespace deepinfer
