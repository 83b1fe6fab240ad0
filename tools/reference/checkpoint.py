"""Reads safetensors files; decodes the weight formats of a checkpoint (model specification 4)."""

import json
import struct

import numpy as np

from reference.number_formats import E2M1, E4M3, E8M0, f32

# Of the dtypes that plain tensor files here use.
NUMPY_DTYPES = {'F32': np.float32, 'I32': np.int32, 'I64': np.int64, 'U8': np.uint8}


def read_header(path):
    """The entries of a safetensors file by name, and the offset of its data."""
    with open(path, 'rb') as file:
        header_bytes = struct.unpack('<Q', file.read(8))[0]
        header = json.loads(file.read(header_bytes))
    header.pop('__metadata__', None)
    return header, 8 + header_bytes


def read_tensors(path):
    """All tensors of a safetensors file that holds none but numpy's types."""
    header, base = read_header(path)
    data = np.fromfile(path, np.uint8)[base:]
    return {
        name: np.frombuffer(
            data[slice(*entry['data_offsets'])].tobytes(), NUMPY_DTYPES[entry['dtype']]
        ).reshape(entry['shape'])
        for name, entry in header.items()
    }


class Checkpoint:
    """A checkpoint folder; every getter returns fp32."""

    def __init__(self, folder):
        self.folder = folder
        self.config = json.loads((folder / 'config.json').read_text(encoding='utf-8'))
        index = json.loads((folder / 'model.safetensors.index.json').read_text(encoding='utf-8'))
        self.entries = {}
        for file_name in sorted(set(index['weight_map'].values())):
            header, base = read_header(folder / file_name)
            for name, entry in header.items():
                self.entries[name] = (folder / file_name, base, entry)
        assert set(self.entries) == set(index['weight_map'])

    def _raw(self, name, *dtypes):
        path, base, entry = self.entries[name]
        assert entry['dtype'] in dtypes, (name, entry['dtype'], dtypes)
        begin, end = entry['data_offsets']
        data = np.fromfile(path, np.uint8, count=end - begin, offset=base + begin)
        return data, entry['dtype'], entry['shape']

    def _weight_and_scale(self, name, dtype):
        weight, _, shape = self._raw(name + '.weight', dtype)
        scale, _, scale_shape = self._raw(name + '.scale', 'F8_E8M0', 'U8')
        return weight.reshape(shape), E8M0[scale.reshape(scale_shape)]

    def plain(self, name):
        """A BF16 or F32 tensor."""
        data, dtype, shape = self._raw(name, 'BF16', 'F32')
        if dtype == 'F32':
            return data.view(f32).reshape(shape)
        return (data.view(np.uint16).astype(np.uint32) << 16).view(f32).reshape(shape)

    def fp8(self, name):
        """An FP8 matrix with one scale per 32 x 32 block."""
        codes, scales = self._weight_and_scale(name, 'F8_E4M3')
        rows, columns = codes.shape
        scales = scales.repeat(32, 0)[:rows].repeat(32, 1)[:, :columns]
        return (E4M3[codes] * scales).astype(f32)

    def fp4(self, name):
        """An FP4 matrix, two codes per byte, with one scale per 32 columns."""
        codes, scales = self._weight_and_scale(name, 'I8')
        values = np.empty((codes.shape[0], codes.shape[1] * 2), f32)
        values[:, 0::2] = E2M1[codes & 15]
        values[:, 1::2] = E2M1[codes >> 4]
        return (values * scales.repeat(32, 1)).astype(f32)

    def engram_rows(self, name):
        """An n-gram table: FP8 with one scale per row and 32 columns."""
        codes, scales = self._weight_and_scale(name, 'F8_E4M3')
        return (E4M3[codes] * scales.repeat(32, 1)).astype(f32)
