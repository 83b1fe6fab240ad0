#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "checkpoint/config_fields.h"
#include "checkpoint/config_rules.h"
#include "checkpoint/config_sections.h"
#include "checkpoint/mapped_file.h"
#include "deepinfer/error.h"
#include "deepinfer/model_config.h"

namespace deepinfer {
namespace {

constexpr std::string_view kModelType = "deepseek_v41";
constexpr std::string_view kTextModelType = "deepseek_v41_text";

void check_model_type(const ConfigFields& fields, std::string_view known, bool may_be_absent) {
  if (!fields.has("model_type")) {
    if (may_be_absent) return;
    fields.fail("unsupported model_type ''", {std::string(known), "no field model_type", ""});
  }
  const std::string type = fields.text_or("model_type", "");
  if (type != known) {
    fields.fail("unsupported model_type '" + type + "'", {std::string(known), "", ""});
  }
}

void require_directory(const std::string& directory) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(directory, error);
  if (std::filesystem::is_directory(status)) return;
  throw Error::bad_input(
      directory, "no model directory",
      {.expected = "a directory with config.json, tokenizer.json and the weights",
       .got = std::filesystem::exists(status) ? "a file" : error.message(),
       .hint = std::filesystem::exists(status)
                   ? "name the directory that holds it"
                   : "a relative path starts at the working directory"});
}

}  // namespace

ModelConfig parse_config(std::string_view json_text, std::string_view where) {
  const nlohmann::json root = parse_config_json(json_text, where);
  const ConfigFields top(root, "", where);
  check_model_type(top, kModelType, false);
  const ConfigFields text(top.require("text_config"), "text_config.", where);
  check_model_type(text, kTextModelType, true);

  ModelConfig config;
  read_widths(text, config);
  read_experts(text, config);
  read_attention(text, config);
  read_rope(text, config);
  read_engram(text, config);
  read_quantization(top, config);
  read_top_level(top, config);
  if (text.boolean_or("tie_word_embeddings", false)) {
    text.fail("tie_word_embeddings is not supported");
  }
  read_ignored(top, text, config);
  check_config_rules(config, where);
  return config;
}

ModelConfig read_config(const std::string& directory) {
  require_directory(directory);
  const std::string path = directory + "/config.json";
  const MappedFile file = MappedFile::open(path);
  return parse_config(file.text(), path);
}

}  // namespace deepinfer
