#!/usr/bin/env python3
"""Writes texts with the ids that the `tokenizers` library gives them, for the parity tests.

    python3 -m venv VENV && VENV/bin/pip install tokenizers==0.23.3
    VENV/bin/python tools/make_tokenizer_cases.py models/DeepInfer-V4.1-tiny/tokenizer.json \
        tests/data/tokenizer/tiny_cases.json

The committed file is made by exactly this command. `--random N --seed S` changes how many random
texts there are, which is how the tokenizer is fuzzed during development and how
tools/check_full_tokenizer.py makes its corpus.

Form of the output: {"cases": [...], "decode": [...]}, one case a line.
  case    text: a string | {"hex": bytes that are not UTF-8} | {"runs": [[string, count], ...]}
          ids: with added tokens recognised; plain: without, where that differs (null: not known)
  decode  ids, text: decode of these ids (random ids, so mostly not UTF-8 before repair)
In id lists [id, count] stands for a run of one id.

Which characters may occur: the library's regular expressions know Unicode 16, the engine's tables
(utf8proc 2.8) Unicode 15.0, and this Python's unicodedata says which version it has. Between those
versions no character of category L, M, N, P or S changed to another of them; 5,812 were newly
assigned. So a character takes part only if it is assigned (not Cn) in unicodedata of version 15.0
or lower, or is a noncharacter, which stays unassigned for ever.
"""

import argparse
import json
import random
import unicodedata

from tokenizers import Tokenizer

assert tuple(map(int, unicodedata.unidata_version.split("."))) <= (
    15,
    0,
    0,
), "use a Python whose unicodedata is at most 15.0 (Python 3.12): see the text above"


def is_noncharacter(code):
    return 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE


ASSIGNED = [
    c
    for c in range(0x110000)
    if not 0xD800 <= c < 0xE000 and (unicodedata.category(chr(c)) != "Cn" or is_noncharacter(c))
]
ALLOWED = set(ASSIGNED)
BY_CATEGORY = {}
for code in ASSIGNED:
    BY_CATEGORY.setdefault(unicodedata.category(chr(code)), []).append(code)

# The worked examples of prompting specification 1.4 and 1.5, and one text per corner of the rules.
FIXED = [
    "",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "a",
    "0",
    "0000",
    "\u4e00",
    "\u3042",
    "Hello, world!",
    "I'm can't DON'T",
    "x=12345+6.78",
    "price: $1,234.50\n\n  next",
    "  two  spaces\t\n \n end  ",
    "a  1",
    "中文と日本語 mixed。",
    "foo_bar->baz();\r\n",
    "２０２６年",
    "🙂\u200d🙂 ok",
    "a.b.com/x?y=1",
    '<｜DSML｜ invoke name="f">',
    "Hello! 毕老师！1 + 1 = 2 ĠÑĤÐ²ÑĬÑĢ",
    "<｜User｜>你好<｜Assistant｜><think>推理</think>答案<｜end▁of▁sentence｜>",
    "<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"x\">\n</｜DSML｜ invoke>\n</｜DSML｜ calls>",
    "<think></think><think",
    "</think",
    "<<think>>",
    "｜DSML｜DSML｜",
    "<｜｜DSML｜｜>",
    "<｜User｜",
    "<｜begin▁of▁sentence｜><｜System｜>You are\n<｜User｜> hi <｜Assistant｜></think>",
    "<|EOT|><｜EOT｜><|User|>",
    "<｜▁pad▁｜> <｜▁pad▁｜>\n",
    "<｜place▁holder▁no▁1｜0｜>",
    "\u180e",
    "a\u180eb",
    " \u180e ",
    "\u00a0x\u00a0",
    "\u3000全角\u3000",
    "\u200b\u200c\u200d\u2060",
    "\ufeffbom",
    "\x00",
    "\x00\x01a\x02",
    "a\x00 b",
    "\x7f\x80\x9f",
    "\x85\x85a",
    "\u2028\u2029 x",
    "e\u0301 e\u0301\u0301 \u0301",
    "\u0301",
    " \u0301",
    "\n\u0301",
    "1\u0301",
    "!\u0301",
    "कि क्षि",
    "ไทยภาษา",
    "한국어 텍스트",
    "العربية ١٢٣٤٥",
    "עברית",
    "ελληνικά",
    "русский текст",
    "Հայերեն",
    "ქართული",
    "አማርኛ",
    "বাংলা ১২৩৪",
    "தமிழ்",
    "ខ្មែរ",
    "မြန်မာ",
    "བོད་",
    "ᠮᠣᠩᠭᠣᠯ",
    "ᏣᎳᎩ",
    "𐐀𐐨",
    "𝔘𝔫𝔦",
    "½⅓Ⅻ²③१२३٤٥٦",
    "𝟘𝟙𝟚𝟛",
    "一二三",
    "〇〡〢",
    "カ・タ゠カナーァ",
    "゛゜ぁ",
    "\u3040\u3097\u3098\u3099\u309a",
    "龥龦",
    "㐀䶵",
    "豈",
    "𠀀𪛖",
    "々〆ヶ",
    "。、「」",
    "（）！？",
    "👨‍👩‍👧‍👦",
    "🏳️‍🌈",
    "👍🏽",
    "🇩🇪🇫🇷",
    "#️⃣1️⃣",
    "\ue000\uf8ff",
    "\U000f0000\U0010fffd",
    "\ufffe\uffff\U0001ffff",
    "\ufffd",
    "\xad soft\xadhyphen",
    "(a)[b]{c}",
    "!a",
    "!!a",
    "!a1",
    "! a",
    " !a",
    "  !a",
    "_a",
    "-a-b",
    "'s 's",
    "\"q\"",
    "`code`",
    "~x",
    "^x",
    "|x",
    "\\n",
    "é!é",
    "!é",
    ".é",
    "$é",
    "€a",
    "a€",
    " €5",
    "+\n\n",
    " +\r\n\r\n a",
    "...\n\n\n x",
    "a\n b",
    "a \n b",
    "a \n \n b",
    "a\r\rb",
    "\n\n\n",
    " \n",
    "\n ",
    "  \n  ",
    "\t\ta",
    " \ta",
    "\t a",
    "a\t\t",
    "a \t1",
    "a \u4e00",
    "  \u4e00",
    "  。",
    "1 2  3   4",
    "1a1",
    "123456789",
    "1234abc5678",
    "v1.2.3",
    "0x1F",
    "1e-05",
    "3.14159",
    "1,000,000",
    "http://a.b/c?d=e&f=g#h",
    "def f(x):\n    return x + 1\n\n\nclass A:\n\tpass\n",
    "if (a&&b||c) { d<<=2; }",
    "#include <stdio.h>\r\nint main(void)\r\n{\r\n\treturn 0;\r\n}\r\n",
    "ſ İ ı ß ẞ ﬁ Ǆ ǅ",
]

