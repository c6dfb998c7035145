"""Record files, and what programs decode out of records: Examples, messages, tables, tensors, pictures."""

from __future__ import annotations

import io
import random
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import millrace as tf
from millrace._src.data.iterator_ops import iterator_resource_of
from millrace._src.data.iterator_states import restore_iterator, save_iterator
from millrace._src.data.options import ExternalStatePolicy
from millrace._src.data.state_bytes import from_bytes, to_bytes
from millrace._src.graph.structured_values import decode_structure, encode_structure
from millrace._src.proto import example_pb2, struct_pb2, tensor_pb2
from millrace._src.util.crc32c import masked_crc32c
from tests.attack.mutations import LENGTHS, damaged
from tests.attack.target import Files, Target, WrongAnswer, of_message, read_back, single

RECORDED = Path(__file__).parents[1] / "formats" / "recorded"


# --- records -----------------------------------------------------------------------------------------------------


def frame(record: bytes, length: int | None = None) -> bytes:
    head = struct.pack("<Q", len(record) if length is None else length)
    return head + struct.pack("<I", masked_crc32c(head)) + record + struct.pack("<I", masked_crc32c(record))


def frames(data: bytes) -> list[bytes]:
    """The records of a record file, whose checksums are not compared."""
    records, start = [], 0
    while start + 16 <= len(data):
        length = int.from_bytes(data[start : start + 8], "little")
        records.append(data[start + 12 : start + 12 + length])
        start += 16 + length
    return records


def with_checksums(data: bytes, rng: random.Random) -> bytes:
    """Another length, or other data, in one record whose checksums are right."""
    records = frames(data)
    if not records:
        return data
    index = rng.randrange(len(records))
    framed = [frame(record) for record in records]
    if rng.random() < 0.5:
        near = len(records[index]) + rng.randrange(-3, 4) & 0xFF
        framed[index] = frame(records[index], rng.choice((*LENGTHS, near)))
    else:
        framed[index] = frame(damaged(records[index], rng))
    return b"".join(framed)


def _records(folder: Path) -> list[bytes]:
    names = [str(path) for path in sorted(folder.iterdir())]
    kind = {"gz": "GZIP", "zl": "ZLIB"}.get(names[0][-2:], "")
    return [record.numpy() for record in tf.data.TFRecordDataset(names, kind)]


def _same_beginning(whole: list[bytes], read: list[bytes]) -> None:
    """A file that is cut off, or a range that is gone, may leave whole records: none may be another one."""
    strange = set(read) - set(whole)
    if strange:
        raise WrongAnswer(f"{len(strange)} records were never written: {sorted(strange)[0][:40]!r}")


RECORDS = Target(
    "records",
    lambda folder: single("r.plain", [(RECORDED / "plain.tfrecord").read_bytes()]),
    {"": (damaged, with_checksums)},
    _records,
    _same_beginning,
)

COMPRESSED = Target(
    "compressed records",
    lambda folder: [
        {"r.gz": (RECORDED / "gzip.tfrecord").read_bytes()},
        {"r.zl": (RECORDED / "zlib.tfrecord").read_bytes()},
    ],
    {"": (damaged,)},
    _records,
    _same_beginning,
)


# --- tensors, specs, states --------------------------------------------------------------------------------------


def _tensor_protos(folder: Path) -> Sequence[Files]:
    values: list[Any] = [
        tf.constant([[1.5, 2.5], [3.5, 4.5]]),
        tf.constant([b"a", b"", b"long text" * 9]),
        tf.constant(np.arange(20, dtype=np.int16)),
        tf.constant([True, False]),
        tf.constant([1 + 2j]),
        tf.constant([1.0, 2.0], tf.bfloat16),
        tf.constant(np.float32(0)),
    ]
    listed = [tf.make_tensor_proto(value, shape=[3]).SerializeToString() for value in (1.0, 7, b"x", True, 2j)]
    return single("t", [*(tf.io.serialize_tensor(value).numpy() for value in values), *listed])


def _read_tensor(folder: Path) -> Any:
    data = (folder / "t").read_bytes()
    number = _dtype_number(data)
    return tf.io.parse_tensor(data, tf.dtypes.as_dtype(number)).shape  # a value that is stated once may fill a shape


