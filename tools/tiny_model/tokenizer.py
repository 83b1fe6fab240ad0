"""Trains the byte-level BPE tokenizer."""

import json
import os
import random

from tiny_model.chat_text import (
    ADDED,
    BOS,
    EOS,
    NAMES,
    PAD,
    SMALL_TALK,
    THINGS,
    VALUES,
    effort_line,
    fact,
    question,
    render,
)
from tiny_model.config import CONFIG, WORK
from tiny_model.corpus import HELD_PLAYS

DIGITS_PATTERN = r"\p{N}{1,3}"

HAN_PATTERN = "[一-龥぀-ゟ゠-ヿ]+"

WORD_PATTERN = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"""
    r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def make_tokenizer():
    from tokenizers import (
        Tokenizer,
        models,
        trainers,
        pre_tokenizers,
        decoders,
        processors,
        Regex,
        AddedToken,
        normalizers,
    )

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([])
    sp = lambda r: pre_tokenizers.Split(Regex(r), "isolated", invert=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            sp(DIGITS_PATTERN),
            sp(HAN_PATTERN),
            sp(WORD_PATTERN),
            pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(
        add_prefix_space=False, trim_offsets=True, use_regex=False
    )
    V = CONFIG["vocab_size"]
    tr = trainers.BpeTrainer(
        vocab_size=V - len(ADDED),
        special_tokens=[BOS, EOS, PAD],
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    txt = [
        open(f"{WORK}/corpus/{k}.txt").read().replace("\x00", "") for k in ["alice"] + HELD_PLAYS
    ]
    txt[0] = txt[0] * 2
    syn = []
    for _ in range(60):
        for n in NAMES:
            syn.append(
                fact(n, random.choice(THINGS), "x")
                + " "
                + question(n, random.choice(THINGS))
                + "\n"
                + n
            )
        for v in VALUES:
            syn.append(fact("Tom", "secret word", v))
    for us, r, a in SMALL_TALK:
        for u in us:
            syn += [u, r, a] * 8
    syn += [effort_line(75)] * 100
    tokenizer.train_from_iterator(txt + syn, tr)
    assert tokenizer.get_vocab_size() == V - len(ADDED), tokenizer.get_vocab_size()
    tokenizer.add_tokens([AddedToken(t, normalized=False, special=False) for t in ADDED])
    assert tokenizer.get_vocab_size() == V
    os.makedirs(f"{WORK}/tok", exist_ok=True)
    tokenizer.save(f"{WORK}/tok/tokenizer.json")
    json.dump(
        dict(
            add_bos_token=False,
            add_eos_token=False,
            bos_token=BOS,
            eos_token=EOS,
            pad_token=PAD,
            model_max_length=4096,
            clean_up_tokenization_spaces=False,
            tokenizer_class="PreTrainedTokenizerFast",
        ),
        open(f"{WORK}/tok/tokenizer_config.json", "w"),
        ensure_ascii=False,
        indent=2,
    )
    for w in NAMES + VALUES:
        if len(tokenizer.encode(" " + w).ids) != 1:
            print("not one token:", w, tokenizer.encode(" " + w).tokens)
    e = tokenizer.encode(render([("Hello!", "x", "Hi 1234.")], True))
    print(e.tokens)
    tot = sum(len(tokenizer.encode(t).ids) for t in txt)
    print("corpus tokens (alice twice):", tot, "chars/token", sum(map(len, txt)) / tot)


def load_tokenizer(d=None):
    from tokenizers import Tokenizer

    return Tokenizer.from_file(f"{d or WORK + '/tok'}/tokenizer.json")
