#pragma once

// The conversation of `deepinfer chat`: history, settings and one answer at a time. Uses an engine
// that no other request runs on. One thread.

#include <optional>

#include "cli/generation.h"
#include "deepinfer/chat.h"
#include "deepinfer/engine.h"

namespace deepinfer::cli {

class ChatSession {
 public:
  /// `max_tokens_said`: the user gave --max-tokens; otherwise an answer may be cut to what the
  /// context leaves.
  ChatSession(Engine& engine, bool max_tokens_said);

  /// Forgets the conversation.
  void reset();
  void set_thinking(bool on);
  bool thinking() const { return options_.mode == ChatMode::thinking; }

  /// Runs one turn and prints it: thinking apart from the answer, dim on a terminal, otherwise
  /// between lines of its own. Throws Error (bad_input) if the conversation no longer fits the
  /// context; the turn is forgotten then.
  void answer(const std::string& text);

  /// The last answer's numbers, for people.
  std::string stats() const;

 private:
  Engine& engine_;
  bool max_tokens_said_;
  ChatOptions options_;
  Conversation conversation_;
  std::optional<Generation> last_;
};

}  // namespace deepinfer::cli