def _dtype_number(data: bytes) -> int:
    """The dtype that the bytes state; float32 where no message or dtype can be made out."""
    try:
        number = tensor_pb2.TensorProto.FromString(data).dtype
        return number if 0 < number < 24 and number not in (20, 21) else 1
    except Exception:  # protobuf's own class of errors
        return 1


TENSORS = Target("tensors", _tensor_protos, {"": (damaged, of_message(tensor_pb2.TensorProto))}, _read_tensor)


def _specs(folder: Path) -> Sequence[Files]:
    structures: list[Any] = [
        tf.TensorSpec([None, 3], tf.float32, "x"),
        {"a": [tf.RaggedTensorSpec([2, None], tf.int32), (tf.SparseTensorSpec([3], tf.string), None, 1.5, "t")]},
        [tf.TensorShape([1, None]), tf.int64, True, 3, tf.data.DatasetSpec(tf.TensorSpec([]))],
    ]
    return single("s", [encode_structure(s).SerializeToString() for s in structures])


def _read_spec(folder: Path) -> Any:
    return decode_structure(struct_pb2.StructuredValue.FromString((folder / "s").read_bytes()))


SPECS = Target("specs", _specs, {"": (of_message(struct_pb2.StructuredValue),)}, _read_spec)


def _states(folder: Path) -> Sequence[Files]:
    nest = {"a": [1, (2.5, b"bytes", None)], "b": np.arange(6.0).reshape(2, 3), 3: np.array([b"x", b"yy"], object)}
    return single("s", [to_bytes(nest), to_bytes((1, "a", [True, np.zeros((0, 2), np.int8)]))])


def _pipeline() -> Any:
    windows = tf.data.Dataset.range(60).map(lambda x: x * 2).window(3).shuffle(3, seed=1)
    dataset = windows.flat_map(lambda w: w.batch(3)).shuffle(4, seed=2).repeat(2).cache().prefetch(2)
    return tf.data.Dataset.zip((dataset, tf.data.Dataset.from_tensor_slices(list("abcdefghij" * 4)))).batch(2)


def _iterators(folder: Path) -> Sequence[Files]:
    specimens = []
    for count in (1, 3, 7):
        iterator = iter(_pipeline())
        for _ in range(count):
            next(iterator)
        specimens.append(
            save_iterator(iterator_resource_of(iterator._iterator_resource._eager_array), ExternalStatePolicy.IGNORE)
        )
    return single("s", specimens)


def _read_iterator(folder: Path) -> Any:
    iterator = iter(_pipeline())
    restore_iterator(iterator_resource_of(iterator._iterator_resource._eager_array), (folder / "s").read_bytes())
    return [repr(element) for element in iterator]


def _with_checksum(data: bytes, rng: random.Random) -> bytes:
    """A state with a damaged header or damaged buffers whose checksum is right."""
    start = len(b"millrace state 1\n")
    size = int.from_bytes(data[start : start + 8], "little")
    rest = damaged(data[start + 12 :], rng)
    if rng.random() < 0.2:
        size = rng.choice(LENGTHS)
    return data[:start] + struct.pack("<QI", size, zlib.crc32(rest)) + rest


def _read_state(folder: Path) -> Any:
    return repr(from_bytes((folder / "s").read_bytes()))


def _same(whole: Any, read: Any) -> None:
    if whole != read:
        raise WrongAnswer("the damage went unnoticed")


STATES = Target("states of iterators", _states, {"": (damaged, _with_checksum)}, _read_state, _same)


ITERATORS = Target("restored iterators", _iterators, {"": (_with_checksum,)}, _read_iterator)


# --- saved datasets ----------------------------------------------------------------------------------------------


def _saved_dataset(folder: Path) -> Sequence[Files]:
    elements = {"x": np.arange(12.0).reshape(6, 2), "t": np.array(list("abcdef"))}
    specimens = []
    for number, compression in enumerate((None, "GZIP")):
        path = folder / str(number)
        tf.data.Dataset.from_tensor_slices(elements).save(str(path), compression=compression)
        specimens.append({**read_back(path), "compression": (compression or "").encode()})
    return specimens


def _load_dataset(folder: Path) -> Any:
    compression = (folder / "compression").read_text() or None
    return [tf.nest.map_structure(repr, e) for e in tf.data.Dataset.load(str(folder), compression=compression)]


