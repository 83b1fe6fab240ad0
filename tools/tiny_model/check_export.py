"""Checks the exported files with the safetensors library: names, dtypes and shapes against the
table of the model specification (4.2), the index, and that no code is NaN."""

import json
import os

import torch
from safetensors import safe_open

from tiny_model.config import EXPORT_FOLDER


def check_export():
    c = json.load(open(f"{EXPORT_FOLDER}/config.json"))["text_config"]
    idx = json.load(open(f"{EXPORT_FOLDER}/model.safetensors.index.json"))
    D, V, I, E, H, hd, L = (
        c[k]
        for k in (
            "hidden_size",
            "vocab_size",
            "moe_intermediate_size",
            "n_routed_experts",
            "num_attention_heads",
            "head_dim",
            "num_hidden_layers",
        )
    )
    ql, ol, og, hi, Hi, HC = (
        c[k]
        for k in (
            "q_lora_rank",
            "o_lora_rank",
            "o_groups",
            "index_head_dim",
            "index_n_heads",
            "hc_mult",
        )
    )
    X = {}

    def bf(n, *s):
        X[n] = ("BF16", list(s))

    def f32(n, *s):
        X[n] = ("F32", list(s))

    def fp8(n, o, i):
        X[n + ".weight"] = ("F8_E4M3", [o, i])
        X[n + ".scale"] = ("F8_E8M0", [-(-o // 32), -(-i // 32)])

    def fp4(n, o, i):
        X[n + ".weight"] = ("I8", [o, i // 2])
        X[n + ".scale"] = ("F8_E8M0", [o, i // 32])

    bf("embed.weight", V, D)
    bf("head.weight", V, D)
    bf("norm.weight", D)
    for l in range(L):
        p = f"layers.{l}."
        bf(p + "attn_norm.weight", D)
        bf(p + "ffn_norm.weight", D)
        for s in ("attn", "ffn"):
            f32(f"{p}hc_{s}_fn", (2 + HC) * HC, HC * D)
            f32(f"{p}hc_{s}_base", (2 + HC) * HC)
            f32(f"{p}hc_{s}_scale", 3)
        f32(p + "attn.attn_sink", H)
        bf(p + "attn.q_norm.weight", ql)
        bf(p + "attn.kv_norm.weight", hd)
        fp8(p + "attn.wq_a", ql, D)
        fp8(p + "attn.wq_b", H * hd, ql)
        fp8(p + "attn.wkv", hd, D)
        fp8(p + "attn.wo_a", og * ol, H * hd // og)
        fp8(p + "attn.wo_b", D, og * ol)
        bf(p + "ffn.gate.weight", E, D)
        f32(p + "ffn.gate.bias", E)
        for e in range(E):
            fp4(f"{p}ffn.experts.{e}.w1", I, D)
            fp4(f"{p}ffn.experts.{e}.w3", I, D)
            fp4(f"{p}ffn.experts.{e}.w2", D, I)
        fp8(p + "ffn.shared_experts.w1", I, D)
        fp8(p + "ffn.shared_experts.w3", I, D)
        fp8(p + "ffn.shared_experts.w2", D, I)
        if l in c["kv_source_layer_ids"]:
            bf(p + "attn.compressor.wkv.weight", hd, D)
            bf(p + "attn.compressor.norm.weight", hd)
            bf(p + "attn.indexer.wk.weight", hi, hd)
            bf(p + "attn.indexer.k_norm.weight", hi)
            if c["compress_ratios"][l] > 1:
                bf(p + "attn.compressor.wgate.weight", hd, D)
        if l in c["index_source_layer_ids"]:
            fp8(p + "attn.indexer.wq_b", Hi * hi, ql)
            bf(p + "attn.indexer.weights_proj.weight", Hi, D)
        if l in c["engram_layer_ids"]:
            r = c["engram_num_embeddings"][c["engram_layer_ids"].index(l)]
            ed = c["engram_head_dim"]
            X[p + "engram.embed.weight"] = ("F8_E4M3", [r, ed])
            X[p + "engram.embed.scale"] = ("F8_E8M0", [r, ed // 32])
            fp8(
                p + "engram.wkv",
                (HC + 1) * D,
                (c["engram_max_ngram_size"] - 1) * c["engram_n_heads"] * ed,
            )
            bf(p + "engram.q_weight", HC, D)
            bf(p + "engram.k_weight", HC, D)
    got, tot = {}, 0
    for fn in sorted(set(idx["weight_map"].values())):
        with safe_open(f"{EXPORT_FOLDER}/{fn}", "pt") as f:
            for k in f.keys():
                s = f.get_slice(k)
                got[k] = (s.get_dtype(), s.get_shape())
                assert idx["weight_map"][k] == fn
                t = f.get_tensor(k)
                tot += t.numel() * t.element_size()
                if got[k][0] in ("BF16", "F32"):
                    assert torch.isfinite(t.float()).all(), k
                elif got[k][0] == "F8_E4M3":
                    assert not torch.isnan(t.float()).any(), k
                elif got[k][0] == "F8_E8M0":
                    assert int(t.view(torch.uint8).max()) < 255, k
    assert set(got) == set(X) == set(idx["weight_map"]), set(got) ^ set(X)
    bad = [(k, got[k], X[k]) for k in X if got[k] != X[k]]
    assert not bad, bad[:5]
    assert tot == idx["metadata"]["total_size"], (tot, idx["metadata"])
    print(
        "ok:",
        len(got),
        "tensors,",
        tot,
        "bytes; files",
        sum(os.path.getsize(f"{EXPORT_FOLDER}/{f}") for f in os.listdir(EXPORT_FOLDER)),
        "bytes",
    )
