"""Reading checkpoints of TensorFlow's first form: one file or several, whole tensors and slices, damage."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.single_file_reader import SingleFileReader
from millrace._src.checkpoint.bundle.single_file_writer import SingleFileWriter
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.proto.saved_tensor_slice_pb2 import SavedTensorSlices
from tests.checkpoint.bundle.indexes import key_of
from tests.checkpoint.bundle.tables import table
from tests.ops.array.answers import check_refusal

_e = tf.errors
_WHOLE = np.arange(20.0).reshape(5, 4)
_DTYPES = ["bool", "complex64", "complex128", "float16", "float32", "float64", "int8", "int16", "int32", "int64"]


def _written(name: str, tensors: dict[str, Any]) -> str:
    writer = SingleFileWriter(name)
    for key, array in tensors.items():
        writer.add(key, np.asarray(array))
    writer.finish()
    return name


def _partitioned(name: str, *slices: str) -> str:
    writer = SingleFileWriter(name)
    for text in slices:
        part = TensorSlice.parse(text)
        index = tuple(slice(start, stop) for start, stop in part.box(_WHOLE.shape))
        writer.add_slice("v", _WHOLE.shape, part, _WHOLE[index])
    writer.finish()
    return name


@pytest.mark.parametrize("kind", [*_DTYPES, "uint8", "uint16", "qint8", "quint8", "qint32", "string"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 3), (2, 3)])
def test_every_dtype_comes_back(tmp_path: Path, kind: str, shape: tuple[int, ...]) -> None:
    dtype, count = tf.as_dtype(kind), int(np.prod(shape))
    array = (np.arange(count) % 2).astype(np.float32 if kind == "string" else dtype.np_dtype).reshape(shape)
    if kind == "string":
        array = np.fromiter([b"\xff\0" * number for number in range(count)], object, count).reshape(shape)
    writer = SingleFileWriter(f"{tmp_path}/x")
    writer.add("é/0", array, dtype)
    writer.finish()
    with SingleFileReader(f"{tmp_path}/x") as reader:
        assert reader.keys() == ["é/0"]
        entry = reader.entry("é/0")
        assert (entry.dtype, entry.shape, entry.slices) == (dtype, shape, ())
        found_array = reader.read("é/0")
        assert (found_array.dtype, found_array.shape) == (array.dtype, shape)
        assert found_array.tolist() == array.tolist()
        assert found_array.flags.writeable


def test_negative_and_large_numbers_come_back(tmp_path: Path) -> None:
    tensors = {"a": np.array([-1, -(1 << 63)]), "b": np.array([-1, -128], np.int8), "c": np.float16([np.inf, -2])}
    with SingleFileReader(_written(f"{tmp_path}/x", tensors)) as reader:
        for key, array in tensors.items():
            assert reader.read(key).tolist() == array.tolist()


def test_slices_are_put_together(tmp_path: Path) -> None:
    with SingleFileReader(_partitioned(f"{tmp_path}/x", "0,2:-", "2,3:0,3", "2,3:3,1")) as reader:
        assert (reader.read("v") == _WHOLE).all()
        assert len(reader.entry("v").slices) == 3
        for text, index in {"0,2:-": np.s_[:2], "1,3:2,2": np.s_[1:4, 2:], "2,3:3,1": np.s_[2:, 3:]}.items():
            assert (reader.read("v", TensorSlice.parse(text)) == _WHOLE[index]).all()
    with SingleFileReader(_partitioned(f"{tmp_path}/y", "0,2:-", "3,2:-")) as reader:
        words = f"Error copying slice data: no slices in {tmp_path}/y cover the slice -:- of v"
        check_refusal(lambda: reader.read("v"), _e.InvalidArgumentError, words)
        check_refusal(
            lambda: reader.read("v", TensorSlice.parse("-")), _e.InternalError, "Mismatching ranks: shape = [5,"
        )


def test_tensors_are_spread_over_files(tmp_path: Path) -> None:
    _partitioned(f"{tmp_path}/m-00000-of-00002", "0,2:-")
    _partitioned(f"{tmp_path}/m-00001-of-00002", "2,3:-")
    with SingleFileReader(f"{tmp_path}/m-?????-of-00002") as reader:
        assert (reader.read("v") == _WHOLE).all()
    _written(f"{tmp_path}/m-00002-of-00002", {"w": 1})
    with SingleFileReader(f"{tmp_path}/m*") as reader:
        assert reader.keys() == ["v", "w"]


def test_files_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    _written(f"{tmp_path}/a0", {"v": np.zeros(3)})
    _written(f"{tmp_path}/a1", {"v": np.zeros(4)})
    words = "Incompatible tensor shapes detected for tensor v: existing = [3], new = [4]"
    check_refusal(lambda: SingleFileReader(f"{tmp_path}/a*"), _e.InternalError, words)
    _written(f"{tmp_path}/a1", {"v": np.zeros(3, int)})
    words = "Incompatible tensor types detected for tensor v: existing = float64, new = int64"
    check_refusal(lambda: SingleFileReader(f"{tmp_path}/a*"), _e.InternalError, words)


def test_what_is_missing_is_not_found(tmp_path: Path) -> None:
    words = f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {tmp_path}/no"
    check_refusal(lambda: SingleFileReader(f"{tmp_path}/no"), _e.NotFoundError, words)
    with SingleFileReader(_written(f"{tmp_path}/x", {"v": 1})) as reader:
        assert ("v" in reader, "w" in reader) == (True, False)
        words = f'Tensor name "w" not found in checkpoint files {tmp_path}/x'
        check_refusal(lambda: reader.read("w"), _e.NotFoundError, words)


# --- damage ----------------------------------------------------------------------------------------------------------


def _made(tmp_path: Path, change: Any) -> str:
    """Writes a file of a tensor `v` of four numbers after a change of the messages."""
    meta, data = SavedTensorSlices(), SavedTensorSlices()
    tensor = meta.meta.tensor.add(name="v", type=1)  # type: ignore[arg-type]  # the number of float32
    tensor.shape.dim.add(size=4)
    tensor.slice.append(TensorSlice.parse("-").to_proto())
    data.data.name = "v"
    data.data.data.float_val.extend(range(4))
    key = change(meta, data) or key_of(b"v", "-")
    Path(f"{tmp_path}/made").write_bytes(table([(b"", meta.SerializeToString()), (key, data.SerializeToString())]))
    return f"{tmp_path}/made"


def test_a_file_made_by_hand_is_read(tmp_path: Path) -> None:
    with SingleFileReader(_made(tmp_path, lambda meta, data: None)) as reader:
        assert reader.read("v").tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "change",
    [
        lambda meta, data: data.data.data.ClearField("float_val"),
        lambda meta, data: data.data.data.float_val.append(4),
        lambda meta, data: key_of(b"w", "-"),
        lambda meta, data: setattr(meta.meta.tensor[0], "type", 99),
        lambda meta, data: setattr(meta.meta.tensor[0], "type", 20),
        lambda meta, data: setattr(meta.meta.tensor[0].shape.dim[0], "size", -4),
        lambda meta, data: setattr(meta.meta.tensor[0].shape.dim[0], "size", 1 << 60),
        lambda meta, data: setattr(meta.meta.tensor[0].slice[0].extent[0], "length", 5),
        lambda meta, data: setattr(meta.meta.tensor[0].slice[0].extent[0], "length", -5),
        lambda meta, data: meta.meta.tensor[0].slice[0].extent.add() and None,
    ],
)
def test_messages_that_cannot_be_are_refused(tmp_path: Path, change: Any) -> None:
    def read() -> None:
        with SingleFileReader(_made(tmp_path, change)) as reader:
            reader.read("v")

    check_refusal(read, _e.DataLossError, "")


def test_newer_files_are_refused(tmp_path: Path) -> None:
    name = _made(tmp_path, lambda meta, data: setattr(meta.meta.versions, "min_consumer", 2))
    words = "Checkpoint min consumer version 2 above current version 1"
    check_refusal(lambda: SingleFileReader(name), _e.InvalidArgumentError, words)


def test_other_files_are_refused(tmp_path: Path) -> None:
    for content in (b"", bytes(100)):
        (tmp_path / "x").write_bytes(content)
        words = f"Unable to open table file {tmp_path}/x: "
        check_refusal(lambda: SingleFileReader(f"{tmp_path}/x"), _e.DataLossError, words)
    check_refusal(lambda: SingleFileReader(str(tmp_path)), _e.DataLossError, f"Unable to open table file {tmp_path}: ")
    for entries in ([], [(b"", b"\xff\xff")]):
        (tmp_path / "x").write_bytes(table(entries))
        words = f"Failed to find the saved tensor slices at the beginning of the checkpoint file: {tmp_path}/x"
        check_refusal(lambda: SingleFileReader(f"{tmp_path}/x"), _e.DataLossError, words)


def test_no_damage_gives_another_value(tmp_path: Path) -> None:
    name = _partitioned(f"{tmp_path}/x", "0,2:-", "2,3:-")
    original = Path(name).read_bytes()
    source = random.Random(2)
    refusal_count = 0
    for _ in range(400):
        content = bytearray(original)
        if source.random() < 0.2:
            del content[source.randrange(len(content)) :]
        else:
            content[source.randrange(len(content))] ^= 1 << source.randrange(8)
        Path(name).write_bytes(content)
        try:
            with SingleFileReader(name) as reader:
                assert (reader.read("v") == _WHOLE).all()
        except _e.DataLossError:
            refusal_count += 1
    assert refusal_count > 300
