"""`Dataset.group_by_window`: windows of elements with the same key.

Elements go to the window of their key. A full window is handed to a function, whose dataset is gone through before the
next element is taken. The windows that are left at the end follow in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.autograph.api import for_tracing
from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block, join_blocks
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, DatasetSpec, apply_op
from millrace._src.data.inner_passes import InnerCursor, reads_ahead
from millrace._src.data.nodes import DATASET, INFINITE, UNKNOWN, PassContext, UnaryNode, node_of
from millrace._src.data.sources.memory_blocks import HeldNode
from millrace._src.data.traced_functions import (
    AppliedFunction,
    BoundFunction,
    TracedFunction,
    arguments_of,
    check_callable,
)
from millrace._src.ops.type_sets import ANY
from millrace._src.proto import error_codes_pb2
from millrace._src.util.export import export

_KEYS_AT_ONCE = 256
"""The number of elements whose keys are found together, where no program can tell."""


@dataclass(eq=False, repr=False)
class GroupByWindowNode(UnaryNode):
    """The elements of datasets that a function makes of windows of elements with the same key."""

    names_functions = False

    key: BoundFunction
    reduce: BoundFunction
    window_size: BoundFunction

    def cardinality(self) -> int:
        """Returns that the number is not known, or that there is no end."""
        return INFINITE if self.source.cardinality() == INFINITE else UNKNOWN

    @property
    def reads_ahead(self) -> bool:
        """Whether no function has effects, and the source may be read ahead."""
        return self.key.is_pure and self.window_size.is_pure and reads_ahead(self.reduce, self.inputs)

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return GroupByWindowCursor(self, context)


class _KeyWindow:
    """The elements of one key: blocks, and indices into the block that is being grouped."""

    __slots__ = ("blocks", "indices", "left")

    def __init__(self, size: int) -> None:
        self.left = size
        self.blocks: list[Block] = []
        self.indices: list[int] = []

    def settle(self, block: Block) -> None:
        """Takes the elements at the indices out of the block."""
        if self.indices:
            self.blocks.append(block.gather(np.array(self.indices)))
            self.indices = []


class GroupByWindowCursor(Cursor):
    """Groups the elements of blocks, one block after the other."""

    __slots__ = ("_block", "_inner", "_keyed", "_keys", "_limit", "_node", "_index", "_context", "_window", "_windows")

    def __init__(self, node: GroupByWindowNode, context: PassContext) -> None:
        self._node, self._context = node, context
        self._keyed = AppliedFunction(node.key, node.source.cursor(context))
        self._limit = _KEYS_AT_ONCE if node.reads_ahead else 1
        self._windows: dict[int, _KeyWindow] = {}
        self._block: Block | None = None  # the elements that are being grouped
        self._keys: list[int] = []
        self._index = 0  # the index of the next element in the block
        self._window: tuple[int, Block] | None = None  # the window that is gone through, with its key
        self._inner: InnerCursor | None = None

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the dataset of a window."""
        while True:
            if self._inner is not None:
                block = self._inner.next_block(limit)
                if block is not None:
                    return block
                self._inner.close()
                self._inner = None
            self._window = self._next_window()
            if self._window is None:
                return None
            self._inner = self._open_window()

    def _open_window(self) -> InnerCursor:
        """Begins the pass over the dataset of a window.

        Raises: tf.errors.InternalError: if the function that makes the dataset fails, as in TensorFlow.
        """
        inner = InnerCursor(self._node.reduce, self._arguments(), self._context)
        try:
            inner.open()
        except errors.OpError as error:
            code, function = error_codes_pb2.Code.Name(error.error_code), self._node.reduce.function.name
            message = f"Got error code {code} and message: {{\n{error.message}\n}} \nfrom running user-defined function"
            raise errors.InternalError(None, None, f"{message} {function}: ") from error
        return inner

    def _arguments(self) -> list[Array]:
        """Returns the arguments of the function that makes a dataset of a window: the key and the window."""
        assert self._window is not None
        key, block = self._window
        handle = np.empty((), object)
        handle[()] = HeldNode(self._node.source.dtypes, self._node.source.shapes, block)
        return [np.array(key, np.int64), handle]

    def _next_window(self) -> tuple[int, Block] | None:
        """Takes elements until a window is full; at the end, returns the windows that are left."""
        while True:
            if self._block is not None:
                window = self._group(self._block)
                if window is not None:
                    return window
                self._settle()
                self._block = None
            pair = self._keyed.next_blocks(self._limit)
            if pair is None:
                return self._take_window(min(self._windows)) if self._windows else None
            self._block, keys = pair
            self._keys, self._index = keys.columns[0].tolist(), 0

    def _group(self, block: Block) -> tuple[int, Block] | None:
        """Groups the elements of a block until a window is full."""
        windows, keys = self._windows, self._keys
        for index in range(self._index, len(keys)):
            key = keys[index]
            self._index = index + 1
            window = windows.get(key)
            if window is None:
                window = windows[key] = _KeyWindow(self._size_of_window(key))
            window.indices.append(index)
            window.left -= 1
            if not window.left:
                window.settle(block)
                return self._take_window(key)
        return None

    def _size_of_window(self, key: int) -> int:
        (array,) = self._node.window_size.call_row([np.array(key, np.int64)])
        size = int(array)
        if size <= 0:
            message = f"Window size must be greater than zero, but got {size}."
            raise errors.InvalidArgumentError(None, None, message)
        return size

    def _take_window(self, key: int) -> tuple[int, Block]:
        """Takes a window away."""
        return key, join_blocks(self._windows.pop(key).blocks)

    def _settle(self) -> None:
        """Lets windows hold elements of their own."""
        if self._block is not None:
            for window in self._windows.values():
                window.settle(self._block)

    def save(self) -> State:
        """Returns the states of the source and of the pass over a window, and the elements of all windows."""
        self._settle()
        block = None if self._block is None else (self._block.save(), self._keys, self._index)
        windows = [(key, w.left, join_blocks(w.blocks).save()) for key, w in self._windows.items()]
        inner = None
        if self._inner is not None and self._window is not None:
            key, elements = self._window
            _, *rest = self._inner.save()
            inner = key, elements.save(), rest
        return self._keyed.save(), block, windows, inner

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        keyed, block, windows, inner = state
        self._keyed.restore(keyed)
        if block is not None:
            saved, self._keys, self._index = block
            self._block = Block.from_state(saved)
        for key, left, saved in windows:
            window = self._windows[key] = _KeyWindow(left)
            window.blocks.append(Block.from_state(saved))
        if inner is not None:
            key, elements, rest = inner
            self._window = key, Block.from_state(elements)
            row = self._arguments()
            self._inner = InnerCursor.from_state((row, *rest), self._node.reduce, self._context)

    def close(self) -> None:
        """Closes the source and the pass over a window."""
        self._keyed.close()
        if self._inner is not None:
            self._inner.close()


