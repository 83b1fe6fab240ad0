"""What a sequence has left behind: its caches and its n-gram history."""

import numpy as np


class State:
    """Caches grow by concatenation; entries hold decoded values, not codes."""

    def __init__(self, keep_records=False):
        self.length = 0
        self.history = []  # compressed ids
        self.window = {}  # layer -> [positions, head_dim]; all are kept, the window sees the last
        self.compressed = {}  # KV source layer -> [groups, head_dim]
        self.index_keys = {}  # KV source layer -> [groups, index_head_dim]
        self.partial = {}  # KV source layer -> (values, gates) of the group that is not full yet
        self.records = {} if keep_records else None  # (kind, layer) -> bytes as first quantised

    def keep(self, kind, layer, encode, values):
        if self.records is not None:
            append(self.records, (kind, layer), encode(values))


def append(cache, key, rows):
    cache[key] = np.concatenate([cache[key], rows]) if key in cache else rows
    return cache[key]
