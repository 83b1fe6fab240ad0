#pragma once

// Lines from stdin, read so that Ctrl-C is noticed while waiting. One thread.

#include <string>

namespace deepinfer::cli {

class LineReader {
 public:
  enum class Result { line, end, interrupted };

  /// The next line without its line break; a last line without one counts. Throws Error (failed) if
  /// stdin cannot be read. At `interrupted` the line typed so far is forgotten.
  Result next(std::string& line);

 private:
  std::string buffer_;
  bool at_end_ = false;
};

}  // namespace deepinfer::cli
