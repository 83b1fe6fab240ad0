#include "deepinfer/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

Options options() {
  Options options;
  options.model = "tests/data/t41-odd";
  options.backend = BackendKind::cpu;
  options.threads = 1;
  options.max_batch = 4;
  options.prefill_bucket = 16;
  options.block_tokens = 8;
  options.max_context = 64;
  options.kv_memory = std::int64_t{4} << 20;
  return options;
}

std::vector<std::int32_t> tokens(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> result(count);
  for (std::int32_t& token : result) token = 3 + static_cast<std::int32_t>(random() % 256);
  return result;
}

Request request(std::vector<std::int32_t> prompt, int max_tokens) {
  return {.prompt = std::move(prompt),
          .sampling = {},
          .max_tokens = max_tokens,
          .stop = {},
          .stop_tokens = {},
          .ignore_eos = true};
}

struct Answer {
  std::vector<std::int32_t> tokens;
  std::string text;
  bool finished = false;
  FinishReason reason{};
};

std::map<RequestId, Answer> run_all(Engine& engine) {
  std::vector<TokenEvent> events;
  while (engine.step(events)) {
  }
  std::map<RequestId, Answer> answers;
  for (const TokenEvent& event : events) {
    Answer& answer = answers[event.request];
    EXPECT_FALSE(answer.finished) << "an event after the last";
    if (event.token >= 0) answer.tokens.push_back(event.token);
    answer.text += event.text;
    answer.finished = event.finished;
    if (event.finished) answer.reason = event.reason;
  }
  return answers;
}

Answer run_one(Engine& engine, Request request) {
  const RequestId id = engine.submit(std::move(request));
  return run_all(engine)[id];
}

