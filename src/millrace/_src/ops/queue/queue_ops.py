"""The ops on queues: making them, putting elements in, taking elements out."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.handle_types import QueueHandle
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.kept_objects import keep_by_node
from millrace._src.ops.queue.queues import FirstInFirstOut, Queue, Shuffled, SmallestFirst, queue_of
from millrace._src.ops.shape_rules import UNKNOWN, no_outputs, scalar
from millrace._src.ops.type_sets import ANY, TypeList

_shared_queues: weakref.WeakValueDictionary[tuple[str, str], Queue] = weakref.WeakValueDictionary()
"""The queues with a shared name, by container and name."""
_shared_lock = threading.Lock()
_COMPONENTS = TypeList(ANY, minimum=1)
_NO_SHAPES: Any = ()


def _find_or_share(container: str, shared_name: str, make: Callable[[], Queue]) -> Queue:
    """Returns the queue of a shared name, which is made if no handle refers to it; without a name, a new queue.

    Raises: InvalidArgumentError: if the queue of that name is of another kind, or holds other elements.
    """
    made = make()
    if not shared_name:
        return made
    with _shared_lock:
        present = _shared_queues.setdefault((container, shared_name), made)
    facts = [(queue.kind, queue.dtypes, queue.shapes) for queue in (present, made)]
    if facts[0] != facts[1]:
        message = f"Shared queue '{shared_name}' is {facts[0]} but requested was {facts[1]}"
        raise errors.InvalidArgumentError(None, None, message)
    return present


def _declared_queue(c: ShapeContext) -> QueueHandle:
    dtypes, shapes = tuple(c.attr("component_types")), tuple(c.attr("shapes"))
    return QueueHandle(dtypes, shapes or (UNKNOWN,) * len(dtypes))


def _declared_priority_queue(c: ShapeContext) -> QueueHandle:
    dtypes, shapes = tuple(c.attr("component_types")), tuple(c.attr("shapes"))
    return QueueHandle((int64, *dtypes), (TensorShape([]), *(shapes or (UNKNOWN,) * len(dtypes))))


_MAKES: dict[str, Any] = {
    "shape": scalar,
    "component_types": _COMPONENTS,
    "handles": _declared_queue,
    "host_only": True,
    "makes_shared_object": True,
    "effects": Effects.RANDOM,
    "cacheable": False,
    "not_differentiable": "a queue is not a number",
    "not_batched": "it has no operands that could differ",
}


@keep_by_node
@op("FIFOQueueV2", "-> handle: resource", **_MAKES)
def fifo_queue(
    xp: Xp,
    *,
    component_types: list[DType],
    shapes: list[TensorShape] = _NO_SHAPES,
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> Any:
    """Makes a queue whose elements come out as they came in."""
    return _find_or_share(
        container,
        shared_name,
        lambda: Queue("FIFOQueue", component_types, shapes, capacity, FirstInFirstOut(), shared_name),
    )


@keep_by_node
@op("PaddingFIFOQueueV2", "-> handle: resource", **_MAKES)
def padding_fifo_queue(
    xp: Xp,
    *,
    component_types: list[DType],
    shapes: list[TensorShape] = _NO_SHAPES,
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> Any:
    """Makes a queue whose elements come out as they came in, several of them filled up to one shape."""
    return _find_or_share(
        container,
        shared_name,
        lambda: Queue("PaddingFIFOQueue", component_types, shapes, capacity, FirstInFirstOut(), shared_name),
    )


@keep_by_node
@op("RandomShuffleQueueV2", "-> handle: resource", **_MAKES)
def random_shuffle_queue(
    xp: Xp,
    *,
    component_types: list[DType],
    shapes: list[TensorShape] = _NO_SHAPES,
    capacity: int = -1,
    min_after_dequeue: int = 0,
    seed: int = 0,
    seed2: int = 0,
    container: str = "",
    shared_name: str = "",
) -> Any:
    """Makes a queue whose elements come out in random order."""
    least = min_after_dequeue
    if least < 0:
        raise errors.InvalidArgumentError(None, None, f"min_after_dequeue {least} must be >= 0")
    if 0 <= capacity <= least:
        raise errors.InvalidArgumentError(None, None, f"min_after_dequeue {least} must be < capacity {capacity}")
    store = Shuffled(seed, seed2)
    return _find_or_share(
        container,
        shared_name,
        lambda: Queue("RandomShuffleQueue", component_types, shapes, capacity, store, shared_name, least),
    )


@keep_by_node
@op(
    "PriorityQueueV2",
    "-> handle: resource",
    **{**_MAKES, "component_types": TypeList(ANY), "handles": _declared_priority_queue},
)
def priority_queue(
    xp: Xp,
    *,
    component_types: list[DType] = (),  # type: ignore[assignment]  # an empty list by default
    shapes: list[TensorShape],
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> Any:
    """Makes a queue whose elements come out by a number that stands before their tensors, the smallest first."""
    dtypes = [int64, *component_types]
    all_shapes = [TensorShape([]), *shapes] if shapes or not component_types else []
    return _find_or_share(
        container,
        shared_name,
        lambda: Queue("PriorityQueue", dtypes, all_shapes, capacity, SmallestFirst(), shared_name),
    )


# --- elements ----------------------------------------------------------------------------------------------------

_CHANGES: dict[str, Any] = {
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.WRITES,
    "not_differentiable": "what goes through a queue is not followed",
    "not_batched": "rows would come in no particular order",
}
_READS: dict[str, Any] = {**_CHANGES, "effects": Effects.READS, "not_batched": "a queue is the same for all rows"}


def _refuse_timeout(timeout_ms: int) -> None:
    if timeout_ms != -1:
        raise errors.InvalidArgumentError(None, None, "Timeout not supported yet.")


@op(
    "QueueEnqueueV2",
    "handle: resource, components: Tcomponents ->",
    Tcomponents=_COMPONENTS,
    shape=no_outputs,
    **_CHANGES,
)
def enqueue(xp: Xp, handle: Array, components: Sequence[Array], *, timeout_ms: int = -1) -> None:
    """Puts one element into a queue, waiting for room."""
    _refuse_timeout(timeout_ms)
    queue = queue_of(handle)
    queue.check_row(components)
    queue.enqueue([list(components)])


@op(
    "QueueEnqueueManyV2",
    "handle: resource, components: Tcomponents ->",
    Tcomponents=_COMPONENTS,
    shape=no_outputs,
    **_CHANGES,
)
def enqueue_many(xp: Xp, handle: Array, components: Sequence[Array], *, timeout_ms: int = -1) -> None:
    """Puts elements, stacked in each tensor, into a queue, each as soon as there is room."""
    _refuse_timeout(timeout_ms)
    queue = queue_of(handle)
    queue.enqueue(queue.rows_of(components))


def _element_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    """Returns the shapes of an element's tensors, as far as the handle says."""
    handle = c.inputs[0].handle_type
    count = len(c.attr("component_types"))
    known = isinstance(handle, QueueHandle) and len(handle.shapes) == count
    return handle.shapes if known else (UNKNOWN,) * count


