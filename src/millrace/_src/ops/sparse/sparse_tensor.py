"""`tf.SparseTensor`: a tensor that is mostly zeros, as the coordinates and values of the other elements.

Problem: a matrix of a million words and ten thousand documents has few elements that are not zero. Ops on such a tensor
should cost what those elements cost, and yet the value must travel like one tensor.

Idea: three tensors, indices `[n, rank]`, values `[n]` and dense shape `[rank]`, which agree in `n` and `rank`. The
constructor checks no more than static shapes: the ops that need indices in order or within bounds check the values.
What is known of the dense shape while tracing is kept beside the three tensors, since specs may know more than they do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.op_registry import find_late_bound
from millrace._src.core.operators import Operators
from millrace._src.core.overloads import switch_on
from millrace._src.core.shape_context import static_shape
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import EagerTensor
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.ops.sparse.sparse_spec import SparseTensorSpec


@functools.cache
def _spec_class() -> type[SparseTensorSpec]:
    from millrace._src.ops.sparse.sparse_spec import SparseTensorSpec  # the spec makes sparse tensors

    return SparseTensorSpec


@tensorflow_home("python.framework.sparse_tensor")
class SparseTensorValue(NamedTuple):
    """The arrays of a `tf.SparseTensor`, as a session takes and returns the value.

    >>> tf.compat.v1.SparseTensorValue([[0]], [1.0], [2]).values
    [1.0]
    """

    indices: Any
    values: Any
    dense_shape: Any


@export("SparseTensor", "sparse.SparseTensor")
@tensorflow_home("python.framework.sparse_tensor")
class SparseTensor(CompositeTensor):
    """A tensor given by the coordinates and values of some elements; all other elements are zero.

    Element `indices[i]` of the tensor has the value `values[i]`. Most functions expect the indices in the order of the
    elements of a dense tensor, each at most once; `tf.sparse.reorder` puts indices in order.

    >>> st = tf.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[2, 4])
    >>> tf.sparse.to_dense(st).numpy()
    array([[1, 0, 0, 0],
           [0, 0, 2, 0]], dtype=int32)

    Args:
      indices: an int64 Tensor `[n, rank]`, the coordinates of the elements.
      values: a Tensor `[n]` of any dtype.
      dense_shape: an int64 Tensor `[rank]`, the shape of the tensor.

    Raises:
      ValueError: if the shapes of the three tensors cannot belong together, or if a tensor is not of int64.
      TypeError: if a value has no int64 form.
    """

    _stands_for_tensor = True

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike) -> None:
        if not _overloads_are_on:
            _switch_overloads_on()
        if state.graph is None:
            self._indices = _index_tensor(indices, "indices")
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = _index_tensor(dense_shape, "dense_shape")
        else:
            with name_scope(None, "SparseTensor"):
                self._indices = _index_tensor(indices, "indices")
                self._values = convert_to_tensor(values, name="values")
                self._dense_shape = _index_tensor(dense_shape, "dense_shape")
        self._known_shape = static_shape(self._dense_shape)
        _check_shapes(self._indices.shape, self._values.shape, self._dense_shape.shape)

    @classmethod
    def from_value(cls, sparse_tensor_value: object) -> SparseTensor:
        """Makes a sparse tensor of another, or of a `tf.compat.v1.SparseTensorValue`.

        Args:
          sparse_tensor_value: a SparseTensor or SparseTensorValue.

        Raises:
          TypeError: if the value is neither.
        """
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor SparseTensorValue."
            )
        value = sparse_tensor_value
        return SparseTensor(indices=value.indices, values=value.values, dense_shape=value.dense_shape)

    # --- parts -------------------------------------------------------------------------------------------------------

    @property
    def indices(self) -> Any:
        """The coordinates of the elements: an int64 Tensor `[n, rank]`."""
        return self._indices

    @property
    def values(self) -> Any:
        """The elements that are not zero: a Tensor `[n]`."""
        return self._values

    @property
    def dense_shape(self) -> Any:
        """The shape of the tensor: an int64 Tensor `[rank]`."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        dtype: DType = self._values.dtype
        return dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape, as far as the shape is known while tracing."""
        return self._known_shape

    def get_shape(self) -> TensorShape:
        """Returns the static shape."""
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Notes what is known of the static shape.

        Args:
          shape: anything `tf.TensorShape` takes.

        Raises:
          ValueError: if the shape contradicts what is known already.
        """
        self._known_shape = self.shape.merge_with(as_shape(shape))

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """Returns the sparse tensor with other elements at the same coordinates.

        >>> st = tf.SparseTensor([[0], [2]], [1.0, 2.0], [3])
        >>> tf.sparse.to_dense(st.with_values(st.values * 10)).numpy()
        array([10.,  0., 20.], dtype=float32)

        Args:
          new_values: a Tensor `[n]` of any dtype.

        Raises:
          ValueError: if the number of values differs.
        """
        return SparseTensor(self._indices, new_values, self._dense_shape)

    # --- graphs ------------------------------------------------------------------------------------------------------

    @property
    def op(self) -> Any:
        """The operation that made the values."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the indices."""
        return self._indices.graph

    def consumers(self) -> list[Any]:
        """Lists the operations that read one of the three tensors; in eager mode there are none."""
        parts = (self._indices, self._values, self._dense_shape)
        found_operations = [
            operation for part in parts if not isinstance(part, EagerTensor) for operation in part.consumers()
        ]
        return list(dict.fromkeys(found_operations))

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Evaluates the sparse tensor in a v1 session.

        Args:
          feed_dict: values of placeholders.
          session: the session; None is an error, because there is no default session.

        Raises:
          AttributeError: in eager mode.
          ValueError: if there is no session.
        """
        _ = self.graph  # in eager mode an error
        if session is None:
            raise ValueError(
                "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with sess.as_default()` "
                "or pass an explicit session to `eval(session=sess)`"
            )
        parts = session.run([self._indices, self._values, self._dense_shape], feed_dict)
        return SparseTensorValue(*parts)

    # --- a composite -------------------------------------------------------------------------------------------------

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return _spec_class()(self.shape, self._values.dtype)

    def _shape_invariant_to_type_spec(self, shape: TensorShape) -> SparseTensorSpec:
        """Returns the spec of a loop variable whose dense shape is compatible with `shape`."""
        rank = self.shape.rank if shape.rank is None else shape.rank
        return _spec_class()(TensorShape([None] * rank) if rank is not None else None, self._values.dtype)

    def _numpy(self) -> Any:
        """Returns the dense array."""
        return find_late_bound("sparse_to_dense")(self).numpy()

    def __repr__(self) -> str:
        return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s})"

    # --- operators: with a dense operand, which is broadcast to the sparse one ---------------------------------------

    def __mul__(self, other: TensorLike) -> SparseTensor:
        return _operator("mul")(self, other)

    def __truediv__(self, other: TensorLike) -> SparseTensor:
        return _operator("truediv")(self, other)

    def __div__(self, other: TensorLike) -> SparseTensor:
        return _operator("div")(self, other)

    def __rmul__(self, other: TensorLike) -> SparseTensor:
        return _operator("rmul")(self, other) if isinstance(other, Operators) else NotImplemented


_overloads_are_on = False


def _switch_overloads_on() -> None:
    """Lets the public functions ask for the overloads of sparse tensors; called when the first one is made."""
    global _overloads_are_on
    switch_on(SparseTensor)
    _overloads_are_on = True


def _operator(name: str) -> Callable[[Any, Any], SparseTensor]:
    operator: Callable[[Any, Any], SparseTensor] = find_late_bound(f"sparse_{name}")
    return operator


def _index_tensor(value: object, name: str) -> Any:
    """Returns `indices` or `dense_shape` as an int64 tensor."""
    if type(value) is EagerTensor and value.dtype is int64 and state.graph is None:
        return value
    return convert_to_tensor(value, dtype=int64, name=name)


def _check_shapes(indices: TensorShape, values: TensorShape, dense_shape: TensorShape) -> None:
    """Refuses static shapes of the three tensors that cannot belong together."""
    count, rank = indices.with_rank(2).dim_sizes or (None, None)
    (value_count,) = values.with_rank(1).dim_sizes or (None,)
    (dense_rank,) = dense_shape.with_rank(1).dim_sizes or (None,)
    for a, b in ((count, value_count), (rank, dense_rank)):
        if a != b and a is not None and b is not None:
            raise ValueError(f"Dimensions {a} and {b} are not compatible")


SparseTensorType = (SparseTensor, SparseTensorValue)
"""The classes of which functions of `tf.sparse` take a value."""


def as_sparse(value: object) -> SparseTensor:
    """Returns a sparse tensor, made of a `SparseTensorValue` where that is given.

    Raises:
        TypeError: if the value is neither.
    """
    if isinstance(value, SparseTensor):
        return value
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    raise TypeError("Input must be a SparseTensor.")


def sparse_result(indices: Any, values: Any, dense_shape: Any, known_shape: TensorShape) -> SparseTensor:
    """Makes the sparse tensor that a function returns, of which the function knows a static shape.

    Where all of the shape is known while tracing, the dense shape becomes a constant, so that ops on the result know
    the shape as well.
    """
    if state.graph is None:
        return SparseTensor(indices, values, dense_shape)
    if known_shape.is_fully_defined():
        return SparseTensor(indices, values, known_shape.as_list())
    result = SparseTensor(indices, values, dense_shape)
    result.set_shape(known_shape)
    return result
