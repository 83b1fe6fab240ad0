#pragma once

// Builds the segment list of a prompt: control tokens the renderer writes, and text.
//
// One builder per prompt, one thread.

#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/chat.h"

namespace deepinfer {

// Control tokens of the prompt form (prompting specification 1.6). The bars are U+FF5C.
namespace control {
inline constexpr std::string_view kBos = "<｜begin▁of▁sentence｜>";
inline constexpr std::string_view kEos = "<｜end▁of▁sentence｜>";
inline constexpr std::string_view kSystem = "<｜System｜>";
inline constexpr std::string_view kUser = "<｜User｜>";
inline constexpr std::string_view kAssistant = "<｜Assistant｜>";
inline constexpr std::string_view kReminder = "<｜latest_reminder｜>";
inline constexpr std::string_view kThink = "<think>";
inline constexpr std::string_view kEndThink = "</think>";
inline constexpr std::string_view kDsml = "｜DSML｜";
inline constexpr std::string_view kImage = "<｜deepseek_image｜>";
}  // namespace control

class SegmentBuilder {
 public:
  void control(std::string_view token);
  void image(std::string_view source);
  void text(std::string_view text);
  /// Text of the renderer's own: the tokens `｜DSML｜`, `<think>` and `</think>` in it are control.
  void template_text(std::string_view text);
  /// Assistant content and reasoning: grounding tokens (`<｜ref｜>` and its kin) are control, since
  /// the model wrote them as ids (prompting specification 1.7).
  void assistant_text(std::string_view text);

  std::vector<Segment> take() { return std::move(segments_); }

 private:
  template <std::size_t N>
  void split(std::string_view rest, const std::string_view (&tokens)[N]);

  std::vector<Segment> segments_;
};

}  // namespace deepinfer
