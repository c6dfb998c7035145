"""`tf.queue`: queues of tensors between threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int32, int64
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.ops import raw
from millrace._src.ops.queue import queue_ops
from millrace._src.ops.random.seeds import get_seed
from millrace._src.util.export import export

_UNKNOWN = TensorShape(None)


@export(
    "queue.QueueBase",
    v1=["queue.QueueBase", "QueueBase", "io.QueueBase"],
)
class QueueBase:
    """A queue whose elements are tuples of tensors: who enqueues waits for room, who dequeues waits for elements.

    Make one of its kinds, such as a `tf.queue.FIFOQueue`.

    >>> isinstance(tf.queue.FIFOQueue(2, [tf.int32]), tf.queue.QueueBase)
    True

    Args:
      dtypes: the dtypes of the tensors of an element.
      shapes: their shapes; None if each element may have others.
      names: names of the tensors, for elements that are dicts; None for tuples.
      queue_ref: the handle of the queue.

    Raises: ValueError: if there are not as many shapes or names as dtypes.
    """

    def __init__(self, dtypes: Sequence[Any], shapes: Any, names: Sequence[str] | None, queue_ref: Any) -> None:
        self._dtypes = [as_dtype(dtype) for dtype in dtypes]
        if shapes is not None and len(shapes) != len(self._dtypes):
            raise ValueError(
                "Queue shapes must have the same length as dtypes, "
                f"received len(shapes)={len(shapes)}, len(dtypes)={len(self._dtypes)}"
            )
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError(
                f"Queue names must have the same length as dtypes,received len(names)={len(names)},"
                f"len {len(self._dtypes)}"
            )
        self._shapes = [_UNKNOWN] * len(self._dtypes) if shapes is None else [TensorShape(shape) for shape in shapes]
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1] if isinstance(queue_ref, SymbolicTensor) else "Empty"

    @staticmethod
    def from_list(index: object, queues: Sequence[QueueBase]) -> QueueBase:
        """Returns the queue at a position, which may be a tensor, of several queues of the same elements.

        Args:
          index: the position, a scalar of int32.
          queues: the queues.

        Raises: TypeError: if something else than queues is given, or queues of other dtypes or names.
        """
        if not queues or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [_common_shape(each) for each in zip(*(queue.shapes for queue in queues), strict=True)]
        handles = raw.Pack(values=[queue.queue_ref for queue in queues])
        chosen = raw.GatherV2(params=handles, indices=convert_to_tensor(index), axis=0)
        return QueueBase(first.dtypes, shapes, first.names, chosen)

    @property
    def queue_ref(self) -> Any:
        """The handle of the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The full name of the queue's operation in a graph; "Empty" in eager mode."""
        handle = self._queue_ref
        name: str = handle.op.name if isinstance(handle, SymbolicTensor) else self._name
        return name

    @property
    def dtypes(self) -> list[DType]:
        """The dtypes of the tensors of an element."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the tensors of an element, as far as all elements have them."""
        return self._shapes

    @property
    def names(self) -> Sequence[str] | None:
        """The names of the tensors of an element; None if elements are tuples."""
        return self._names

    # --- enqueuing -----------------------------------------------------------------------------------------------

    def _components(self, vals: Any) -> list[Any]:
        """Returns the tensors of an element, or of stacked elements.

        Raises: ValueError: if names are missing or too many, or there are no names.
        """
        if not isinstance(vals, Mapping):
            if self._names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            values = list(vals) if isinstance(vals, (list, tuple)) else [vals]
        elif not self._names:
            raise ValueError("Queue must have names to enqueue a dictionary")
        elif sorted(vals) != sorted(self._names):
            raise ValueError(
                "Keys in dictionary to enqueue do not match names of Queue.  "
                f"Dictionary: {sorted(vals)},Queue: {sorted(self._names)}"
            )
        else:
            values = [vals[name] for name in self._names]
        return [
            convert_to_tensor(value, dtype=dtype, name=f"component_{index}")
            for index, (value, dtype) in enumerate(zip(values, self._dtypes))
        ]

    def enqueue(self, vals: object, name: str | None = None) -> Any:
        """Puts one element into the queue, waiting for room.

        Args:
          vals: a tensor, a tuple of tensors, or a dict of them by name.
          name: name of the operation in a graph.

        Returns: The operation in a graph, else None.
        Raises:
          ValueError: if shapes or names are others than those of the queue.
          tf.errors.CancelledError: if the queue is closed.
        """
        with name_scope(name, f"{self._name}_enqueue") as scope:
            components = self._components(vals)
            for component, shape in zip(components, self._shapes):
                component.shape.assert_is_compatible_with(shape)
            return queue_ops.enqueue(self._queue_ref, components, name=scope)

    def enqueue_many(self, vals: object, name: str | None = None) -> Any:
        """Puts elements, stacked in each tensor, into the queue, each as soon as there is room.

        Args:
          vals: a tensor, a tuple of tensors, or a dict of them by name; the first axis counts the elements.
          name: name of the operation in a graph.

        Returns: The operation in a graph, else None.
        Raises:
          ValueError: if shapes or names are others than those of the queue.
          tf.errors.CancelledError: if the queue is closed.
        """
        with name_scope(name, f"{self._name}_EnqueueMany") as scope:
            components = self._components(vals)
            count = TensorShape([None])
            for component, shape in zip(components, self._shapes):
                found = component.shape.with_rank_at_least(1)
                count = _merge_counts(count, found)
                found[1:].assert_is_compatible_with(shape)
            return queue_ops.enqueue_many(self._queue_ref, components, name=scope)

    # --- dequeuing -----------------------------------------------------------------------------------------------

    def _element(self, tensors: list[Any]) -> Any:
        """Returns tensors as users get them: a dict, a single tensor or a list."""
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    def _set_shapes(self, tensors: Any, lead: TensorShape) -> Any:
        """Sets the shapes of tensors of a graph to those of the queue's elements."""
        if state.graph is not None:
            for tensor, shape in zip(tensors, self._shapes, strict=True):
                tensor.set_shape(lead.concatenate(shape))
        return self._element(list(tensors))

    def dequeue(self, name: str | None = None) -> Any:
        """Takes one element out of the queue, waiting for one.

        Args: name: name of the operation in a graph.
        Returns: The element: a tensor, a list of tensors, or a dict of them by name.
        Raises: tf.errors.OutOfRangeError: if the queue is closed and empty.
        """
        name = name or f"{self._name}_Dequeue"
        tensors = queue_ops.dequeue(self._queue_ref, component_types=self._dtypes, name=name)
        return self._set_shapes(tensors, TensorShape([]))

    def dequeue_many(self, n: object, name: str | None = None) -> Any:
        """Takes elements out of the queue, waiting for all of them, and stacks them.

        Args:
          n: how many, a scalar of int32.
          name: name of the operation in a graph.

        Returns: The elements: a tensor, a list of tensors, or a dict of them by name.
        Raises:
          tf.errors.OutOfRangeError: if the queue is closed and has not so many.
          tf.errors.InvalidArgumentError: if the queue knows no shapes of its elements.
        """
        return self._some(queue_ops.dequeue_many, n, name or f"{self._name}_DequeueMany")

    def dequeue_up_to(self, n: object, name: str | None = None) -> Any:
        """Takes elements out of the queue and stacks them, fewer than asked for at the end of a closed queue.

        Args:
          n: how many, a scalar of int32.
          name: name of the operation in a graph.

        Returns: The elements: a tensor, a list of tensors, or a dict of them by name.
        Raises:
          tf.errors.OutOfRangeError: if the queue is closed and empty.
          tf.errors.InvalidArgumentError: if the queue knows no shapes of its elements.
        """
        return self._some(queue_ops.dequeue_up_to, n, name or f"{self._name}_DequeueUpTo")

    def _some(self, take: Any, n: Any, name: str) -> Any:
        n = n if isinstance(n, SymbolicTensor) else convert_to_tensor(n, dtype=int32) if state.graph is None else n
        tensors = take(self._queue_ref, n, component_types=self._dtypes, name=name)
        return self._set_shapes(tensors, TensorShape([None]))

    # --- the queue -----------------------------------------------------------------------------------------------

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Lets the queue take no more elements; elements that are in it can be taken out.

        Args:
          cancel_pending_enqueues: whether those who wait for room get a `tf.errors.CancelledError`; else they wait on.
          name: name of the operation in a graph.

        Returns: The operation in a graph, else None.
        Raises: tf.errors.CancelledError: if the queue is closed already, and nothing is to be cancelled.
        """
        name = name or f"{self._name}_Close"
        return queue_ops.close(self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def is_closed(self, name: str | None = None) -> Any:
        """Returns whether the queue takes no more elements, a scalar of bool."""
        return queue_ops.is_closed(self._queue_ref, name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Any:
        """Returns how many elements are in the queue, a scalar of int32."""
        return queue_ops.size(self._queue_ref, name=name or f"{self._name}_Size")


def _merge_counts(count: TensorShape, found: TensorShape) -> TensorShape:
    """Returns the number of stacked elements, from what is known and the shape of one more tensor.

    Raises: ValueError: if the tensor has another number of elements.
    """
    first, second = count.as_list()[0], None if found.rank is None else found.as_list()[0]
    if None not in (first, second) and first != second:
        raise ValueError(f"Dimensions {first} and {second} are not compatible")
    return TensorShape([second if first is None else first])


def _common_shape(shapes: Sequence[TensorShape]) -> TensorShape:
    common, *others = shapes
    for shape in others:
        common = common.most_specific_compatible_shape(shape)
    return common


def _as_types(dtypes: object) -> list[DType]:
    return [as_dtype(dtype) for dtype in dtypes] if isinstance(dtypes, (list, tuple)) else [as_dtype(dtypes)]


def _as_shapes(shapes: Any, dtypes: list[DType], is_partial: bool = False) -> list[TensorShape] | None:
    """Returns the shapes of a queue's elements, of which a single one may be given alone.

    Raises: ValueError: if shapes are not fully known, where they must be.
    """
    if shapes is None:
        return None
    if not is_partial and isinstance(shapes, TensorShape) or _is_one_shape(shapes, dtypes):
        shapes = [shapes]
    found = [TensorShape(shape) for shape in shapes]
    if not is_partial and not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    return found


def _is_one_shape(shapes: object, dtypes: list[DType]) -> bool:
    return isinstance(shapes, (list, tuple)) and len(dtypes) == 1 and all(isinstance(dim, int) for dim in shapes)


def _as_names(names: Any, dtypes: list[DType]) -> list[str] | None:
    """Returns the names of the tensors of an element.

    Raises: ValueError: if there are not as many names as dtypes.
    """
    if names is None or not isinstance(names, (list, tuple)):
        return None if names is None else [names]
    if len(names) != len(dtypes):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, "
            f"received len(names)={len(names)},len(dtypes)={len(dtypes)}"
        )
    return list(names)


@export("queue.FIFOQueue", v1=["queue.FIFOQueue", "FIFOQueue"])
class FIFOQueue(QueueBase):
    """A queue whose elements come out as they came in.

    >>> queue = tf.queue.FIFOQueue(capacity=3, dtypes=[tf.int32], shapes=[[]])
    >>> queue.enqueue(1)
    >>> queue.enqueue_many([[2, 3]])
    >>> queue.dequeue_many(2).numpy()
    array([1, 2], dtype=int32)

    Args:
      capacity: how many elements there may be; -1 for any number.
      dtypes: the dtypes of the tensors of an element.
      shapes: their shapes, fully known; None if each element may have others.
      names: names of the tensors, for elements that are dicts; None for tuples.
      shared_name: the name under which several objects are one queue.
      name: name of the operation in a graph.

    Raises: ValueError: if shapes are not fully known, or there are not as many names as dtypes.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        types = _as_types(dtypes)
        known = _as_shapes(shapes, types)
        labels = _as_names(names, types)
        with init_scope():
            handle = queue_ops.fifo_queue(
                component_types=types, shapes=known or [], capacity=capacity, shared_name=shared_name or "", name=name
            )
        super().__init__(types, known, labels, handle)


