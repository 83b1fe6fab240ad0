// Conversation to segments: prompting specification 2.3 to 2.10.

#include <algorithm>
#include <map>

#include "deepinfer/error.h"
#include "text/chat_segments.h"
#include "text/dsml.h"

namespace deepinfer {
namespace {

using BlockKind = ContentBlock::Kind;

constexpr std::string_view kBetweenBlocks = "\n\n";
constexpr std::string_view kResponseFormat =
    "\n\n## Response Format:\n\nYou MUST strictly adhere to the following schema to reply:\n";

// Tool messages become blocks of user messages, and neighbouring user messages one (2.5).
std::vector<Message> merge(const std::vector<Message>& messages) {
  std::vector<Message> out;
  for (const Message& message : messages) {
    const bool after_user = !out.empty() && out.back().role == Role::user;
    if (message.role == Role::tool) {
      if (!after_user) out.emplace_back();  // a user message
      out.back().content.push_back(
          {BlockKind::tool_result, "", message.tool_call_id, message.content});
    } else if (message.role == Role::user && after_user && out.back().task.empty()) {
      auto& blocks = out.back().content;
      blocks.insert(blocks.end(), message.content.begin(), message.content.end());
    } else {
      out.push_back(message);
    }
  }
  return out;
}

// Results stand in the order of the calls they answer (2.6).
void sort_tool_results(std::vector<Message>& messages) {
  std::map<std::string, std::size_t> position;
  for (Message& message : messages) {
    if (message.role == Role::assistant && !message.tool_calls.empty()) {
      position.clear();
      for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
        if (!message.tool_calls[i].id.empty()) position[message.tool_calls[i].id] = i;
      }
    }
    if (message.role != Role::user || position.empty()) continue;
    std::vector<ContentBlock> results;
    for (const ContentBlock& block : message.content) {
      if (block.kind == BlockKind::tool_result) results.push_back(block);
    }
    const auto rank = [&](const ContentBlock& block) {
      const auto found = position.find(block.tool_call_id);
      return found == position.end() ? std::size_t{0} : found->second;
    };
    std::stable_sort(results.begin(), results.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    auto next = results.begin();
    for (ContentBlock& block : message.content) {
      if (block.kind == BlockKind::tool_result) block = std::move(*next++);
    }
  }
}

class Renderer {
 public:
  Renderer(std::vector<Message> messages, const ChatOptions& options)
      : messages_(std::move(messages)),
        thinking_(options.mode == ChatMode::thinking),
        drop_(options.drop_thinking),
        effort_(options.effort) {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (!messages_[i].tools.empty()) drop_ = false;
      if (opens_turn(i)) last_user_ = static_cast<std::ptrdiff_t>(i);
    }
  }

  std::vector<Segment> run(bool add_bos) {
    if (add_bos) out_.control(control::kBos);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      message(i);
      transition(i);
    }
    return out_.take();
  }

 private:
  // The messages that ask for an answer: users, and system messages in mid-conversation.
  bool opens_turn(std::size_t i) const {
    return messages_[i].role == Role::user || (messages_[i].role == Role::system && i > 0);
  }
  // Whether reasoning of the turn at i is part of the prompt (2.7).
  bool keeps_reasoning(std::size_t i, bool at_last_user) const {
    const auto index = static_cast<std::ptrdiff_t>(i);
    return thinking_ && (!drop_ || index > last_user_ || (at_last_user && index == last_user_));
  }

  void message(std::size_t i) {
    const Message& m = messages_[i];
    if (i == 0) {
      if (thinking_ || m.role == Role::system) out_.control(control::kSystem);
      if (thinking_) {
        out_.text("Reasoning Effort: " + std::to_string(effort_) +
                  " (range 1-100, the higher the value, the more thorough the reasoning)\n\n");
      }
    }
    switch (m.role) {
      case Role::system:
        if (i > 0) out_.control(control::kSystem);
        blocks(m.content, false);
        if (!m.tools.empty()) {
          out_.text("\n\n");
          append_tools_block(out_, m.tools);
        }
        if (m.response_format) {
          out_.text(kResponseFormat);
          out_.text(*m.response_format);
        }
        return;
      case Role::latest_reminder:
        out_.control(control::kReminder);
        blocks(m.content, false);
        return;
      case Role::assistant:
        assistant(i);
        return;
      case Role::user:
      case Role::tool:  // merged into a user message before
        out_.control(control::kUser);
        blocks(m.content, false);
        return;
    }
  }

