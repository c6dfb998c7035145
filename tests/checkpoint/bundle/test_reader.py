"""Reading checkpoints: whole tensors and slices, without more than is asked for, and not a byte that is wrong."""

from __future__ import annotations

import os
import random
import resource
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.index_file import entry_proto
from millrace._src.checkpoint.bundle.publishing import data_name, index_name
from millrace._src.checkpoint.bundle.reader import BundleReader, is_whole
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.checkpoint.bundle.writer import BundleWriter
from millrace._src.core.dtypes import ALL_DTYPES
from millrace._src.util.crc32c import masked_crc32c
from tests.checkpoint.bundle.indexes import DATA, checkpoint, entry, header, key_of
from tests.ops.array.answers import check_refusal

_e = tf.errors
_STORABLE = [dtype for dtype in ALL_DTYPES if not dtype.is_handle]


def _strings(elements: list[bytes], shape: tuple[int, ...]) -> Any:
    return np.fromiter(elements, object, len(elements)).reshape(shape)


@pytest.mark.parametrize("dtype", _STORABLE, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 3), (2, 3)])
def test_every_dtype_comes_back(tmp_path: Path, dtype: Any, shape: tuple[int, ...]) -> None:
    count = int(np.prod(shape))
    if dtype is tf.string:
        array = _strings([b"\xff\0" * number for number in range(count)], shape)
    else:
        array = (np.arange(count) % 2).astype(dtype.np_dtype).reshape(shape)
    with BundleWriter(f"{tmp_path}/x") as writer:
        writer.add("é/0", array, dtype)
    with BundleReader(f"{tmp_path}/x") as reader:
        assert reader.keys() == ["é/0"]
        assert (reader.entry("é/0").dtype, reader.entry("é/0").shape) == (dtype, shape)
        found_array = reader.read("é/0")
        assert found_array.dtype == array.dtype
        assert found_array.shape == shape
        assert found_array.tolist() == array.tolist()
        assert found_array.flags.writeable
        filled = np.empty_like(array)
        reader.read_into("é/0", filled)
        assert filled.tolist() == array.tolist()


def test_what_is_missing_is_not_found(tmp_path: Path) -> None:
    prefix = checkpoint(tmp_path, {b"x": entry()})
    check_refusal(lambda: BundleReader(f"{tmp_path}/no"), _e.NotFoundError, f"{tmp_path}/no.index; No such file or dir")
    with BundleReader(prefix) as reader:
        check_refusal(lambda: reader.read("y"), _e.NotFoundError, "Key y not found in checkpoint")
        check_refusal(lambda: reader.read(""), _e.NotFoundError, "Key  not found in checkpoint")
        assert ("x" in reader, "y" in reader, "" in reader, b"x" in reader) == (True, False, False, True)
    os.remove(data_name(prefix, 0, 1))
    with BundleReader(prefix) as reader:
        check_refusal(lambda: reader.read("x"), _e.NotFoundError, f"{prefix}.data-00000-of-00001; No such file or di")


def test_arrays_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with BundleReader(checkpoint(tmp_path, {b"x": entry()})) as reader:
        for array in (np.zeros(3, np.float32), np.zeros(4)):
            words = "x does not fit into the array: stored: float32 [4], array: "
            check_refusal(lambda array=array: reader.read_into("x", array), _e.InvalidArgumentError, words)
        strided = np.zeros((4, 2), np.float32)[:, 0]
        reader.read_into("x", strided)
        assert strided.tolist() == [0, 1, 2, 3]


# --- slices ----------------------------------------------------------------------------------------------------------

_WHOLE = np.arange(60.0).reshape(5, 4, 3)


def _partitioned(tmp_path: Path, *slices: str, array: Any = _WHOLE) -> str:
    with BundleWriter(f"{tmp_path}/parts", 2) as writer:
        for number, text in enumerate(slices):
            part = TensorSlice.parse(text)
            index = tuple(slice(start, stop) for start, stop in part.box(array.shape))
            writer.add_slice("v", array.shape, part, array[index], shard=number % 2)
    return f"{tmp_path}/parts"


