"""npz files: written and read bit for bit, by NumPy too; damaged ones are refused, and pickles are not unpickled."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.interop.array_files.npz_file import NpzFile, write_npz
from tests.interop.array_files.arrays import assert_same, held, samples, sources


def _read(path: Path) -> dict[str, Any]:
    with NpzFile(str(path)) as file:
        return dict(file.read_all())


def test_arrays_of_every_dtype_come_back_bit_for_bit(tmp_path: Path) -> None:
    arrays = samples() | {"small": np.array([-8, 7], ml_dtypes.int4), "wide": np.array([1 + 2j])}
    write_npz(str(tmp_path / "a.npz"), sources(**arrays))
    assert_same(_read(tmp_path / "a.npz"), arrays)


def test_the_dtypes_are_known_before_the_values_are_read(tmp_path: Path) -> None:
    write_npz(str(tmp_path / "a.npz"), sources(**samples()))
    with NpzFile(str(tmp_path / "a.npz")) as file:
        assert {name: info.dtype.as_numpy_dtype for name, info in file.arrays.items()} == {
            name: array.dtype for name, array in samples().items()
        }


def test_equal_arrays_make_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_npz(str(tmp_path / name), sources(**samples()))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_strings_come_back(tmp_path: Path) -> None:
    texts = np.array([[b"", b"one"], [b"a\0b", "ä".encode()]], object)
    write_npz(str(tmp_path / "a.npz"), [held("texts", texts)])
    with NpzFile(str(tmp_path / "a.npz")) as file:
        assert file.arrays["texts"].dtype == tf.string
        assert file.read("texts").tolist() == texts.tolist()


def test_zero_bytes_at_the_end_of_a_string_are_refused(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="lose the zero bytes at the end of strings, as 'x' has"):
        write_npz(str(tmp_path / "a.npz"), [held("x", np.array([b"a\0"], object))])
    assert list(tmp_path.iterdir()) == []


def test_quantized_dtypes_come_back(tmp_path: Path) -> None:
    from millrace._src.interop.array_files.sources import HeldArray

    write_npz(str(tmp_path / "a.npz"), [HeldArray("q", np.array([1, -1], np.int8), tf.qint8)])
    with NpzFile(str(tmp_path / "a.npz")) as file:
        assert file.arrays["q"].dtype == tf.qint8


def test_numpy_reads_what_is_written_here(tmp_path: Path) -> None:
    write_npz(str(tmp_path / "a.npz"), sources(x=np.arange(3.0), y=np.array(5)))
    with np.load(tmp_path / "a.npz") as archive:
        assert sorted(archive) == ["x", "y"]
        np.testing.assert_array_equal(archive["x"], np.arange(3.0))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_what_numpy_writes_is_read_here(save: Any, tmp_path: Path) -> None:
    written = {name: array for name, array in samples().items() if array.dtype.isbuiltin == 1}
    save(tmp_path / "a.npz", **written)
    assert_same(_read(tmp_path / "a.npz"), written)


def test_big_endian_arrays_are_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.array([1, 2], ">i4"))
    assert_same(_read(tmp_path / "a.npz"), {"x": np.array([1, 2], np.int32)})


def test_pickled_objects_are_refused_not_run(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return (open, (str(tmp_path / "exploded"), "w"))

    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|O", "fortran_order": False, "shape": (1,)})
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", header.getvalue() + pickle.dumps([Bomb()]))
    with pytest.raises(tf.errors.UnimplementedError, match="array 'x' has the dtype object"):
        NpzFile(str(tmp_path / "a.npz"))
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("size", [0, 4, 30, 100])
def test_files_that_end_too_early_are_refused(size: int, tmp_path: Path) -> None:
    write_npz(str(tmp_path / "whole"), sources(x=np.arange(3.0)))
    (tmp_path / "a.npz").write_bytes((tmp_path / "whole").read_bytes()[:size])
    with pytest.raises(tf.errors.DataLossError, match="is not a whole npz file"):
        NpzFile(str(tmp_path / "a.npz"))


def test_a_changed_value_is_found(tmp_path: Path) -> None:
    write_npz(str(tmp_path / "a.npz"), sources(x=np.arange(9000.0)))
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[content.index(np.float64(8888.0).tobytes()) + 7] ^= 1
    (tmp_path / "a.npz").write_bytes(content)
    with NpzFile(str(tmp_path / "a.npz")) as file, pytest.raises(tf.errors.DataLossError, match="CRC"):
        file.read("x")


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError):
        NpzFile(str(tmp_path / "none.npz"))
