"""Checkpoints of TensorFlow's first form: the bytes that TensorFlow writes, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.single_file_writer import SingleFileWriter
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from tests.ops.array.answers import check_refusal

_e = tf.errors


_RECORDED = {
    "float16": (
        "0000170a150a0f0a0178120412020802181322020a0012020801000810007800010101807f120e0a017812020a001a056a03"
        "008078000000000100000000183b8f17000000000100000000c0f2a1b000010201003d000000000100000000158f75ea4208"
        "4f0e"
    ),
    "int64": (
        "0000170a150a0f0a0178120412020802180922020a001202080100080f007800010101807f120d0a017812020a001a045202"
        "0001000000000100000000a3f7904a000000000100000000c0f2a1b000010201003c000000000100000000691d3c5341084e"
        "0e"
    ),
    "bool": (
        "0000170a150a0f0a0178120412020802180a22020a001202080100080f007800010101807f120d0a017812020a001a045a02"
        "0001000000000100000000ae36c1bd000000000100000000c0f2a1b000010201003c000000000100000000691d3c5341084e"
        "0e"
    ),
}


@pytest.mark.parametrize("dtype", _RECORDED)
def test_the_file_is_the_one_of_tensorflow(tmp_path: Path, dtype: str) -> None:
    writer = SingleFileWriter(f"{tmp_path}/x")
    writer.add("x", np.array([0, 1], dtype))
    writer.finish()
    content = (tmp_path / "x").read_bytes()
    assert content[:-8].rstrip(b"\0").hex() == _RECORDED[dtype]
    assert content[-8:].hex() == "57fb808b247547db"


def test_strings_are_those_of_tensorflow(tmp_path: Path) -> None:
    writer = SingleFileWriter(f"{tmp_path}/x")
    writer.add("x", np.array([b"a", b"b"], object))
    writer.finish()
    assert (
        (tmp_path / "x")
        .read_bytes()
        .hex()
        .startswith(
            "0000170a150a0f0a0178120412020802180722020a0012020801000811007800010101807f120f0a017812020a001a064201614201620000"
        )
    )


def test_tensors_are_refused(tmp_path: Path) -> None:
    writer = SingleFileWriter(f"{tmp_path}/x")
    writer.add("a", np.zeros(3))
    words = "Adding duplicate key: a"
    check_refusal(lambda: writer.add("a", np.zeros(3)), _e.InvalidArgumentError, words)
    words = "Mismatching shapes: existing tensor = [3], trying to add name a, shape = [4]"
    check_refusal(lambda: writer.add("a", np.zeros(4)), _e.InternalError, words)
    words = "Mismatching types: existing = float64, trying to add name a, type = int64"
    check_refusal(lambda: writer.add("a", np.zeros(3, int)), _e.InternalError, words)
    check_refusal(lambda: writer.add(b"\xff", np.zeros(3)), _e.InvalidArgumentError, "The name b'\\xff' is not UTF-8")
    part = TensorSlice.parse("0,2")
    writer.add_slice("p", (4,), part, np.zeros(2))
    check_refusal(
        lambda: writer.add_slice("p", (4,), part, np.zeros(2)), _e.InvalidArgumentError, "Adding duplicate key"
    )


@pytest.mark.parametrize(
    ("dtype", "error", "words"),
    [
        ("bfloat16", _e.UnimplementedError, "Saving data type bfloat16 not yet supported"),
        ("qint16", _e.UnimplementedError, "Saving data type qint16 not yet supported"),
        ("float8_e5m2", _e.UnimplementedError, "Saving data type float8_e5m2 not yet supported"),
        ("int4", _e.UnimplementedError, "Saving data type int4 not yet supported"),
        ("resource", _e.UnimplementedError, "Saving data type resource not yet supported"),
        ("uint32", _e.InvalidArgumentError, "Tensor slice serialization not implemented for dtype 22"),
        ("uint64", _e.InvalidArgumentError, "Tensor slice serialization not implemented for dtype 23"),
    ],
)
def test_dtypes_are_refused(tmp_path: Path, dtype: str, error: Any, words: str) -> None:
    kind = tf.as_dtype(dtype)
    writer = SingleFileWriter(f"{tmp_path}/x")
    check_refusal(lambda: writer.add("a", np.zeros(2, kind.np_dtype), kind), error, words)


def test_a_tensor_larger_than_a_message_is_refused(tmp_path: Path) -> None:
    huge = np.broadcast_to(np.float64(0), (1 << 29,))
    words = "Tensor slice is too large to serialize: a has 4294967296 bytes"
    check_refusal(lambda: SingleFileWriter(f"{tmp_path}/x").add("a", huge), _e.InvalidArgumentError, words)


def test_nothing_is_there_before_the_end(tmp_path: Path) -> None:
    writer = SingleFileWriter(f"{tmp_path}/x")
    writer.add("a", np.zeros(3))
    assert os.listdir(tmp_path) == []
    writer.finish()
    assert os.listdir(tmp_path) == ["x"]
    check_refusal(SingleFileWriter(f"{tmp_path}/no/x").finish, _e.NotFoundError, f"{tmp_path}/no/x; No such file or")