  void assistant(std::size_t i) {
    const Message& m = messages_[i];
    const bool answers_task = i > 0 && !messages_[i - 1].task.empty();
    if (keeps_reasoning(i, false) && !answers_task) {
      out_.assistant_text(m.reasoning);
      out_.control(control::kEndThink);
    }
    blocks(m.content, true);
    append_tool_calls(out_, m.tool_calls);
    if (!m.continues) out_.control(control::kEos);
  }

  // Nesting is one level: the parts of a tool result hold text and images only.
  void blocks(const std::vector<ContentBlock>& list, bool from_model) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const ContentBlock& block = list[i];
      if (i > 0) out_.text(kBetweenBlocks);
      if (block.kind == BlockKind::tool_result) {
        out_.text("<tool_result>");
        for (std::size_t part = 0; part < block.parts.size(); ++part) {
          if (part > 0) out_.text(kBetweenBlocks);
          leaf(block.parts[part], false);
        }
        out_.text("</tool_result>");
      } else {
        leaf(block, from_model);
      }
    }
  }

  void leaf(const ContentBlock& block, bool from_model) {
    if (block.kind == BlockKind::image) {
      out_.image(block.text);
    } else if (block.kind == BlockKind::text) {
      if (from_model) {
        out_.assistant_text(block.text);
      } else {
        out_.text(block.text);
      }
    } else {
      out_.text("[Unsupported " +
                (block.kind == BlockKind::unsupported ? block.text : "tool_result") + "]");
    }
  }

  void transition(std::size_t i) {
    const Message& m = messages_[i];
    if (i + 1 < messages_.size() && messages_[i + 1].role != Role::assistant &&
        messages_[i + 1].role != Role::latest_reminder) {
      return;
    }
    if (m.task.empty() && !opens_turn(i)) return;
    if (m.task.empty() || m.task == "action") {
      const bool think = m.task.empty() ? keeps_reasoning(i, true) : thinking_;
      out_.control(control::kAssistant);
      out_.control(think ? control::kThink : control::kEndThink);
    }
    if (!m.task.empty()) out_.control("<｜" + m.task + "｜>");
  }

  std::vector<Message> messages_;
  bool thinking_;
  bool drop_;
  int effort_;
  std::ptrdiff_t last_user_ = -1;
  SegmentBuilder out_;
};

}  // namespace

std::vector<Segment> encode_chat(const Conversation& conversation, const ChatOptions& options) {
  if (options.effort < 1 || options.effort > 100) {
    throw Error::bad_input("reasoning_effort", "out of range",
                           {"1 to 100", std::to_string(options.effort), ""});
  }
  std::vector<Message> messages = merge(conversation.messages);
  sort_tool_results(messages);
  return Renderer(std::move(messages), options).run(options.add_bos);
}

ChatOptions chat_options(const Conversation& conversation, const ChatOptions& defaults) {
  ChatOptions out = defaults;
  out.mode = conversation.mode.value_or(defaults.mode);
  out.effort = conversation.effort.value_or(defaults.effort);
  out.drop_thinking = conversation.drop_thinking.value_or(defaults.drop_thinking);
  out.add_bos = conversation.add_bos.value_or(defaults.add_bos);
  return out;
}

std::vector<std::string> declared_tools(const Conversation& conversation) {
  std::vector<std::string> names;
  for (const Message& message : conversation.messages) {
    for (const ToolDeclaration& tool : message.tools) names.push_back(tool.name);
  }
  return names;
}

bool continues_turn(const Conversation& conversation) {
  return !conversation.messages.empty() && conversation.messages.back().role == Role::assistant &&
         conversation.messages.back().continues;
}

}  // namespace deepinfer
