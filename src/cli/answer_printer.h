#pragma once

// Shows a model's output while it streams: thinking set apart, the answer plain. One answer each.

#include <string>
#include <string_view>

#include "text/output_parser.h"

namespace deepinfer::cli {

class AnswerPrinter {
 public:
  explicit AnswerPrinter(bool starts_in_thinking);

  void push(std::string_view text);
  /// Ends the answer and its line.
  void finish();

  const std::string& reasoning() const { return reasoning_; }
  const std::string& content() const { return content_; }

 private:
  void show(const std::vector<OutputEvent>& events);
  void enter_thinking();
  void leave_thinking();

  OutputParser parser_;
  bool terminal_;
  bool in_thinking_ = false;
  std::string reasoning_;
  std::string content_;
};

}  // namespace deepinfer::cli
