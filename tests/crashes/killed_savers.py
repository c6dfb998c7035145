"""Processes that save in a loop and are killed: `python -m tests.crashes.killed_savers KIND COUNT SEED FOLDER`.

A saver says after each save which one it has ended. It is killed at a random moment. Then a new process must find what
the last ended save wrote, or what a later save wrote, bit for bit; it goes on from there, and is killed in its turn.
The program prints how many kills fell into a save.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.ops.io.whole_writes import is_part

_SIZES = (1, 1000, 60_000)
_SAVES_IN_LONGEST_LIFE = 5


def values_of(step: int) -> list[Any]:
    """Returns the arrays that the save of a number writes."""
    generator = np.random.default_rng(step)
    return [generator.random(size, np.float32) for size in _SIZES]


def _check(step: int, arrays: list[Any]) -> int:
    for found, expected in zip(arrays, values_of(step), strict=True):
        np.testing.assert_array_equal(found, expected)
    return step


class OverwrittenFiles:
    """Checkpoint files that are written under one name again and again."""

    def __init__(self, folder: str) -> None:
        from millrace._src.checkpoint.bundle.reader import BundleReader
        from millrace._src.checkpoint.bundle.writer import BundleWriter

        self._reader, self._writer, self._prefix = BundleReader, BundleWriter, f"{folder}/model"

    def restore(self) -> int:
        """Checks what is there, and returns its number; 0 if nothing is there."""
        try:
            reader = self._reader(self._prefix)
        except tf.errors.NotFoundError:
            return 0
        with reader:
            return _check(int(reader.read("step")), [reader.read(f"value{i}") for i in range(len(_SIZES))])

    def save(self, step: int) -> None:
        """Writes the arrays of a number, into one data file or two."""
        with self._writer(self._prefix, 1 + step % 2) as writer:
            writer.add("step", np.int64(step))
            for number, value in enumerate(values_of(step)):
                writer.add(f"value{number}", value, shard=step % 2)


class _Objects:
    """Variables in a checkpoint."""

    is_written = False
    """Whether the checkpoint is one of `write`, which has no number."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.step = tf.Variable(0, dtype=tf.int64)
        self.values = [tf.Variable(tf.zeros([size])) for size in _SIZES]
        self.checkpoint = tf.train.Checkpoint(step=self.step, values=self.values)

    def found(self, path: str | None) -> int:
        """Restores a checkpoint, checks it, and returns its number."""
        if path is None:
            return 0
        reading = self.checkpoint.read if self.is_written else self.checkpoint.restore
        reading(path).assert_consumed()
        return _check(int(self.step), [value.numpy() for value in self.values])

    def become(self, step: int) -> None:
        """Gives the variables the arrays of a number."""
        self.step.assign(step)
        for variable, value in zip(self.values, values_of(step), strict=True):
            variable.assign(value)


class OverwrittenCheckpoint(_Objects):
    """`Checkpoint.write` under one name again and again."""

    is_written = True

    def restore(self) -> int:
        path = f"{self.folder}/model"
        return self.found(path if tf.compat.v1.train.checkpoint_exists(path) else None)

    def save(self, step: int) -> None:
        self.become(step)
        self.checkpoint.write(f"{self.folder}/model")


class NumberedCheckpoints(_Objects):
    """`Checkpoint.save`, which keeps all checkpoints."""

    def restore(self) -> int:
        return self.found(tf.train.latest_checkpoint(self.folder))

    def save(self, step: int) -> None:
        self.become(step)
        self.checkpoint.save(f"{self.folder}/model")


class ManagedCheckpoints(_Objects):
    """A manager, which removes old checkpoints."""

    def restore(self) -> int:
        manager = self._manager()
        for path in manager.checkpoints:
            assert tf.compat.v1.train.checkpoint_exists(path), f"the state names {path}, which is missing"
        return self.found(manager.latest_checkpoint)

    def _manager(self) -> Any:
        return tf.train.CheckpointManager(self.checkpoint, self.folder, max_to_keep=2)

    def save(self, step: int) -> None:
        self.become(step)
        self._manager().save(checkpoint_number=step)


class SavedModels:
    """A SavedModel that is saved into one folder again and again."""

    def __init__(self, folder: str) -> None:
        self._folder = f"{folder}/model"

    def restore(self) -> int:
        if not tf.saved_model.contains_saved_model(self._folder):
            return 0
        loaded = tf.saved_model.load(self._folder)
        assert int(loaded.number()) == int(loaded.step), "the graph and the variables are of two saves"
        return _check(int(loaded.step), [value.numpy() for value in loaded.values])

    def save(self, step: int) -> None:
        model = tf.Module()
        model.step = tf.Variable(step, dtype=tf.int64)
        model.values = [tf.Variable(value) for value in values_of(step)]
        model.number = tf.function(lambda: tf.constant(step, tf.int64), input_signature=[])
        tf.saved_model.save(model, self._folder)


KINDS: dict[str, Callable[[str], Any]] = {
    "overwritten-files": OverwrittenFiles,
    "overwritten-checkpoint": OverwrittenCheckpoint,
    "numbered-checkpoints": NumberedCheckpoints,
    "managed-checkpoints": ManagedCheckpoints,
    "saved-models": SavedModels,
}


@contextmanager
def _saver(kind: str, folder: str) -> Iterator[tuple[int, int]]:
    """Forks a process that saves in a loop; yields its id, and a pipe into which it writes the numbers of its saves."""
    reading_end, writing_end = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading_end)
        try:
            saver = KINDS[kind](folder)
            step = saver.restore()
            os.write(writing_end, step.to_bytes(8, "little"))
            while True:
                step += 1
                saver.save(step)
                os.write(writing_end, step.to_bytes(8, "little"))
        finally:  # only an error leads here
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]  # there is an error
            os._exit(1)
    os.close(writing_end)
    try:
        yield process, reading_end
    finally:
        os.close(reading_end)


def _life_and_death(kind: str, folder: str, life: float) -> int:
    """Lets a saver live for some seconds after its restoring; returns the number of its last save."""
    with _saver(kind, folder) as (process, pipe):
        first = os.read(pipe, 8)  # the saver has restored
        time.sleep(life)
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        assert first and os.WIFSIGNALED(status), "the saver failed by itself"
        said = first
        while piece := os.read(pipe, 1 << 16):
            said += piece
    return int.from_bytes(said[-8:], "little")


def _seconds_of_a_save(kind: str) -> float:
    """Saves elsewhere: this process then has loaded what a save needs, and so have those that it forks."""
    with tempfile.TemporaryDirectory() as folder:
        saver = KINDS[kind](folder)
        seconds = []
        for step in range(1, 4):
            begin = time.perf_counter()
            saver.save(step)
            seconds.append(time.perf_counter() - begin)
        saver.restore()
    return min(seconds)


def main(kind: str, count: int, seed: int, folder: str) -> None:
    """Kills savers, and checks what each has left."""
    chance = random.Random(seed)
    interrupted_count = 0
    longest_life = _SAVES_IN_LONGEST_LIFE * _seconds_of_a_save(kind)
    for _ in range(count):
        last_step = _life_and_death(kind, folder, chance.random() * longest_life)
        entries = [entry for _, folders, files in os.walk(folder) for entry in (*folders, *files)]
        interrupted_count += any(is_part(entry) or entry.endswith(".next") for entry in entries)
        found_step = KINDS[kind](folder).restore()
        assert found_step >= last_step, f"save {last_step} had ended, but {found_step} is found"
    print(f"{kind}: {count} kills, {interrupted_count} within a save, {found_step} saves")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