# --- the ops -----------------------------------------------------------------------------------------------------


_SIGNATURE = (
    "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
    "reduce_func_other_arguments: Treduce_func_other_arguments, "
    "window_size_func_other_arguments: Twindow_size_func_other_arguments -> handle: variant"
)
_TRAITS: dict[str, Any] = {
    "Tkey_func_other_arguments": TypeList(ANY),
    "Treduce_func_other_arguments": TypeList(ANY),
    "Twindow_size_func_other_arguments": TypeList(ANY),
    **DATASET,
}


@op("GroupByWindowDataset", _SIGNATURE, **_TRAITS)
def group_by_window_dataset(
    xp: Xp,
    input_dataset: Array,
    key_func_other_arguments: list[Array],
    reduce_func_other_arguments: list[Array],
    window_size_func_other_arguments: list[Array],
    *,
    key_func: FunctionAttr,
    reduce_func: FunctionAttr,
    window_size_func: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of what a function makes of windows of elements with the same key."""
    key = BoundFunction(key_func, key_func_other_arguments)
    reduce = BoundFunction(reduce_func, reduce_func_other_arguments)
    size = BoundFunction(window_size_func, window_size_func_other_arguments)
    return GroupByWindowNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), key, reduce, size)


@op("ExperimentalGroupByWindowDataset", _SIGNATURE, **_TRAITS)
def experimental_group_by_window_dataset(
    xp: Xp,
    input_dataset: Array,
    key_func_other_arguments: list[Array],
    reduce_func_other_arguments: list[Array],
    window_size_func_other_arguments: list[Array],
    *,
    key_func: FunctionAttr,
    reduce_func: FunctionAttr,
    window_size_func: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of what a function makes of windows of elements with the same key."""
    functions = {"key_func": key_func, "reduce_func": reduce_func, "window_size_func": window_size_func}
    return group_by_window_dataset.op_def.kernel(
        xp,
        input_dataset,
        key_func_other_arguments,
        reduce_func_other_arguments,
        window_size_func_other_arguments,
        output_types=output_types,
        output_shapes=output_shapes,
        **functions,
    )


# --- the method --------------------------------------------------------------------------------------------------


def group_by_window(
    self: DatasetBase,
    key_func: Callable[..., Any],
    reduce_func: Callable[[Any, Any], Any],
    window_size: object = None,
    window_size_func: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Groups elements by a key, and makes a dataset of each full group.

    >>> dataset = tf.data.Dataset.range(10).group_by_window(
    ...     key_func=lambda x: x % 2, reduce_func=lambda key, window: window.batch(3), window_size=3)
    >>> for group in dataset.as_numpy_iterator():
    ...     print(group)
    [0 2 4]
    [1 3 5]
    [6 8]
    [7 9]

    Args:
      key_func: takes the components of an element and returns the key, a scalar of int64.
      reduce_func: takes a key and a dataset of elements with that key, at most as many as a window has; returns a
        dataset.
      window_size: the number of elements of a window, a scalar of int64.
      window_size_func: takes a key and returns the number of elements of its windows, instead of `window_size`.
      name: a name for the dataset.

    Returns: A Dataset of the elements of the datasets that `reduce_func` returns.
    Raises:
      ValueError: if there is neither or both of the sizes, or a function returns no scalar of int64.
      TypeError: if `reduce_func` returns no dataset.
      tf.errors.InvalidArgumentError: while iterating, if a size is not positive.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
    caller, key_spec = "Dataset.group_by_window()", TensorSpec([], int64)
    size_function = (lambda key: window_size) if window_size_func is None else window_size_func
    key = _int64_function(key_func, arguments_of(self.element_spec), caller, "key_func")
    size = _int64_function(size_function, (key_spec,), caller, "window_size_func")
    check_callable(reduce_func)
    reduce = TracedFunction(reduce_func, (key_spec, DatasetSpec(self.element_spec)), caller)
    result = reduce.output.spec
    if not isinstance(result, DatasetSpec):
        raise TypeError(
            "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return type "
            f"is {result}."
        )
    return apply_op(
        "_GroupByWindowDataset",
        group_by_window_dataset,
        [self, key.captures, reduce.captures, size.captures],
        result.element_spec,
        inputs=[self],
        functions=[key, reduce, size],
        name=name,
        key_func=key.graph_function,
        reduce_func=reduce.graph_function,
        window_size_func=size.graph_function,
    )


def _int64_function(
    function: Callable[..., Any], arguments: tuple[Any, ...], caller: str, argument_name: str
) -> TracedFunction:
    """Traces a function that returns a scalar of int64; Python numbers become one.

    Raises: ValueError: if the function returns something else.
    """
    check_callable(function)

    def converted(*args: object) -> Any:
        return convert_to_tensor(for_tracing(function)(*args), dtype=int64)

    converted.__name__ = f"{argument_name}_wrapper"
    traced = TracedFunction(converted, arguments, caller)
    spec = traced.output.spec
    if not spec.is_compatible_with(TensorSpec([], int64)):
        raise ValueError(
            f"Invalid `{argument_name}`. `{argument_name}` must return a single `tf.int64` scalar tensor but its "
            f"return type is {spec}."
        )
    return traced


@export("data.experimental.group_by_window")
def group_by_window_transformation(
    key_func: Callable[..., Any],
    reduce_func: Callable[[Any, Any], Any],
    window_size: TensorLike | None = None,
    window_size_func: Callable[[Any], Any] | None = None,
) -> Callable[[Any], Any]:
    """Returns `Dataset.group_by_window` as a function for `Dataset.apply`.

    >>> by_parity = tf.data.experimental.group_by_window(lambda x: x % 2, lambda key, window: window.batch(9), 9)
    >>> list(tf.data.Dataset.range(5).apply(by_parity).as_numpy_iterator())
    [array([0, 2, 4]), array([1, 3])]

    Args:
      key_func: as for `Dataset.group_by_window`.
      reduce_func: as for `Dataset.group_by_window`.
      window_size: as for `Dataset.group_by_window`.
      window_size_func: as for `Dataset.group_by_window`.

    Returns: A function from datasets to datasets.
    Raises: ValueError: if there is neither or both of the sizes.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
    return lambda dataset: group_by_window(dataset, key_func, reduce_func, window_size, window_size_func)
