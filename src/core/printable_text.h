#pragma once

// Foreign bytes as text that a terminal shows and does not obey. Messages are made of it: the parts
// of an Error pass through here, and so does every value that a message quotes. Pure functions.

#include <cstddef>
#include <string>
#include <string_view>

namespace deepinfer {

/// `text` with every byte as \xNN that is no UTF-8, or belongs to a control character, a line
/// separator or a sign that changes the direction of text. Everything else, a backslash too, stays.
std::string printable_text(std::string_view text);

/// The same of text that may be of any length: of more than `most` bytes the middle is left out,
/// which "…" stands for.
std::string printable_text(std::string_view text, std::size_t most);

/// The longest start of `text` in at most `most` bytes that ends with a whole character.
std::string_view leading_text(std::string_view text, std::size_t most);

}  // namespace deepinfer