@pytest.mark.parametrize(
    "slices",
    [
        ["-:-:-"],
        ["0,2:-:-", "2,3:-:-"],
        ["-:0,1:-", "-:1,3:-"],
        ["0,3:0,2:-", "0,3:2,2:-", "3,2:-:0,1", "3,2:-:1,2"],
        ["0,4:-:-", "2,3:-:-"],  # two that overlap
    ],
)
@pytest.mark.parametrize("verify", [True, False])
def test_slices_are_put_together(tmp_path: Path, slices: list[str], verify: bool) -> None:
    for array in (_WHOLE, _strings([b"%d" % number for number in range(60)], (5, 4, 3))):
        with BundleReader(_partitioned(tmp_path, *slices, array=array)) as reader:
            assert reader.keys() == ["v"]
            assert reader.entry("v").shape == (5, 4, 3)
            assert (reader.read("v", verify=verify) == array).all()
            for text in (*slices, "1,3:1,2:-", "4,1:3,1:2,1", "-:-:1,1", "2,1:-:-"):
                part = TensorSlice.parse(text)
                index = tuple(slice(start, stop) for start, stop in part.box(array.shape))
                assert (reader.read("v", part, verify=verify) == array[index]).all()


def test_slices_that_are_missing_or_outside(tmp_path: Path) -> None:
    with BundleReader(_partitioned(tmp_path, "0,2:-:-", "3,2:-:-")) as reader:
        words = "Does not have sufficient slices for partitioned tensor v to restore in slice_spec: "
        check_refusal(lambda: reader.read("v"), _e.InvalidArgumentError, words + "-:-:-")
        part = TensorSlice.parse("1,2:-:-")
        check_refusal(lambda: reader.read("v", part), _e.InvalidArgumentError, words + "1,2:-:-")
        assert (reader.read("v", TensorSlice.parse("3,2:-:0,1")) == _WHOLE[3:, :, :1]).all()
        part = TensorSlice.parse("4,2:-:-")
        words = "Extent in dimension 0 out of bounds: shape = [5,4,3], slice = 4,2:-:-"
        check_refusal(lambda: reader.read("v", part), _e.InternalError, words)
        check_refusal(lambda: reader.read("v", TensorSlice.parse("-")), _e.InternalError, "Mismatching ranks: shape =")


def test_a_partitioned_tensor_without_elements(tmp_path: Path) -> None:
    prefix = _partitioned(tmp_path, "-:0,1:-", "-:1,3:-", array=np.zeros((0, 4, 3)))
    with BundleReader(prefix) as reader:
        assert reader.read("v").shape == (0, 4, 3)


# --- files written elsewhere -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [">f4", ">f8", ">c8", ">c16", ">i2", ">u8", ">i1"])
def test_files_of_big_endian_machines(tmp_path: Path, kind: str) -> None:
    data = np.arange(4, dtype=kind).tobytes()
    dtype = tf.as_dtype(np.dtype(kind).newbyteorder("="))
    entries = {b"x": entry(data=data, dtype=dtype.enum)}
    with BundleReader(checkpoint(tmp_path, entries, data, header(endianness=1))) as reader:
        assert reader.read("x").tolist() == [0, 1, 2, 3]
        assert reader.read("x").dtype == dtype.np_dtype
        assert reader.read("x", TensorSlice.parse("1,2")).tolist() == [1, 2]


def test_strings_of_big_endian_machines(tmp_path: Path) -> None:
    words = np.array([2, 3], ">u4").tobytes()
    checksum = masked_crc32c(words).to_bytes(4, "big")
    data = b"\2\3" + checksum + b"abcde"
    fields = {"dtype": tf.string.enum, "crc32c": masked_crc32c(words + checksum + b"abcde")}
    entries = {b"x": entry((2,), data, **fields)}
    with BundleReader(checkpoint(tmp_path, entries, data, header(endianness=1))) as reader:
        assert reader.read("x").tolist() == [b"ab", b"cde"]


@pytest.mark.parametrize("scheme", ["ram"])
def test_other_file_systems_are_read_and_written(scheme: str) -> None:
    tf.io.gfile.makedirs(f"{scheme}://test_reader")
    with BundleWriter(f"{scheme}://test_reader/x", 2) as writer:
        writer.add("a", np.arange(1000), shard=1)
    with BundleReader(f"{scheme}://test_reader/x") as reader:
        assert reader.read("a", TensorSlice.parse("990,3")).tolist() == [990, 991, 992]


# --- no more than is asked for ---------------------------------------------------------------------------------------


