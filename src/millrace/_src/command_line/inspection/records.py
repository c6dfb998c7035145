"""TFRecord files under `inspect`: how many records, of which sizes, and the features of `tf.train.Example` records.

Tests: tests/command_line/test_inspect.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError

from millrace._src.command_line.reports import Report, count_text
from millrace._src.ops.io.file_names import file_errors
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.ops.io.record_reader import RecordReader
from millrace._src.proto import example_pb2
from millrace._src.util.text_table import cell, size_text, table

_BLOCK = 1024
_SHOWN = 40  # characters of a sample value


def compression_of(name: str) -> str:
    """Guesses from the first bytes how a record file is compressed."""
    file_system, path = file_system_of(name)
    with file_errors(name), file_system.open(path, "r") as file:
        start = file.read(12) or b""
    if start[:2] == b"\x1f\x8b":
        return "GZIP"
    # A length of a record has zeros in its upper bytes; the first two bytes of a zlib stream are a multiple of 31.
    is_zlib = len(start) >= 2 and start[0] & 0x0F == 8 and int.from_bytes(start[:2], "big") % 31 == 0
    return "ZLIB" if is_zlib and start[4:8] != b"\0\0\0\0" else ""


def records_of(name: str) -> Iterator[bytes]:
    """Yields the records of a file, compressed or not.

    Raises: tf.errors.DataLossError: if the file is damaged, or no record file.
    """
    with RecordReader(name, compression_of(name)) as reader:
        while block := reader.read_block(_BLOCK):
            yield from block


def records_report(name: str, limit: int) -> Report:
    """Returns the report of a record file.

    Args:
      name: the file.
      limit: how many records, from the first on, are parsed as examples; all are counted.
    """
    count = total = 0
    smallest, largest = None, 0
    features = _Features()
    for record in records_of(name):
        if count < limit:
            features.add(record)
        count, total, largest = count + 1, total + len(record), max(largest, len(record))
        smallest = len(record) if smallest is None else min(smallest, len(record))
    mean = total / count if count else None
    sizes = {"min": smallest, "mean": mean, "max": largest if count else None}
    data = {
        "kind": "records",
        "file": name,
        "compression": compression_of(name) or None,
        "records": count,
        "bytes": total,
        "sizes": sizes,
        "message": features.message,
        "examined": features.count,
        "features": features.rows(),
    }
    return Report(data, _text(data))


class _Features:
    """What the examples among the records have in common."""

    def __init__(self) -> None:
        self.count = 0
        self.message: str | None = None
        self._features: dict[str, dict[str, Any]] = {}
        self._is_example = True

    def add(self, record: bytes) -> None:
        """Takes one more record into account; a record that is not an example ends it."""
        example = _parse(record) if self._is_example else None
        if example is None:
            self._is_example, self.message, self._features = False, None, {}
            return
        self.count += 1
        self.message = f"tf.train.{type(example).__name__}"
        for name, kind, values in _features_of(example):
            self._add_feature(name, kind, values)

    def _add_feature(self, name: str, kind: str, values: Any) -> None:
        feature = self._features.setdefault(name, {"kinds": [], "in": 0, "min": len(values), "max": 0, "sample": None})
        if kind not in feature["kinds"]:
            feature["kinds"].append(kind)
        feature["in"] += 1
        feature["min"], feature["max"] = min(feature["min"], len(values)), max(feature["max"], len(values))
        if feature["sample"] is None and values:
            feature["sample"] = _sample(values)

    def rows(self) -> list[dict[str, Any]]:
        """Returns what is said of each feature."""
        return [
            {
                "name": name,
                "kind": "|".join(feature["kinds"]),
                "in_records": feature["in"],
                "min_values": feature["min"],
                "max_values": feature["max"],
                "sample": feature["sample"],
            }
            for name, feature in sorted(self._features.items())
        ]


def _parse(record: bytes) -> Any:
    """Returns the record as an Example or SequenceExample, or None; a message with bytes left over is none of them."""
    for message in (example_pb2.Example(), example_pb2.SequenceExample()):
        try:
            message.ParseFromString(record)
        except DecodeError:
            continue
        whole = message.ByteSize()
        message.DiscardUnknownFields()
        if record and message.ByteSize() == whole:
            return message
    return None


def _features_of(example: Any) -> Iterator[tuple[str, str, Any]]:
    """Yields name, kind and values of each feature; for a feature list, its steps."""
    is_sequence = isinstance(example, example_pb2.SequenceExample)
    for name, feature in (example.context if is_sequence else example.features).feature.items():
        kind = feature.WhichOneof("kind")
        yield name, _KINDS[kind], getattr(feature, kind).value if kind else ()
    if is_sequence:
        for name, steps in example.feature_lists.feature_list.items():
            kinds = {step.WhichOneof("kind") for step in steps.feature}
            yield name, f"list of {'|'.join(sorted(_KINDS[kind] for kind in kinds))}", steps.feature


_KINDS = {"bytes_list": "bytes", "float_list": "float", "int64_list": "int64", None: "empty"}


def _sample(values: Any) -> str:
    first = values[0]
    if not isinstance(first, (bytes, int, float)):
        return f"{len(values)} steps"
    text = cell(first) if not isinstance(first, bytes) else repr(first[:_SHOWN])
    return text if len(values) == 1 else f"{text}, ..."


def _text(data: dict[str, Any]) -> list[str]:
    sizes = data["sizes"]
    compression = f", {data['compression'].lower()}" if data["compression"] else ""
    lines = [
        f"TFRecord file {data['file']}",
        f"{count_text(data['records'], 'record')}, {size_text(data['bytes'])}{compression}",
    ]
    if data["records"]:
        lines.append(f"sizes: {sizes['min']} to {sizes['max']} bytes, {sizes['mean']:.1f} on average")
    paragraphs = ["\n".join(lines)]
    if data["features"]:
        columns = ["name", "kind", "in_records", "min_values", "max_values", "sample"]
        rows = [[feature[column] for column in columns] for feature in data["features"]]
        heading = f"features of the first {count_text(data['examined'], data['message'])}:"
        paragraphs.append(f"{heading}\n" + table(columns, rows, columns[2:5]))
    return paragraphs
