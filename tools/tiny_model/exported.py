"""Reads the exported files back, dequantised."""

import json
import struct

import numpy as np
import torch

from tiny_model.config import CONFIG, EXPORT_FOLDER
from tiny_model.engram import Engram
from tiny_model.export import tensor_map
from tiny_model.model import Model
from tiny_model.tokenizer import load_tokenizer


def read_tensors(d):
    T = {}
    for fn in sorted(
        set(json.load(open(f"{d}/model.safetensors.index.json"))["weight_map"].values())
    ):
        raw = open(f"{d}/{fn}", "rb").read()
        n = struct.unpack("<Q", raw[:8])[0]
        h = json.loads(raw[8 : 8 + n])
        b0 = 8 + n
        for k, v in h.items():
            if k != "__metadata__":
                T[k] = (
                    v["dtype"],
                    v["shape"],
                    raw[b0 + v["data_offsets"][0] : b0 + v["data_offsets"][1]],
                )
    return T


def load_exported(d=EXPORT_FOLDER):
    """official files -> dequantised Model (independent of the exporter's state; section 4.3)"""
    cfg = json.load(open(f"{d}/config.json"))["text_config"]
    for k in CONFIG:
        CONFIG[k] = cfg[k]
    tokenizer = load_tokenizer(d)
    engrams = Engram(tokenizer)
    m = Model()
    T = read_tensors(d)
    used = set()
    assert (
        engrams.rows == cfg["engram_num_embeddings"]
        and engrams.C == cfg["engram_compressed_vocab_size"]
    )

    def raw(n, dt):
        assert T[n][0] == dt, (n, T[n][0])
        used.add(n)
        return np.frombuffer(T[n][2], np.uint8), T[n][1]

    def get(n, kind):
        if kind == "bf16":
            b, sh = raw(n, "BF16")
            return (
                torch.from_numpy(b.view(np.int16).copy()).view(torch.bfloat16).float().reshape(sh)
            )
        if kind == "f32":
            b, sh = raw(n, "F32")
            return torch.from_numpy(b.view(np.float32).copy()).reshape(sh)
        sb, ss = raw(n + ".scale", "F8_E8M0")
        s = torch.from_numpy(np.exp2(sb.astype(np.float64) - 127).astype(np.float32)).reshape(ss)
        if kind == "fp4":
            b, sh = raw(n + ".weight", "I8")
            t = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
            b = torch.from_numpy(b.copy()).long().reshape(sh)
            w = torch.stack([t[b & 15], t[b >> 4]], -1).reshape(sh[0], sh[1] * 2)
            return (w.reshape(sh[0], -1, 32) * s[..., None]).reshape(w.shape)
        b, sh = raw(n + ".weight", "F8_E4M3")
        w = torch.from_numpy(b.copy()).view(torch.float8_e4m3fn).float().reshape(sh)
        if kind == "row8":
            return (w.reshape(sh[0], -1, 32) * s[..., None]).reshape(sh)
        return w * s.repeat_interleave(32, 0).repeat_interleave(32, 1)

    tm = tensor_map()
    with torch.no_grad():
        for k, p in m.P.items():
            k = k.replace("/", ".")
            if "." not in k:
                w = get(k + ".weight", "bf16")
            else:
                l, n = k.split(".", 1)
                pre = f"layers.{l}."
                if n in ("w13", "w2"):
                    w = torch.stack(
                        [
                            torch.cat(
                                [
                                    get(f"{pre}ffn.experts.{e}.{z}", "fp4")
                                    for z in (("w1", "w3") if n == "w13" else ("w2",))
                                ]
                            )
                            for e in range(m.E)
                        ]
                    )
                else:
                    w = torch.cat([get(pre + nm, kind) for nm, kind, _ in tm[n]])
            assert w.shape == p.shape, (k, w.shape, p.shape)
            p.copy_(w)
        for l in range(m.L):
            getattr(m, f"bias{l}").copy_(get(f"layers.{l}.ffn.gate.bias", "f32"))
    assert used == set(T), set(T) - used
    m.sink_iters = CONFIG["hc_sinkhorn_iters"]
    m.select = True
    return m, tokenizer, engrams


def logits_of(m, engrams, seqs):
    """Logits [length, vocab] of every id list. Padded to the right: the model is causal."""
    W = m.W
    T = -(-max(map(len, seqs)) // W) * W
    X = np.full((len(seqs), T), 2, np.int64)
    for i, s in enumerate(seqs):
        X[i, : len(s)] = s
    with torch.no_grad():
        lg = m.logits(m(torch.from_numpy(X), engrams(X)))
    return [lg[i, : len(s)] for i, s in enumerate(seqs)]


def greedy(m, engrams, prompts, n, stop=()):
    seqs = [list(p) for p in prompts]
    gaps = [[] for _ in prompts]
    done = [False] * len(prompts)
    for _ in range(n):
        for i, lg in enumerate(logits_of(m, engrams, seqs)):
            if done[i]:
                continue
            v, ix = lg[-1].topk(2)
            gaps[i].append(round(float(v[0] - v[1]), 4))
            seqs[i].append(int(ix[0]))
            done[i] = int(ix[0]) in stop
        if all(done):
            break
    return [s[len(p) :] for s, p in zip(seqs, prompts)], gaps