@export(
    "queue.PaddingFIFOQueue",
    v1=["queue.PaddingFIFOQueue", "PaddingFIFOQueue", "io.PaddingFIFOQueue"],
)
class PaddingFIFOQueue(QueueBase):
    """A queue whose elements come out as they came in; several of them are filled up with zeros to one shape.

    >>> queue = tf.queue.PaddingFIFOQueue(capacity=3, dtypes=[tf.int32], shapes=[[None]])
    >>> queue.enqueue([[1, 2]])
    >>> queue.enqueue([[3]])
    >>> queue.dequeue_many(2).numpy()
    array([[1, 2],
           [3, 0]], dtype=int32)

    Args:
      capacity: how many elements there may be; -1 for any number.
      dtypes: the dtypes of the tensors of an element.
      shapes: their shapes, in which dimensions may be None.
      names: names of the tensors, for elements that are dicts; None for tuples.
      shared_name: the name under which several objects are one queue.
      name: name of the operation in a graph.

    Raises: ValueError: if there is no shape for each dtype, or a shape has no rank.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        types = _as_types(dtypes)
        known = _as_shapes(shapes, types, is_partial=True) or []
        labels = _as_names(names, types)
        if any(shape.rank is None for shape in known) or not known:
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        if len(known) != len(types):
            raise ValueError(
                f"Shapes must be provided for all components, but received {len(types)} dtypes and {len(known)} shapes."
            )
        with init_scope():
            handle = queue_ops.padding_fifo_queue(
                component_types=types, shapes=known, capacity=capacity, shared_name=shared_name or "", name=name
            )
        super().__init__(types, known, labels, handle)


@export("queue.PriorityQueue", v1=["queue.PriorityQueue", "PriorityQueue", "io.PriorityQueue"])
class PriorityQueue(QueueBase):
    """A queue whose elements begin with a number: the smallest comes out first.

    >>> queue = tf.queue.PriorityQueue(capacity=3, types=[tf.string], shapes=[[]])
    >>> queue.enqueue((2, "later"))
    >>> queue.enqueue((1, "sooner"))
    >>> queue.dequeue()[1].numpy()
    b'sooner'

    Args:
      capacity: how many elements there may be; -1 for any number.
      types: the dtypes of the tensors of an element, without the number, which is an int64.
      shapes: their shapes, fully known; None if each element may have others.
      names: names of the tensors, for elements that are dicts; None for tuples.
      shared_name: the name under which several objects are one queue.
      name: name of the operation in a graph.

    Raises: ValueError: if shapes are not fully known, or there are not as many names as tensors.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        others = _as_types(types)
        known = _as_shapes(shapes, others)
        with init_scope():
            handle = queue_ops.priority_queue(
                component_types=others, shapes=known or [], capacity=capacity, shared_name=shared_name or "", name=name
            )
        all_types = [int64, *others]
        all_shapes = None if known is None else [TensorShape([]), *known]
        super().__init__(all_types, all_shapes, _as_names(names, all_types), handle)


