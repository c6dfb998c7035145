"""Which tensors of a checkpoint go to which of its data files."""

from __future__ import annotations

import abc
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from millrace._src.core.dtypes import string
from millrace._src.core.tensor import EagerTensor
from millrace._src.util.export import export


@export("train.experimental.ShardableTensor", v1=["train.experimental.ShardableTensor"])
@dataclass(frozen=True, eq=False)
class ShardableTensor:
    """A tensor that is to be saved, with what a `ShardingCallback` may ask of it.

    Attributes:
      tensor: the value.
      dtype: its dtype.
      device: its device, a `tf.DeviceSpec`.
      name: the key in the checkpoint, as `checkpoint_key`.
      shape: its shape.
      slice_spec: which part of a larger tensor the value is, as text; "" for a whole tensor.
      checkpoint_key: the key in the checkpoint.
      trackable: the object that the value belongs to.
    """

    _tensor_save_spec: Any
    tensor: Any
    dtype: Any
    device: Any
    name: str
    shape: Any
    slice_spec: str
    checkpoint_key: str
    trackable: Any

    def __hash__(self) -> int:
        return hash((self.name, self.dtype, str(self.device), self.checkpoint_key))

    def __repr__(self) -> str:
        return (
            f"ShardableTensor(checkpoint_key={self.checkpoint_key!r}, shape={self.shape}, dtype={self.dtype.name}, "
            f"slice_spec={self.slice_spec!r}, device={self.device})"
        )


@export("train.experimental.ShardingCallback", v1=["train.experimental.ShardingCallback"])
class ShardingCallback(abc.ABC):
    """Base of functions that distribute tensors over the data files of a checkpoint.

    A class defines `description` and `__call__`. The call takes the tensors of one task, and returns a mapping for each
    data file: from the key of a tensor to a mapping from `slice_spec` to the value.
    """

    @property
    @abc.abstractmethod
    def description(self) -> str:
        """What the callback does, in a sentence."""

    @abc.abstractmethod
    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Mapping[str, Mapping[str, Any]]]:
        """Returns what goes to each data file."""


@export("train.experimental.ShardByTaskPolicy", v1=["train.experimental.ShardByTaskPolicy"])
class ShardByTaskPolicy(ShardingCallback):
    """Writes a data file for each task of a cluster: in one process, one file."""

    @property
    def description(self) -> str:
        return "Split tensors into shards based on their device spec task."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Mapping[str, Mapping[str, Any]]]:
        """Returns what goes to each data file."""
        shards: dict[Any, dict[str, dict[str, Any]]] = {}
        for shardable in shardable_tensors:
            shard = shards.setdefault(shardable.device.task, {})
            shard.setdefault(shardable.checkpoint_key, {})[shardable.slice_spec] = shardable.tensor
        return list(shards.values())


@export("train.experimental.MaxShardSizePolicy", v1=["train.experimental.MaxShardSizePolicy"])
class MaxShardSizePolicy(ShardingCallback):
    """Writes data files of at most so many bytes; a larger tensor is saved in parts.

    The message of the objects, which is a string, is not counted.

    >>> import os, tempfile
    >>> policy = tf.train.experimental.MaxShardSizePolicy(max_shard_size=16)
    >>> options = tf.train.CheckpointOptions(experimental_sharding_callback=policy)
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(v=tf.Variable(tf.range(8))).write(os.path.join(folder, "c"), options)
    >>> len(os.listdir(folder))  # an index and two data files
    3

    Args: max_shard_size: the most bytes of a data file.
    Raises: ValueError: if `max_shard_size` is not positive.
    """

    def __init__(self, max_shard_size: int) -> None:
        if max_shard_size <= 0:
            raise ValueError(f"`max_shard_size` must be positive, got {max_shard_size}.")
        self.max_shard_size = max_shard_size

    @property
    def description(self) -> str:
        return "Split tensors into shards with a max shard size."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Mapping[str, Mapping[str, Any]]]:
        """Returns what goes to each data file."""
        shards: list[dict[str, dict[str, Any]]] = [{}]
        remaining = self.max_shard_size
        for shardable in shardable_tensors:
            for part in self._parts(shardable, remaining):
                if part.opens_file and shards[-1]:
                    shards.append({})
                shards[-1].setdefault(shardable.checkpoint_key, {})[part.slice_spec] = part.tensor
                remaining = part.remaining
        return shards

    def _parts(self, shardable: ShardableTensor, remaining: int) -> Iterator[_ShardPart]:
        """Yields a tensor, or the parts of it that go to one file after the other."""
        size = _bytes_of(shardable)
        if size <= remaining:
            yield _ShardPart(shardable.tensor, shardable.slice_spec, remaining - size, opens_file=False)
        elif not shardable.shape.rank or shardable.slice_spec:
            free = max(0, self.max_shard_size - size)
            yield _ShardPart(shardable.tensor, shardable.slice_spec, free, opens_file=True)
        else:
            yield from self._cut(shardable, size, remaining)

    def _cut(self, shardable: ShardableTensor, size: int, remaining: int) -> Iterator[_ShardPart]:
        """Cuts a tensor into boxes; each is the largest of those that fit which divide the rest evenly."""
        shape = shardable.shape.as_list()
        element = size // math.prod(shape)
        boxes: list[_Box] = [[(0, length) for length in shape]]
        opens_file = False
        while boxes:
            box = boxes.pop()
            cut = _best_cut([length for _, length in box], element, remaining)
            if cut is None and remaining < self.max_shard_size:
                opens_file, remaining = True, self.max_shard_size
                boxes.append(box)
                continue
            cut = cut or _smallest_cut(box)
            first, rest = _divide(box, *cut)
            boxes.extend(rest)
            if rest and element * _volume(first) > remaining:
                boxes.append(first)  # cut it further
                continue
            remaining = max(0, remaining - element * _volume(first))
            yield _ShardPart(_piece(shardable.tensor, first), _slice_spec(shape, first), remaining, opens_file)
            opens_file = False


