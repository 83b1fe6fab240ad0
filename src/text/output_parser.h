#pragma once

// Splits a model's output into reasoning, answer and tool calls while it streams (prompting
// specification part 3).
//
// One parser per sequence, one thread. Input is UTF-8 text in chunks cut anywhere; the events
// joined are the same at every cut. No output is an error: every input byte ends up in one of the
// places that Account counts. Call ids are the caller's to give.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "text/output_markers.h"

namespace deepinfer {

struct OutputEvent {
  enum class Kind {
    reasoning,   ///< `text` to append
    content,     ///< `text` to append
    call_begin,  ///< `text` is the tool's name
    call_args,   ///< `text` to append to the call's arguments (JSON)
    call_end,
    done,
  };
  Kind kind;
  int call = -1;  ///< index of the call, 0 first; -1 on other events
  std::string text;

  bool operator==(const OutputEvent&) const = default;
};

struct OutputOptions {
  /// The prompt ended in `<think>`.
  bool starts_in_thinking = false;
  /// The request has tools. Without, tool mark-up is answer text.
  bool parse_tools = false;
  /// Names of those tools: only these are recognised where the block's opening tag is missing.
  std::vector<std::string> tool_names;
  /// The output continues content that the prompt began: its leading line feeds belong to it.
  bool continues_content = false;
};

class OutputParser {
 public:
  /// Where the input's bytes went.
  struct Account {
    std::size_t reasoning = 0;
    std::size_t content = 0;
    std::size_t names = 0;      ///< tool names
    std::size_t arguments = 0;  ///< keys and values as the model wrote them
    std::size_t markup = 0;     ///< recognised tags, and line feeds around them
    std::size_t dropped = 0;    ///< text where none belongs; worth a log line

    std::size_t total() const { return reasoning + content + names + arguments + markup + dropped; }
  };

  explicit OutputParser(OutputOptions options);

  /// Appends text and returns what it made certain, neighbouring pieces of one kind joined.
  std::vector<OutputEvent> push(std::string_view text);
  /// Ends the output: held text goes where the current state puts text; `done` comes last. A call
  /// that was cut off stays as it was streamed, its JSON unclosed and without call_end.
  std::vector<OutputEvent> finish();

  /// Calls begun so far.
  int calls() const { return calls_; }
  /// True while a call is begun and not ended.
  bool in_call() const { return in_call_; }
  /// True inside `<think>` … `</think>`.
  bool in_reasoning() const { return state_ == State::reasoning; }
  /// Bytes received and not yet accounted for.
  std::size_t held() const { return buffer_.size() + newlines_; }
  const Account& account() const { return account_; }

 private:
  enum class State {
    reasoning,
    content,
    calls,
    name,
    name_end,
    arguments,
    key,
    string,
    raw,
    after
  };

  bool step();
  bool step_text();
  bool step_markup();
  bool step_name();
  bool step_name_end();
  bool step_key();
  bool step_value();
  MarkerMatch find_marker(std::initializer_list<Marker> markers, Marker& found) const;
  void take_marker(Marker marker, std::size_t length);
  void begin_parameter(bool is_string);
  void end_call();
  void flush_newlines();
  void drop_newlines();
  void skip(std::size_t length);
  void emit(OutputEvent::Kind kind, std::string_view text);
  void emit_text(std::string_view text);
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }

  OutputOptions options_;
  State state_;
  bool at_end_ = false;
  bool leading_ = true;       // nothing of the current text state was emitted yet
  std::size_t newlines_ = 0;  // line feeds that may belong to a tag behind them
  std::string buffer_;        // received, not yet decided
  std::size_t at_ = 0;        // start of the undecided part
  std::string word_;          // name or key being read
  int calls_ = 0;
  bool in_call_ = false;
  bool has_arguments_ = false;
  std::vector<OutputEvent> events_;
  Account account_;
};

}  // namespace deepinfer
