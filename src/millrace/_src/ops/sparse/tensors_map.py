"""Maps in which sparse tensors wait: a number goes through queues instead of a sparse tensor.

TensorFlow 1's `tf.train.batch` puts sparse tensors into a map, batches their numbers, and takes the tensors out again.
A map belongs to the process and has a name; the first tensor makes it. Who takes a tensor out removes it.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.shape_rules import scalar
from millrace._src.ops.sparse.serialized import join_rows, require_parts, rows_of
from millrace._src.ops.type_sets import ANY

_INPUTS = "sparse_indices: int64, sparse_values: T, sparse_shape: int64"
_NOT_DIFFERENTIABLE = "a number represents the tensor"
_NOT_BATCHED = "it changes a map"


class _SparseTensorsMap:
    """The sparse tensors of one name, by number.

    Args: name: The name in messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._waiting: dict[int, tuple[Array, Array, Array, DType]] = {}

    def add(self, indices: Array, values: Array, shape: Array, dtype: DType) -> int:
        """Puts a sparse tensor into the map; returns its number."""
        with self._lock:
            number = next(self._numbers)
            self._waiting[number] = indices, values, shape, dtype
            return number

    def take(self, number: int) -> tuple[Array, Array, Array, DType]:
        """Takes a sparse tensor out of the map."""
        with self._lock:
            if number not in self._waiting:
                raise invalid(f"Unable to find SparseTensor: {number} in map: {self.name}")
            return self._waiting.pop(number)


_maps: dict[tuple[str, str], _SparseTensorsMap] = {}
_lock = threading.Lock()


def _map_of(container: str, name: str) -> _SparseTensorsMap:
    with _lock:
        return _maps.setdefault((container, name), _SparseTensorsMap(name))


@op(
    "AddSparseToTensorsMap",
    f"{_INPUTS} -> sparse_handle: int64",
    T=ANY,
    shape=scalar,
    effects=Effects.IO,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def add_sparse_to_tensors_map(
    xp: Xp,
    sparse_indices: Array,
    sparse_values: Array,
    sparse_shape: Array,
    *,
    T: DType,
    container: str = "",
    shared_name: str = "",
) -> Array:
    """Puts a sparse tensor into a map; returns its number there."""
    require_parts(sparse_indices, sparse_values, sparse_shape)
    name = shared_name or "AddSparseToTensorsMap"
    return np.array(_map_of(container, name).add(sparse_indices, sparse_values, sparse_shape, T), np.int64)


def _numbers_shape(c: ShapeContext) -> TensorShape:
    return TensorShape.of((None,))


@op(
    "AddManySparseToTensorsMap",
    f"{_INPUTS} -> sparse_handles: int64",
    T=ANY,
    shape=_numbers_shape,
    effects=Effects.IO,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def add_many_sparse_to_tensors_map(
    xp: Xp,
    sparse_indices: Array,
    sparse_values: Array,
    sparse_shape: Array,
    *,
    T: DType,
    container: str = "",
    shared_name: str = "",
) -> Array:
    """Puts each row of the first dimension of a sparse tensor into a map; returns the rows' numbers there."""
    rows = rows_of(sparse_indices, sparse_values, sparse_shape)
    waiting = _map_of(container, shared_name or "AddManySparseToTensorsMap")
    inner = sparse_shape[1:]
    return np.array([waiting.add(indices, values, inner, T) for indices, values in rows], np.int64)


def _taken_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    return TensorShape.of((None, None)), TensorShape.of((None,)), TensorShape.of((None,))


@op(
    "TakeManySparseFromTensorsMap",
    "sparse_handles: int64 -> sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    dtype=ANY,
    shape=_taken_shapes,
    effects=Effects.IO,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def take_many_sparse_from_tensors_map(
    xp: Xp, sparse_handles: Array, *, dtype: DType, container: str = "", shared_name: str = ""
) -> tuple[Array, Array, Array]:
    """Takes sparse tensors out of a map by number, and joins them along a new first dimension."""
    if sparse_handles.ndim != 1:
        raise invalid(f"sparse_handles should be a vector but received shape {dims_text(sparse_handles.shape)}")
    if not sparse_handles.size:
        raise invalid("Must have at least 1 serialized SparseTensor, but input matrix has 0 rows")
    name = shared_name or "TakeManySparseFromTensorsMap"
    waiting = _maps.get((container, name)) or _SparseTensorsMap(name)
    tensors = [waiting.take(number) for number in sparse_handles.tolist()]
    _check_taken([(shape, kind) for _, _, shape, kind in tensors], dtype)
    return join_rows([(indices, values, shape) for indices, values, shape, _ in tensors], sparse_handles.shape)


def _check_taken(tensors: Sequence[tuple[Array, DType]], dtype: DType) -> None:
    rank = len(tensors[0][0])
    for number, (shape, actual) in enumerate(tensors):
        name = f"SparseTensor[{number}]"
        if actual is not dtype:
            asked = f"Requested SparseTensor of type {runtime_name(dtype)}"
            raise invalid(f"{asked} but {name}.values.dtype() == {runtime_name(actual)}")
        if len(shape) != rank:
            raise invalid(
                f"Inconsistent rank across SparseTensors: rank prior to {name} was: {rank + 1} but rank of {name} is: "
                f"{len(shape) + 1}"
            )