SAVED_DATASETS = Target(
    "saved datasets",
    _saved_dataset,
    {
        "compression": (lambda data, rng: data,),
        ".pb": (damaged, of_message(struct_pb2.StructuredValue)),
        ".snapshot": (damaged, with_checksums),
        "": (damaged,),
    },
    _load_dataset,
)


# --- what records hold -------------------------------------------------------------------------------------------


def _examples(folder: Path) -> Sequence[Files]:
    example = example_pb2.Example()
    example.features.feature["i"].int64_list.value.extend([1, -2, 1 << 40])
    example.features.feature["f"].float_list.value.extend([1.5, 2.5])
    example.features.feature["b"].bytes_list.value.extend([b"x", b"yy"])
    return single("e", [example.SerializeToString()])


def _read_example(folder: Path) -> Any:
    data = (folder / "e").read_bytes()
    features = {
        "i": tf.io.VarLenFeature(tf.int64),
        "f": tf.io.FixedLenFeature([2], tf.float32, [0.0, 0.0]),
        "b": tf.io.RaggedFeature(tf.string),
    }
    results: list[Any] = []
    for parse in (
        lambda: tf.io.parse_single_example(data, features),
        lambda: tf.io.parse_example([data, data], features),
        lambda: tf.io.parse_single_sequence_example(data, {"i": features["i"]}, {"b": features["i"]}),
        lambda: tf.io.decode_proto(data, "tensorflow.Example", ["features"], [tf.string]),
    ):
        try:
            results.append(parse())
        except tf.errors.OpError:
            results.append(None)
    return results


EXAMPLES = Target("Examples", _examples, {"": (damaged, of_message(example_pb2.Example))}, _read_example)


def _texts(folder: Path) -> Sequence[Files]:
    numbers, texts = b'{"int64List": {"value": ["1", "2"]}}', b'{"bytesList": {"value": ["eA=="]}}'
    json = b'{"features": {"feature": {"a": ' + numbers + b', "b": ' + texts + b"}}}"
    table = b'1,2.5,"a ""quoted"" text"\n-3,,x\n'
    return [{"t.json": json}, {"t.csv": table}]


def _read_text(folder: Path) -> Any:
    (path,) = folder.iterdir()
    if path.suffix == ".json":
        return tf.io.decode_json_example(path.read_bytes())
    return list(tf.data.experimental.CsvDataset(str(path), [0, 0.0, ""]))


TEXTS = Target("texts", _texts, {"": (damaged,)}, _read_text)


def _pictures(folder: Path) -> Sequence[Files]:
    pixels = np.arange(8 * 6 * 3, dtype=np.uint8).reshape(8, 6, 3)
    sound = np.linspace(-1, 1, 40, dtype=np.float32).reshape(20, 2)
    specimens = [
        {"p.png": tf.io.encode_png(pixels).numpy()},
        {"p.jpg": tf.io.encode_jpeg(pixels).numpy()},
        {"p.wav": tf.audio.encode_wav(sound, 8000).numpy()},
        {"p.bmp": _bitmap(pixels)},
    ]
    frames = [Image.fromarray(pixels), Image.fromarray(pixels[::-1])]
    for name, options in (("p.gif", {"save_all": True, "append_images": frames[1:]}), ("p.webp", {})):
        file = io.BytesIO()
        frames[0].save(file, name[2:].upper(), **options)
        specimens.append({name: file.getvalue()})
    return specimens


def _bitmap(pixels: Any) -> bytes:
    height, width, _ = pixels.shape
    rows = b"".join(row.tobytes() + b"\0" * (-width * 3 % 4) for row in pixels[::-1, :, ::-1])
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(rows), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54) + head + rows


def _read_picture(folder: Path) -> Any:
    (path,) = folder.iterdir()
    if path.suffix == ".wav":
        return tf.audio.decode_wav(path.read_bytes())
    return tf.io.decode_image(path.read_bytes())


PICTURES = Target("pictures and sounds", _pictures, {"": (damaged,)}, _read_picture)

TARGETS = (RECORDS, COMPRESSED, TENSORS, SPECS, STATES, ITERATORS, SAVED_DATASETS, EXAMPLES, TEXTS, PICTURES)
