"""Event files under `inspect`: which tags were written, at which steps, with which values.

Tests: tests/command_line/test_inspect.py
"""

from __future__ import annotations

import datetime
import fnmatch
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.inspection.records import records_of
from millrace._src.command_line.reports import Report, count_text
from millrace._src.graph.tensor_proto import decode_tensor
from millrace._src.proto import event_pb2
from millrace._src.util.text_table import table

_MAX_LENGTH = 60
"""How many letters of a text a table shows."""

FILE_VERSION = "brain.Event:"
"""What the first event of a file says."""


def is_event(record: bytes) -> bool:
    """Says whether a record is the event that stands first in an event file."""
    try:
        return event_pb2.Event.FromString(record).file_version.startswith(FILE_VERSION)
    except DecodeError:
        return False


def events_report(names: list[str], pattern: str | None) -> Report:
    """Returns the report of the event files of a run.

    Args:
      names: the files.
      pattern: which tags are shown, value by value, with `*` and `?` as in a shell; None for a summary of all.

    Raises: CommandError: if a record is not an event, or the pattern fits no tag.
    """
    run = _EventRun()
    for name in names:
        run.read(name)
    tags = {
        tag: points for tag, points in sorted(run.tags.items()) if pattern is None or fnmatch.fnmatchcase(tag, pattern)
    }
    if pattern is not None and not tags:
        raise CommandError(f"no tag is like {pattern!r} (`*` matches anything).")
    data = {
        "kind": "events",
        "files": names,
        "events": run.count,
        "from": _time_text(run.first_time),
        "to": _time_text(run.last_time),
        "contents": run.contents,
        "tags": [_summary(tag, points) for tag, points in tags.items()],
    }
    return Report(data, _text(data, is_summary=pattern is None))


class _EventRun:
    """What the events of some files say."""

    def __init__(self) -> None:
        self.tags: dict[str, list[dict[str, Any]]] = {}
        self.contents: dict[str, int] = {}
        self.count = 0
        self.first_time: float | None = None
        self.last_time: float | None = None

    def read(self, name: str) -> None:
        """Takes the events of a file into account."""
        for record in records_of(name):
            try:
                event = event_pb2.Event.FromString(record)
            except DecodeError:
                raise CommandError(f"{name}: record {self.count} is not an event.") from None
            self.count += 1
            self.first_time = event.wall_time if self.first_time is None else min(self.first_time, event.wall_time)
            self.last_time = event.wall_time if self.last_time is None else max(self.last_time, event.wall_time)
            content = event.WhichOneof("what") or "nothing"
            self.contents[content] = self.contents.get(content, 0) + 1
            for value in event.summary.value if content == "summary" else ():
                point = {"step": event.step, "time": event.wall_time, **_value(value)}
                point["plugin"] = value.metadata.plugin_data.plugin_name or None
                self.tags.setdefault(value.tag, []).append(point)


def _value(value: Any) -> dict[str, Any]:
    """Returns the kind of a value of a summary, and the value where it is a number or a text."""
    kind = value.WhichOneof("value")
    if kind == "simple_value":
        return {"type": "scalar", "value": value.simple_value}
    if kind == "tensor":
        try:
            array, dtype = decode_tensor(value.tensor)
        except (TypeError, ValueError) as error:
            raise CommandError(f"the value of tag {value.tag!r} is damaged: {error}") from None
        plugin = value.metadata.plugin_data.plugin_name
        return {"type": f"{dtype.name} {list(array.shape)}", "value": _PLUGINS.get(plugin, _number)(array)}
    if kind == "histo":
        return {
            "type": "histogram",
            "value": f"{value.histo.num:.6g} values from {value.histo.min:.6g} to {value.histo.max:.6g}",
        }
    if kind == "image":
        return {"type": "image", "value": f"{value.image.width} x {value.image.height}"}
    return {"type": kind or "nothing", "value": None}


def _number(array: Any) -> Any:
    """Returns the only element of an array as a Python value, or how long it is if no text; None for several."""
    if np.size(array) != 1:
        return None
    element = np.reshape(array, -1)[0]
    if isinstance(element, bytes):
        try:
            return element.decode()
        except UnicodeDecodeError:
            return count_text(len(element), "byte")
    return float(element) if np.asarray(element).dtype.kind in "fV" else np.asarray(element).item()


def _histogram(array: Any) -> Any:
    """Returns how many numbers a histogram counts, and between which limits."""
    if array.ndim != 2 or array.shape[1:] != (3,) or not len(array):
        return None
    return f"{array[:, 2].sum():.6g} values from {array[0, 0]:.6g} to {array[-1, 1]:.6g}"


def _images(array: Any) -> Any:
    """Returns the size of images, and how many there are: width and height come first."""
    if array.dtype != object or array.ndim != 1 or len(array) < 2:
        return None
    width, height = (size.decode("utf-8", "replace") for size in array[:2])
    return f"{width} x {height}" + (f", {count_text(len(array) - 2, 'image')}" if len(array) != 3 else "")


def _sounds(array: Any) -> Any:
    return count_text(len(array), "sound") if array.ndim else None


_PLUGINS = {"histograms": _histogram, "images": _images, "audio": _sounds}
"""What is told of the tensors of TensorBoard's plugins, by the name of the plugin; of others, the only element."""


def _line(value: object) -> Any:
    """Returns a value as a cell of a table: of a text, the beginning on one line."""
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())
    printable = "".join(letter if letter.isprintable() else "." for letter in line)
    return printable if len(printable) <= _MAX_LENGTH else printable[: _MAX_LENGTH - 3] + "..."


def _summary(tag: str, points: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "tag": tag,
        "plugin": next((point["plugin"] for point in points if point["plugin"]), None),
        "type": points[-1]["type"],
        "count": len(points),
        "first_step": points[0]["step"],
        "last_step": points[-1]["step"],
        "last_value": points[-1]["value"],
        "values": [{"step": point["step"], "time": point["time"], "value": point["value"]} for point in points],
    }


def _text(data: dict[str, Any], is_summary: bool) -> list[str]:
    files = "\n".join(f"event file {name}" for name in data["files"])
    times = f", from {data['from']} to {data['to']}" if data["from"] else ""
    contents = ", ".join(f"{name}: {count}" for name, count in sorted(data["contents"].items()))
    paragraphs = [f"{files}\n{count_text(data['events'], 'event')}{times}" + (f"\n{contents}" if contents else "")]
    if not data["tags"]:
        return paragraphs
    if is_summary:
        columns = ["tag", "plugin", "type", "count", "first_step", "last_step", "last_value"]
        rows = [[_line(tag[column]) for column in columns] for tag in data["tags"]]
        return [*paragraphs, table(columns, rows, columns[3:])]
    for tag in data["tags"]:
        rows = [[point["step"], _time_text(point["time"]), _line(point["value"])] for point in tag["values"]]
        columns = ["step", "time", "value"]
        paragraphs.append(f"{tag['tag']} ({tag['type']})\n" + table(columns, rows, ["step", "value"]))
    return paragraphs


def _time_text(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):  # a damaged time
        return f"{seconds} s"
