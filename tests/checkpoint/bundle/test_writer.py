"""Writing checkpoints: what is refused, and what it costs."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.reader import BundleReader
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.checkpoint.bundle.writer import BundleWriter
from tests.ops.array.answers import check_refusal

_IS_INVALID = tf.errors.InvalidArgumentError


def test_the_files_are_those_of_tensorflow(tmp_path: Path) -> None:
    with BundleWriter(f"{tmp_path}/x") as writer:
        writer.add("b", np.arange(3, dtype=np.float32))
        writer.add("a", np.array([[1, 2]]))
        writer.add("c/str", np.array([b"hello", b"w" * 200, b""], object))
        writer.add("e", np.zeros((0, 3), np.float32))
        writer.add("sc", np.array(True))
    assert (tmp_path / "x.index").read_bytes().hex() == (
        "0000060801"
        "1a0208010001156108091208120208011202080220"
        "0c281035e02e377d00010f62080112041202080328"
        "0c35e909503f000512632f737472080712041202080320"
        "1c28d50135db68fd0600011265080112061200120208"
        "0320f10135d8ea82a200020e7363080a120020f101280135052b2843"
        "0000000001000000000e63197700000000010000"
        "0000c0f2a1b00001037400800100000000010000"
        "000058fa40168501"
        "0892010f" + "00" * 34 + "57fb808b247547db"
    )
    data = (tmp_path / "x.data-00000-of-00001").read_bytes()
    assert data[:28] == np.arange(3, dtype="<f4").tobytes() + np.array([1, 2], "<i8").tobytes()
    assert data[28:] == bytes.fromhex("05c80100b052c672") + b"hello" + b"w" * 200 + b"\1"


def test_nothing_is_visible_before_the_end(tmp_path: Path) -> None:
    writer = BundleWriter(f"{tmp_path}/x")
    writer.add("a", np.zeros(3))
    check_refusal(lambda: BundleReader(f"{tmp_path}/x"), tf.errors.NotFoundError, f"{tmp_path}/x.index; No such")
    writer.finish()
    assert sorted(os.listdir(tmp_path)) == ["x.data-00000-of-00001", "x.index"]


def test_a_checkpoint_without_tensors(tmp_path: Path) -> None:
    BundleWriter(f"{tmp_path}/x").finish()
    with BundleReader(f"{tmp_path}/x") as reader:
        assert reader.keys() == []


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    BundleWriter(f"{tmp_path}/new/x").finish()
    assert sorted(os.listdir(tmp_path / "new")) == ["x.data-00000-of-00001", "x.index"]
    words = f"{tmp_path}/no/such; No such file or directory"
    check_refusal(lambda: BundleWriter(f"{tmp_path}/no/such/x"), tf.errors.NotFoundError, words)


def test_keys_are_refused(tmp_path: Path) -> None:
    with BundleWriter(f"{tmp_path}/x") as writer:
        writer.add("a", np.zeros(3))
        check_refusal(lambda: writer.add("a", np.zeros(3)), _IS_INVALID, "Adding duplicate key: a")
        check_refusal(lambda: writer.add("", np.zeros(3)), _IS_INVALID, "A tensor needs a name")
        check_refusal(
            lambda: writer.add("b", np.zeros(3, object), tf.variant), tf.errors.UnimplementedError, "Cannot s"
        )
        check_refusal(
            lambda: writer.add("b", np.zeros(3), tf.float32), TypeError, "b has the dtype float32, but its ar"
        )
    with BundleReader(f"{tmp_path}/x") as reader:
        assert reader.keys() == ["a"]


def test_slices_are_refused(tmp_path: Path) -> None:
    def add(text: str, size: int = 5, *, length: int = 2, kind: type = np.float32, key: str = "v") -> None:
        writer.add_slice(key, (size,), TensorSlice.parse(text), np.zeros(length, kind))

    with BundleWriter(f"{tmp_path}/x") as writer:
        add("0,2")
        check_refusal(lambda: add("0,2"), _IS_INVALID, "Adding duplicate key: \0v")
        check_refusal(
            lambda: add("2,3"), _IS_INVALID, "Slice does not match the shape of the tensor to save: 2,3 of [5]"
        )
        check_refusal(
            lambda: add("2,2", 6), _IS_INVALID, "Slices of v are of tensors that differ in dtype or shape: fl"
        )
        check_refusal(
            lambda: add("2,2", kind=int), _IS_INVALID, "Slices of v are of tensors that differ in dtype or sh"
        )
        check_refusal(
            lambda: add("4,2"), tf.errors.InternalError, "Extent in dimension 0 out of bounds: shape = [5], sl"
        )
        check_refusal(lambda: add("-", length=5), _IS_INVALID, "Adding duplicate key: v")
        check_refusal(lambda: writer.add("v", np.zeros(5)), _IS_INVALID, "Adding duplicate key: v")
        add("-", length=5, key="w")
        check_refusal(lambda: add("0,2", key="w"), _IS_INVALID, "Adding duplicate key: w")
    with BundleReader(f"{tmp_path}/x") as reader:
        assert [(entry.key, len(entry.slices)) for entry in reader.entries()] == [(b"v", 1), (b"w", 0)]


@pytest.mark.parametrize("layout", ["C", "F"])
def test_writing_takes_little_memory(tmp_path: Path, layout: str) -> None:
    array = np.asarray(np.random.default_rng(0).random((3000, 5000)), order=layout)  # type: ignore[call-overload]  # one of the layouts
    tracemalloc.start()
    try:
        with BundleWriter(f"{tmp_path}/x") as writer:
            writer.add("a", array)
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()
    with BundleReader(f"{tmp_path}/x") as reader:
        assert (reader.read("a") == array).all()


def test_small_tensors_are_gathered_and_keep_their_order(tmp_path: Path) -> None:
    sizes = [1, 300_000, 0, 7, 100_000, 1 << 18, (1 << 18) + 1, 3]
    with BundleWriter(f"{tmp_path}/x") as writer:
        for number, size in enumerate(sizes):
            writer.add(f"k{number}", np.full(size, number, np.float32))
    with BundleReader(f"{tmp_path}/x") as reader:
        for number, size in enumerate(sizes):
            assert reader.read(f"k{number}").tolist() == [number] * size
        offsets = [reader.entry(f"k{number}").offset for number in range(len(sizes))]
    assert offsets == [4 * sum(sizes[:number]) for number in range(len(sizes))]
