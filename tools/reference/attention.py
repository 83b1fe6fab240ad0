"""Attention of one layer: window, compressed entries, index and candidate blocks (model
specification 2.9)."""

import numpy as np

from reference.number_formats import (
    compressed_record,
    f32,
    f64,
    index_key_record,
    quantise_q4e,
    quantise_q4u,
    quantise_q8,
    round_bf16,
    window_record,
)
from reference.ops import matmul, rope_cos_sin, rotate, top_k
from reference.state import append

ROWS_AT_ONCE = 32  # bounds the memory of the gathered entries
OFFICIAL_BLOCK = 64  # entries per step of the official kernel's online softmax
NO_ENTRY = -1


class Attention:
    """The attention of one layer; weights and roundings come from the model."""

    def __init__(self, model, layer):
        self.model, self.layer, self.text = model, layer, model.text
        self.prefix = f'layers.{layer}.attn.'
        self.ratio = model.text['compress_ratios'][layer]
        self.rope_dim = model.text['qk_rope_head_dim']
        self.frequencies = model.compressed_frequencies if self.ratio else model.window_frequencies

    def __call__(self, values, state, shared, trace):
        """shared carries the selection from the index source to the layers that reuse it."""
        model, text, prefix = self.model, self.text, self.prefix
        rows, head_dim = len(values), text['head_dim']
        positions = state.length + np.arange(rows)
        cos_sin = rope_cos_sin(positions, self.frequencies)
        latent = model.norm(model.quantised_linear(prefix + 'wq_a', values), prefix + 'q_norm')
        query = model.quantised_linear(prefix + 'wq_b', latent)
        query = self._rotate(query.reshape(rows, text['num_attention_heads'], head_dim), cos_sin)

        lists = [self._window(values, positions, cos_sin, state)]
        if self.ratio:
            source = max(s for s in text['kv_source_layer_ids'] if s <= self.layer)
            if self.layer == source:
                self._compress(values, state, trace)
            visible = (positions + 1) // self.ratio
            if self.layer in text['index_source_layer_ids']:
                keys = state.index_keys[source]
                shared['selected'] = self._index(
                    values, latent, cos_sin, keys, visible, shared, trace
                )
            assert len(state.compressed[source]) == (state.length + rows) // self.ratio
            lists.append((state.compressed[source], shared['selected']))

        output = self._sparse(query, lists, model.weight(prefix + 'attn_sink'))
        return self._project_out(self._rotate(output, cos_sin, inverse=True))

    def _rotate(self, values, cos_sin, inverse=False):
        return self.model.round(rotate(values, cos_sin, self.rope_dim, inverse))

    def _window(self, values, positions, cos_sin, state):
        """Appends the new window entries; returns all entries and who sees which, oldest first."""
        model, prefix, width = self.model, self.prefix, self.text['sliding_window']
        entries = model.norm(model.quantised_linear(prefix + 'wkv', values), prefix + 'kv_norm')
        entries = self._rotate(entries, cos_sin)
        state.keep('window', self.layer, window_record, entries)
        window = append(state.window, self.layer, quantise_q8(entries)[2])
        seen = positions[:, None] - width + 1 + np.arange(width)[None]
        return window, np.where(seen < 0, NO_ENTRY, seen)

    def _compress(self, values, state, trace):
        """Appends the groups that became full: compressed entries and index keys (2.9.3, 2.9.4)."""
        model, prefix, layer = self.model, self.prefix, self.layer
        first_group = state.length // self.ratio
        if self.ratio == 1:
            pooled = model.plain_linear(prefix + 'compressor.wkv', values)
        else:
            pooled = model.round(self._pool_groups(values, state))
        latent = model.norm(pooled, prefix + 'compressor.norm')
        group_positions = (first_group + np.arange(len(latent))) * self.ratio
        cos_sin = rope_cos_sin(group_positions, self.frequencies)

        keys = model.norm(
            model.plain_linear(prefix + 'indexer.wk', latent), prefix + 'indexer.k_norm'
        )
        keys = self._rotate(keys, cos_sin)
        state.keep('ikey', layer, index_key_record, keys)
        append(state.index_keys, layer, quantise_q4u(keys)[2])
        entries = self._rotate(latent, cos_sin)
        state.keep('comp', layer, compressed_record, entries)
        append(state.compressed, layer, quantise_q4e(entries)[2])
        trace(f'comp.{layer}.latent', latent)

    def _pool_groups(self, values, state):
        model, prefix, ratio = self.model, self.prefix + 'compressor.', self.ratio
        content = model.matmul(values, model.weight(prefix + 'wkv.weight'))
        gates = model.matmul(values, model.weight(prefix + 'wgate.weight'))
        if self.layer in state.partial:
            content = np.concatenate([state.partial[self.layer][0], content])
            gates = np.concatenate([state.partial[self.layer][1], gates])
        groups = len(content) // ratio
        full = groups * ratio
        state.partial[self.layer] = (content[full:], gates[full:])
        head_dim = content.shape[1]
        if groups == 0:
            return np.zeros((0, head_dim), f32)
        content = content[:full].reshape(groups, ratio, head_dim).astype(f64)
        gates = gates[:full].reshape(groups, ratio, head_dim).astype(f64)
        gates = np.exp(gates - gates.max(1, keepdims=True))
        return ((gates / gates.sum(1, keepdims=True)) * content).sum(1).astype(f32)

    def _index(self, values, latent, cos_sin, keys, visible, shared, trace):
        """The entries each row attends to, ascending, NO_ENTRY last (2.9.5 to 2.9.9)."""
        text, layer, count = self.text, self.layer, len(keys)
        scores = self._index_scores(values, latent, cos_sin, keys)
        trace(f'index.{layer}.scores', scores)
        scores = np.where(np.arange(count)[None] < visible[:, None], scores, f32(-np.inf))
        candidate_layer = text.get('candidate_source_layer_id', -1)
        if layer == candidate_layer:
            shared['candidates'] = self._candidates(scores, visible, trace)
        elif 0 <= candidate_layer < layer:
            scores = np.where(shared['candidates'], scores, f32(-np.inf))

        best = top_k(scores, min(text['index_topk'], count))
        none = np.take_along_axis(scores, best, 1) == -np.inf
        last = np.iinfo(np.int64).max
        ascending = np.sort(np.where(none, last, best), 1)
        selected = np.where(ascending == last, NO_ENTRY, ascending)
        trace(f'index.{layer}.sel', selected)
        trace(f'index.{layer}.masked', scores)
        return selected

    def _index_scores(self, values, latent, cos_sin, keys):
        model, prefix = self.model, self.prefix + 'indexer.'
        rows, heads, dim = len(values), self.text['index_n_heads'], self.text['index_head_dim']
        query = model.quantised_linear(prefix + 'wq_b', latent).reshape(rows, heads, dim)
        query = quantise_q4u(self._rotate(query, cos_sin))[2]
        weights = model.plain_linear(prefix + 'weights_proj', values).astype(f64)
        weights = model.round((weights * (dim**-0.5 * heads**-0.5)).astype(f32))
        scores = np.empty((rows, len(keys)), f32)
        for start in range(0, rows, 2 * ROWS_AT_ONCE):
            part = slice(start, start + 2 * ROWS_AT_ONCE)
            dots = np.einsum('thd,nd->thn', query[part].astype(f64), keys.astype(f64)).astype(f32)
            if model.bf16_index_scores:
                dots = round_bf16(dots)
            weighted = np.maximum(dots, 0).astype(f64) * weights[part, :, None]
            if model.bf16_index_scores:
                weighted = round_bf16(weighted.astype(f32)).astype(f64)
            scores[part] = weighted.sum(1).astype(f32)
        return round_bf16(scores) if model.bf16_index_scores else scores

    def _candidates(self, scores, visible, trace):
        """Which entries lie in the best blocks; the newest block is always kept (2.9.8)."""
        size, keep = self.text['candidate_block_size'], self.text['candidate_topk_blocks']
        rows, count = scores.shape
        blocks = -(-count // size)
        padded = np.full((rows, blocks * size), -np.inf, f32)
        padded[:, :count] = scores
        block_scores = padded.reshape(rows, blocks, size).max(2)
        newest = np.arange(blocks)[None] == ((visible - 1) // size)[:, None]
        block_scores = np.where(newest, f32(np.inf), block_scores)
        best = top_k(block_scores, min(keep, blocks))
        kept = np.zeros((rows, blocks), bool)
        np.put_along_axis(kept, best, np.take_along_axis(block_scores, best, 1) > -np.inf, 1)
        trace('cand.blocks', kept)
        return kept.repeat(size, 1)[:, :count]

    def _sparse(self, query, lists, sink):
        """Attention of every row over its own list of entries (2.9.10)."""
        output = np.empty(query.shape, f32)
        scale = f32(query.shape[2] ** -0.5)
        softmax = self._official_softmax if self.model.official else self._softmax
        for start in range(0, len(query), ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE)
            entries, present = [], []
            for values, indices in lists:
                indices = indices[part]
                present.append(indices >= 0)
                if len(values):
                    entries.append(values[np.maximum(indices, 0)])
                else:
                    entries.append(np.zeros((*indices.shape, query.shape[2]), f32))
            entries = np.concatenate(entries, 1).astype(f64)
            present = np.concatenate(present, 1)
            scores = np.einsum('thd,tnd->thn', query[part].astype(f64), entries)
            scores = (scores.astype(f32) * scale).astype(f64)
            scores = np.where(present[:, None], scores, -np.inf)
            output[part] = softmax(scores, entries, sink.astype(f64)[None, :]).astype(f32)
        return self.model.round(output)

    @staticmethod
    def _softmax(scores, entries, sink):
        largest = np.maximum(scores.max(2), -1e30)  # finite even where a row has no entry
        exponentials = np.exp(scores - largest[:, :, None])
        total = exponentials.sum(2) + np.exp(sink - largest)
        return np.einsum('thn,tnd->thd', exponentials, entries) / total[:, :, None]

    @staticmethod
    def _official_softmax(scores, entries, sink):
        """Online over blocks, with probabilities rounded to bfloat16 before the product."""
        largest = np.full(scores.shape[:2], -1e30)
        total = np.zeros_like(largest)
        output = np.zeros((*scores.shape[:2], entries.shape[2]))
        for start in range(0, scores.shape[2], OFFICIAL_BLOCK):
            block = scores[:, :, start : start + OFFICIAL_BLOCK]
            new_largest = np.maximum(largest, block.max(2))
            shrink = np.exp(largest - new_largest)
            exponentials = np.exp(block - new_largest[:, :, None]).astype(f32)
            total = total * shrink + exponentials.sum(2, dtype=f64)
            weighted = np.einsum(
                'thn,tnd->thd',
                round_bf16(exponentials).astype(f64),
                entries[:, start : start + OFFICIAL_BLOCK],
            )
            output = output * shrink[:, :, None] + weighted
            largest = new_largest
        return output / (total + np.exp(sink - largest))[:, :, None]

    def _project_out(self, output):
        model, groups, rank = self.model, self.text['o_groups'], self.text['o_lora_rank']
        rows = len(output)
        output = output.reshape(rows, groups, -1)
        first = model.weight(self.prefix + 'wo_a', 'fp8').reshape(groups, rank, -1)
        low_rank = [matmul(output[:, group], first[group]) for group in range(groups)]
        joined = model.round(np.stack(low_rank, 1)).reshape(rows, -1)
        return model.quantised_linear(self.prefix + 'wo_b', joined)