RUNS = [
    [["a", 10000]],
    [["A", 10000]],
    [["ab", 5000]],
    [["the", 4000]],
    [[" ", 10000]],
    [["\n", 10000]],
    [["\r\n", 5000]],
    [["\t", 10000]],
    [[" ", 9999], ["a", 1]],
    [["\n", 9999], ["a", 1]],
    [["1", 10000]],
    [["=", 10000]],
    [["-", 49]],
    [["-", 48]],
    [["e", 47]],
    [["e", 48]],
    [["e", 49]],
    [["e", 50]],
    [["中", 3000]],
    [["あ", 3000]],
    [["🙂", 2500]],
    [["é", 5000]],
    [["\u0301", 5000]],
    [["\u200d", 3000]],
    [["\x00", 10000]],
    [["<think>", 1000]],
    [["<", 10000]],
    [["<｜", 3000]],
    [["a ", 5000]],
    [[" a", 5000]],
    [[" \n", 5000]],
    [["a1", 5000]],
    [["!a", 5000]],
    [["\ue000", 3000]],
    [["a", 3000], [" ", 3000], ["a", 3000]],
    [[" ", 3000], ["\n", 1], [" ", 3000], ["x", 1]],
    [["Alice was beginning to get very tired ", 200]],
]

WORDS = """the of and to in is that for it with as was Alice Queen rabbit said thought little 's 't 're
don't GPT DeepSeek tokenizer naïve façade Zürich 東京 中文 日本語 カタカナ 한국어 русский привет العربية हिन्दी
ไทย 🙂 👩‍💻 🇯🇵 ... -- => -> :: // /* */ <!-- --> {} [] () != == && || <= >= += \\n $x @y #z %d ~ ^ _
__init__ snake_case camelCase HTML http:// 3.14 1,000 2026 ２０２６ ①②③ x² € £ ™ – — “quoted” ‘single’ … ·""".split()


def random_code(rng):
    kind = rng.random()
    if kind < 0.45:  # every general category alike
        return rng.choice(BY_CATEGORY[rng.choice(list(BY_CATEGORY))])
    if kind < 0.60:
        return rng.choice(ASSIGNED)
    if kind < 0.85:
        return rng.randrange(0x20, 0x7F)
    if kind < 0.93:
        return rng.choice(
            [9, 10, 13, 32, 32, 32, 0x85, 0xA0, 0x1680, 0x2003, 0x2028, 0x202F, 0x3000]
        )
    return rng.choice([c for c in range(0x3040, 0x3100) if c in ALLOWED] + [0x4E00, 0x9FA5, 0x9FA6])


