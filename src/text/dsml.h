#pragma once

// DSML, the tool mark-up of prompts: the instruction block and an assistant's calls (prompting
// specification 2.11). The reading side is output_parser.h.
//
// Pure functions over a builder.

#include <vector>

#include "deepinfer/chat.h"
#include "text/chat_segments.h"

namespace deepinfer {

/// "## Tools …", one schema line per tool; ends with one line feed.
void append_tools_block(SegmentBuilder& out, const std::vector<ToolDeclaration>& tools);

/// "\n\n<｜DSML｜ calls> …"; nothing for an empty list. Nothing is escaped in names or values;
/// where they spell a marker it stays text.
void append_tool_calls(SegmentBuilder& out, const std::vector<ToolCall>& calls);

}  // namespace deepinfer
