#include "backend/pjrt/stablehlo/module_text_test.h"

#include <cctype>
#include <set>
#include <sstream>
#include <vector>

namespace deepinfer::pjrt::test {
namespace {

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Names behind `mark` in the line, with what follows each.
struct Mention {
  std::string name;
  std::string behind;
};

std::vector<Mention> mentions(const std::string& line, char mark) {
  std::vector<Mention> list;
  for (std::size_t at = line.find(mark); at != std::string::npos; at = line.find(mark, at + 1)) {
    std::size_t end = at + 1;
    while (end < line.size() && in_name(line[end])) ++end;
    list.push_back({line.substr(at + 1, end - at - 1), line.substr(end, 3)});
  }
  return list;
}

bool defines(const Mention& mention) {
  const std::string& behind = mention.behind;
  return behind.starts_with(" =") || behind.starts_with(": ") ||
         (behind.size() > 1 && behind[0] == ':' &&
          std::isdigit(static_cast<unsigned char>(behind[1])) != 0);
}

}  // namespace

testing::AssertionResult is_well_formed(const std::string& text) {
  std::string open;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == '\x01' || c == '\x02') return testing::AssertionFailure() << "a value has no name";
    if (quoted) continue;
    if (c == '(' || c == '{' || c == '[') open += c;
    const std::size_t pair = std::string(")}]").find(c);
    if (pair == std::string::npos || c == '\0') continue;
    if (open.empty() || open.back() != "({["[pair])
      return testing::AssertionFailure() << "'" << c << "' closes nothing";
    open.pop_back();
  }
  if (!open.empty()) return testing::AssertionFailure() << "'" << open << "' is never closed";

  std::set<std::string> values;
  std::set<std::string> functions;
  std::set<std::string> called;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t code = line.find_first_not_of(' ');
    if (code == std::string::npos || line.compare(code, 2, "//") == 0) continue;
    const bool begins = line.find("func.func") != std::string::npos;
    if (begins) values.clear();
    const bool calls = line.find("func.call") != std::string::npos;
    for (const Mention& mention : mentions(line, '@')) {
      if (begins && !functions.insert(mention.name).second)
        return testing::AssertionFailure() << "function '" << mention.name << "' is there twice";
      if (calls) called.insert(mention.name);
    }
    for (const Mention& mention : mentions(line, '%')) {
      if (defines(mention)) {
        if (!values.insert(mention.name).second)
          return testing::AssertionFailure()
                 << "'" << mention.name << "' is defined twice: " << line;
      } else if (!values.contains(mention.name)) {
        return testing::AssertionFailure() << "'" << mention.name << "' is not defined: " << line;
      }
    }
  }
  for (const std::string& name : called)
    if (!functions.contains(name))
      return testing::AssertionFailure() << "function '" << name << "' is not there";
  return testing::AssertionSuccess();
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace deepinfer::pjrt::test
