#include "tests/support/cli.h"

namespace deepinfer {

std::vector<std::string> quick(std::vector<std::string> arguments) {
  for (const char* extra : {"--max-batch", "2", "--prefill-bucket", "16", "--log-level", "error"})
    arguments.emplace_back(extra);
  return arguments;
}

}  // namespace deepinfer
