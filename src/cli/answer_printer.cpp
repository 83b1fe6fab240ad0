#include "cli/answer_printer.h"

#include "cli/console.h"

namespace deepinfer::cli {
namespace {

// ECMA-48 "faint" and "normal". Where stdout is no terminal, tags on lines of their own instead.
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m\n";
constexpr std::string_view kOpen = "<think>\n";
constexpr std::string_view kClose = "\n</think>\n";

}  // namespace

AnswerPrinter::AnswerPrinter(bool starts_in_thinking)
    : parser_({.starts_in_thinking = starts_in_thinking,
               .parse_tools = false,
               .tool_names = {},
               .continues_content = false}),
      terminal_(stdout_is_terminal()) {}

void AnswerPrinter::push(std::string_view text) { show(parser_.push(text)); }

void AnswerPrinter::finish() {
  show(parser_.finish());
  if (in_thinking_) leave_thinking();
  write_out("\n");
}

void AnswerPrinter::enter_thinking() {
  in_thinking_ = true;
  write_out(terminal_ ? kDim : kOpen);
}

void AnswerPrinter::leave_thinking() {
  in_thinking_ = false;
  write_out(terminal_ ? kPlain : kClose);
}

void AnswerPrinter::show(const std::vector<OutputEvent>& events) {
  for (const OutputEvent& event : events) {
    if (event.kind == OutputEvent::Kind::reasoning) {
      if (!in_thinking_) enter_thinking();
      reasoning_ += event.text;
      write_out(event.text);
    } else if (event.kind == OutputEvent::Kind::content) {
      if (in_thinking_) leave_thinking();
      content_ += event.text;
      write_out(event.text);
    }
  }
}

}  // namespace deepinfer::cli