_Box: TypeAlias = list[tuple[int, int]]
"""A part of a tensor: begin and length along each axis."""


@dataclass(frozen=True, slots=True)
class _ShardPart:
    """A tensor or a part of it, how much room the file then has, and whether the part begins a new file."""

    tensor: Any
    slice_spec: str
    remaining: int
    opens_file: bool


def _best_cut(shape: list[int], element: int, room: int) -> tuple[int, int] | None:
    """Returns the axis to cut along, and how far; None if no cut fits into the room."""
    size = element * math.prod(shape)
    if size <= room:
        return len(shape) - 1, shape[-1]
    if room < element:
        return None
    parts = math.ceil(size / room)
    best, most = None, 0
    for axis, length in enumerate(shape):
        for count in (math.ceil(length / parts), length // parts):
            taken = size // length * count
            if most < taken <= room:
                best, most = (axis, count), taken
    return best


def _smallest_cut(box: _Box) -> tuple[int, int]:
    """Returns the first axis that can be cut, and 1; for a single element the last axis."""
    return next((axis for axis, (_, length) in enumerate(box) if length > 1), len(box) - 1), 1


def _divide(box: _Box, axis: int, count: int) -> tuple[_Box, list[_Box]]:
    """Returns the begin of a box along an axis, and the rest, if there is any."""
    start, length = box[axis]
    first, rest = list(box), list(box)
    first[axis], rest[axis] = (start, count), (start + count, length - count)
    return first, [rest] if length > count else []


def _volume(box: _Box) -> int:
    return math.prod(length for _, length in box)


def _piece(tensor: Any, box: _Box) -> Any:
    return tensor[tuple(slice(start, start + length) for start, length in box)]


def _slice_spec(shape: Sequence[int], box: _Box) -> str:
    extents = ":".join(f"{start},{length}" for start, length in box)
    return f"{' '.join(map(str, shape))} {extents}"


def _bytes_of(shardable: ShardableTensor) -> int:
    """Returns how many bytes a tensor takes in a file; the strings of a graph, whose lengths are not known, none."""
    if shardable.trackable is None:
        return 0  # the message of the objects
    count = int(shardable.shape.num_elements() or 0)
    if shardable.dtype is string:
        return stored_size(shardable.tensor)
    return count * int(shardable.dtype.size)


def stored_size(tensor: object) -> int:
    """Returns how many bytes the strings of a tensor take, with a byte for the length of each, and a checksum."""
    if not isinstance(tensor, EagerTensor):
        return 0
    return sum(len(text) + 1 for text in tensor.numpy().ravel()) + 4 if tensor.shape.rank else 0


def distribute(
    shardable_tensors: Sequence[ShardableTensor], callback: ShardingCallback
) -> list[list[tuple[str, str, Any]]]:
    """Returns key, slice and value of each tensor, by data files, as a callback distributes them.

    Raises:
      TypeError: if the callback returns no sequence of mappings.
      ValueError: if the callback leaves a tensor out or makes up another.
    """
    shards = callback(shardable_tensors)
    rows = [
        [(key, slice_spec, tensor) for key, slices in shard.items() for slice_spec, tensor in slices.items()]
        for shard in shards
    ]
    given = {shardable.checkpoint_key for shardable in shardable_tensors}
    returned = {key for shard in rows for key, _, _ in shard}
    if given != returned:
        raise ValueError(
            f"The sharding callback ({callback.description}) left out the tensors {sorted(given - returned)} and "
            f"returned others: {sorted(returned - given)}."
        )
    return [shard for shard in rows if shard]
