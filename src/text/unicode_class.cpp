#include "text/unicode_class.h"

#include <utf8proc.h>

#include <map>

namespace deepinfer {
namespace {

using namespace unicode_class;

bool is_cjk(char32_t code_point) {
  return (code_point >= 0x4E00 && code_point <= 0x9FA5) ||
         (code_point >= 0x3040 && code_point <= 0x30FF);
}

std::uint8_t category_flag(char32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return kLetter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return kMark;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return kNumber;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return kPunctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return kSymbol;
    default:
      return 0;
  }
}

std::uint8_t flags_of(char32_t code_point) {
  std::uint8_t flags = category_flag(code_point);
  if (is_white_space(code_point)) flags |= kWhiteSpace;
  if (code_point == '\r' || code_point == '\n') flags |= kLineEnd;
  if (is_cjk(code_point)) flags |= kCjk;
  return flags;
}

}  // namespace

bool is_white_space(char32_t code_point) {
  if (code_point < 0x80) return code_point == ' ' || (code_point >= 0x09 && code_point <= 0x0D);
  return code_point == 0x85 || code_point == 0xA0 || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 ||
         code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F ||
         code_point == 0x3000;
}

UnicodeClassTable::UnicodeClassTable() {
  std::map<Block, std::uint16_t> known;
  for (char32_t high = 0; high < block_of_.size(); ++high) {
    Block block{};
    for (char32_t low = 0; low < block.size(); ++low) block[low] = flags_of((high << 8) | low);
    const auto [entry, added] = known.emplace(block, static_cast<std::uint16_t>(blocks_.size()));
    if (added) blocks_.push_back(block);
    block_of_[high] = entry->second;
  }
}

const UnicodeClassTable& UnicodeClassTable::instance() {
  static const UnicodeClassTable table;
  return table;
}

}  // namespace deepinfer
