#pragma once

// Reads the parts of a message: content blocks, tool declarations, tool calls, effort.
//
// Pure functions of a field; errors are Error (bad_input) that name the field.

#include <optional>
#include <string>
#include <vector>

#include "deepinfer/chat.h"
#include "text/chat_fields.h"

namespace deepinfer {

/// A string, null (absent) or a list of blocks. Users keep unknown block types (they show in the
/// prompt) and tool results; all other roles have text and images only.
std::vector<ContentBlock> parse_content(const std::optional<Field>& field, Role role);

/// A text of the user's; an error if it spells the image placeholder.
std::string parse_text(const Field& field);

std::vector<ToolDeclaration> parse_tools(const Field& field);
std::vector<ToolCall> parse_tool_calls(const Field& field);

/// 1..100 or a name; nullopt is the name `none`.
std::optional<int> parse_effort_field(const Field& field);

}  // namespace deepinfer
