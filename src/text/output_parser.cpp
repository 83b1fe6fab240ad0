#include "text/output_parser.h"

#include <algorithm>
#include <utility>

#include "text/json_text.h"

namespace deepinfer {
namespace {

using EventKind = OutputEvent::Kind;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

OutputParser::OutputParser(OutputOptions options)
    : options_(std::move(options)),
      state_(options_.starts_in_thinking ? State::reasoning : State::content),
      leading_(!options_.continues_content) {}

std::vector<OutputEvent> OutputParser::push(std::string_view text) {
  buffer_ += text;
  while (step()) {
  }
  buffer_.erase(0, at_);
  at_ = 0;
  return std::exchange(events_, {});
}

std::vector<OutputEvent> OutputParser::finish() {
  at_end_ = true;
  while (step()) {
  }
  buffer_.clear();
  at_ = 0;
  flush_newlines();
  // A name or key that never ended reached no event.
  if (state_ == State::name) {
    account_.names -= word_.size();
    account_.dropped += word_.size();
  } else if (state_ == State::key) {
    account_.arguments -= word_.size();
    account_.dropped += word_.size();
  }
  word_.clear();
  emit(EventKind::done, "");
  return std::exchange(events_, {});
}

// One decision; false when the next one needs more text.
bool OutputParser::step() {
  if (at_ == buffer_.size()) return false;
  switch (state_) {
    case State::reasoning:
    case State::content:
      return step_text();
    case State::calls:
    case State::arguments:
    case State::after:
      return step_markup();
    case State::name:
      return step_name();
    case State::name_end:
      return step_name_end();
    case State::key:
      return step_key();
    case State::string:
    case State::raw:
      return step_value();
  }
  return false;
}

// The first of the markers that stands at the front; else whether one still may.
MarkerMatch OutputParser::find_marker(std::initializer_list<Marker> markers, Marker& found) const {
  MarkerMatch out;
  for (const Marker marker : markers) {
    const MarkerMatch match = match_marker(marker, rest(), options_.tool_names);
    if (match.state == MatchState::full) {
      found = marker;
      return match;
    }
    if (match.state == MatchState::partial && !at_end_) out.state = MatchState::partial;
  }
  return out;
}

bool OutputParser::step_text() {
  const bool reasoning = state_ == State::reasoning;
  const char c = rest().front();
  if (c == '\n') {
    // Only tags that swallow line feeds before them make a run of line feeds wait.
    if (leading_) {
      ++account_.markup;
    } else if (reasoning || options_.parse_tools) {
      ++newlines_;
    } else {
      emit_text("\n");
    }
    skip(1);
    return true;
  }
  if (c == '<') {
    Marker found{};
    MarkerMatch match = find_marker({Marker::think_close, Marker::think_open}, found);
    if (match.state == MatchState::none && options_.parse_tools) {
      match = reasoning ? find_marker({Marker::block_open}, found)
                        : find_marker({Marker::block_open, Marker::invoke_declared}, found);
    }
    if (match.state == MatchState::partial) return false;
    if (match.state == MatchState::full) {
      take_marker(found, match.length);
      return true;
    }
  }
  flush_newlines();
  const std::size_t end = std::min(rest().find_first_of("<\n", 1), rest().size());
  emit_text(rest().substr(0, end));
  skip(end);
  return true;
}

bool OutputParser::step_markup() {
  if (state_ != State::after && rest().front() == '<') {
    Marker found{};
    const MarkerMatch match =
        state_ == State::calls
            ? find_marker({Marker::invoke_open, Marker::block_close}, found)
            : find_marker({Marker::parameter_open, Marker::parameter_close, Marker::invoke_close,
                           Marker::block_close, Marker::invoke_open},
                          found);
    if (match.state == MatchState::partial) return false;
    if (match.state == MatchState::full) {
      take_marker(found, match.length);
      return true;
    }
  }
  const std::size_t end = std::min(rest().find('<', 1), rest().size());
  for (const char c : rest().substr(0, end)) {
    ++(is_space(c) ? account_.markup : account_.dropped);
  }
  skip(end);
  return true;
}

void OutputParser::take_marker(Marker marker, std::size_t length) {
  account_.markup += length;
  skip(length);
  switch (marker) {
    case Marker::think_close:
      if (state_ == State::reasoning) {
        drop_newlines();
        state_ = State::content;
        leading_ = true;
      } else {
        flush_newlines();
      }
      return;
    case Marker::think_open:
      flush_newlines();
      return;
    case Marker::block_open:
      drop_newlines();
      state_ = State::calls;
      return;
    case Marker::invoke_open:
    case Marker::invoke_declared:
      drop_newlines();
      end_call();  // the call before it, if that was left open
      state_ = State::name;
      return;
    case Marker::invoke_close:
      end_call();
      state_ = State::calls;
      return;
    case Marker::block_close:
      end_call();
      state_ = State::after;
      return;
    case Marker::parameter_open:
      state_ = State::key;
      return;
    case Marker::parameter_close:
    case Marker::any_close:
      return;
  }
}

bool OutputParser::step_name() {
  const std::size_t end = std::min(rest().find('"'), rest().size());
  word_ += rest().substr(0, end);
  account_.names += end;
  const bool ended = end < rest().size();
  skip(end);
  if (!ended) return false;
  ++account_.markup;
  skip(1);
  ++calls_;
  in_call_ = true;
  has_arguments_ = false;
  emit(EventKind::call_begin, word_);
  word_.clear();
  state_ = State::name_end;
  return true;
}

bool OutputParser::step_name_end() {
  if (rest().front() == '>') {
    ++account_.markup;
    skip(1);
  }
  state_ = State::arguments;
  return true;
}

bool OutputParser::step_key() {
  struct Ending {
    std::string_view text;
    bool is_string;
  };
  // The last one is a parameter without its `string` attribute: the text as it stands is the safe
  // reading.
  constexpr Ending kEndings[] = {
      {R"(" string="true">)", true}, {R"(" string="false">)", false}, {"\">", true}};

  const std::size_t quote = std::min(rest().find('"'), rest().size());
  word_ += rest().substr(0, quote);
  account_.arguments += quote;
  skip(quote);
  if (rest().empty()) return false;
  for (const Ending& ending : kEndings) {
    if (rest().substr(0, ending.text.size()) == ending.text) {
      account_.markup += ending.text.size();
      skip(ending.text.size());
      begin_parameter(ending.is_string);
      return true;
    }
    if (ending.text.substr(0, rest().size()) == rest() && !at_end_) return false;
  }
  word_ += '"';
  ++account_.arguments;
  skip(1);
  return true;
}

void OutputParser::begin_parameter(bool is_string) {
  std::string text = has_arguments_ ? ", " : "{";
  text += json_string(word_) + ": ";
  if (is_string) text += '"';
  has_arguments_ = true;
  word_.clear();
  emit(EventKind::call_args, text);
  state_ = is_string ? State::string : State::raw;
}

bool OutputParser::step_value() {
  if (rest().front() == '<') {
    Marker found{};
    const MarkerMatch match = find_marker({Marker::any_close}, found);
    if (match.state == MatchState::partial) return false;
    if (match.state == MatchState::full) {
      // The tag itself is read among the arguments, where it may close the call or the block.
      if (state_ == State::string) emit(EventKind::call_args, "\"");
      state_ = State::arguments;
      return true;
    }
  }
  const std::size_t end = std::min(rest().find('<', 1), rest().size());
  const std::string_view text = rest().substr(0, end);
  account_.arguments += end;
  if (state_ == State::raw) {
    emit(EventKind::call_args, text);
  } else {
    std::string escaped;
    append_json_escaped(escaped, text);
    emit(EventKind::call_args, escaped);
  }
  skip(end);
  return true;
}

void OutputParser::end_call() {
  if (!in_call_) return;
  emit(EventKind::call_args, has_arguments_ ? "}" : "{}");
  emit(EventKind::call_end, "");
  in_call_ = false;
}

void OutputParser::flush_newlines() {
  if (newlines_ == 0) return;
  emit_text(std::string(newlines_, '\n'));
  newlines_ = 0;
}

void OutputParser::drop_newlines() {
  account_.markup += newlines_;
  newlines_ = 0;
}

void OutputParser::skip(std::size_t length) { at_ += length; }

void OutputParser::emit_text(std::string_view text) {
  leading_ = false;
  if (state_ == State::reasoning) {
    account_.reasoning += text.size();
    emit(EventKind::reasoning, text);
  } else {
    account_.content += text.size();
    emit(EventKind::content, text);
  }
}

void OutputParser::emit(EventKind kind, std::string_view text) {
  const bool joins =
      kind == EventKind::reasoning || kind == EventKind::content || kind == EventKind::call_args;
  const bool of_call =
      kind == EventKind::call_begin || kind == EventKind::call_args || kind == EventKind::call_end;
  const int call = of_call ? calls_ - 1 : -1;
  if (joins && !events_.empty() && events_.back().kind == kind && events_.back().call == call) {
    events_.back().text += text;
    return;
  }
  events_.push_back({kind, call, std::string(text)});
}

}  // namespace deepinfer
