"""Values of tensors in tests, in eager mode and in graphs.

`evaluate` takes the same structures in both. An eager tensor has its value. A tensor of a graph is computed by a
`session_of_graph`, which runs the part of the graph that the tensor needs. What is not a tensor is refused: a test that
evaluates a number by mistake compares nothing.

Tests: tests/testing/test_test_case.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.indexed_slices import IndexedSlices, IndexedSlicesValue
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.ragged_value import ragged_value
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from millrace._src.testing.graph_sessions import session_of_graph
from millrace._src.util import nest


def is_evaluated(value: object) -> bool:
    """Returns whether a value is a tensor or a variable, so that `value_of` gives an array."""
    return isinstance(value, Tensor) or is_variable(value)


def value_of(value: Any) -> Any:
    """Returns the value of a tensor or variable, as NumPy has it."""
    tensor = convert_to_tensor(value)
    return tensor.numpy() if isinstance(tensor, EagerTensor) else session_of_graph(tensor.graph).run(tensor)


def evaluate(tensors: object) -> Any:
    """Returns a structure with the values of the tensors of another one.

    Args: tensors: Tensors, variables, None, functions without parameters that return such, in a nested structure.
    Raises: ValueError: if there is something else in the structure.
    """
    return nest.map_structure(_evaluate_leaf, tensors)


def _evaluate_leaf(leaf: object) -> Any:
    if leaf is None:
        return None
    if isinstance(leaf, IndexedSlices):
        return IndexedSlicesValue(*evaluate([leaf.values, leaf.indices, leaf.dense_shape]))
    if isinstance(leaf, SparseTensor):
        return SparseTensorValue(*evaluate([leaf.indices, leaf.values, leaf.dense_shape]))
    if isinstance(leaf, RaggedTensor):
        flat_values, *nested_splits = evaluate([leaf.flat_values, *leaf.nested_row_splits])
        return ragged_value(flat_values, nested_splits)
    if is_evaluated(leaf):
        return value_of(leaf)
    if callable(leaf):
        return evaluate(leaf())
    raise ValueError(f"Unsupported type '{type(leaf).__name__}'.")
