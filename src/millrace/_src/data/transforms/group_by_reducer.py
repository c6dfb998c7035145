"""`tf.data.experimental.group_by_reducer`: one element from all elements of each key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, UNKNOWN, PassContext, UnaryNode, node_of
from millrace._src.data.states import StatefulFunction
from millrace._src.data.structure import ElementStructure
from millrace._src.data.traced_functions import (
    AppliedFunction,
    BoundFunction,
    TracedFunction,
    arguments_of,
    check_callable,
)
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_CALLER = "tf.data.experimental.group_by_reducer()"
_KEYS_AT_ONCE = 256
"""The number of elements whose keys are found together, where no program can tell."""


@dataclass(eq=False, repr=False)
class GroupByReducerNode(UnaryNode):
    """For each key, what functions make of the elements of the key."""

    names_functions = False

    key: BoundFunction
    init: BoundFunction
    reduce: BoundFunction
    finalize: BoundFunction

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return GroupByReducerCursor(self, context)


class GroupByReducerCursor(Cursor):
    """Goes through the whole source first; then gives the results in the order of the keys."""

    __slots__ = ("_keyed", "_limit", "_node", "_results", "_states", "_waiting")

    def __init__(self, node: GroupByReducerNode, context: PassContext) -> None:
        self._node = node
        self._keyed = AppliedFunction(node.key, node.source.cursor(context))
        self._limit = _KEYS_AT_ONCE if node.reads_ahead else 1
        self._states: dict[int, list[Array]] = {}
        self._waiting: Block | None = None  # elements with their keys in front, not reduced yet
        self._results: list[int] | None = None  # the keys whose results come next, in reverse; None before the end

    def next_block(self, limit: int) -> Block | None:
        """Returns the result for the next key."""
        if self._results is None:
            self._reduce_all()
            self._results = sorted(self._states, reverse=True)
        if not self._results:
            return None
        return Block.of_row(self._node.finalize.call_row(self._states.pop(self._results.pop())))

    def _reduce_all(self) -> None:
        """Reduces the elements that are left; an error leaves those behind it for the next call."""
        while (block := self._next_elements()) is not None:
            self._waiting = None
            for index in range(block.count):
                try:
                    self._reduce(block.row(index))
                except Exception:
                    self._waiting = block.part(index + 1, block.count) if index + 1 < block.count else None
                    raise

    def _next_elements(self) -> Block | None:
        """Returns elements with their keys in front."""
        if self._waiting is not None:
            return self._waiting
        pair = self._keyed.next_blocks(self._limit)
        return None if pair is None else Block([*pair[1].columns, *pair[0].columns], pair[0].count)

    def _reduce(self, row: list[Array]) -> None:
        """Brings the state of a key one element further."""
        key_array, *element = row
        key = int(key_array)
        state = self._states.get(key)
        if state is None:
            state = self._node.init.call_row([np.array(key, np.int64)])
        self._states[key] = self._node.reduce.call_row([*state, *element])

    def save(self) -> State:
        """Returns the states of all keys, the elements that wait, and the state of the source."""
        waiting = None if self._waiting is None else self._waiting.save()
        return list(self._states.items()), waiting, self._results, self._keyed.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        states, waiting, results, keyed = state
        self._states = dict(states)
        self._waiting = None if waiting is None else Block.from_state(waiting)
        self._results = None if results is None else list(results)
        self._keyed.restore(keyed)

    def close(self) -> None:
        """Closes the source."""
        self._keyed.close()


# --- the ops -----------------------------------------------------------------------------------------------------

_SIGNATURE = (
    "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
    "init_func_other_arguments: Tinit_func_other_arguments, "
    "reduce_func_other_arguments: Treduce_func_other_arguments, "
    "finalize_func_other_arguments: Tfinalize_func_other_arguments -> handle: variant"
)
_TRAITS: dict[str, Any] = {
    "Tkey_func_other_arguments": TypeList(ANY),
    "Tinit_func_other_arguments": TypeList(ANY),
    "Treduce_func_other_arguments": TypeList(ANY),
    "Tfinalize_func_other_arguments": TypeList(ANY),
    **DATASET,
}


@op("GroupByReducerDataset", _SIGNATURE, **_TRAITS)
def group_by_reducer_dataset(
    xp: Xp,
    input_dataset: Array,
    key_func_other_arguments: list[Array],
    init_func_other_arguments: list[Array],
    reduce_func_other_arguments: list[Array],
    finalize_func_other_arguments: list[Array],
    *,
    key_func: FunctionAttr,
    init_func: FunctionAttr,
    reduce_func: FunctionAttr,
    finalize_func: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of one element for each key."""
    functions = [
        BoundFunction(key_func, key_func_other_arguments),
        BoundFunction(init_func, init_func_other_arguments),
        BoundFunction(reduce_func, reduce_func_other_arguments),
        BoundFunction(finalize_func, finalize_func_other_arguments),
    ]
    return GroupByReducerNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), *functions)


