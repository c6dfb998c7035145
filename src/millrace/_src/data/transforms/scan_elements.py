"""`Dataset.scan`: a function applied to each element and a state, which the function also changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import InternalError
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, DeferredError, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, PassContext, UnaryNode, node_of
from millrace._src.data.states import StatefulFunction
from millrace._src.data.structure import ElementStructure, normalize_leaves, spec_of
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export


@dataclass(eq=False, repr=False)
class ScanNode(UnaryNode):
    """The outputs of a function for each element and the state before the element."""

    names_functions = False

    function: BoundFunction
    initial_state: Sequence[Array]
    preserves_cardinality: bool
    is_loop: bool = False

    @property
    def runs_loop_body(self) -> bool:
        """Whether the function is the body of a loop over the source."""
        return self.is_loop

    def cardinality(self) -> int:
        """Returns the number of elements of the source."""
        return self.source.cardinality()

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source with the initial state."""
        return ScanCursor(self.function, self.initial_state, self.source.cursor(context))


class ScanCursor(Cursor):
    """Applies the function to one element after the other; an element with an error leaves the state as it was."""

    __slots__ = ("_error", "_function", "_index", "_rest", "_source", "_state")

    def __init__(self, function: BoundFunction, state: Sequence[Array], source: Cursor) -> None:
        self._function, self._state, self._source = function, list(state), source
        self._index = 0  # of the next element
        self._rest: Block | None = None
        self._error = DeferredError()

    def next_block(self, limit: int) -> Block | None:
        """Returns the outputs for the next elements."""
        self._error.check()
        block = self._rest if self._rest is not None else self._source.next_block(limit)
        self._rest = None
        if block is None:
            return None
        outputs: list[list[Array]] = []
        for index in range(min(block.count, limit)):
            try:
                outputs.append(self._output(block.row(index)))
            except Exception as error:
                self._keep(block, index + 1)
                if not outputs:
                    raise
                self._error.put(error)
                return Block.of_rows(outputs)
        self._keep(block, limit)
        return Block.of_rows(outputs)

    def _output(self, row: Sequence[Array]) -> list[Array]:
        """Goes one element further; returns the output."""
        count = len(self._state)
        self._index += 1
        results = self._function.call_row([*self._state, *row], self._index - 1)
        if len(results) < count:
            raise InternalError(None, None, f"Expected at least {count} components but got {len(results)}.")
        self._state = results[:count]
        return results[count:]

    def _keep(self, block: Block, start: int) -> None:
        """Keeps the elements from `start` on for the next call."""
        self._rest = block.part(start, block.count) if start < block.count else None

    def save(self) -> State:
        """Returns the state of the function, the elements that are left, an error, an index, and the source's state."""
        rest = None if self._rest is None else self._rest.save()
        return self._state, rest, self._error.save(), self._index, self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        own, rest, error, self._index, source = state
        self._state = list(own)
        self._rest = None if rest is None else Block.from_state(rest)
        self._error.restore(error)
        self._source.restore(source)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


_SIGNATURE = "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments -> handle: variant"
_TRAITS: dict[str, Any] = {"Tstate": TypeList(ANY, minimum=1), "Targuments": TypeList(ANY), **DATASET}


@op("ScanDataset", _SIGNATURE, **_TRAITS)
def scan_dataset(
    xp: Xp,
    input_dataset: Array,
    initial_state: list[Array],
    other_arguments: list[Array],
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    preserve_cardinality: bool = False,
    use_default_device: bool = True,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the outputs of a function for each element and a state."""
    function = BoundFunction(f, other_arguments)
    elements = tuple(output_types), tuple(output_shapes)
    is_loop = not use_default_device
    return ScanNode(*elements, node_of(input_dataset), function, initial_state, preserve_cardinality, is_loop)


@op("ExperimentalScanDataset", _SIGNATURE, **_TRAITS)
def experimental_scan_dataset(
    xp: Xp,
    input_dataset: Array,
    initial_state: list[Array],
    other_arguments: list[Array],
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    preserve_cardinality: bool = False,
) -> Any:
    """Makes a dataset of the outputs of a function for each element and a state."""
    return scan_dataset.op_def.kernel(
        xp,
        input_dataset,
        initial_state,
        other_arguments,
        f=f,
        output_types=output_types,
        output_shapes=output_shapes,
        preserve_cardinality=preserve_cardinality,
    )


def scan(
    self: DatasetBase, initial_state: object, scan_func: Callable[[Any, Any], Any], name: str | None = None
) -> Any:
    """Applies a function to each element and a state, which the function also changes.

    >>> totals = tf.data.Dataset.range(5).scan(tf.constant(0, tf.int64), lambda total, x: (total + x, total + x))
    >>> list(totals.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(3), np.int64(6), np.int64(10)]

    Args:
      initial_state: the state before the first element: a nest of tensors.
      scan_func: takes the state and an element; returns a pair of the next state and an output, both nests of tensors.
      name: a name for the dataset.

    Returns: A Dataset of the outputs.
    Raises:
      TypeError: if `scan_func` returns no pair, or a state of other dtypes.
      ValueError: if `scan_func` is not a function.
    """
    return scan_over(self, initial_state, scan_func, name)


def scan_over(
    dataset: DatasetBase,
    initial_state: Any,
    scan_func: Callable[..., Any],
    name: str | None = None,
    *,
    state_spec: Any = None,
    use_default_device: bool = True,
) -> Any:
    """Makes the dataset of `Dataset.scan`; loops give the specs of all states, and use the devices of the program."""
    state = normalize_leaves(initial_state)
    function = StatefulFunction(
        scan_func,
        ElementStructure(spec_of(state) if state_spec is None else state_spec),
        (dataset.element_spec,),
        "Dataset.scan()",
        _next_state,
        "Invalid `scan_func`. ",
    )
    traced = function.traced
    return apply_op(
        "_ScanDataset",
        scan_dataset,
        [dataset, function.state.flatten(state), traced.captures],
        traced.output.spec[1],
        inputs=[dataset],
        functions=[traced],
        name=name,
        f=traced.graph_function,
        preserve_cardinality=True,
        use_default_device=use_default_device,
    )


def _next_state(result: ElementStructure) -> ElementStructure:
    """Returns the structure of the next state.

    Raises: TypeError: if the function returned no pair.
    """
    if not isinstance(result.spec, tuple) or len(result.spec) != 2:
        raise TypeError(
            "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output value but "
            f"its return type is {result.spec}."
        )
    return ElementStructure(result.spec[0])


@export("data.experimental.scan")
def scan_function(initial_state: TensorLike, scan_func: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """Returns `Dataset.scan` as a function for `Dataset.apply`.

    >>> totals = tf.data.experimental.scan(tf.constant(0, tf.int64), lambda total, x: (total + x, total + x))
    >>> list(tf.data.Dataset.range(3).apply(totals).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(3)]

    Args:
      initial_state: as for `Dataset.scan`.
      scan_func: as for `Dataset.scan`.

    Returns: A function from datasets to datasets.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)
