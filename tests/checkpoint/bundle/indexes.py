"""Checkpoints made by hand, also such as no writer makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from millrace._src.checkpoint.bundle.ordered_code import slice_key
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.proto.tensor_bundle_pb2 import BundleEntryProto, BundleHeaderProto
from millrace._src.util.crc32c import masked_crc32c
from tests.checkpoint.bundle.tables import table

DATA = np.arange(4, dtype="<f4").tobytes()


def header(num_shards: int = 1, **fields: Any) -> bytes:
    """Returns a header."""
    proto = BundleHeaderProto(num_shards=num_shards, endianness=fields.pop("endianness", 0))
    proto.version.producer = 1
    for name, value in fields.items():
        if isinstance(value, list):
            getattr(proto.version, name).extend(value)
        else:
            setattr(proto.version, name, value)
    return proto.SerializeToString()


def entry(shape: tuple[int, ...] = (4,), data: bytes = DATA, slices: tuple[str, ...] = (), **fields: Any) -> bytes:
    """Returns an entry: of `DATA`, unless fields say otherwise."""
    proto = BundleEntryProto(dtype=1)
    if not slices:
        proto.size, proto.crc32c = len(data), masked_crc32c(data)
    for size in shape:
        proto.shape.dim.add(size=size)
    for text in slices:
        proto.slices.append(TensorSlice.parse(text).to_proto())
    for name, value in fields.items():
        setattr(proto, name, value)
    return proto.SerializeToString()


def key_of(name: bytes, text: str) -> bytes:
    """Returns the key of a slice."""
    part = TensorSlice.parse(text)
    return slice_key(name, part.starts, part.lengths)


def checkpoint(folder: Path, entries: dict[bytes, bytes], data: bytes = DATA, header_bytes: bytes | None = None) -> str:
    """Writes a checkpoint; returns its prefix."""
    prefix = f"{folder}/made"
    Path(f"{prefix}.data-00000-of-00001").write_bytes(data)
    items = sorted({b"": header() if header_bytes is None else header_bytes, **entries}.items())
    Path(f"{prefix}.index").write_bytes(table(items))
    return prefix
