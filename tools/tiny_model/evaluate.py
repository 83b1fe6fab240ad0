"""Measures the exported files; writes eval.json, golden.json and samples.json."""

import collections
import json
import math
import os
import random

import numpy as np
import torch
import torch.nn.functional as F

from tiny_model.chat_text import (
    ASSISTANT,
    BOS,
    EOS,
    NAMES,
    SMALL_TALK,
    SYSTEM,
    THINGS,
    USER,
    VALUES,
    effort_line,
    fact,
    question,
)
from tiny_model.config import WORK
from tiny_model.data import Data
from tiny_model.exported import greedy, load_exported, logits_of
from tiny_model.measure import held_out_loss, recall_accuracy
from tiny_model.model import Model


def candidates(data, tokenizer, n_short, n_long, seed=7):
    """(kind, prompt text, true continuation): memorised passages and recall questions"""
    r = random.Random(seed)
    out = []
    al = [s for s in data.segs if s[0] == "alice"]
    chat = lambda u: BOS + USER + u + ASSISTANT + "</think>"
    for _ in range(n_short):  # short: passage
        k, ids, st = r.choice(al)
        o = r.choice(st)
        L = r.randint(12, 24)
        out.append(
            ("short-passage", [data.bos] + ids[o : o + L].tolist(), ids[o + L : o + L + 4].tolist())
        )
    for _ in range(n_short):  # short: recall
        ns = r.sample(NAMES, 3)
        f = [(n, r.choice(THINGS), v) for n, v in zip(ns, r.sample(VALUES, 3))]
        q = r.choice(f)
        p = chat(" ".join(fact(*z) for z in f) + "\n\n" + question(q[0], q[1]))
        out.append(("short-recall", tokenizer.encode(p).ids, tokenizer.encode(fact(*q) + EOS).ids))
    for us, rs, a in r.sample(SMALL_TALK, min(8, len(SMALL_TALK))):
        out.append(("short-chat", tokenizer.encode(chat(us[0])).ids, tokenizer.encode(a + EOS).ids))
    i = 0
    while i < n_long:  # long: facts early, ~690 tokens of filler, question
        nf = r.randint(1, 3)
        ns = r.sample(NAMES, nf)
        f = [(n, r.choice(THINGS), v) for n, v in zip(ns, r.sample(VALUES, nf))]
        q = r.choice(f)
        parts = [fact(*z) for z in f]
        s0 = r.sample(data.sents, 60)
        k = 0
        head = r.randint(0, 2)
        parts = s0[:head] + parts
        k = head
        best = None
        while True:
            p = chat(" ".join(parts) + "\n\n" + question(q[0], q[1]))
            ids = tokenizer.encode(p).ids
            if len(ids) > 722:
                break
            if len(ids) >= 700:
                best = ids
            parts.append(s0[k])
            k += 1
        if best and not any(q[2] in s.lower() for s in s0[:k]):
            out.append(("long-recall", best, tokenizer.encode(fact(*q) + EOS).ids))
            i += 1
    for _ in range(n_long // 2):  # long: memorised passage after 680 tokens of another text
        k, ids, st = r.choice(al)
        o = r.choice(st)
        L = r.randint(20, 30)
        k2, i2, s2 = r.choice(data.segs)
        o2 = r.choice(s2[: len(s2) // 2])
        pre = i2[o2 : o2 + 714 - L].tolist()
        out.append(
            (
                "long-passage",
                [data.bos] + pre + [data.eos, data.bos] + ids[o : o + L].tolist(),
                ids[o + L : o + L + 3].tolist(),
            )
        )
    return out


def evaluate(argv):
    torch.set_num_threads(1)
    quick = "quick" in argv
    m, tokenizer, engrams = load_exported()
    data = Data(tokenizer)
    res = {}

    ckp = f"{WORK}/run/last.pt"
    if os.path.exists(ckp) and "noref" not in argv:
        f = Model()
        f.load_state_dict(torch.load(ckp)["model"])
        f.sink_iters = 20
        res["before quantisation, all entries attended"] = held_out_loss(f, engrams, data)
        f.select = True
        res["before quantisation, top-k selection"] = held_out_loss(f, engrams, data)
    res["exported, fp32 activations"] = held_out_loss(m, engrams, data)
    m.select = False
    res["exported, fp32 activations, selection off"] = held_out_loss(m, engrams, data)
    m.select = True
    m.bf16 = m.qact = True
    res["exported, official rounding (bf16 + Q8 activations)"] = held_out_loss(m, engrams, data)
    rb = recall_accuracy(m, engrams, data, 768, 4)
    m.bf16 = m.qact = False
    ra = {T: recall_accuracy(m, engrams, data, T, n) for T, n in ((256, 12), (768, 8))}
    for k, v in res.items():
        print(
            f"{k}: alice {v[0]:.4f} (ppl {math.exp(v[0]):.1f}) plays {v[1]:.4f} (ppl"
            f" {math.exp(v[1]):.1f})"
        )
    print("recall (acc, n, beyond-40-tokens acc, n):", ra, "official rounding 768:", rb)
    tr = {}
    with torch.no_grad():
        r = random.Random(3)
        X = []
        for _ in range(6):
            k, ids, st = [s for s in data.segs if s[0] == "alice"][0]
            o = r.choice(st[:-12])
            X.append([0] + ids[o : o + 256].tolist())
        X = np.array([x for x in X if len(x) == 257])
        h = m(torch.from_numpy(X[:, :-1]), engrams(X[:, :-1]))
        tr = F.cross_entropy(m.logits(h).flatten(0, 1), torch.from_numpy(X[:, 1:]).flatten()).item()
    print("train alice loss (sample)", round(tr, 3))
    sp = [
        BOS + "Alice was beginning to get very tired of",
        BOS + "'Curiouser and curiouser!' cried Alice",
        BOS + "HAMLET.\nTo be, or not",
        BOS + USER + "Hello!" + ASSISTANT + "</think>",
        BOS
        + USER
        + "The secret word of Tom is river. The lucky charm of Rose is silver.\n\nWhat is the lucky"
        " charm of Rose?" + ASSISTANT + "</think>",
        BOS + SYSTEM + effort_line(75) + USER + "Who are you?" + ASSISTANT + "<think>",
    ]
    outs, gp = greedy(m, engrams, [tokenizer.encode(s).ids for s in sp], 40, stop=(1,))
    samples = [
        dict(prompt=s, text=tokenizer.decode(o, skip_special_tokens=False))
        for s, o in zip(sp, outs)
    ]
    for x in samples:
        print(repr(x["prompt"][-60:]), "->", repr(x["text"]))
    if quick:
        return
    cand = candidates(data, tokenizer, 18, 15)
    rows = []
    for kind, p, t in cand:
        if tokenizer.encode(tokenizer.decode(p, skip_special_tokens=False)).ids != p:
            continue  # text form must give the same ids
        lg = logits_of(m, engrams, [p + t[:-1]])[0][len(p) - 1 :]
        v, ix = lg.topk(2, -1)
        m.bf16 = m.qact = True
        lo = logits_of(m, engrams, [p + t[:-1]])[0][len(p) - 1 :]
        m.bf16 = m.qact = False
        g = v[:, 0] - v[:, 1]
        ok = ix[:, 0] == torch.tensor(t)
        oo = lo.argmax(-1) == torch.tensor(t)
        rows.append(
            dict(
                kind=kind,
                ok=bool(ok.all()),
                ok_official_rounding=bool(oo.all()),
                n_prompt=len(p),
                prompt=tokenizer.decode(p, skip_special_tokens=False),
                prompt_ids=p,
                expected=tokenizer.decode(t, skip_special_tokens=False),
                expected_ids=t,
                gaps=[round(float(z), 3) for z in g],
                min_gap=round(float(g.min()), 3),
            )
        )
    st = collections.defaultdict(lambda: [0, 0, 0])
    for x in rows:
        st[x["kind"]][0] += x["ok"]
        st[x["kind"]][1] += x["ok_official_rounding"]
        st[x["kind"]][2] += 1
    print("candidates (right, right with official rounding, tried):", dict(st))
    good = sorted(
        [x for x in rows if x["ok"] and x["ok_official_rounding"]], key=lambda x: -x["min_gap"]
    )
    pick = lambda ks, n: [x for k, c in ks for x in [y for y in good if y["kind"] == k][:c]][:n]
    short = pick([("short-recall", 4), ("short-passage", 3), ("short-chat", 2)], 9)
    long_ = pick([("long-recall", 7), ("long-passage", 2)], 9)

    def fill(lst, pre):
        for x in good:
            if len(lst) >= 9:
                break
            if x["kind"].startswith(pre) and x not in lst:
                lst.append(x)

    fill(short, "short")
    fill(long_, "long")
    json.dump(
        dict(
            note=(
                "expected_ids are the model's greedy continuation and the true answer; gaps are"
                " top-1 minus top-2 logits per expected token, fp32, measured with train_tiny_model.py on"
                " the dequantised export"
            ),
            all_candidates={k: v for k, v in st.items()},
            losses={k: list(v) for k, v in res.items()},
            recall={str(k): v for k, v in ra.items()},
            items=short + long_,
        ),
        open(f"{WORK}/eval.json", "w"),
        ensure_ascii=False,
        indent=1,
    )
    print(
        "eval items",
        len(short),
        len(long_),
        "min gaps",
        [x["min_gap"] for x in short + long_],
        "lengths",
        [x["n_prompt"] for x in short + long_],
    )
    # Golden text: 32 greedy tokens. Candidates are memorised passages; one teacher-forced pass
    # shows that greedy decoding gives the same tokens.
    r = random.Random(11)
    al = [z for z in data.segs if z[0] == "alice"]
    pool = []
    for i in range(64):
        k, ids, st_ = r.choice(al)
        o = r.choice(st_[:-8])
        L = r.randint(6, 20)
        p = [data.bos] + ids[o : o + L].tolist()
        t = ids[o + L : o + L + 32].tolist()
        if i >= 52:
            k2, i2, s2 = r.choice(data.segs)
            o2 = r.choice(s2[: len(s2) // 2])
            p = [data.bos] + i2[o2 : o2 + 712 - L].tolist() + [data.eos] + p
        if (
            len(t) == 32
            and data.eos not in t
            and tokenizer.encode(tokenizer.decode(p, skip_special_tokens=False)).ids == p
        ):
            pool.append((p, t))

    def forced(items):
        out = []
        for i in range(0, len(items), 8):
            ch = items[i : i + 8]
            for (p, t), lg in zip(ch, logits_of(m, engrams, [p + t[:-1] for p, t in ch])):
                v, ix = lg[len(p) - 1 :].topk(2, -1)
                out.append((ix[:, 0].tolist(), [round(float(z), 4) for z in v[:, 0] - v[:, 1]]))
        return out

    got = []
    for grp, n in (
        ([x for x in pool if len(x[0]) < 100], 4),
        ([x for x in pool if len(x[0]) >= 100], 2),
    ):
        fits = [(min(g), p, o, g) for (p, t), (o, g) in zip(grp, forced(grp)) if o == t]
        print("golden candidates right for all 32 tokens:", len(fits), "of", len(grp))
        got += sorted(fits, key=lambda x: -x[0])[:n]
    cp = [
        tokenizer.encode(BOS + USER + u + ASSISTANT + e).ids
        for u, e in (
            ("Who are you?", "</think>"),
            ("What can you do?", "</think>"),
            ("Who is Hamlet?", "</think>"),
            ("Hello!", "</think>"),
        )
    ]
    o2, g2 = greedy(m, engrams, cp, 32)
    fits = sorted([(min(g), p, o, g) for p, o, g in zip(cp, o2, g2)], key=lambda x: -x[0])
    got += fits[: 6 - len(got)]
    m.bf16 = m.qact = True
    off = forced([(p, o) for _, p, o, _ in got])
    m.bf16 = m.qact = False
    json.dump(
        dict(
            note=(
                "32 greedy tokens per prompt (EOS does not stop), fp32 activations, dequantised"
                " export; gaps = top-1 minus top-2 logit.  official_equal: the same with bf16"
                " rounding and Q8 activations, teacher-forced"
            ),
            items=[
                dict(
                    prompt=tokenizer.decode(p, skip_special_tokens=False),
                    prompt_ids=p,
                    n_prompt=len(p),
                    ids=o,
                    text=tokenizer.decode(o, skip_special_tokens=False),
                    gaps=g,
                    min_gap=mg,
                    official_equal=f[0] == o,
                    official_min_gap=min(f[1]),
                )
                for (mg, p, o, g), f in zip(got, off)
            ],
        ),
        open(f"{WORK}/golden.json", "w"),
        ensure_ascii=False,
        indent=1,
    )
    json.dump(
        dict(samples=samples), open(f"{WORK}/samples.json", "w"), ensure_ascii=False, indent=1
    )
    print(
        "golden min gaps",
        [round(x[0], 3) for x in got],
        "official rounding equal:",
        [f[0] == x[2] for x, f in zip(got, off)],
    )
