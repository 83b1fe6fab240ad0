#include "deepinfer/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "deepinfer/error.h"
#include "text/bpe_tokenizer.h"
#include "text/tokenizer_json.h"

namespace deepinfer {
namespace {

// Released files have 6 to 8 MB; the limit keeps a wrong path from filling memory.
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{256} << 20;

std::string read_file(const std::filesystem::path& path) {
  const std::string where = path.string();
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    throw Error::bad_input(where, "cannot read the tokenizer",
                           {"a tokenizer.json", error.message(),
                            "a model directory holds config.json, tokenizer.json and the weights"});
  }
  if (size > kMaxFileBytes) {
    throw Error::bad_input(where, "this is too large for a tokenizer",
                           {"at most " + std::to_string(kMaxFileBytes) + " bytes",
                            std::to_string(size) + " bytes", ""});
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) {
    throw Error::bad_input(where, "cannot read the tokenizer",
                           {std::to_string(size) + " bytes", std::to_string(file.gcount()), ""});
  }
  return text;
}

}  // namespace

std::shared_ptr<const Tokenizer> Tokenizer::open(const std::string& directory) {
  const std::filesystem::path path = std::filesystem::path(directory) / "tokenizer.json";
  return parse(read_file(path), path.string());
}

std::shared_ptr<const Tokenizer> Tokenizer::parse(std::string_view json_text,
                                                  std::string_view where) {
  return std::make_shared<const BpeTokenizer>(read_tokenizer_json(json_text, where));
}

}  // namespace deepinfer