@export(
    "queue.RandomShuffleQueue",
    v1=["queue.RandomShuffleQueue", "RandomShuffleQueue", "io.RandomShuffleQueue"],
)
class RandomShuffleQueue(QueueBase):
    """A queue whose elements come out in random order.

    >>> queue = tf.queue.RandomShuffleQueue(capacity=20, min_after_dequeue=0, dtypes=[tf.int32], shapes=[[]], seed=7)
    >>> queue.enqueue_many([list(range(10))])
    >>> sorted(queue.dequeue_many(10).numpy().tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

    Args:
      capacity: how many elements there may be; -1 for any number.
      min_after_dequeue: how many elements stay in the queue until it is closed.
      dtypes: the dtypes of the tensors of an element.
      shapes: their shapes, fully known; None if each element may have others.
      names: names of the tensors, for elements that are dicts; None for tuples.
      seed: the seed of the order; see `tf.random.set_seed`.
      shared_name: the name under which several objects are one queue.
      name: name of the operation in a graph.

    Raises:
      ValueError: if shapes are not fully known, or there are not as many names as dtypes.
      tf.errors.InvalidArgumentError: if `min_after_dequeue` is negative, or not below `capacity`.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        types = _as_types(dtypes)
        known = _as_shapes(shapes, types)
        labels = _as_names(names, types)
        seed1, seed2 = get_seed(seed)
        with init_scope():
            handle = queue_ops.random_shuffle_queue(
                component_types=types,
                shapes=known or [],
                capacity=capacity,
                min_after_dequeue=min_after_dequeue,
                seed=seed1 or 0,
                seed2=seed2 or 0,
                shared_name=shared_name or "",
                name=name,
            )
        super().__init__(types, known, labels, handle)