def _sparse(tmp_path: Path, size: int) -> str:
    """Writes a checkpoint of a huge tensor, of which nearly nothing is on the disk, and a small one behind it."""
    elements = size // 4
    last = np.arange(1000, dtype=np.float32)
    prefix = checkpoint(
        tmp_path,
        {
            b"huge": entry((elements // 1000, 1000), size=size, crc32c=7),
            b"small": entry((1000,), last.tobytes(), offset=size),
        },
    )
    with open(data_name(prefix, 0, 1), "wb") as file:
        file.seek(size - 4000)
        file.write(last.tobytes() + last.tobytes())
    return prefix


def test_a_large_checkpoint_is_not_read_for_one_tensor(tmp_path: Path) -> None:
    prefix = _sparse(tmp_path, 40_000_000_000)
    tracemalloc.start()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
    try:
        with BundleReader(prefix) as reader:
            assert reader.read("small")[-1] == 999
            part = TensorSlice.parse("9999998,2:997,3")
            assert reader.read("huge", part, verify=False).tolist() == [[0, 0, 0], [997, 998, 999]]
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        assert resource.getrusage(resource.RUSAGE_SELF).ru_inblock - before < 1 << 14
    finally:
        tracemalloc.stop()


def test_a_slice_of_a_large_tensor_takes_little_memory_though_all_is_summed_up(tmp_path: Path) -> None:
    prefix = _sparse(tmp_path, 200_000_000)
    tracemalloc.start()
    try:
        with BundleReader(prefix) as reader:
            check_refusal(
                lambda: reader.read("huge", TensorSlice.parse("-:0,1")),
                _e.DataLossError,
                f"TensorBundle at {prefix} shard 0 (200000000 bytes): Checksum does not match: stored 7 vs. calculated",
            )
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


def test_several_threads_read_at_the_same_time(tmp_path: Path) -> None:
    with BundleWriter(f"{tmp_path}/x") as writer:
        for number in range(200):
            writer.add(f"k{number}", np.full(3000, number))
    with BundleReader(f"{tmp_path}/x") as reader, ThreadPoolExecutor(8) as pool:
        arrays = pool.map(lambda number: reader.read(f"k{number}"), range(200))
        assert all((array == number).all() for number, array in enumerate(arrays))


# --- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"\xff\xff\xff", "Entry for key x not parseable."),
        (entry(size=12), "Invalid size in bundle entry: key x; stored size 12; expected size 16"),
        (entry(offset=8), "Read less bytes than requested"),
        (entry(offset=-8), "Read less bytes than requested"),
        (entry(offset=1 << 60), "Read less bytes than requested"),
        (entry((1 << 60,), size=1 << 62), "Read less bytes than requested"),
        (entry((1 << 40, 1 << 40)), "Invalid tensor shape: x [1099511627776, 1099511627776]"),
        (entry((0, 1 << 62, 1 << 62), size=0), "Invalid tensor shape: x [0, 4611686018427387904, 4611686018427387904]"),
        (entry((-4,)), "Invalid tensor shape: x [-4]"),
        (entry((1,) * 65, size=4), "Invalid tensor shape: x [1, 1"),
        (entry(crc32c=0), "TensorBundle at "),
        (entry(shard_id=3), "x of "),
        (entry(shard_id=-3), "x of "),
        (entry(dtype=0), "Entry for key x has the unknown dtype enum (0)"),
        (entry(dtype=99), "Entry for key x has the unknown dtype enum (99)"),
        (entry(dtype=101), "Entry for key x has the dtype float32_ref, which no stored tensor has"),
        (entry(slices=("0,4",)), "Key "),
        (entry(slices=("2,4",)), "Extent in dimension 0 out of bounds: shape = [4], slice = 2,4: x"),
        (entry(slices=("2,4:-",)), "Mismatching ranks: shape = [4], slice = 2,4:-: x"),
        (entry((1 << 40,), dtype=7, size=16), "Read less bytes than requested: x of "),
        (entry((1,), dtype=7, size=1 << 60), "Read less bytes than requested"),
        (entry((1,), dtype=7, size=-1), "Read less bytes than requested"),
    ],
)
def test_damaged_entries_are_refused(tmp_path: Path, value: bytes, words: str) -> None:
    tracemalloc.start()
    try:
        with BundleReader(checkpoint(tmp_path, {b"x": value})) as reader:
            check_refusal(lambda: reader.read("x"), _e.DataLossError, words)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_tensors_of_objects_are_refused(tmp_path: Path) -> None:
    for dtype in (tf.resource, tf.variant):
        with BundleReader(checkpoint(tmp_path, {b"x": entry(dtype=dtype.enum)})) as reader:
            words = f"Cannot read 'x': a tensor of dtype {dtype.name} refers to an object"
            check_refusal(lambda reader=reader: reader.read("x"), _e.UnimplementedError, words)
            with pytest.raises(_e.UnimplementedError, match="restore without the iterator to get the other values"):
                reader.read("x")


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (b"\xff\xff\xff", _e.DataLossError, "Unable to read file ("),
        (header(-1), _e.DataLossError, "Unable to read file ("),
        (header((1 << 31) - 1), _e.DataLossError, "Unable to read file ("),
        (header(min_consumer=5), _e.InvalidArgumentError, "Checkpoint min consumer version 5 above current version 1"),
        (header(bad_consumers=[1]), _e.InvalidArgumentError, "Checkpoint disallows consumer version 1."),
    ],
)
def test_headers_that_cannot_be_are_refused(tmp_path: Path, value: bytes, error: Any, words: str) -> None:
    check_refusal(lambda: BundleReader(checkpoint(tmp_path, {}, header_bytes=value)), error, words)


