#include "text/chat_segments.h"

#include <algorithm>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

constexpr std::string_view kTemplateTokens[] = {control::kDsml, control::kThink,
                                                control::kEndThink};
constexpr std::string_view kGroundingTokens[] = {
    "<｜/polygon｜>", "<｜polygon｜>", "<｜/point｜>", "<｜point｜>",
    "<｜/box｜>",     "<｜box｜>",     "<｜/ref｜>",   "<｜ref｜>",
};

bool is_grounding(std::string_view token) {
  return std::find(std::begin(kGroundingTokens), std::end(kGroundingTokens), token) !=
         std::end(kGroundingTokens);
}

}  // namespace

void SegmentBuilder::control(std::string_view token) {
  segments_.push_back({Segment::Kind::control, std::string(token), ""});
}

void SegmentBuilder::image(std::string_view source) {
  segments_.push_back({Segment::Kind::control, std::string(control::kImage), std::string(source)});
}

void SegmentBuilder::text(std::string_view text) {
  if (text.empty()) return;
  if (!segments_.empty() && segments_.back().kind == Segment::Kind::text) {
    segments_.back().text += text;
  } else {
    segments_.push_back({Segment::Kind::text, std::string(text), ""});
  }
}

template <std::size_t N>
void SegmentBuilder::split(std::string_view rest, const std::string_view (&tokens)[N]) {
  // No token is a prefix of another, so the first that fits is the token.
  std::size_t from = 0;
  for (std::size_t at = 0; at < rest.size();) {
    const auto* found = std::find_if(std::begin(tokens), std::end(tokens), [&](auto token) {
      return rest.substr(at, token.size()) == token;
    });
    if (found == std::end(tokens)) {
      ++at;
      continue;
    }
    text(rest.substr(from, at - from));
    control(*found);
    at += found->size();
    from = at;
  }
  text(rest.substr(from));
}

void SegmentBuilder::template_text(std::string_view text) { split(text, kTemplateTokens); }

void SegmentBuilder::assistant_text(std::string_view text) { split(text, kGroundingTokens); }

std::string render(const std::vector<Segment>& segments) {
  std::string out;
  for (const Segment& segment : segments) out += segment.text;
  return out;
}

std::vector<std::int32_t> to_ids(const std::vector<Segment>& segments, const Tokenizer& tokenizer,
                                 TokenPolicy policy) {
  if (policy == TokenPolicy::library) return tokenizer.encode(render(segments), true);

  std::vector<std::int32_t> ids;
  std::string text;
  const auto flush = [&] {
    if (text.empty()) return;
    const std::vector<std::int32_t> part = tokenizer.encode(text, false);
    ids.insert(ids.end(), part.begin(), part.end());
    text.clear();
  };
  for (const Segment& segment : segments) {
    if (segment.kind == Segment::Kind::text) {
      text += segment.text;  // joined first: pieces may reach across a seam
      continue;
    }
    const std::optional<std::int32_t> id = tokenizer.added_token(segment.text);
    if (!id && is_grounding(segment.text)) {
      text += segment.text;  // a vocabulary without them, so its model never wrote one
      continue;
    }
    flush();
    if (!id) {
      throw Error::bad_input("tokenizer", "control token missing",
                             {"an added token \"" + segment.text + "\"", "none",
                              "use the tokenizer.json of a DeepSeek-V4.1 release"});
    }
    ids.push_back(*id);
  }
  flush();
  return ids;
}

}  // namespace deepinfer
