"""From token ids to rows of the n-gram tables (model specification 3)."""

import json
import math
import re
import unicodedata

import numpy as np


def _char_to_byte():
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in visible]
    table = {chr(byte): byte for byte in visible}
    table.update((chr(256 + number), byte) for number, byte in enumerate(hidden))
    return table


CHAR_TO_BYTE = _char_to_byte()
WHITE_SPACE = '\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000' + ''.join(
    map(chr, range(0x2000, 0x200B))
)
LONE_SPACE = '\ue000'  # stands for " " while white space is stripped


def normalise(text):
    text = unicodedata.normalize('NFD', unicodedata.normalize('NFKC', text))
    text = ''.join(char for char in text if not unicodedata.category(char).startswith('M'))
    text = ''.join(char.lower() for char in text)
    text = re.sub('[ \t\r\n]+', ' ', text)
    if text == ' ':
        text = LONE_SPACE
    return text.strip(WHITE_SPACE).replace(LONE_SPACE, ' ')


def token_key(piece):
    """What tokens have to share to get one compressed id (3.1)."""
    if piece is None:
        return ''
    text = piece
    if all(char in CHAR_TO_BYTE for char in piece):
        text = bytes(CHAR_TO_BYTE[char] for char in piece).decode('utf-8', 'replace')
    if '\ufffd' in text:
        return piece
    return normalise(text) or text


def load_vocab(folder):
    """The text of every token id."""
    content = json.loads((folder / 'tokenizer.json').read_text(encoding='utf-8'))
    pieces = {token: piece for piece, token in content['model']['vocab'].items()}
    pieces.update((added['id'], added['content']) for added in content['added_tokens'])
    return pieces


def compressed_map(pieces, vocab_size):
    """The compressed id of every token, and how many there are."""
    ids = {}
    mapped = [ids.setdefault(token_key(pieces.get(token)), len(ids)) for token in range(vocab_size)]
    return np.array(mapped, np.int64), len(ids)


def _is_prime(number):
    return number > 1 and all(number % factor for factor in range(2, math.isqrt(number) + 1))


def bucket_primes(layers, max_ngram, heads, start):
    """Per layer the sizes of its buckets (3.2)."""
    used, primes_by_layer = set(), []
    for _ in range(layers):
        primes = []
        for _ in range(2, max_ngram + 1):
            candidate = start - 1
            for _ in range(heads):
                candidate += 1
                while candidate in used or not _is_prime(candidate):
                    candidate += 1
                used.add(candidate)
                primes.append(candidate)
        primes_by_layer.append(np.array(primes, np.int64))
    return primes_by_layer


MASK32, MASK64, MASK128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1


def _seed_words(seed):
    """Eight 32-bit words from a seed (3.3, the entropy pool)."""
    entropy = []
    while True:
        entropy.append(seed & MASK32)
        seed >>= 32
        if not seed:
            break
    hash_constant = 0x43B0D7E5

    def hash_mix(value):
        nonlocal hash_constant
        value ^= hash_constant
        hash_constant = hash_constant * 0x931E8875 & MASK32
        value = value * hash_constant & MASK32
        return value ^ value >> 16

    def mix(first, second):
        value = (0xCA01F9DD * first - 0x4973F715 * second) & MASK32
        return value ^ value >> 16

    pool = [hash_mix(entropy[i] if i < len(entropy) else 0) for i in range(4)]
    for source in range(4):
        for target in range(4):
            if target != source:
                pool[target] = mix(pool[target], hash_mix(pool[source]))
    for word in entropy[4:]:
        for target in range(4):
            pool[target] = mix(pool[target], hash_mix(word))

    state, words = 0x8B51F9DD, []
    for i in range(8):
        value = pool[i % 4] ^ state
        state = state * 0x58F38DED & MASK32
        value = value * state & MASK32
        words.append(value ^ value >> 16)
    return words


class SeededGenerator:
    """numpy.random.default_rng(seed).integers(bound), written from its description (3.3)."""

    MULTIPLIER = 2549297995355413924 * 2**64 + 4865540595714422341

    def __init__(self, seed):
        words = _seed_words(seed)
        high, low, inc_high, inc_low = (words[2 * i] | words[2 * i + 1] << 32 for i in range(4))
        self.increment = ((inc_high << 64 | inc_low) << 1 | 1) & MASK128
        self.state = (self.increment + (high << 64 | low)) & MASK128
        self._step()
        self.half = None

    def _step(self):
        self.state = (self.state * self.MULTIPLIER + self.increment) & MASK128

    def next64(self):
        self._step()
        value = (self.state >> 64) ^ (self.state & MASK64)
        rotation = self.state >> 122
        return (value >> rotation | value << (64 - rotation)) & MASK64 if rotation else value

    def next32(self):
        if self.half is not None:
            value, self.half = self.half, None
            return value
        value = self.next64()
        self.half = value >> 32
        return value & MASK32

    def below(self, bound):
        """A number in [0, bound), by multiplication and rejection."""
        largest = bound - 1
        if largest == 0:
            return 0
        if largest == MASK32:
            return self.next32()
        bits, draw = (64, self.next64) if largest > MASK32 else (32, self.next32)
        mask = (1 << bits) - 1
        product = draw() * bound
        if product & mask < bound:
            threshold = (mask - largest) % bound
            while product & mask < threshold:
                product = draw() * bound
        return product >> bits


def multipliers(layer, max_ngram, compressed_vocab):
    """The odd multipliers of a layer's hash (3.3)."""
    bound = max(1, ((2**63 - 1) // compressed_vocab) // 2)
    generator = SeededGenerator(10007 * layer)
    return [2 * generator.below(bound) + 1 for _ in range(max_ngram)]


def table_rows(history, first, layer_multipliers, primes, heads, pad):
    """Rows int64 [positions, buckets] for the positions from first on (3.4).

    history: compressed ids of all positions so far, -1 where the position is dead.
    """
    offsets = np.concatenate([[0], np.cumsum(primes)[:-1]])
    max_ngram = len(layer_multipliers)
    rows = []
    for position in range(first, len(history)):
        blocked, tokens = False, []
        for back in range(max_ngram):
            token = int(history[max(position - back, 0)])
            blocked = blocked or position < back or token == -1
            tokens.append(pad if blocked else token)
        hashed, row = tokens[0] * layer_multipliers[0], []
        for back in range(1, max_ngram):
            hashed ^= tokens[back] * layer_multipliers[back]
            for head in range(heads):
                bucket = (back - 1) * heads + head
                row.append(hashed % int(primes[bucket]) + int(offsets[bucket]))
        rows.append(row)
    return np.array(rows, np.int64).reshape(len(rows), -1)
