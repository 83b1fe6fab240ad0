"""A small byte-level BPE tokenizer with the layout of the released one: control ids first, then
the 256 bytes, merges, and the special tokens at the end.
"""

import numpy as np


def byte_alphabet():
    """The visible character of every byte, and those characters in the order of their ids."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in visible]
    char_of = {byte: chr(byte) for byte in visible}
    char_of.update((byte, chr(256 + number)) for number, byte in enumerate(hidden))
    return char_of, [char_of[byte] for byte in visible + hidden]


BYTE_TO_CHAR, BYTE_ORDER = byte_alphabet()
CHAR_TO_BYTE = {char: byte for byte, char in BYTE_TO_CHAR.items()}

HEAD_SPECIAL = ['<｜begin▁of▁sentence｜>', '<｜end▁of▁sentence｜>', '<｜▁pad▁｜>']

# fmt: off
TAIL_SPECIAL = [
    '<｜place▁holder▁no▁0｜>', '<｜System｜>', '<｜fim▁hole｜>', '<｜fim▁begin｜>', '<｜fim▁end｜>',
    '<｜User｜>', '<｜Assistant｜>', '<|EOT|>', '<think>', '</think>', '｜DSML｜',
    '<｜latest_reminder｜>', '<｜action｜>', '<｜query｜>', '<｜authority｜>', '<｜domain｜>', '<｜title｜>',
    '<｜read_url｜>', '<｜deepseek_image｜>', '<｜/ref｜>', '<｜ref｜>',
]
# fmt: on

# Pieces that the n-gram normalisation, the pre-tokenizer or the merges treat in a way of their own.
# fmt: off
CURATED = [
    ' the', ' The', 'the', 'The', 'THE', ' THE', ' of', ' and', ' in', 'ing', 'ed', 'er', ' to',
    ' a', ' is', '  ', '   ', '    ', '\n\n', '\n\n\n', '\t\t', '\r\n', ' \n', 'é', 'É', ' été',
    'été', 'ETE', 'ete', 'è', 'ü', 'Ü', 'ß', 'ﬁ', 'fi', 'Ａ', 'ａ', ' A', 'A', '中', '文', '中文', '한',
    '국', 'Σ', 'σ', 'ς', 'İ', 'i', 'ı', '𝒜', '①', '½', '\u00a0', '\u2003', '\u3000', 'e\u0301',
    '\u0301', '🙂', '한국', 'कि', '，', '。', '12', '123', ' user', ' User', 'K', 'Å', 'ǅ', 'ﬀ',
    '\u200b', '\ufeff', '\u0085', '\ue000', ' x', 'x ', '\u2028', '...', '…', 'Hello', ' world',
    ' hello', ' World', 'def', ' return', '()', '();', ' =', '==', ' "', '",', 'tion', 'ation',
    ' that', ' That', 'function',
]
# fmt: on

# The three splits of the released pre-tokenizer, before the byte level.
SPLIT_PATTERNS = [
    r'\p{N}{1,3}',
    '[一-龥぀-ゟ゠-ヿ]+',
    r'''[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+'''
    r'|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+'
    r'| ?[\p{P}\p{S}]+[\r\n]*'
    r'|\s*[\r\n]+|\s+(?!\S)|\s+',
]


class _Vocabulary:
    """Token ids in the order of adding, and the merges that lead to them."""

    def __init__(self, limit):
        self.limit = limit
        self.ids = {}
        self.merges = []

    def add_token(self, text):
        self.ids[text] = len(self.ids)

    def add_word(self, word):
        """Adds the merges that join the bytes of a word from the left, while there is room."""
        chars = [BYTE_TO_CHAR[byte] for byte in word.encode('utf-8')]
        joined = chars[0]
        for char in chars[1:]:
            longer = joined + char
            if longer not in self.ids:
                if len(self.ids) >= self.limit:
                    return
                self.merges.append([joined, char])
                self.add_token(longer)
            joined = longer


def _build_vocabulary(vocab_size):
    vocabulary = _Vocabulary(vocab_size - len(TAIL_SPECIAL))
    for text in HEAD_SPECIAL + BYTE_ORDER:
        vocabulary.add_token(text)
    for word in CURATED:
        vocabulary.add_word(word)
    random = np.random.default_rng(4242)
    consonants, vowels = 'bcdfghklmnprstvwz', 'aeiou'
    while len(vocabulary.ids) < vocabulary.limit:
        word = ''.join(
            consonants[random.integers(len(consonants))] + vowels[random.integers(5)]
            for _ in range(int(random.integers(1, 4)))
        )
        forms = [word, ' ' + word, ' ' + word.capitalize(), word.capitalize()]
        vocabulary.add_word(forms[int(random.integers(4))])
    for text in TAIL_SPECIAL:
        vocabulary.add_token(text)
    assert len(vocabulary.ids) == vocab_size, (len(vocabulary.ids), vocab_size)
    return vocabulary


def build_tokenizer(vocab_size):
    """The content of tokenizer.json, and the id of every token."""
    vocabulary = _build_vocabulary(vocab_size)
    vocab, merges = vocabulary.ids, vocabulary.merges
    base = {text: token for text, token in vocab.items() if text not in TAIL_SPECIAL}
    added = [
        {
            'id': vocab[text],
            'content': text,
            'single_word': False,
            'lstrip': False,
            'rstrip': False,
            'normalized': False,
            'special': True,
        }
        for text in HEAD_SPECIAL + TAIL_SPECIAL
    ]
    tokenizer_json = {
        'version': '1.0',
        'truncation': None,
        'padding': None,
        'added_tokens': added,
        'normalizer': {'type': 'Sequence', 'normalizers': []},
        'pre_tokenizer': {
            'type': 'Sequence',
            'pretokenizers': [
                {
                    'type': 'Split',
                    'pattern': {'Regex': pattern},
                    'behavior': 'Isolated',
                    'invert': False,
                }
                for pattern in SPLIT_PATTERNS
            ]
            + [
                {
                    'type': 'ByteLevel',
                    'add_prefix_space': False,
                    'trim_offsets': True,
                    'use_regex': False,
                }
            ],
        },
        'post_processor': {
            'type': 'ByteLevel',
            'add_prefix_space': True,
            'trim_offsets': False,
            'use_regex': True,
        },
        'decoder': {
            'type': 'ByteLevel',
            'add_prefix_space': True,
            'trim_offsets': True,
            'use_regex': True,
        },
        'model': {
            'type': 'BPE',
            'dropout': None,
            'unk_token': None,
            'continuing_subword_prefix': None,
            'end_of_word_suffix': None,
            'fuse_unk': False,
            'byte_fallback': False,
            'ignore_merges': False,
            'vocab': base,
            'merges': merges,
        },
    }
    return tokenizer_json, vocab
