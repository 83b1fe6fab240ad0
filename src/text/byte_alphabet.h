#pragma once

// The byte alphabet of byte-level BPE: a fixed one-to-one map between the 256 bytes and 256
// printable characters, in which the strings of a tokenizer.json vocabulary are spelled (prompting
// specification 1.2). Pure functions over constant tables: any thread, no errors.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace deepinfer {

/// The character that stands for a byte.
char32_t byte_to_character(std::uint8_t byte);

/// The byte a character stands for; nullopt for a character outside the alphabet.
std::optional<std::uint8_t> character_to_byte(char32_t character);

/// Any bytes to their spelling (UTF-8).
std::string spell_bytes(std::string_view bytes);

/// A spelling back to its bytes; nullopt if it is not valid UTF-8 or has a character outside the
/// alphabet.
std::optional<std::string> unspell_bytes(std::string_view spelling);

}  // namespace deepinfer
