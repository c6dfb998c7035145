"""Files of elements: bytes and arrays; what TensorFlow wrote, read, is in `tests/formats`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.element_files import ElementFilesCursor, ElementWriter, array_of, record_of

# What TensorFlow 2.21 writes for these tensors.
RECORDS: list[tuple[Any, str, str]] = [
    (np.int64(0), "int64", "0809120022080000000000000000"),
    (np.array(b"0", object), "string", "0807120022020130"),
    (np.zeros((2, 3), np.float32), "float32", "0801120812020802120208032218" + "00" * 24),
]


@pytest.mark.parametrize(("array", "dtype", "record"), RECORDS)
def test_a_tensor_is_written_as_tensorflow_writes_it(array: Any, dtype: str, record: str) -> None:
    assert record_of(np.asarray(array), as_dtype(dtype)).hex() == record


@pytest.mark.parametrize(
    "array",
    [
        np.array([True, False]),
        np.zeros((0, 3), np.float32),
        np.arange(6, dtype=np.uint16).reshape(2, 3)[:, ::2],
        np.array([1 + 2j]),
        np.array([[b"a" * 300, b""]], object),
        np.zeros((0,), object),
        np.array(1.5, as_dtype("bfloat16").np_dtype),
    ],
)
def test_an_array_comes_back(array: Any) -> None:
    dtype = as_dtype("string") if array.dtype == object else as_dtype(array.dtype)
    again = array_of(record_of(array, dtype), dtype, TensorShape(None), 0)
    assert again.shape == array.shape
    assert again.tolist() == array.tolist()


def test_a_handle_is_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="variant"):
        record_of(np.array(None, object), as_dtype("variant"))


@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
def test_blocks_come_back_from_several_files(compression: str, tmp_path: Path) -> None:
    dtypes, shapes = [as_dtype("int32"), as_dtype("string")], [TensorShape([2]), TensorShape([])]
    paths = [str(tmp_path / str(number)) for number in range(3)]
    numbers = np.arange(10, dtype=np.int32).reshape(5, 2)
    words = np.array([b"a", b"bb", b"", b"c", b"d"], object)
    for path, part in zip(paths, (slice(0, 2), slice(0, 0), slice(2, 5)), strict=True):
        writer = ElementWriter(path, dtypes, compression)
        if part.stop:
            writer.write(Block([numbers[part], words[part]], part.stop - part.start))
        writer.close()
    for limit in (1, 2, 100):
        cursor = ElementFilesCursor(paths, dtypes, shapes, compression)
        rows = []
        while (block := cursor.next_block(limit)) is not None:
            rows += [(a.tolist(), b.item()) for a, b in block.rows()]
        assert rows == list(zip(numbers.tolist(), words.tolist(), strict=True))


def test_an_element_that_is_cut_off_is_data_loss(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    writer = ElementWriter(path, [as_dtype("int32")])
    writer.write(Block([np.arange(3, dtype=np.int32)], 3))
    writer.close()
    pairs = ElementFilesCursor([path], [as_dtype("int32")] * 2, [TensorShape([])] * 2)
    assert pairs.next_block(1) is not None
    with pytest.raises(tf.errors.DataLossError, match="the last element is cut off"):
        pairs.next_block(1)
