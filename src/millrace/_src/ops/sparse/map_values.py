"""`tf.sparse.map_values`: a function of tensors applied to the values of sparse tensors.

Assertions check that several sparse tensors have the same coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops.debug.value_assertions import assert_equal
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util import nest
from millrace._src.util.export import export


@export("sparse.map_values", v1=[])
def map_values(op: Callable[..., Any], *args: object, **kwargs: object) -> SparseTensor:
    """Applies a function to the values of sparse tensors that have the same coordinates.

    >>> st = tf.SparseTensor([[0], [2]], [1.0, -2.0], [3])
    >>> tf.sparse.map_values(tf.abs, st).values.numpy()
    array([1., 2.], dtype=float32)
    >>> tf.sparse.map_values(tf.add, st, 5.0).values.numpy()
    array([6., 3.], dtype=float32)

    Args:
      op: a function of tensors that returns a vector of as many elements.
      *args: arguments of `op`, or lists and dicts of arguments; `op` gets the values of SparseTensors among them.
      **kwargs: arguments of `op` by keyword.

    Returns: A SparseTensor with the coordinates of those in the arguments.
    Raises:
      ValueError: if no argument is sparse, or the result of `op` has another shape.
      tf.errors.InvalidArgumentError: if the sparse tensors have different shapes or coordinates.
    """
    found_tensors = [leaf for leaf in nest.flatten([args, kwargs]) if isinstance(leaf, SparseTensor)]
    if not found_tensors:
        raise ValueError("No SparseTensor in argument list of map_values")
    inner_args, inner_kwargs = nest.map_structure(_values_of, (list(args), kwargs))
    with control_dependencies(_coordinate_checks(found_tensors)):
        first = found_tensors[0]
        result = convert_to_tensor(op(*inner_args, **inner_kwargs))
        mapped = SparseTensor(first.indices, result, first.dense_shape)
        mapped.set_shape(first.shape)
        return mapped


def _values_of(leaf: object) -> Any:
    return leaf.values if isinstance(leaf, SparseTensor) else leaf


def _coordinate_checks(tensors: list[SparseTensor]) -> list[Any]:
    """Returns the operations that compare the coordinates of tensors in a graph; eager mode compares at once."""
    first = tensors[0]
    checks = []
    for other in tensors[1:]:
        if other.indices is first.indices and other.dense_shape is first.dense_shape:
            continue
        checks.append(assert_equal(first.dense_shape, other.dense_shape, message="Mismatched shapes!"))
        checks.append(assert_equal(first.indices, other.indices, message="Mismatched indices!"))
    return [check for check in checks if check is not None]
