"""The text model in plain numpy (model specification 2).

Modes:
  fp32                 no bfloat16 rounding, linear inputs unquantised; the cache quantisers are on
  official             the rounding points of the official inference code
  official-fp32idx     the same, but index scores in fp32 (2.9.5 allows both)
"""

import numpy as np

from reference.attention import Attention
from reference.checkpoint import Checkpoint
from reference.engram_hash import (
    bucket_primes,
    compressed_map,
    load_vocab,
    multipliers,
    table_rows,
)
from reference.number_formats import f32, f64, quantise_q8, round_bf16
from reference.ops import (
    collapse,
    expand,
    hyper_connection_mixes,
    hyper_connection_split,
    matmul,
    rms_norm,
    rope_frequencies,
    route,
    sigmoid,
)
from reference.state import State

MODES = ('fp32', 'official', 'official-fp32idx')


def _ignore(name, values):
    """The trace of a run that nobody looks into."""


class Model:
    """Reads weights when they are first needed and keeps them decoded."""

    def __init__(self, folder, mode='fp32', noise=None):
        """noise: (relative size, seed) is put on every op result, to learn what rounding may do."""
        assert mode in MODES, mode
        self.official = mode != 'fp32'
        self.bf16_index_scores = mode == 'official'
        self.noise = noise[0] if noise else 0
        self.noise_generator = np.random.default_rng(noise[1]) if noise else None
        self.checkpoint = Checkpoint(folder)
        self.text = text = self.checkpoint.config['text_config']
        self.weights = {}
        self.eps = text['rms_norm_eps']
        rope_dim = text['qk_rope_head_dim']
        self.window_frequencies = rope_frequencies(rope_dim, text['rope_theta'])
        self.compressed_frequencies = rope_frequencies(
            rope_dim, text['compress_rope_theta'], text['rope_scaling']
        )
        self.attentions = [Attention(self, layer) for layer in range(text['num_hidden_layers'])]
        if text['engram_layer_ids']:
            self._prepare_engrams(folder)

    def _prepare_engrams(self, folder):
        text = self.text
        layers, max_ngram = text['engram_layer_ids'], text['engram_max_ngram_size']
        self.token_map, compressed = compressed_map(load_vocab(folder), text['vocab_size'])
        assert compressed == text['engram_compressed_vocab_size'], compressed
        self.primes = bucket_primes(
            len(layers), max_ngram, text['engram_n_heads'], text['engram_vocab_size']
        )
        for primes, rows in zip(self.primes, text['engram_num_embeddings']):
            assert primes.sum() == rows, (primes, rows)
        self.multipliers = [multipliers(layer, max_ngram, compressed) for layer in layers]
        self.pad = int(self.token_map[text['engram_pad_token_id']])

    def _disturb(self, values):
        if not self.noise:
            return np.asarray(values, f32)
        factors = 1 + self.noise * self.noise_generator.standard_normal(np.shape(values))
        return (np.asarray(values, f32) * factors).astype(f32)

    def round(self, values):
        """A rounding point of the official code."""
        values = self._disturb(values)
        return round_bf16(values) if self.official else values

    def matmul(self, values, weight):
        """A product that stays in fp32."""
        return self._disturb(matmul(values, weight))

    def weight(self, name, kind='plain'):
        if name not in self.weights:
            values = getattr(self.checkpoint, kind)(name)
            wide = values.ndim == 2 and kind != 'engram_rows'
            self.weights[name] = values.astype(f64) if wide else values
        return self.weights[name]

    def quantised_linear(self, name, values, kind='fp8'):
        """A linear whose input is quantised too in official numerics (2.6)."""
        if self.official:
            values = quantise_q8(values)[2]
        return self.round(matmul(values, self.weight(name, kind)))

    def plain_linear(self, name, values):
        return self.round(matmul(values, self.weight(name + '.weight')))

    def norm(self, values, name):
        return self.round(rms_norm(values, self.weight(name + '.weight'), self.eps))

    def _mixes(self, residual, site):
        text = self.text
        mixes = hyper_connection_mixes(residual, self.weight(site + '_fn'), self.eps)
        return hyper_connection_split(
            mixes,
            self.weight(site + '_scale'),
            self.weight(site + '_base'),
            text['hc_mult'],
            text['hc_sinkhorn_iters'],
            text['hc_eps'],
        )

    def _engram(self, layer, residual, rows, trace):
        """Adds what the n-gram table says about the last tokens (3.6)."""
        prefix, text = f'layers.{layer}.engram.', self.text
        width, streams = text['hidden_size'], text['hc_mult']
        looked_up = self.weight(prefix + 'embed', 'engram_rows')[rows].reshape(len(rows), -1)
        projected = self.quantised_linear(prefix + 'wkv', looked_up)
        projected = projected.reshape(-1, streams + 1, width)
        key, value = projected[:, :streams].astype(f64), projected[:, streams].astype(f64)
        query = residual.astype(f64)
        weight = self.weight(prefix + 'q_weight') * self.weight(prefix + 'k_weight')
        inverse_rms = 1 / np.sqrt((query * query).mean(2) + self.eps)
        inverse_rms = inverse_rms / np.sqrt((key * key).mean(2) + self.eps)
        dot = (query * weight * key).sum(2) * inverse_rms * width**-0.5
        gate = sigmoid(np.copysign(np.sqrt(np.maximum(np.abs(dot), 1e-6)), dot))
        trace(f'engram.{layer}.rows', rows)
        trace(f'engram.{layer}.gate', gate.astype(f32))
        return self.round((query + gate[:, :, None] * value[:, None]).astype(f32))

    def _expert(self, prefix, values, route_weights, kind):
        limit = self.text['swiglu_limit']
        gate = self.quantised_linear(prefix + 'w1', values, kind).astype(f64)
        up = self.quantised_linear(prefix + 'w3', values, kind).astype(f64)
        if limit > 0:
            up = np.clip(up, -limit, limit)
            gate = np.minimum(gate, limit)
        inner = gate / (1 + np.exp(-gate)) * up
        if route_weights is not None:
            inner = inner * route_weights[:, None]
        return self.quantised_linear(prefix + 'w2', self.round(inner.astype(f32)), kind)

    def _experts(self, layer, values, trace):
        """Routed experts and the shared one (2.10)."""
        text, prefix = self.text, f'layers.{layer}.ffn.'
        logits = self.matmul(values, self.weight(prefix + 'gate.weight'))
        logits = (logits / f32(text.get('gate_temp') or 1.0)).astype(f32)
        experts, weights = route(
            logits,
            self.weight(prefix + 'gate.bias'),
            text['num_experts_per_tok'],
            text.get('scoring_func', 'sqrtsoftplus'),
            text.get('norm_topk_prob', True),
            text['routed_scaling_factor'],
        )
        trace(f'moe.{layer}.experts', np.sort(experts, 1))
        trace(f'moe.{layer}.logits', logits)
        total = np.zeros(values.shape, f64)
        for expert in np.unique(experts):
            rows, places = np.nonzero(experts == expert)
            name = f'{prefix}experts.{expert}.'
            total[rows] += self._expert(name, values[rows], weights[rows, places], 'fp4')
        total += self._expert(prefix + 'shared_experts.', values, None, 'fp8')
        return self.round(total.astype(f32))

    def _collapse(self, residual, weights):
        return self.round(collapse(residual, weights))

    def _layer(self, layer, residual, pre, state, shared, trace):
        """Returns the residual streams and the collapse weights that the next layer starts with."""
        prefix = f'layers.{layer}.'
        attn_pre, attn_post, attn_comb = self._mixes(residual, prefix + 'hc_attn')
        values = self.norm(self._collapse(residual, pre), prefix + 'attn_norm')
        output = self.attentions[layer](values, state, shared, trace)
        trace(f'attn.{layer}.out', output)
        residual = self.round(expand(output, residual, attn_post, attn_comb))
        ffn_pre, ffn_post, ffn_comb = self._mixes(residual, prefix + 'hc_ffn')
        values = self.norm(self._collapse(residual, attn_pre), prefix + 'ffn_norm')
        output = self._experts(layer, values, trace)
        trace(f'ffn.{layer}.out', output)
        residual = self.round(expand(output, residual, ffn_post, ffn_comb))
        trace(f'layer.{layer}.X', residual)
        trace(f'layer.{layer}.pre', ffn_pre)
        return residual, ffn_pre

    def forward(self, tokens, state, trace=_ignore, all_logits=False):
        """Logits [1 or rows, vocab] after the next tokens of the sequence that state holds."""
        tokens, text = np.asarray(tokens, np.int64), self.text
        embedded = self.weight('embed.weight')[tokens].astype(f32)
        residual = np.repeat(embedded[:, None], text['hc_mult'], 1)
        pre = np.zeros((len(tokens), text['hc_mult']), f32)
        pre[:, 0] = 1
        engram_layers = text['engram_layer_ids']
        if engram_layers:
            state.history += [int(self.token_map[token]) for token in tokens]
        shared = {}
        for layer in range(text['num_hidden_layers']):
            if layer in engram_layers:
                table = engram_layers.index(layer)
                rows = table_rows(
                    state.history,
                    state.length,
                    self.multipliers[table],
                    self.primes[table],
                    text['engram_n_heads'],
                    self.pad,
                )
                residual = self._engram(layer, residual, rows, trace)
            residual, pre = self._layer(layer, residual, pre, state, shared, trace)
        state.length += len(tokens)
        if not all_logits:
            residual, pre = residual[-1:], pre[-1:]
        final = self.norm(self._collapse(residual, pre), 'norm')
        trace('final', final)
        return self.matmul(final, self.weight('head.weight'))

    def greedy(self, tokens, count, chunks=None):
        """The next tokens, the gaps to the second best, and the logits after the prompt.

        chunks: how the prompt is cut; the result must not depend on it.
        """
        state, start = State(), 0
        for size in chunks or [len(tokens)]:
            logits = self.forward(tokens[start : start + size], state)[-1]
            start += size
        first, chosen, gaps = logits, [], []
        for step in range(count):
            best, second = np.argsort(-logits, kind='stable')[:2]
            chosen.append(int(best))
            gaps.append(float(logits[best] - logits[second]))
            if step + 1 < count:
                logits = self.forward([chosen[-1]], state)[-1]
        return chosen, gaps, first
