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
from millrace._src.data.base import DatasetBase, metadata
from millrace._src.data.functions import BoundFunction, TracedFunction, check_callable
from millrace._src.data.iteration import Iteration
from millrace._src.data.nodes import node_of
from millrace._src.data.structure import Structure, normalized, spec_of
from millrace._src.ops.type_sets import ANY
from millrace._src.util import nest


def _component_shapes(c: ShapeContext) -> list[TensorShape]:
    return list(c.attr("output_shapes"))


@op(
    "ReduceDataset",
    "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments -> components: output_types",
    Tstate=TypeList(ANY),
    Targuments=TypeList(ANY),
    output_types=TypeList(ANY),
    shape=_component_shapes,
    host_only=True,
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
    iteration = Iteration(node.dtypes, node.shapes)
    iteration.start(node)
    state = list(initial_state)
    while (row := iteration.next_row()) is not None:
        state = function.call_row([*state, *row])
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
      ValueError: if `reduce_func` is no function.
    """
    check_callable(reduce_func)
    with_name = {} if name is None else metadata(name)
    state = normalized(initial_state, "initial_state/normalize_element/component")
    function, structure = _traced(reduce_func, Structure(spec_of(state)), self.element_spec)
    results = reduce_dataset(
        self._variant_tensor,
        structure.flatten(state),
        function.captures,
        f=function.graph_function,
        output_types=structure.dtypes,
        output_shapes=structure.shapes,
        **with_name,
    )
    return structure.pack(results)


def _traced(function: Callable[..., Any], state: Structure, element_spec: Any) -> tuple[TracedFunction, Structure]:
    """Traces a function with a state whose shapes hold before and after each element."""
    while True:
        traced = TracedFunction(function, (state.spec, element_spec), "reduce()")
        _check_same_types(state, traced.output)
        pairs = zip(state.shapes, traced.output.shapes, strict=True)
        if all(new.is_subtype_of(old) for old, new in pairs):
            return traced, state
        leaves = [
            old.most_specific_compatible_type(new) for old, new in zip(state.leaves, traced.output.leaves, strict=True)
        ]
        state = Structure(nest.pack_sequence_as(state.spec, leaves))


def _check_same_types(before: Structure, after: Structure) -> None:
    """Refuses a next state whose leaves differ from those of the state before in more than shapes.

    Raises:
      InvalidArgumentError: if the states have different numbers of leaves.
      TypeError: if classes or dtypes differ.
    """
    if len(before.leaves) != len(after.leaves):
        raise InvalidArgumentError(
            None,
            None,
            "The number of components of the initial state and the reduce function output does not match. "
            f"(initial_state={len(before.leaves)}, output={len(after.leaves)}). [Op:ReduceDataset] name: ",
        )
    for old, new in zip(before.leaves, after.leaves, strict=True):
        if old.value_type is not new.value_type:
            raise TypeError(
                "The element classes for the new state must match the initial state. Expected "
                f"{old.value_type} but got {new.value_type}."
            )
    if before.dtypes != after.dtypes:
        raise TypeError(
            "The element types for the new state must match the initial state. Expected "
            f"{_dtypes_in(before)} but got {_dtypes_in(after)}."
        )


def _dtypes_in(structure: Structure) -> Any:
    """Returns the nest of the dtypes of a state."""
    dtypes = iter(structure.dtypes)
    return nest.map_structure(lambda leaf: next(dtypes) if leaf.flatten() else None, structure.spec)