def random_text(rng, added):
    kind = rng.random()
    if kind < 0.35:
        return "".join(chr(random_code(rng)) for _ in range(rng.randrange(1, 24)))
    if kind < 0.50:  # few characters, many repetitions: the rules for runs
        few = [chr(random_code(rng)) for _ in range(rng.randrange(1, 4))] + [" ", "\n"]
        return "".join(rng.choice(few) for _ in range(rng.randrange(1, 40)))
    if kind < 0.75:
        parts = []
        for _ in range(rng.randrange(1, 16)):
            parts.append(rng.choice(WORDS))
            parts.append(rng.choice([" ", " ", " ", "", "\n", "  ", "\r\n", "\t"]))
        return "".join(parts)
    if kind < 0.85:  # one dense ASCII or letter stretch: merges across many symbols
        return "".join(rng.choice("etaoinshrdluETAOIN ,.'\n") for _ in range(rng.randrange(1, 120)))
    parts = []
    for _ in range(rng.randrange(1, 6)):
        token = rng.choice(added)
        if rng.random() < 0.3:  # a damaged spelling
            cut = rng.randrange(len(token))
            token = token[:cut] + token[cut + 1 :] if rng.random() < 0.5 else token[:cut]
        parts += [token, rng.choice(["", " ", "\n", rng.choice(WORDS), chr(random_code(rng))])]
    return "".join(parts)


def random_bytes(rng):
    data = bytearray(random_text(rng, ["x"]).encode())
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(data) + 1)
        choice = rng.random()
        if choice < 0.4 and data:
            del data[min(at, len(data) - 1)]
        elif choice < 0.7:
            data.insert(at, rng.randrange(0x80, 0x100))
        else:
            data[at:at] = rng.choice(
                [
                    b"\xc0\x80",
                    b"\xe0\x80\x80",
                    b"\xed\xa0\x80",
                    b"\xf0\x90\x80",
                    b"\xf4\x90\x80\x80",
                    b"\xf0\x80\x80\x80",
                    b"\xe2\x82",
                    b"\xff\xfe",
                    b"\xf0\x9f\x99",
                    b"\xc3",
                    b"\xed\xa0\xbd\xed\xb9\x82",
                    b"\xf8\x88",
                ]
            )
    return bytes(data)


def run_lengths(ids):
    packed = []
    for value in ids:
        if packed and packed[-1][0] == value:
            packed[-1][1] += 1
        else:
            packed.append([value, 1])
    flat = []
    for value, count in packed:
        flat += [[value, count]] if count > 2 else [value] * count
    return flat


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tokenizer", help="tokenizer.json")
    parser.add_argument("output")
    parser.add_argument("--random", type=int, default=3900, help="number of random texts")
    parser.add_argument("--seed", type=int, default=41)
    arguments = parser.parse_args()

    with open(arguments.tokenizer, encoding="utf-8") as file:
        document = json.load(file)
    added = [token["content"] for token in document["added_tokens"]]
    library = Tokenizer.from_str(json.dumps(document))
    document["added_tokens"] = []
    library_plain = Tokenizer.from_str(json.dumps(document))
    size = library.get_vocab_size(with_added_tokens=True)
    rng = random.Random(arguments.seed)

    def ids_of(text):
        ids = library.encode(text, add_special_tokens=False).ids
        plain = library_plain.encode(text, add_special_tokens=False).ids
        case = {"ids": run_lengths(ids)}
        if plain != ids:
            case["plain"] = run_lengths(plain)
        return case

    def text_case(text):
        return {"text": text, **ids_of(text)}

    cases = [text_case(text) for text in FIXED]
    cases += [{"text": {"runs": runs}, **ids_of("".join(s * n for s, n in runs))} for runs in RUNS]
    cases += [
        text_case(rng.choice("a 1!\n中") + token + rng.choice("a 1!\n中")) for token in added[:40]
    ]
    for category in sorted(BY_CATEGORY):  # each category between letters, alone and after a space
        for code in rng.sample(BY_CATEGORY[category], min(4, len(BY_CATEGORY[category]))):
            cases.append(text_case(f"a{chr(code)}b {chr(code)} 1{chr(code)}2\n{chr(code)}"))
    cases += [text_case(random_text(rng, added)) for _ in range(arguments.random)]
    for _ in range(arguments.random // 10):
        data = random_bytes(rng)
        # Python replaces each maximal invalid subpart by one U+FFFD, as the engine's repair does.
        cases.append(
            {"text": {"hex": data.hex()}, **ids_of(data.decode("utf-8", errors="replace"))}
        )

    decodes = []
    for _ in range(arguments.random // 20):
        ids = [
            rng.choice([rng.randrange(size), rng.randrange(3, 259)])
            for _ in range(rng.randrange(1, 12))
        ]
        decodes.append({"ids": ids, "text": library.decode(ids, skip_special_tokens=False)})

    def lines(items):
        return ",\n".join(
            json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in items
        )

    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write('{"cases":[\n%s\n],"decode":[\n%s\n]}\n' % (lines(cases), lines(decodes)))


if __name__ == "__main__":
    main()
