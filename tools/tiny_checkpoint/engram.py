"""Compressed token ids and bucket primes of the n-gram tables (model specification 3.1, 3.2)."""

import math
import re
import unicodedata

from tiny_checkpoint.tokenizer import CHAR_TO_BYTE

# Unicode White_Space. Not str.strip(): Python also strips the four separators U+001C to U+001F.
WHITE_SPACE = '\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000' + ''.join(
    map(chr, range(0x2000, 0x200B))
)
# Stands for a text that is one space while white space is stripped (a private-use character).
LONE_SPACE = '\ue000'


def normalise(text):
    """The form under which texts that a reader takes for the same share one id."""
    text = unicodedata.normalize('NFKD', text)
    text = ''.join(char for char in text if not unicodedata.category(char).startswith('M'))
    text = ''.join(char.lower() for char in text)
    text = re.sub('[ \t\r\n]+', ' ', text)
    if text == ' ':
        text = LONE_SPACE
    return text.strip(WHITE_SPACE).replace(LONE_SPACE, ' ')


def compressed_vocab_size(text_of_id, vocab_size):
    """The number of different keys among the tokens."""
    return len({_key(text_of_id.get(token)) for token in range(vocab_size)})


def _key(piece):
    if piece is None:
        return ''
    text = piece
    if all(char in CHAR_TO_BYTE for char in piece):
        text = bytes(CHAR_TO_BYTE[char] for char in piece).decode('utf-8', 'replace')
    if '\ufffd' in text:
        return piece
    return normalise(text) or text


def is_prime(number):
    return number > 1 and all(number % factor for factor in range(2, math.isqrt(number) + 1))


def engram_primes(layers, max_ngram, heads, start):
    """Per layer the sizes of its buckets: the next primes from start on, none used twice."""
    used, primes_by_layer = set(), []
    for _ in layers:
        primes = []
        for _ in range(2, max_ngram + 1):
            candidate = start - 1
            for _ in range(heads):
                candidate += 1
                while candidate in used or not is_prime(candidate):
                    candidate += 1
                used.add(candidate)
                primes.append(candidate)
        primes_by_layer.append(primes)
    return primes_by_layer
