"""What the tools of the command line look into: event files, array files, checkpoints, SavedModels."""

from __future__ import annotations

import contextlib
import io
import json
import random
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import millrace as tf
from millrace.__main__ import main
from millrace._src.proto import event_pb2, saved_model_pb2
from tests.attack.mutations import LENGTHS, damaged, damaged_message
from tests.attack.record_targets import frame, frames, with_checksums
from tests.attack.target import Files, Target, of_message, read_back, single


class Crash(Exception):
    """A tool ended with a traceback."""


def _tool(*arguments: str) -> str:
    """What a command prints; a command that refuses its input ends with 2 and a line."""
    printed, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaint):
        try:
            code = main(list(arguments))
        except ValueError as error:
            raise Crash(repr(error)) from error
    if code:
        raise ValueError(complaint.getvalue())
    return printed.getvalue()


# --- array files -------------------------------------------------------------------------------------------------


def _array_files(folder: Path) -> Sequence[Files]:
    arrays = {
        "kernel": np.arange(6.0, dtype=np.float32).reshape(2, 3),
        "half": tf.constant([1.0, 2.0], tf.bfloat16),
        "count": np.int64(3),
        "empty": np.zeros((0, 4), np.uint8),
    }
    specimens = []
    for suffix in ("npz", "safetensors"):
        tf.interop.save_arrays(arrays, f"{folder}/f.{suffix}")
        specimens.append({f"f.{suffix}": (folder / f"f.{suffix}").read_bytes()})
    return specimens


def damaged_header(data: bytes, rng: random.Random) -> bytes:
    """A safetensors file of which the header says something else."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    entry = header[rng.choice([name for name in sorted(header) if name != "__metadata__"])]
    values = ([], [-1], [1 << 60, 1 << 60], [3, 2], "F32", "X9", None, {}, [2.5])
    entry[rng.choice(sorted(entry))] = rng.choice((*values, *([number] for number in LENGTHS)))
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + size :]


def another_header(data: bytes, rng: random.Random) -> bytes:
    """An npz file with an array that says something else of itself, or an array more."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice([*sorted(members), "new.npy", "../x.npy"])
    file = io.BytesIO()
    shape = rng.choice(((), (1 << 40,), (1 << 62, 1 << 62), (0, 1 << 60), (-1,), (3, 2), (7,)))
    descr = rng.choice(("<f4", "<f8", "|O", "|S9", "<M8[s]", [("a", "<i4")], "|V3", ">i2"))
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": rng.random() < 0.2, "shape": shape})
    members[name] = file.getvalue() + rng.choice((b"", bytes(24), b"cos\nsystem\n(S'true'\ntR."))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return written.getvalue()


def _load_arrays(folder: Path) -> Any:
    (path,) = folder.iterdir()
    _tool("inspect", str(path), "--stats")
    return {name: array.shape for name, array in tf.interop.load_arrays(str(path)).items()}


ARRAYS = Target(
    "array files",
    _array_files,
    {".safetensors": (damaged, damaged_header), "": (damaged, another_header)},
    _load_arrays,
)


# --- event files -------------------------------------------------------------------------------------------------


def _events(folder: Path) -> Sequence[Files]:
    events = [event_pb2.Event(wall_time=1.5, file_version="brain.Event:2")]
    for step in range(3):
        event = event_pb2.Event(wall_time=2.5 + step, step=step)
        event.summary.value.add(tag="loss", simple_value=1.0 / (step + 1))
        value = event.summary.value.add(tag="weights", tensor=tf.make_tensor_proto([1.0, 2.0, float(step)]))
        value.metadata.plugin_data.plugin_name = "scalars"
        events.append(event)
    return single("events.out.tfevents.1", [b"".join(frame(event.SerializeToString()) for event in events)])


def damaged_event(data: bytes, rng: random.Random) -> bytes:
    """An event file with damage to the fields of one event."""
    records = frames(data)
    index = rng.randrange(len(records))
    records[index] = damaged_message(records[index], event_pb2.Event, rng)
    return b"".join(map(frame, records))


def _inspect_events(folder: Path) -> Any:
    return _tool("inspect", str(folder)), _tool("inspect", f"{folder}/events.out.tfevents.1", "--name", "*", "--json")


EVENTS = Target("events", _events, {"": (damaged, with_checksums, damaged_event)}, _inspect_events)


# --- SavedModels that are only looked into -----------------------------------------------------------------------


def _saved_models(folder: Path) -> Sequence[Files]:
    module = tf.Module()
    module.scale = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, "x")])
    def scaled(x: Any) -> Any:
        return {"y": x * module.scale}

    module.scaled = scaled
    tf.saved_model.save(module, f"{folder}/m", signatures=scaled)
    return [read_back(folder / "m")]


def _look_into(folder: Path) -> Any:
    return [_tool("inspect", str(folder)), _tool("show", str(folder), "--all"), _tool("scan", "--dir", str(folder))]


SHOWN = Target(
    "shown saved models",
    _saved_models,
    {"saved_model.pb": (damaged, of_message(saved_model_pb2.SavedModel)), "": (damaged,)},
    _look_into,
    favourite="saved_model.pb",
)

TARGETS = (ARRAYS, EVENTS, SHOWN)
