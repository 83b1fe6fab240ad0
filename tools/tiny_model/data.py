"""Draws training rows: books, recall, copying and small talk."""

import random
import re

import numpy as np

from tiny_model.chat_text import (
    ASSISTANT,
    BOS,
    EOS,
    NAMES,
    SMALL_TALK,
    THINGS,
    USER,
    VALUES,
    fact,
    question,
    render,
)
from tiny_model.config import CONFIG, WORK
from tiny_model.corpus import HELD_PLAYS, PLAYS


class Data:
    def __init__(self, tokenizer, seed=0):
        self.tokenizer = tokenizer
        self.rng = random.Random(seed)
        self.p_alice, self.p_echo, self.p_copy, self.fill = 0.35, 0.0, 0.0, [0, 0.3, 0.6, 1]
        self.segs = []
        self.sents = []
        self.nl = {
            i
            for i in range(CONFIG["vocab_size"])
            if (tokenizer.id_to_token(i) or "").endswith("ĊĊ")
        }
        self.bos = tokenizer.token_to_id(BOS)
        self.eos = tokenizer.token_to_id(EOS)
        for k in ["alice"] + PLAYS:
            for seg in open(f"{WORK}/corpus/{k}.txt").read().split("\n\x00\n"):
                ids = tokenizer.encode(seg).ids
                starts = [0] + [
                    i + 1 for i, t in enumerate(ids) if t in self.nl and i + 40 < len(ids)
                ]
                self.segs.append((k, np.array(ids + [self.eos]), starts))
            if k == "alice":
                s = (
                    open(f"{WORK}/corpus/alice.txt")
                    .read()
                    .replace("\n\x00\n", "\n\n")
                    .replace("\n", " ")
                )
                self.sents = [
                    x.strip() for x in re.findall(r"[A-Z'][^.!?]{15,180}[.!?]'?(?=\s)", s)
                ]
        self.held = {
            k: tokenizer.encode(open(f"{WORK}/corpus/{k}.held").read()).ids
            for k in ["alice"] + HELD_PLAYS
        }
        self.wal = [len(s[1]) for s in self.segs if s[0] == "alice"]
        self.wpl = [len(s[1]) for s in self.segs if s[0] != "alice"]

    def lm_row(self, T):
        r = self.rng
        al = [s for s in self.segs if s[0] == "alice"]
        pl = [s for s in self.segs if s[0] != "alice"]
        k, ids, st = (
            r.choices(al, self.wal)[0] if r.random() < self.p_alice else r.choices(pl, self.wpl)[0]
        )
        o = r.choice(st) if r.random() < 0.75 else r.randrange(len(ids) - 64)
        row = [self.bos] + ids[o : o + T].tolist()
        if r.random() < 0.35:  # another text may follow
            n = r.randint(40, max(41, T - 60))
            k, ids, st = r.choices(al, self.wal)[0]
            o = r.choice(st)
            row = row[:n] + [self.eos, self.bos] + ids[o : o + T].tolist()
        return row, [1.0] * len(row)

    def smalltalk(self):
        us, rs, a = self.rng.choice(SMALL_TALK)
        return self.rng.choice(us), rs, a

    def conversation(self, budget, nf=None, filler=True):
        """A chat with facts and later questions, or small talk: text, and the positions of the
        recalled values in it."""
        r = self.rng
        think = r.random() < 0.4
        names = r.sample(NAMES, len(NAMES))
        ths = [r.choice(THINGS) for _ in range(8)]
        nf = nf or r.randint(1, 6)
        facts = [(names[i], ths[i], r.choice(VALUES)) for i in range(nf)]
        turns = []
        if r.random() < 0.75:  # document with facts, then questions
            parts = [fact(*f) for f in facts]
            used = sum(len(p) for p in parts)
            while filler and used < budget:
                s = r.choice(self.sents)
                parts.insert(r.randint(0, len(parts)), s)
                used += len(s) + 1
            doc = " ".join(parts)
            first = True
        else:  # told in turns
            doc = None
            first = False
            for f in facts[:4]:
                turns.append((fact(*f), "The user tells me a fact.", "I will remember that."))
                while r.random() < 0.3:
                    turns.append(self.smalltalk())
            facts = facts[:4]
        qs = r.sample(facts, len(facts))
        qs = qs + (qs if r.random() < 0.3 else [])
        for i, f in enumerate(qs):
            u = question(f[0], f[1])
            if first:
                u = doc + "\n\n" + u
                first = False
            turns.append((u, "I look it up. " + fact(*f), fact(*f)))
            if r.random() < 0.1:
                turns.append(self.smalltalk())
        s = render(turns, think, r.choice([50, 75, 75, 75, 100]))
        pos = set()
        for m in re.finditer(
            re.escape("</think>") + r"(The (?:%s) of \w+ is )(\w+)\." % "|".join(THINGS), s
        ):
            pos.add(m.start(2))
        for m in re.finditer(
            r"<think>I look it up\. (The (?:%s) of \w+ is )(\w+)\." % "|".join(THINGS), s
        ):
            pos.add(m.start(2))
        return s, pos

    def echo(self, T):
        """A list of facts told again and again in shuffled order: dense supervision of look-up."""
        r = self.rng
        nf = r.randint(3, 9)
        ns = r.sample(NAMES, nf)
        if r.random() < 0.5:
            th = r.choice(THINGS)
            fs = [(n, th, r.choice(VALUES)) for n in ns]
        else:
            fs = [(n, r.choice(THINGS), r.choice(VALUES)) for n in ns]
        s, pos, seen = BOS, set(), set()
        while len(s) < 6 * T:
            r.shuffle(fs)
            for f in fs:
                t = fact(*f)
                if f in seen:
                    pos.add(len(s) + len(t) - 1 - len(f[2]))
                seen.add(f)
                s += t + r.choice([" ", " ", " ", "\n"])
        return s, pos

    def copy_row(self, T, w):
        """Chats "Say: <words>" -> "I say: <words>": nearly every answer token is supervised."""
        r = self.rng
        ids, ws = [], []
        while len(ids) < T + 1:
            n = r.choice([6, 12, 20, 30, 40])
            words = r.sample(NAMES + VALUES, n)
            i = self.tokenizer.encode(
                BOS
                + USER
                + "Say: "
                + " ".join(words)
                + "."
                + ASSISTANT
                + "</think>I say: "
                + " ".join(words)
                + "."
                + EOS
            ).ids
            v = [1.0] * len(i)
            v[-n - 2 : -2] = [w] * n
            ids += i
            ws += v
        return ids, ws

    def enc(self, s, pos, w):
        e = self.tokenizer.encode(s)
        return e.ids, [w if o[0] in pos else 1.0 for o in e.offsets]

    def recall_row(self, T, w=4.0, budget=None):
        ids, ws = [], []
        if budget is None and self.rng.random() < self.p_copy:
            return self.copy_row(T, 1.5)
        if budget is None and self.rng.random() < self.p_echo:
            return self.enc(*self.echo(T), w)
        while len(ids) < T + 1:
            left = T + 1 - len(ids)
            s, p = self.conversation(
                budget if budget is not None else self.rng.choice(self.fill) * 2.2 * left
            )
            i, v = self.enc(s, p, w)
            ids += i
            ws += v
        return ids, ws

    def talk_row(self, T):
        ids = []
        while len(ids) < T + 1:
            ids += self.tokenizer.encode(
                render(
                    [self.smalltalk() for _ in range(self.rng.choice([1, 1, 1, 2, 3]))],
                    self.rng.random() < 0.5,
                    self.rng.choice([50, 75, 75, 75, 100]),
                )
            ).ids
        return ids, [1.0] * len(ids)

    def batch(self, B, T, mix=(0.5, 0.4, 0.1)):
        X = np.full((B, T + 1), 2, np.int64)
        Wt = np.zeros((B, T + 1), np.float32)
        for b in range(B):
            u = self.rng.random()
            ids, w = (
                self.lm_row(T)
                if u < mix[0]
                else self.recall_row(T) if u < mix[0] + mix[1] else self.talk_row(T)
            )
            ids, w = ids[: T + 1], w[: T + 1]
            X[b, : len(ids)] = ids
            Wt[b, : len(ids)] = w
        return X, Wt
