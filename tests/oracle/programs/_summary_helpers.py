"""What programs about summaries share: a folder for event files, and the events in it without what differs from run to run."""

from __future__ import annotations

import os
import re
import struct

from tests.oracle.programs._file_helpers import Folder, folder

_NAME = re.compile(r"events\.out\.tfevents\.\d{10}\.[^.]+(\.\d+\.\d+)?")
_TIME = 9


def records(path):
    """The records of a file, as bytes."""
    with open(path, "rb") as file:
        data = file.read()
    found, place = [], 0
    while place < len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        found.append(data[place + 12 : place + 12 + length])
        place += length + 16
    return found


def timeless(record):
    """An event's bytes without the time, which comes first."""
    assert record[:1] == b"\x09"
    return record[_TIME:]


def names(path):
    """The names of the event files in a folder, without time, computer and process."""
    return [_NAME.sub(lambda match: "events" + (".P.N" if match[1] else ""), name) for name in sorted(os.listdir(path))]


def events(path):
    """The name and the events of each file in a folder."""
    return [[name, [timeless(r) for r in records(f"{path}/{file}")]] for name, file in zip(names(path), sorted(os.listdir(path)))]


def sizes(path):
    """The size of each file in a folder."""
    return [os.path.getsize(f"{path}/{name}") for name in sorted(os.listdir(path))]


def written(tf, body, **options):
    """What `body(writer)` returns with a writer in force, and the events that were written."""
    with folder() as f:
        path = f("logs")
        writer = tf.summary.create_file_writer(path, **options)
        try:
            with writer.as_default():
                found = f.attempt(lambda: body(writer))
        finally:
            tf.summary.experimental.set_step(None)
        writer.close()
        return [found, events(path)]


def add_programs(module, computations):
    """Makes a program of each computation `(tf, np) -> body(writer)`."""
    for name, body in computations.items():
        def program(tf, np, body=body):
            return written(tf, lambda writer: body(tf, np))

        program.__name__ = f"prog_{name}"
        setattr(module, program.__name__, program)


__all__ = ["Folder", "add_programs", "events", "folder", "names", "records", "sizes", "timeless", "written"]
