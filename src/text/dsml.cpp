#include "text/dsml.h"

namespace deepinfer {
namespace {

constexpr std::string_view kInstructions =
    "## Tools\n\n"
    "You have access to a set of tools to help answer the user's question. You can invoke tools by "
    "writing a \"<｜DSML｜ calls>\" block like the following:\n\n"
    "<｜DSML｜ calls>\n"
    "<｜DSML｜ invoke name=\"$TOOL_NAME\">\n"
    "<｜DSML｜ parameter name=\"$PARAMETER_NAME\" string=\"true|false\">$PARAMETER_VALUE"
    "</｜DSML｜ parameter>\n"
    "...\n"
    "</｜DSML｜ invoke>\n"
    "<｜DSML｜ invoke name=\"$TOOL_NAME2\">\n"
    "...\n"
    "</｜DSML｜ invoke>\n"
    "</｜DSML｜ calls>\n\n"
    "String parameters should be specified as is and set `string=\"true\"`. For all other types "
    "(numbers, booleans, arrays, objects), pass the value in JSON format and set "
    "`string=\"false\"`.\n\n"
    "If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning "
    "inside <think>...</think> BEFORE any tool calls or final response.\n\n"
    "Otherwise, output directly after </think> with tool calls or final response.\n\n"
    "### Available Tool Schemas\n\n";

constexpr std::string_view kClosing =
    "\n\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool "
    "calls.\n";

void append_call(SegmentBuilder& out, const ToolCall& call) {
  out.template_text("<｜DSML｜ invoke name=\"");
  out.text(call.name);
  out.text("\">\n");
  bool first = true;
  for (const ToolArgument& argument : call.arguments) {
    if (!first) out.text("\n");
    first = false;
    out.template_text("<｜DSML｜ parameter name=\"");
    out.text(argument.key);
    out.text(argument.is_string ? R"(" string="true">)" : R"(" string="false">)");
    out.text(argument.value);
    out.template_text("</｜DSML｜ parameter>");
  }
  out.template_text("\n</｜DSML｜ invoke>");
}

}  // namespace

void append_tools_block(SegmentBuilder& out, const std::vector<ToolDeclaration>& tools) {
  out.template_text(kInstructions);
  for (std::size_t i = 0; i < tools.size(); ++i) {
    if (i > 0) out.text("\n");
    out.text(tools[i].schema);
  }
  out.text(kClosing);
}

void append_tool_calls(SegmentBuilder& out, const std::vector<ToolCall>& calls) {
  if (calls.empty()) return;
  out.template_text("\n\n<｜DSML｜ calls>\n");
  for (const ToolCall& call : calls) {
    append_call(out, call);
    out.text("\n");
  }
  out.template_text("</｜DSML｜ calls>");
}

}  // namespace deepinfer
