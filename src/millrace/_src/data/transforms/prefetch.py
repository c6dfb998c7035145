"""`Dataset.prefetch`: elements that are made while the consumer works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.ahead import AheadCursor
from millrace._src.data.base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.debug_mode import is_debugging
from millrace._src.data.nodes import DATASET, Run, UnaryNode, node_of, scalar_of
from millrace._src.data.parallelism import AUTOTUNE
from millrace._src.data.trials import Trial

_AUTOTUNED_ROOM = 8


@dataclass(eq=False, repr=False)
class PrefetchNode(UnaryNode):
    """The elements of the source, some of which may be made before they are asked for."""

    room: int

    def cardinality(self) -> int:
        """Returns the number of elements of the source."""
        return self.source.cardinality()

    @property
    def is_random_access(self) -> bool:
        """Whether the source is."""
        return self.source.is_random_access

    def slice(self, start: int, stop: int) -> Block:
        """Returns the elements of the source."""
        return self.source.slice(start, stop)

    def picked(self, indices: Array) -> Block:
        """Returns the elements of the source."""
        return self.source.picked(indices)

    def cursor(self, run: Run) -> Cursor:
        """Starts a pass over the source."""
        source = self.source.cursor(run)
        return PrefetchCursor(source, self.room) if self.room else source


class PrefetchCursor(Cursor):
    """Makes elements ahead where a trial says that this pays.

    Args:
      source: the cursor.
      room: how many elements may be made ahead; `AUTOTUNE` for some.
    """

    __slots__ = ("_buffer", "_room", "_trial")

    def __init__(self, source: Cursor, room: int) -> None:
        self._buffer = AheadCursor(source)
        self._room = _AUTOTUNED_ROOM if room == AUTOTUNE else room
        self._trial = Trial(self._room, needs_idle_consumer=True)

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements."""
        trial = self._trial
        trial.start()
        block = self._buffer.next_block(limit if trial.is_ahead else min(limit, trial.inline_limit))
        was_ahead = trial.is_ahead
        trial.stop(0 if block is None else block.count)
        if trial.is_ahead is not was_ahead:
            self._buffer.set_room(self._room if trial.is_ahead else 0)
        return block

    def skip(self, count: int) -> int:
        """Passes over the elements of the source, unless some have been made."""
        return self._buffer.skip(count)

    def save(self) -> State:
        """Returns the elements that were made ahead, and the state of the source."""
        return self._buffer.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._buffer.restore(state)

    def close(self) -> None:
        """Makes no further elements, and closes the source."""
        self._buffer.close()


@op("PrefetchDataset", "input_dataset: variant, buffer_size: int64 -> handle: variant", **DATASET)
def prefetch_dataset(
    xp: Xp,
    input_dataset: Array,
    buffer_size: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    slack_period: int = 0,
    legacy_autotune: bool = True,
    buffer_size_min: int = 0,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the same elements, some of which may be made before they are asked for."""
    room = scalar_of(buffer_size, "buffer_size")
    if room < AUTOTUNE:
        raise errors.InvalidArgumentError(
            None, None, "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning"
        )
    return PrefetchNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), room)


def prefetch(self: DatasetBase, buffer_size: Any, name: str | None = None) -> Any:
    """Lets elements be made while the consumer works on those before them.

    A thread does that where an element takes long and the consumer leaves time, as measured.

    >>> list(tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]

    Args:
      buffer_size: how many elements may be made ahead at most, a scalar of int64; None or `tf.data.AUTOTUNE` lets the
        runtime choose.
      name: a name for the dataset.

    Returns: A Dataset of the same elements.
    Raises: tf.errors.InvalidArgumentError: if the number is below -1.
    """
    if is_debugging():
        return self
    room = AUTOTUNE if buffer_size is None else buffer_size
    return apply_op(
        "_PrefetchDataset",
        prefetch_dataset,
        [self, int64_tensor(room, "buffer_size")],
        self.element_spec,
        inputs=[self],
        name=name,
        legacy_autotune=room is AUTOTUNE or isinstance(room, int) and room == AUTOTUNE,
    )
