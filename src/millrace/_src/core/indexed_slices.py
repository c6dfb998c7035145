"""`tf.IndexedSlices`: a gradient that is zero except at some rows.

The gradient of a gather touches only the gathered rows. `IndexedSlices` keeps the rows and their indices until a dense
tensor is needed.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from millrace._src.core import context
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, int64
from millrace._src.core.execute import execute
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.core.tensor import EagerTensor
from millrace._src.core.wire_forms import wire_form
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_LARGE = 100_000_000
"""The number of elements from which on a dense tensor made while tracing warns: every run will allocate the tensor."""


class IndexedSlicesValue(NamedTuple):
    """The arrays of a `tf.IndexedSlices`, as a session returns the value."""

    values: Any
    indices: Any
    dense_shape: Any


@export("IndexedSlices")
@tensorflow_home("python.framework.indexed_slices")
class IndexedSlices(CompositeTensor):
    """Slices of a larger tensor: `dense[indices[i], ...] = values[i, ...]`, repeated indices summed.

    Args:
      values: a Tensor of shape `[n, ...]`.
      indices: an integer Tensor of shape `[n]`.
      dense_shape: an integer Tensor, the shape of the dense tensor, or None if unknown.

    >>> s = tf.IndexedSlices(tf.constant([[1., 2.]]), tf.constant([1]), tf.constant([3, 2]))
    >>> tf.convert_to_tensor(s).numpy().tolist()
    [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    """

    __slots__ = ("_values", "_indices", "_dense_shape", "__weakref__")

    _stands_for_tensor = True

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Any:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Any:
        """Where each row belongs."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the dense tensor as a Tensor, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape of the dense tensor."""
        if self._dense_shape is None:
            return TensorShape(None)
        if isinstance(self._dense_shape, EagerTensor):
            return TensorShape(self._dense_shape._eager_array.tolist())
        from millrace._src.core.shape_context import static_shape  # a symbolic dense shape is rare

        return static_shape(self._dense_shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def device(self) -> str:
        """The device of the values."""
        device: str = self._values.device
        return device

    @property
    def name(self) -> str:
        """The name of the values."""
        name: str = self._values.name
        return name

    @property
    def op(self) -> Any:
        """The operation that made the values."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the values."""
        return self._values.graph

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if dtype is not None and dtype is not self._values.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for IndexedSlices with dtype {self._values.dtype.name}"
            )
        if self._dense_shape is None:
            raise ValueError(
                f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {self!s}. "
                "Give it a dense_shape, or use its values and indices."
            )
        if context.state.graph is not None:
            self._warn_if_large()
        return execute(get_op("UnsortedSegmentSum"), (self._values, self._indices, self._first_dim()), {}, name)

    def _warn_if_large(self) -> None:
        size = self.shape.num_elements() if self.shape.is_fully_defined() else None
        if size is not None and size >= _LARGE:
            warnings.warn(
                f"Converting sparse IndexedSlices to a dense Tensor with {size} elements. This may consume a large "
                "amount of memory.",
                stacklevel=2,
            )

    def consumers(self) -> list[Any]:
        """Lists the operations that read the values; in eager mode there are none."""
        consumers: list[Any] = [] if isinstance(self._values, EagerTensor) else self._values.consumers()
        return consumers

    def _first_dim(self) -> Any:
        return convert_to_tensor(self._dense_shape)[0]

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        indices, shape = self._indices.shape, self.shape
        if shape.rank is None:  # the values have all dimensions but the first
            shape = TensorShape([None]).concatenate(self._values.shape[1:])
        dense = None if self._dense_shape is None else self._dense_shape.dtype
        return IndexedSlicesSpec(shape, self.dtype, self._indices.dtype, dense, indices)

    def __str__(self) -> str:
        dense = f", dense_shape={self._dense_shape!s}" if self._dense_shape is not None else ""
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{dense})"


def dense(gradient: object) -> Any:
    """Returns an `IndexedSlices` as a tensor, and anything else as it is."""
    return gradient.__tf_tensor__() if isinstance(gradient, IndexedSlices) else gradient


def gradient_values(gradient: object) -> Any:
    """Returns the values of an `IndexedSlices`, and anything else as it is."""
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient


def with_values(like: object, values: Any) -> Any:
    """Returns values in the form of `like`: with the indices of an `IndexedSlices`, else as they are."""
    return IndexedSlices(values, like.indices, like.dense_shape) if isinstance(like, IndexedSlices) else values


def gradient_tensors(gradient: object) -> list[Any]:
    """Returns the tensors of which a gradient consists; none for a missing gradient."""
    if gradient is None:
        return []
    if isinstance(gradient, IndexedSlices):
        parts = [gradient.values, gradient.indices]
        return parts if gradient.dense_shape is None else [*parts, gradient.dense_shape]
    return [gradient]


@wire_form("INDEXED_SLICES_SPEC")
@export("IndexedSlicesSpec")
class IndexedSlicesSpec(TypeSpec):
    """The type of `tf.IndexedSlices`.

    >>> tf.IndexedSlicesSpec([3, 2], tf.float32).value_type.__name__
    'IndexedSlices'

    Args:
      shape: the dense shape.
      dtype: the dtype of the values.
      indices_dtype: int32 or int64.
      dense_shape_dtype: the dtype of the `dense_shape` tensor, or None for slices without that tensor.
      indices_shape: the shape of the indices.
    """

    __slots__ = ("_shape", "_values_dtype", "_indices_dtype", "_dense_shape_dtype", "_indices_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = "float32",
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._values_dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type:
        """`IndexedSlices`."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._values_dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        values = self._indices_shape.concatenate(self._shape[1:])
        specs = [TensorSpec(values, self._values_dtype), TensorSpec(self._indices_shape, self._indices_dtype)]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([self._shape.rank], self._dense_shape_dtype))
        return tuple(specs)

    def _to_components(self, value: IndexedSlices) -> tuple[Any, ...]:
        parts = (value.values, value.indices)
        return parts if value.dense_shape is None else (*parts, value.dense_shape)

    def _from_components(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)