def test_entries_of_slices_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    whole = entry((8,), slices=("0,4", "4,4"))
    for piece in (entry((2,), size=8), entry(dtype=3), entry(slices=("0,4",))):
        entries = {b"v": whole, key_of(b"v", "0,4"): piece, key_of(b"v", "4,4"): entry()}
        with BundleReader(checkpoint(tmp_path, entries)) as reader:
            check_refusal(
                lambda reader=reader: reader.read("v"), _e.DataLossError, "The entry of the slice ((0, 4),) of v"
            )
    entries = {b"v": whole, key_of(b"v", "0,4"): entry(), key_of(b"v", "4,4"): entry()}
    with BundleReader(checkpoint(tmp_path, entries)) as reader:  # both slices of the same bytes
        check_refusal(
            lambda: reader.read("v"), _e.DataLossError, "Read less bytes than requested: slices of 32 bytes in"
        )
        assert reader.read("v", TensorSlice.parse("2,2")).tolist() == [2, 3]


def test_no_damage_gives_another_value(tmp_path: Path) -> None:
    prefix = f"{tmp_path}/x"
    strings = _strings([b"hello", b"", b"w" * 300], (3,))
    with BundleWriter(prefix) as writer:
        writer.add("b", np.arange(60, dtype=np.float32))
        writer.add("s", strings)
        writer.add_slice("v", (5, 4, 3), TensorSlice.parse("0,2:-:-"), _WHOLE[:2])
        writer.add_slice("v", (5, 4, 3), TensorSlice.parse("2,3:-:-"), _WHOLE[2:])
    expected = {"b": np.arange(60.0).tolist(), "s": strings.tolist(), "v": _WHOLE.tolist()}
    names = [index_name(prefix), data_name(prefix, 0, 1)]
    originals = {name: Path(name).read_bytes() for name in names}
    source = random.Random(3)
    refusal_count = 0
    for _ in range(600):
        name = source.choice(names)
        content = bytearray(originals[name])
        if source.random() < 0.2:
            del content[source.randrange(len(content)) :]
        else:
            content[source.randrange(len(content))] ^= 1 << source.randrange(8)
        Path(name).write_bytes(content)
        try:
            with BundleReader(prefix) as reader:
                assert {key: reader.read(key).tolist() for key in expected} == expected
        except (_e.DataLossError, _e.InvalidArgumentError):
            refusal_count += 1
        Path(name).write_bytes(originals[name])
    assert refusal_count > 400


def test_a_checkpoint_is_whole_or_not(tmp_path: Path) -> None:
    prefix = checkpoint(tmp_path, {b"x": entry()})
    assert is_whole(prefix)
    os.truncate(data_name(prefix, 0, 1), 15)
    assert not is_whole(prefix)
    os.remove(data_name(prefix, 0, 1))
    assert not is_whole(prefix)
    checkpoint(tmp_path, {b"x": entry()})
    os.truncate(index_name(prefix), 50)
    assert not is_whole(prefix)
    os.remove(index_name(prefix))
    assert not is_whole(prefix)
    assert not is_whole(checkpoint(tmp_path, {b"x": b"\xff"}))
    partitioned = {b"v": entry((8,), slices=("0,4", "4,4")), key_of(b"v", "0,4"): entry(), key_of(b"v", "4,4"): entry()}
    assert is_whole(checkpoint(tmp_path, partitioned))


def test_an_entry_keeps_what_the_file_says() -> None:
    assert entry_proto(b"x", entry()).size == len(DATA)
