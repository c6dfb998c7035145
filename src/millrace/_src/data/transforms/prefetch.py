"""`Dataset.prefetch`: elements that are made while the consumer works."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.debug_mode import is_debugging
from millrace._src.data.idle_filling import FilledWhenIdle, fill_when_idle
from millrace._src.data.nodes import DATASET, PassContext, SameElementsNode, node_of, scalar_of
from millrace._src.data.parallelism import AUTOTUNE
from millrace._src.data.prefetch_buffer import MAX_BYTES, AheadCursor
from millrace._src.data.prefetch_trials import AheadTrial

_FIRST_ROOM, _LARGEST_ROOM = 2, 32
"""How many elements are made ahead at first, and at most, where the runtime chooses."""


@dataclass(eq=False, repr=False)
class PrefetchNode(SameElementsNode):
    """The elements of the source, some of which may be made before they are asked for."""

    room: int

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        source = self.source.cursor(context)
        if not self.room:
            return source
        # Where no program can tell when elements are made, cheap ones are not made ahead.
        is_seen = not self.source.reads_ahead
        return PrefetchCursor(source, self.room, fills_when_idle=is_seen, context=context)

    @property
    def works_ahead(self) -> bool:
        """Whether elements are made ahead: a prefetch without room says that none are to be."""
        return True


@dataclass(eq=False, repr=False)
class InjectedPrefetchNode(PrefetchNode):
    """The elements of a whole pipeline, which are made ahead where that saves time: see `optimizer`."""

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        source = self.source.cursor(context)
        return PrefetchCursor(source, AUTOTUNE, is_seen=not self.source.reads_ahead, context=context)


def buffer_bytes(context: PassContext) -> int:
    """Returns the size from which on a buffer is full, as far as the options of a pass say."""
    budget = None if context.options is None else context.options.autotune.ram_budget
    return MAX_BYTES if budget is None else min(MAX_BYTES, budget)


class PrefetchCursor(Cursor, FilledWhenIdle):
    """Makes elements ahead where a trial says that this pays, and where the consumer pauses.

    Until then elements come straight from the source: cheap ones cost two looks at the clock.

    Args:
      source: the cursor.
      room: how many elements may be made ahead; `AUTOTUNE` for some, and more where these are not enough.
      fills_when_idle: whether the buffer is filled in any case when the consumer pauses.
      is_seen: whether somebody can tell when elements are made, so that only those that take long are made ahead.
      context: the pass, whose options say how many bytes there may be in the buffer.
    """

    __slots__ = (
        "__weakref__",
        "_asked",
        "_buffer",
        "_fills_when_idle",
        "_is_plain",
        "_is_watched",
        "_quick",
        "_room",
        "_context",
        "_seen",
        "_source",
        "_trial",
    )

    def __init__(
        self,
        source: Cursor,
        room: int,
        *,
        fills_when_idle: bool = False,
        is_seen: bool = False,
        context: PassContext,
    ) -> None:
        self._source, self._room, self._context = source, room, context
        self._trial = AheadTrial(_FIRST_ROOM if room == AUTOTUNE else room, needs_idle_consumer=True, is_seen=is_seen)
        self._buffer: AheadCursor | None = None
        self._fills_when_idle = fills_when_idle
        self._is_plain = not fills_when_idle  # whether elements come straight from the source
        self._quick = 0  # how many elements have come since the trial was told of some
        self._is_watched = False
        self._asked = 0  # how often the consumer has asked
        self._seen = 0  # how often it had asked when the last look was taken

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements."""
        if not self._is_plain:
            return self._next_of_buffer(limit)
        trial = self._trial
        began = perf_counter()
        block = self._source.next_block(limit)
        now = perf_counter()
        count = self._quick + (0 if block is None else block.count)
        if now - began < trial.least:
            self._quick = count
            return block
        self._quick = 0
        trial.note(count, began, now)
        if trial.is_ahead and block is not None:
            self._is_plain = False
            self._ensure_buffer().set_room(self._first_room)
        return block

    @property
    def _first_room(self) -> int:
        return _FIRST_ROOM if self._room == AUTOTUNE else self._room

    def _ensure_buffer(self) -> AheadCursor:
        """Returns the buffer, which is made when it is first used."""
        if self._buffer is None:
            most_room = _LARGEST_ROOM if self._room == AUTOTUNE else 0
            self._buffer = AheadCursor(self._source, most_room=most_room, most_bytes=buffer_bytes(self._context))
        return self._buffer

    def _next_of_buffer(self, limit: int) -> Block | None:
        """Returns the next elements, some of which may have been made ahead."""
        trial, buffer = self._trial, self._ensure_buffer()
        self._asked += 1
        if not trial.is_ahead and not buffer.is_idle:
            return buffer.next_block(limit)  # what a pause has filled says nothing of the time that elements take
        was_ahead = trial.is_ahead
        trial.start()
        block = buffer.next_block(limit)
        trial.stop(0 if block is None else block.count)
        if trial.is_ahead is not was_ahead:
            buffer.set_room(self._first_room if trial.is_ahead else 0)
        elif not was_ahead:
            self._wait_for_pause(block is None)
        return block

    def _wait_for_pause(self, has_ended: bool) -> None:
        """Lets the buffer be filled when the consumer pauses, where that is promised."""
        if not self._fills_when_idle:
            self._is_plain = self._ensure_buffer().is_idle
        elif not self._is_watched and not has_ended:
            self._is_watched = True
            fill_when_idle(self)

    def fill_if_idle(self) -> bool:
        """Begins to fill the buffer if the consumer has not asked since the last look."""
        if self._trial.is_ahead:
            self._is_watched = False
            return True
        if self._seen != self._asked:
            self._seen = self._asked
            return False
        self._is_watched = False
        if self._ensure_buffer().fill_once(self._first_room):
            return True
        self._is_watched = True
        return False

    def skip(self, count: int) -> int:
        """Passes over the elements of the source, unless some have been made."""
        return self._source.skip(count) if self._buffer is None else self._buffer.skip(count)

    def save(self) -> State:
        """Returns the elements that were made ahead, and the state of the source."""
        return self._ensure_buffer().save()

    def restore(self, state: State) -> None:
        """Goes on from a state, whose elements come first."""
        self._is_plain = False
        self._ensure_buffer().restore(state)

    def close(self) -> None:
        """Makes no further elements, and closes the source."""
        if self._buffer is None:
            self._source.close()
        else:
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


def prefetch(self: DatasetBase, buffer_size: object, name: str | None = None) -> Any:
    """Lets elements be made while the consumer works on those before them.

    A thread does that where an element takes long and the consumer leaves time, as measured; where functions have
    effects, also whenever the consumer pauses, until `buffer_size` elements are there. Of a pipeline that does not end
    with `prefetch`, a few elements are made ahead where that saves time: see `inject_prefetch` in
    `tf.data.experimental.OptimizationOptions`.

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