experimental_group_by_reducer_dataset = op("ExperimentalGroupByReducerDataset", _SIGNATURE, **_TRAITS)(
    group_by_reducer_dataset.op_def.kernel
)


# --- the functions -----------------------------------------------------------------------------------------------


@export("data.experimental.Reducer")
class Reducer:
    """Three functions that make one value of a sequence of elements.

    >>> reducer = tf.data.experimental.Reducer(
    ...     init_func=lambda key: tf.constant(0, tf.int64),
    ...     reduce_func=lambda total, element: total + element,
    ...     finalize_func=lambda total: total)

    Args:
      init_func: takes a key and returns the state before the first element.
      reduce_func: takes a state and an element, and returns the next state.
      finalize_func: takes the components of the last state, and returns the result.
    """

    def __init__(
        self,
        init_func: Callable[[Any], Any],
        reduce_func: Callable[[Any, Any], Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._init_func, self._reduce_func, self._finalize_func = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable[[Any], Any]:
        """The function that takes a key and returns the state before the first element."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[[Any, Any], Any]:
        """The function that takes a state and an element, and returns the next state."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """The function that takes the components of the last state, and returns the result."""
        return self._finalize_func


@export("data.experimental.group_by_reducer")
def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Callable[[Any], Any]:
    """Returns a function for `Dataset.apply` that makes one element of all elements with the same key.

    >>> reducer = tf.data.experimental.Reducer(
    ...     lambda key: tf.constant(0, tf.int64), lambda total, x: total + x, lambda total: total)
    >>> by_parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer)
    >>> list(tf.data.Dataset.range(10).apply(by_parity).as_numpy_iterator())
    [np.int64(20), np.int64(25)]

    Args:
      key_func: takes the components of an element and returns the key, a scalar of int64.
      reducer: a `tf.data.experimental.Reducer`.

    Returns: A function from datasets to datasets. The result has an element for each key, in the order of the keys,
      after a pass over the whole dataset. The function raises a `ValueError` if `key_func` returns something else, and
      a `TypeError` if the reducer changes the dtypes of its state.
    """

    def apply(dataset: DatasetBase) -> Any:
        key = _key_function(dataset, key_func)
        init = TracedFunction(reducer.init_func, (TensorSpec([], int64),), _CALLER)
        step = StatefulFunction(
            reducer.reduce_func,
            init.output,
            (dataset.element_spec,),
            _CALLER,
            lambda result: result,
            "Invalid `reducer`. ",
        )
        check_callable(reducer.finalize_func)
        finalize = TracedFunction(reducer.finalize_func, arguments_of(step.state.spec), _CALLER)
        functions = [key, init, step.traced, finalize]
        return apply_op(
            "_GroupByReducerDataset",
            experimental_group_by_reducer_dataset,
            [dataset, *(function.captures for function in functions)],
            finalize.output.spec,
            inputs=[dataset],
            functions=functions,
            key_func=key.graph_function,
            init_func=init.graph_function,
            reduce_func=step.traced.graph_function,
            finalize_func=finalize.graph_function,
        )

    return apply


def _key_function(dataset: DatasetBase, key_func: Callable[..., Any]) -> TracedFunction:
    """Traces the function that gives the key of an element.

    Raises: ValueError: if the key is not a scalar of int64.
    """
    check_callable(key_func)
    key = TracedFunction(key_func, arguments_of(dataset.element_spec), _CALLER)
    spec = key.output.spec
    if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(TensorSpec([], int64)):
        structure: ElementStructure = key.output
        raise ValueError(
            "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but instead `key_func` has "
            f"output types={_one_or_all(structure.dtypes)} and shapes={_one_or_all(structure.shapes)}."
        )
    return key


def _one_or_all(items: Any) -> Any:
    return items[0] if len(items) == 1 else items
