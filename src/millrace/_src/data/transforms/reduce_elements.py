"""`Dataset.reduce`: one value from all elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.data.dataset_base import DatasetBase, metadata
from millrace._src.data.iterator_ops import check_elements
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.data.nodes import node_of
from millrace._src.data.states import StatefulFunction
from millrace._src.data.structure import ElementStructure, normalize_leaves, spec_of
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.ops.type_sets import ANY


def _component_shapes(c: ShapeContext) -> list[TensorShape]:
    return list(c.attr("output_shapes"))


@op(
    "ReduceDataset",
    "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments -> components: output_types",
    Tstate=TypeList(ANY, minimum=1),
    Targuments=TypeList(ANY),
    output_types=TypeList(ANY, minimum=1),
    shape=_component_shapes,
    host_only=True,
    refused_when_compiled=True,
    effects=Effects.IO,
    keeps_functions=True,
    not_differentiable="a reduction of a dataset keeps nothing of its elements",
    not_batched="a dataset is a scalar",
)
def reduce_dataset(
    xp: Xp,
    input_dataset: Array,
    initial_state: list[Array],
    other_arguments: list[Array],
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    use_inter_op_parallelism: bool = True,
    metadata: str = "",
) -> list[Array]:
    """Combines all elements of a dataset, one after the other, with a state."""
    function = BoundFunction(f, other_arguments)
    if len(function.dtypes) != len(initial_state):
        raise InvalidArgumentError(
            None,
            None,
            "The number of components of the initial state and the reduce function output does not match. "
            f"(initial_state={len(initial_state)}, output={len(function.dtypes)}).",
        )
    node = node_of(input_dataset)
    resource = IteratorResource(node.dtypes, node.shapes)
    resource.start(node)
    state = list(initial_state)
    while (row := resource.next_row()) is not None:
        state = function.call_row([*state, *row])
    shapes = [TensorShape(array.shape) for array in state]
    check_elements(output_types, output_shapes, output_types, shapes)  # a dataset may be of other shapes than declared
    return state


def reduce(
    self: DatasetBase, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None
) -> Any:
    """Combines all elements, one after the other, with a state.

    >>> tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda total, x: total + x).numpy()
    np.int64(10)

    Args:
      initial_state: the state before the first element: a nest of tensors.
      reduce_func: takes the state and an element, and returns the next state, of the same structure and dtypes.
      name: a name for the operation.

    Returns: The state after the last element; the initial state if there are no elements.
    Raises:
      TypeError: if parts of the next state are of other dtypes or classes.
      tf.errors.InvalidArgumentError: if the next state has more or fewer parts.
      ValueError: if `reduce_func` is not a function.
    """
    return reduce_over(self, initial_state, reduce_func, name)


def reduce_over(
    dataset: DatasetBase,
    initial_state: object,
    reduce_func: Callable[[Any, Any], Any],
    name: str | None = None,
    *,
    state_spec: object = None,
) -> Any:
    """Does what `Dataset.reduce` does; loops give the specs of all states."""
    state = normalize_leaves(initial_state, "initial_state/normalize_element")
    start = ElementStructure(spec_of(state) if state_spec is None else state_spec)
    function = StatefulFunction(reduce_func, start, (dataset.element_spec,), "reduce()", lambda result: result)
    results = reduce_dataset(
        dataset._variant_tensor,
        function.state.flatten(state),
        function.traced.captures,
        f=function.traced.graph_function,
        output_types=function.state.dtypes,
        output_shapes=function.state.shapes,
        **metadata(name),
    )
    return function.state.pack(results)