std::string refusal(Engine& engine, Request request) {
  try {
    engine.submit(std::move(request));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Engine, StopsAtMaxTokens) {
  Engine engine(options());
  for (const int count : {1, 2, 17}) {
    const Answer answer = run_one(engine, request(tokens(1, 5), count));
    EXPECT_EQ(answer.tokens.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(answer.reason, FinishReason::length);
    EXPECT_TRUE(answer.finished);
  }
  EXPECT_EQ(engine.running(), 0U);
}

TEST(Engine, StopTokensEndTheAnswerUnlessTheyAreIgnored) {
  Engine engine(options());
  const Answer whole = run_one(engine, request(tokens(2, 6), 12));
  Request stopping = request(tokens(2, 6), 12);
  stopping.stop_tokens = {whole.tokens[4]};
  const Answer stopped = run_one(engine, stopping);
  EXPECT_EQ(stopped.reason, FinishReason::stop);
  EXPECT_EQ(stopped.tokens.back(), whole.tokens[4]);
  EXPECT_LE(stopped.tokens.size(), 5U);
}

TEST(Engine, StopStringsEndTheTextJustBeforeThem) {
  Engine engine(options());
  const Answer whole = run_one(engine, request(tokens(3, 6), 24));
  ASSERT_GE(whole.text.size(), 8U);
  const std::string stop = whole.text.substr(5, 3);
  Request stopping = request(tokens(3, 6), 24);
  stopping.stop = {stop};
  const Answer stopped = run_one(engine, stopping);
  EXPECT_EQ(stopped.reason, FinishReason::stop);
  EXPECT_EQ(stopped.text, whole.text.substr(0, whole.text.find(stop)));
}

TEST(Engine, CancelEndsARunningAndAWaitingRequest) {
  Options o = options();
  o.max_batch = 1;
  Engine engine(o);
  const RequestId running = engine.submit(request(tokens(4, 5), 30));
  const RequestId waiting = engine.submit(request(tokens(5, 5), 30));
  std::vector<TokenEvent> events;
  engine.step(events);
  EXPECT_EQ(engine.running(), 1U);
  EXPECT_EQ(engine.waiting(), 1U);
  engine.cancel(running);
  engine.cancel(waiting);
  engine.cancel(12345);  // unknown: ignored
  events.clear();
  engine.step(events);
  ASSERT_EQ(events.size(), 2U);
  for (const TokenEvent& event : events) {
    EXPECT_TRUE(event.finished);
    EXPECT_EQ(event.token, -1);
    EXPECT_EQ(event.reason, FinishReason::cancelled);
  }
  EXPECT_EQ(engine.running() + engine.waiting(), 0U);
  events.clear();
  EXPECT_FALSE(engine.step(events));
  EXPECT_TRUE(events.empty());
  // Its cache rows are free again.
  EXPECT_EQ(run_one(engine, request(tokens(6, 5), 3)).tokens.size(), 3U);
}

TEST(Engine, RequestsWaitForSlotsAndBlocksAndAllGetTheirOwnAnswer) {
  Options roomy = options();
  Options tight = options();
  tight.max_batch = 2;  // two slots for seven requests
  Engine one(roomy);
  Engine queueing(tight);
  std::vector<RequestId> ids;
  for (std::uint64_t i = 0; i < 7; ++i)
    ids.push_back(queueing.submit(request(tokens(10 + i, 3 + 4 * i), 9)));
  EXPECT_EQ(queueing.waiting(), 7U);
  auto answers = run_all(queueing);
  for (std::uint64_t i = 0; i < 7; ++i)
    EXPECT_EQ(answers[ids[i]].tokens, run_one(one, request(tokens(10 + i, 3 + 4 * i), 9)).tokens)
        << "request " << i;
}

TEST(Engine, BlocksRunOutBeforeSlotsDo) {
  Options o = options();
  o.max_context = 32;
  o.kv_memory = 0;
  o.max_batch = 4;
  // Few blocks: as many bytes as 6 blocks of 8 tokens take, one of them scratch.
  const std::int64_t block = 8 * 3 * 64;  // more than a block's share; found by trial below
  for (std::int64_t memory = block; memory < block * 64; memory += block) {
    o.kv_memory = memory;
    try {
      Engine engine(o);
      std::vector<RequestId> ids;
      for (std::uint64_t i = 0; i < 4; ++i)
        ids.push_back(engine.submit(request(tokens(30 + i, 20), 10)));
      std::vector<TokenEvent> events;
      engine.step(events);
      EXPECT_LT(engine.running(), 4U) << "blocks for all: the test has no teeth";
      auto answers = run_all(engine);
      for (const TokenEvent& event : events) EXPECT_FALSE(event.finished);
      for (const RequestId id : ids) EXPECT_TRUE(answers[id].finished);
      return;
    } catch (const Error&) {
      continue;  // too little for one sequence
    }
  }
  FAIL() << "no memory size holds a sequence";
}

TEST(Engine, SeededSamplingDoesNotDependOnBatchMates) {
  Engine engine(options());
  const auto sampled = [](std::uint64_t seed) {
    Request r = request(tokens(40, 7), 12);
    r.sampling = {.temperature = 1.5F, .top_k = 0, .top_p = 0.95F, .min_p = 0, .seed = seed};
    return r;
  };
  const Answer alone = run_one(engine, sampled(5));
  const RequestId id = engine.submit(sampled(5));
  const RequestId other = engine.submit(sampled(6));
  engine.submit(request(tokens(41, 25), 20));
  auto answers = run_all(engine);
  EXPECT_EQ(answers[id].tokens, alone.tokens);
  EXPECT_NE(answers[other].tokens, alone.tokens);
}

TEST(Engine, APromptOf715TokensTakesSixPromptSteps) {
  Options o = options();
  o.prefill_bucket = 128;
  o.max_context = 1024;
  Engine engine(o);
  run_one(engine, request(tokens(50, 715), 4));
  EXPECT_EQ(engine.stats().prompt_steps, 6U);
  EXPECT_EQ(engine.stats().prompt_tokens, 715U);
  EXPECT_EQ(engine.stats().decode_tokens, 3U);
  EXPECT_EQ(engine.stats().steps, 9U);
  EXPECT_EQ(engine.runner().replays(128), 6U);
}

// Fault A6: what a finished request left in its row steers a later step. Wherever the prompt-heavy
// one stood among three short ones, row 3 of the later decode steps is padding that it, or a row
// that moved up for it, has left.
TEST(Engine, A6_decoding_after_a_long_prompt_runs_the_decode_sizes) {
  Engine alone(options());
  Engine engine(options());
  for (std::size_t place = 0; place < 4; ++place) {
    for (const int heavy_tokens : {1, 3}) {  // ends with its prompt, or after decoding beside them
      SCOPED_TRACE("heavy request " + std::to_string(place) + ", " + std::to_string(heavy_tokens) +
                   " tokens");
      std::vector<RequestId> ids;
      std::vector<Request> requests;
      for (std::size_t i = 0; i < 4; ++i) {
        requests.push_back(i == place ? request(tokens(60, 33), heavy_tokens)
                                      : request(tokens(61 + i, 2), 20));
        ids.push_back(engine.submit(requests.back()));
      }
      std::vector<TokenEvent> events;
      const auto finished = [&] {
        return std::any_of(events.begin(), events.end(), [&](const TokenEvent& event) {
          return event.request == ids[place] && event.finished;
        });
      };
      while (!finished()) engine.step(events);
      ASSERT_EQ(engine.running(), 3U);
      const auto prompts = engine.runner().replays(16);
      const auto prompt_steps = engine.stats().prompt_steps;
      const auto fours = engine.runner().replays(4);
      for (int i = 0; i < 5; ++i) engine.step(events);
      ASSERT_EQ(engine.running(), 3U);
      EXPECT_EQ(engine.runner().replays(4), fours + 5);
      EXPECT_EQ(engine.runner().replays(16), prompts);
      EXPECT_EQ(engine.stats().prompt_steps, prompt_steps);

      while (engine.step(events)) {
      }
      for (std::size_t i = 0; i < 4; ++i) {
        std::vector<std::int32_t> got;
        for (const TokenEvent& event : events)
          if (event.request == ids[i] && event.token >= 0) got.push_back(event.token);
        EXPECT_EQ(got, run_one(alone, requests[i]).tokens) << "request " << i;
      }
    }
  }
}

// Fault C1 at the engine's edge.
TEST(Engine, C1_token_ids_outside_the_vocabulary_are_refused_with_the_id) {
  Engine engine(options());
  for (const std::int32_t bad : {-1, 544, 2147483647}) {
    const std::string text = refusal(engine, request({5, bad}, 3));
    EXPECT_NE(text.find("prompt[1]"), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(bad)), std::string::npos) << text;
  }
  EXPECT_NE(refusal(engine, request({}, 3)).find("is empty"), std::string::npos);
  EXPECT_NE(refusal(engine, request({5}, 0)).find("max_tokens"), std::string::npos);
  EXPECT_EQ(engine.waiting(), 0U);
}

// Fault H7: prompts at and over the limit.
TEST(Engine, H7_prompts_at_the_limit_run_and_longer_ones_are_refused_with_both_numbers) {
  Engine engine(options());
  ASSERT_EQ(engine.max_context(), 64);
  EXPECT_TRUE(run_one(engine, request(tokens(70, 63), 1)).finished);
  for (const auto& [length, most] : {std::pair{64, 1}, std::pair{65, 1}, std::pair{640, 1},
                                     std::pair{10, 55}, std::pair{10, 2147483647}}) {
    const std::string text =
        refusal(engine, request(tokens(71, static_cast<std::size_t>(length)), most));
    EXPECT_NE(text.find("at most 64"), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(length) + " + " + std::to_string(most)), std::string::npos)
        << text;
    EXPECT_EQ(run_one(engine, request(tokens(72, 10), 54)).tokens.size(), 54U);
  }
}

TEST(Engine, ParametersOutOfRangeAreRefusedByName) {
  Engine engine(options());
  Request r = request({5}, 3);
  r.sampling.top_p = 2;
  EXPECT_NE(refusal(engine, r).find("top_p"), std::string::npos);
  EXPECT_EQ(engine.waiting(), 0U);
}

}  // namespace
}  // namespace deepinfer
