"""Batches by queues: `tf.compat.v1.train.batch`, `shuffle_batch` and their kin.

Each run of an enqueue operation puts one element, or several, into a queue; each run of what the functions return takes
a batch out. All eight functions are the same steps, told apart by a `_Plan`: which queue, which elements are kept, and
whether elements come from one source or from several, each with a thread of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.compat_v1.train.input_producers import refuse_eager
from millrace._src.compat_v1.train.queue_runner import QueueRunner, add_queue_runner
from millrace._src.compat_v1.train.queue_summaries import note_fullness, note_fullness_over
from millrace._src.compat_v1.train.stored_sparse import restore, store_lists
from millrace._src.control_flow.cond import cond
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bool as bool_
from millrace._src.core.dtypes import int32
from millrace._src.core.shape_context import static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.partitioning import dynamic_partition
from millrace._src.ops.grouping import no_op
from millrace._src.ops.math.casting import cast
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.state.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue


@dataclass
class Plan:
    """How elements become batches.

    Attributes:
      batch_size: the number of elements of a batch.
      capacity: the most elements of the queue.
      default_name: the name of the operations, where the caller gives none.
      keep_input: whether an element is taken: a bool scalar; a vector, with `enqueue_many`, for each element.
      num_threads: how many threads enqueue the elements of one source.
      enqueue_many: whether a run gives several elements, stacked.
      shapes: the static shapes of an element's tensors; None for those of the tensors.
      dynamic_pad: whether elements of several shapes are filled up to the largest of the batch.
      allow_smaller_final_batch: whether the last batch may have fewer elements.
      shared_name: the name under which graphs of one session share the queue.
      name: the name of the operations.
      min_after_dequeue: the least number of elements that stay in a queue that shuffles; None for no shuffle.
      seed: the seed of the shuffle.
    """

    batch_size: Any
    capacity: int
    default_name: str
    keep_input: Any = True
    num_threads: int = 1
    enqueue_many: bool = False
    shapes: Any = None
    dynamic_pad: bool = False
    allow_smaller_final_batch: bool = False
    shared_name: str | None = None
    name: str | None = None
    min_after_dequeue: int | None = None
    seed: int | None = None

    def batch(self, tensors: object) -> Any:
        """Returns batches of the elements of one source.

        Args: tensors: the tensors of an element, in a list or a dict.
        """
        refuse_eager(ValueError)
        return self._batch([tensors], self.num_threads, "batch")

    def join(self, tensors_list: Any) -> Any:
        """Returns batches of the elements of several sources.

        Args: tensors_list: the tensors of an element of each source, in lists or dicts.
        """
        refuse_eager(ValueError)
        sources = list(tensors_list)
        if not sources:
            raise ValueError("Expected at least one set of tensors")
        return self._batch(sources, 1, "batch_join")

    def _batch(self, sources: Sequence[Any], num_threads: int, function: str) -> Any:
        keys = sorted(sources[0]) if isinstance(sources[0], Mapping) else None
        lists = [[source[key] for key in keys] if keys is not None else list(source) for source in sources]
        if any(not tensors for tensors in lists):
            raise ValueError(f"Expected at least one tensor in {function}().")
        with name_scope(self.name, self.default_name) as scope:
            lists = [[_as_tensor(tensor) for tensor in tensors] for tensors in lists]
            keep_input = self._validate_keep_input()
            stored, waiting = store_lists(lists, self.enqueue_many, keep_input)
            queue = self._queue(stored)
            enqueues = [self._enqueue(queue, tensors, keep_input) for tensors in stored]
            add_queue_runner(QueueRunner(queue, enqueues * num_threads))
            self._note_fullness(queue)
            take = queue.dequeue_up_to if self.allow_smaller_final_batch else queue.dequeue_many
            taken = take(self.batch_size, name=scope)
            batch = restore(taken if isinstance(taken, list) else [taken], waiting)
        if keys is not None:
            return dict(zip(keys, batch, strict=True))
        return batch[0] if len(batch) == 1 else batch

    def _validate_keep_input(self) -> Any:
        keep_input = convert_to_tensor(self.keep_input, dtype=bool_)
        rank = keep_input.shape.rank
        if rank is None:
            raise ValueError("`keep_input` dimensions must be known at graph construction.")
        if rank == 1 and not self.enqueue_many:
            raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
        if rank > 1:
            raise ValueError("`keep_input` must be 0 or 1 dimensions.")
        return keep_input

    def _queue(self, lists: Sequence[Sequence[Any]]) -> QueueBase:
        """Makes the queue, for tensors whose dtypes and shapes fit all sources."""
        dtypes = _common_dtypes(lists)
        shapes = self._shapes(lists)
        least = self.min_after_dequeue
        if least is not None:
            if least >= self.capacity:
                raise ValueError(f"capacity {self.capacity} must be bigger than min_after_dequeue {least}.")
            return RandomShuffleQueue(
                self.capacity, least, dtypes, shapes, seed=self.seed, shared_name=self.shared_name
            )
        kind = PaddingFIFOQueue if self.dynamic_pad else FIFOQueue
        return kind(self.capacity, dtypes, shapes, shared_name=self.shared_name)

    def _shapes(self, lists: Sequence[Sequence[Any]]) -> list[TensorShape]:
        if self.shapes is not None:
            return [TensorShape(shape) for shape in self.shapes]
        columns = [[_element_shape(tensor, self.enqueue_many) for tensor in column] for column in zip(*lists)]
        return [_merge(column) for column in columns]

    def _enqueue(self, queue: QueueBase, tensors: Sequence[Any], keep_input: Any) -> Any:
        enqueue = queue.enqueue_many if self.enqueue_many else queue.enqueue
        if keep_input.shape.rank == 1:
            partitions = cast(keep_input, int32)
            return queue.enqueue_many([dynamic_partition(tensor, partitions, 2)[1] for tensor in tensors])
        keeps = static_value(keep_input)
        if keeps is not None:
            return enqueue(tensors) if keeps else no_op()
        return cond(keep_input, lambda: enqueue(tensors), no_op).op

    def _note_fullness(self, queue: QueueBase) -> None:
        if self.min_after_dequeue is None:
            note_fullness(queue, self.capacity)
        else:
            note_fullness_over(queue, self.min_after_dequeue, self.capacity)


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, SparseTensor) else convert_to_tensor(value)


def _element_shape(tensor: Any, is_many: bool) -> TensorShape:
    return tensor.shape.with_rank_at_least(1)[1:] if is_many else tensor.shape


def _merge(shapes: Sequence[TensorShape]) -> TensorShape:
    merged, *others = shapes
    for shape in others:
        merged = merged.merge_with(shape)
    return merged


def _common_dtypes(lists: Sequence[Sequence[Any]]) -> list[Any]:
    dtypes = [tensor.dtype for tensor in lists[0]]
    for tensors in lists[1:]:
        others = [tensor.dtype for tensor in tensors]
        if any(dtype is not other for dtype, other in zip(dtypes, others)):
            names = (", ".join(dtype.name for dtype in each) for each in (dtypes, others))
            raise TypeError("Expected types to be consistent: {} vs. {}.".format(*names))
    return dtypes
