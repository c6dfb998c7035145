"""safetensors files: written and read bit for bit, by the format's own library too; damaged ones are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.interop.array_files.safetensors_file import SafetensorsFile, write_safetensors
from tests.interop.array_files.arrays import assert_same, held, samples, sources


def _read(path: Path) -> dict[str, Any]:
    with SafetensorsFile(str(path)) as file:
        return dict(file.read_all())


def _written(path: Path, header: Any, data: bytes = b"") -> Path:
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def test_arrays_of_every_dtype_come_back_bit_for_bit(tmp_path: Path) -> None:
    write_safetensors(str(tmp_path / "a.safetensors"), sources(**samples()))
    assert_same(_read(tmp_path / "a.safetensors"), samples())


def test_equal_arrays_make_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_safetensors(str(tmp_path / name), sources(**samples()))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_formats_own_library_reads_what_is_written_here(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors")
    path = tmp_path / "a.safetensors"
    write_safetensors(str(path), sources(**samples()), {"about": "text"})
    read = dict(library.deserialize(path.read_bytes()))
    assert {name: list(entry["shape"]) for name, entry in read.items()} == {
        name: list(array.shape) for name, array in samples().items()
    }
    for name, array in samples().items():
        assert bytes(read[name]["data"]) == np.ascontiguousarray(array).tobytes(), name
    with library.safe_open(str(path), framework="numpy") as file:
        assert file.metadata() == {"about": "text"}


def test_what_the_formats_own_library_writes_is_read_here(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    written = {
        name: np.ascontiguousarray(array)
        for name, array in samples().items()
        if array.dtype.isbuiltin == 1 and array.ndim
    }
    library.save_file(written, str(tmp_path / "a.safetensors"), metadata={"about": "text"})
    assert_same(_read(tmp_path / "a.safetensors"), written)
    with SafetensorsFile(str(tmp_path / "a.safetensors")) as file:
        assert file.metadata == {"about": "text"}


def test_values_are_aligned_in_the_file(tmp_path: Path) -> None:
    write_safetensors(str(tmp_path / "a"), sources(x=np.ones(3)))
    assert int.from_bytes((tmp_path / "a").read_bytes()[:8], "little") % 8 == 0


@pytest.mark.parametrize("value", [np.array([b"text"], object), np.ones(2, ml_dtypes.int4), np.ones(2, np.complex128)])
def test_dtypes_that_the_format_has_not_are_refused_and_leave_no_file(value: Any, tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="safetensors files have no dtype for 'x', which is"):
        write_safetensors(str(tmp_path / "a"), [held("x", value)])
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError):
        SafetensorsFile(str(tmp_path / "none.safetensors"))


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        {**ENTRY, "shape": [3]},
        {**ENTRY, "shape": [-2]},
        {**ENTRY, "shape": [True, 2]},
        {**ENTRY, "shape": "2"},
        {**ENTRY, "data_offsets": [4, 12]},
        {**ENTRY, "data_offsets": [-8, 0]},
        {**ENTRY, "data_offsets": [8, 0]},
        {**ENTRY, "data_offsets": [0]},
        {**ENTRY, "shape": [2**62, 2**62], "data_offsets": [0, 2**62]},
        {"shape": [2], "data_offsets": [0, 8]},
    ],
)
def test_entries_that_cannot_be_are_refused(entry: Any, tmp_path: Path) -> None:
    path = _written(tmp_path / "a.safetensors", {"x": entry}, b"12345678")
    with pytest.raises(tf.errors.DataLossError, match="is not a whole safetensors file"):
        SafetensorsFile(str(path))


@pytest.mark.parametrize("header", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_headers_that_are_no_object_are_refused(header: bytes, tmp_path: Path) -> None:
    with pytest.raises(tf.errors.DataLossError, match="is not a whole safetensors file"):
        SafetensorsFile(str(_written(tmp_path / "a.safetensors", header)))


@pytest.mark.parametrize("content", [b"", b"1234", (2**60).to_bytes(8, "little"), (9).to_bytes(8, "little") + b"{}"])
def test_files_that_end_too_early_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(content)
    with pytest.raises(tf.errors.DataLossError):
        SafetensorsFile(str(tmp_path / "a.safetensors"))


def test_dtypes_that_tensorflow_has_not_are_named(tmp_path: Path) -> None:
    path = _written(tmp_path / "a.safetensors", {"x": {**ENTRY, "dtype": "F8_E8M0"}}, b"12345678")
    with pytest.raises(tf.errors.UnimplementedError, match="'x' has the dtype F8_E8M0, which TensorFlow has not"):
        SafetensorsFile(str(path))