def _stacked_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    count = c.value("n")
    lead = TensorShape([None if count is None or count.ndim or count < 0 else int(count)])
    return [lead.concatenate(shape) for shape in _element_shapes(c)]


def _some_stacked_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    return [TensorShape([None]).concatenate(shape) for shape in _element_shapes(c)]


@op(
    "QueueDequeueV2",
    "handle: resource -> components: component_types",
    component_types=_COMPONENTS,
    shape=_element_shapes,
    **_CHANGES,
)
def dequeue(xp: Xp, handle: Array, *, component_types: list[DType], timeout_ms: int = -1) -> list[Array]:
    """Takes one element out of a queue, waiting for one."""
    _refuse_timeout(timeout_ms)
    queue = queue_of(handle)
    queue.check_types(component_types)
    return queue.dequeue(1)[0]


def _dequeue_some(
    op_name: str, handle: Array, n: Array, dtypes: Sequence[DType], timeout_ms: int, is_enough: int | None
) -> list[Array]:
    """Takes `n` elements, or so many as are enough of a closed queue."""
    _refuse_timeout(timeout_ms)
    queue = queue_of(handle)
    queue.check_types(dtypes)
    if n.ndim or n < 0:
        message = f"{op_name} requested {n} < 0 elements" if not n.ndim else f"{op_name}: n must be a scalar"
        raise errors.InvalidArgumentError(None, None, message)
    queue.stack([])  # refuses a queue without shapes before it waits
    return queue.stack(queue.dequeue(int(n), is_enough))


@op(
    "QueueDequeueManyV2",
    "handle: resource, n: int32 -> components: component_types",
    component_types=_COMPONENTS,
    shape=_stacked_shapes,
    **_CHANGES,
)
def dequeue_many(xp: Xp, handle: Array, n: Array, *, component_types: list[DType], timeout_ms: int = -1) -> list[Array]:
    """Takes elements out of a queue, waiting for all of them, and stacks them."""
    return _dequeue_some("DequeueManyOp", handle, n, component_types, timeout_ms, None)


@op(
    "QueueDequeueUpToV2",
    "handle: resource, n: int32 -> components: component_types",
    component_types=_COMPONENTS,
    shape=_some_stacked_shapes,
    **_CHANGES,
)
def dequeue_up_to(
    xp: Xp, handle: Array, n: Array, *, component_types: list[DType], timeout_ms: int = -1
) -> list[Array]:
    """Takes elements out of a queue and stacks them, fewer than asked for at the end of a closed queue."""
    return _dequeue_some("DequeueUpToOp", handle, n, component_types, timeout_ms, 1)


@op("QueueCloseV2", "handle: resource ->", shape=no_outputs, **_CHANGES)
def close(xp: Xp, handle: Array, *, cancel_pending_enqueues: bool = False) -> None:
    """Lets a queue take no more elements."""
    queue_of(handle).close(cancel_pending_enqueues)


@op("QueueIsClosedV2", "handle: resource -> is_closed: bool", shape=scalar, **_READS)
def is_closed(xp: Xp, handle: Array) -> Array:
    """Returns whether a queue takes no more elements."""
    return np.array(queue_of(handle).is_closed)


@op("QueueSizeV2", "handle: resource -> size: int32", shape=scalar, **_READS)
def size(xp: Xp, handle: Array) -> Array:
    """Returns how many elements a queue holds."""
    return np.array(queue_of(handle).size, np.int32)
