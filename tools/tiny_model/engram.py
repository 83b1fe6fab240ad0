"""Rows of the n-gram tables for token ids (model specification 3)."""

import numpy as np
import torch

from tiny_model.config import CONFIG


def compressed_map(tokenizer):
    from tokenizers import normalizers, Regex

    norm = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.NFD(),
            normalizers.StripAccents(),
            normalizers.Lowercase(),
            normalizers.Replace(Regex(r"[ \t\r\n]+"), " "),
            normalizers.Replace(Regex(r"^ $"), "\ue000"),
            normalizers.Strip(),
            normalizers.Replace("\ue000", " "),
        ]
    )
    byt = {}
    bs = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    n = 0
    for b in range(256):
        if b in bs:
            byt[chr(b)] = b
        else:
            byt[chr(256 + n)] = b
            n += 1
    keys, out = {}, []
    for i in range(CONFIG["vocab_size"]):
        v = tokenizer.id_to_token(i) or ""
        raw = bytes(byt[c] for c in v) if all(c in byt for c in v) else v.encode()
        t = raw.decode("utf-8", "replace")
        if "\ufffd" in t:
            k = v
        else:
            k = norm.normalize_str(t) or t
        out.append(keys.setdefault(k, len(keys)))
    return np.array(out, np.int64), len(keys)


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


class Engram:
    def __init__(self, tokenizer):
        self.map, self.C = compressed_map(tokenizer)
        self.pad = int(self.map[CONFIG["engram_pad_token_id"]])
        N, nh = CONFIG["engram_max_ngram_size"], CONFIG["engram_n_heads"]
        used, self.primes, self.offs, self.mul, self.rows = set(), [], [], [], []
        bound = max(1, ((2**63 - 1) // self.C) // 2)
        for l in CONFIG["engram_layer_ids"]:
            ps = []
            for n in range(2, N + 1):
                cur = CONFIG["engram_vocab_size"] - 1
                for _ in range(nh):
                    cur += 1
                    while not is_prime(cur) or cur in used:
                        cur += 1
                    used.add(cur)
                    ps.append(cur)
            self.primes.append(ps)
            self.offs.append([sum(ps[:i]) for i in range(len(ps))])
            self.rows.append(sum(ps))
            self.mul.append(
                [
                    int(x) * 2 + 1
                    for x in np.random.default_rng(10007 * l).integers(0, bound, N, dtype=np.int64)
                ]
            )
        CONFIG["engram_num_embeddings"] = self.rows
        CONFIG["engram_compressed_vocab_size"] = self.C

    def __call__(self, ids):  # ids [B,T] numpy -> list of [B,T,cols] int64 tensors
        c = self.map[ids]
        N, nh = CONFIG["engram_max_ngram_size"], CONFIG["engram_n_heads"]
        tok = [c]
        for i in range(1, N):
            s = np.full_like(c, self.pad)
            s[:, i:] = c[:, :-i]
            tok.append(s)
        res = []
        for ps, of, mu in zip(self.primes, self.offs, self.mul):
            h = tok[0] * mu[0]
            cols = []
            for i in range(1, N):
                h = h ^ (tok[i] * mu[i])
                for k in range(nh):
                    j = (i - 1) * nh + k
                    cols.append(h % ps[j] + of[j])
            res.append(torch.from_numpy(np.stack(cols, -1)))
        return res
