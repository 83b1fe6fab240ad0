"""Held-out loss and recall while training."""

import random

import numpy as np
import torch
import torch.nn.functional as F


def held_out_loss(model, engrams, data, T=256):
    """mean next-token loss on the held-out passages (windows of T, BOS first)"""
    res = {}
    with torch.no_grad():
        for k, ids in data.held.items():
            n = (len(ids) - 1) // T
            X = (
                np.array([[data.bos] + ids[i * T : (i + 1) * T] for i in range(max(n, 1))])
                if n
                else None
            )
            if X is None:
                continue
            h = model(torch.from_numpy(X[:, :-1]), engrams(X[:, :-1]))
            res[k] = F.cross_entropy(
                model.logits(h).flatten(0, 1), torch.from_numpy(X[:, 1:]).flatten()
            ).item()
    a = res.pop("alice")
    return a, sum(res.values()) / max(len(res), 1)


def recall_accuracy(model, engrams, data, T, n=8, seed=123, budget=None):
    old = data.rng
    data.rng = random.Random(seed)
    ok = tot = 0
    far_ok = far = 0
    with torch.no_grad():
        for _ in range(n):
            ids, w = data.recall_row(T, 9.0, budget)
            ids, w = np.array(ids[: T + 1])[None], w[: T + 1]
            lg = (
                model.logits(model(torch.from_numpy(ids[:, :-1]), engrams(ids[:, :-1])))[0]
                .argmax(-1)
                .numpy()
            )
            for i in range(1, T + 1):
                if w[i] == 9.0:
                    hit = lg[i - 1] == ids[0, i]
                    ok += hit
                    tot += 1
                    j = [z for z in range(i - 40) if ids[0, z] == ids[0, i]]
                    near = any(ids[0, z] == ids[0, i] for z in range(max(0, i - 40), i))
                    if j and not near:
                        far += 1
                        far_ok += hit
    data.rng = old
    return round(float(ok / max(tot, 1)), 4), tot, round(float(far_ok / max(far, 1)), 4), far
