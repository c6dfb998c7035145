"""`Dataset.from_generator`: elements that Python code yields.

In the graph the dataset is TensorFlow's: a `FlatMapDataset` over one element, whose function makes a `GeneratorDataset`
with three functions of Python calls: one begins, one gives the next element, one ends. In the process that made it, the
dataset's pass calls the Python generator itself; the three functions serve readers of the graph.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int64
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import TypeSpec
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, UNKNOWN, DatasetNode, PassContext
from millrace._src.data.sources.generator_columns import PlainElements
from millrace._src.data.sources.generator_elements import copy_mutable, row_of
from millrace._src.data.sources.tensors import from_tensors
from millrace._src.data.structure import ElementStructure
from millrace._src.data.traced_functions import BoundFunction, TracedFunction
from millrace._src.data.transforms.flat_map import flat_map
from millrace._src.ops.host import call_python, numpy_function
from millrace._src.ops.type_sets import ANY
from millrace._src.util import nest
from millrace._src.util.nest_paths import map_structure_up_to

_BLOCKS_TO_KEEP = 16
"""How many blocks are made of single elements after one whose elements were of many kinds."""


class PythonGenerator:
    """A user's generator function with the structure of what it yields; the passes that graphs have begun, by number.

    Args:
      function: called with arrays, returns an iterable of elements.
      structure: the structure of an element.
    """

    def __init__(self, function: Callable[..., Any], structure: ElementStructure) -> None:
        self.function = function
        self.structure = structure
        self._arguments: dict[int, tuple[Any, ...]] = {}  # of passes that have not asked for an element yet
        self._passes: dict[int, Iterator[Any]] = {}
        self._count = 0

    # --- for graphs ----------------------------------------------------------------------------------------------

    def begin_pass(self, *arguments: object) -> Any:
        """Begins a pass; returns its number."""
        self._count += 1
        self._arguments[self._count] = arguments
        return np.int64(self._count)

    def take_pass(self, number: Any) -> Iterator[Any]:
        """Calls the generator function for a pass; the iterator is the caller's."""
        return iter(self.function(*self._arguments.pop(int(number))))

    def next_element(self, number: Any) -> list[Array]:
        """Returns the next element of a pass."""
        if int(number) not in self._passes:
            self._passes[int(number)] = self.take_pass(number)
        return row_of(next(self._passes[int(number)]), self.structure)

    def end_pass(self, number: Any) -> Any:
        """Ends a pass."""
        self._passes.pop(int(number), None)
        return np.int64(0)


# --- nodes -------------------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class GeneratorNode(DatasetNode):
    """The elements that a function gives, from call to call."""

    init_function: BoundFunction
    next_function: BoundFunction
    finalize_function: BoundFunction

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    @property
    def reads_ahead(self) -> bool:
        """Returns False: the calls run the user's code."""
        return False

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass: over the Python generator, where that is in this process."""
        generator = _generators.get(self.next_function.function)
        if generator is not None:
            return PythonCursor(generator, self.init_function)
        return CallCursor(self)


_generators: weakref.WeakKeyDictionary[Any, PythonGenerator] = weakref.WeakKeyDictionary()
"""The Python generators behind functions that give the next element; a function that was read from a file has none."""


class PythonCursor(Cursor):
    """Asks a Python generator for elements."""

    def __init__(self, generator: PythonGenerator, init_function: BoundFunction) -> None:
        self._generator = generator
        self._init_function = init_function
        self._plain = PlainElements(generator.structure)
        self._iterator: Iterator[Any] | None = None
        self._waiting: list[Any] = []  # elements that the generator has yielded and no caller has got
        self._taken = 0  # how many elements were handed out, or refused
        self._blocks_to_keep = 0  # how many blocks are not tried as plain ones
        self._ended = False
        self._error: Exception | None = None  # of the generator, to be raised behind the elements that wait

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements that the generator yields; goes on behind an element that does not fit."""
        block = None if self._waiting or self._ended else self._take_block(limit)
        if block is None and self._waiting:
            block = self._block_of_rows(self._waiting[:limit])
            del self._waiting[: block.count]
        if block is not None:
            self._taken += block.count
        elif self._error is not None:
            failure, self._error = self._error, None
            raise failure
        return block

    def _take_block(self, limit: int) -> Block | None:
        """Lets the generator yield up to `limit` elements; returns these where they are plain, else they wait."""
        if self._blocks_to_keep:
            self._blocks_to_keep -= 1
            self._go_on(partial(self._keep, limit))
            return None
        plain = self._plain
        self._go_on(partial(plain.take, limit))
        odd = plain.odd if limit == 1 else list(map(copy_mutable, plain.odd))
        is_mixed = bool(odd) and 2 * plain.count < limit  # else a block would be some elements, again and again
        block = None if is_mixed else plain.block()
        self._waiting = odd if block is not None else plain.elements() + odd
        if is_mixed and len(self._waiting) < limit:
            self._blocks_to_keep = _BLOCKS_TO_KEEP
            self._go_on(partial(self._keep, limit))
        return block

    def _keep(self, limit: int, elements: Iterator[Any]) -> bool:
        self._waiting.extend(map(copy_mutable, itertools.islice(elements, limit - len(self._waiting))))
        return len(self._waiting) < limit

    def _go_on(self, take: Callable[[Iterator[Any]], bool]) -> None:
        """Lets the generator yield elements to a function, which says whether it has ended; so does an error."""
        try:
            self._ended = call_python(take, (self._start(),))
        except errors.OpError as error:
            self._error, self._ended = error, True

    def _start(self) -> Iterator[Any]:
        """Returns the running generator."""
        if self._iterator is None:
            arguments = self._init_function.call_row(())
            self._iterator = call_python(self._generator.take_pass, arguments)
        return self._iterator

    def _block_of_rows(self, elements: list[Any]) -> Block:
        """Returns elements up to one that does not fit, or raises the error of that one."""
        rows: list[list[Array]] = []
        for element in elements:
            try:
                rows.append(call_python(row_of, (element, self._generator.structure)))
            except errors.OpError:
                if rows:
                    break  # the element is converted again when its turn has come
                del self._waiting[0]
                self._taken += 1
                raise
        return Block.of_rows(rows)

    def save(self) -> State:
        """Returns how many elements were taken, and whether all were: the generator keeps its state to itself."""
        return self._taken, self._ended and not self._waiting and self._error is None

    def restore(self, state: State) -> None:
        """Starts the generator anew, and passes over the elements that were taken."""
        self._taken, self._ended = state
        if not self._ended:
            call_python(next, (itertools.islice(self._start(), self._taken, self._taken), None))

    def close(self) -> None:
        """Lets the generator go, so that its `finally` clauses run."""
        self._iterator, self._ended = None, True


class CallCursor(Cursor):
    """Calls the functions of a graph for elements."""

    def __init__(self, node: GeneratorNode) -> None:
        self._node = node
        self._state: list[Array] | None = None
        self._taken = 0

    def next_block(self, limit: int) -> Block | None:
        """Returns the next element."""
        if self._state is None:
            self._state = self._node.init_function.call_row(())
        try:
            row = self._node.next_function.run_row(self._state)  # its OutOfRangeError is the end
        except errors.OutOfRangeError:
            return None
        self._taken += 1
        return Block.of_row(row)

    def save(self) -> State:
        """Returns how many elements were taken."""
        return self._taken

    def restore(self, state: State) -> None:
        """Begins anew, and passes over the elements that were taken."""
        self.skip(state)

    def close(self) -> None:
        """Calls the function that ends a pass."""
        if self._state is not None:
            self._node.finalize_function.call_row(self._state)
            self._state = None


@op(
    "GeneratorDataset",
    "init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args, "
    "finalize_func_other_args: Tfinalize_func_args -> handle: variant",
    Tinit_func_args=TypeList(ANY),
    Tnext_func_args=TypeList(ANY),
    Tfinalize_func_args=TypeList(ANY),
    **DATASET,
)
def generator_dataset(
    xp: Xp,
    init_func_other_args: list[Array],
    next_func_other_args: list[Array],
    finalize_func_other_args: list[Array],
    *,
    init_func: FunctionAttr,
    next_func: FunctionAttr,
    finalize_func: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements that a function gives, from call to call."""
    pairs = [
        (init_func, init_func_other_args),
        (next_func, next_func_other_args),
        (finalize_func, finalize_func_other_args),
    ]
    return GeneratorNode(tuple(output_types), tuple(output_shapes), *[BoundFunction(f, args) for f, args in pairs])


# --- the method --------------------------------------------------------------------------------------------------


def from_generator(
    generator: Callable[..., Any],
    output_types: object = None,
    output_shapes: object = None,
    args: object = None,
    output_signature: object = None,
    name: str | None = None,
) -> Any:
    """Makes a dataset of the elements that a Python generator yields.

    >>> def count(limit):
    ...     for number in range(limit):
    ...         yield number, [number] * number
    >>> signature = tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32)
    >>> dataset = tf.data.Dataset.from_generator(count, args=[3], output_signature=signature)
    >>> [(int(n), row.numpy().tolist()) for n, row in dataset]
    [(0, []), (1, [1]), (2, [2, 2])]

    Args:
      generator: called for each pass, with `args` as NumPy values; returns an iterable of elements. Where the signature
        has tuples and dictionaries, the elements have these too; a list becomes one tensor.
      output_types: the older form of the signature: a nest of dtypes.
      output_shapes: a nest of shapes that goes with `output_types`; None for unknown shapes.
      args: a tuple or list of values that convert to tensors.
      output_signature: a nest of `tf.TensorSpec`s.
      name: a name for the dataset.

    Returns: A Dataset.
    Raises:
      TypeError: if `generator` is not callable, or not exactly one form of signature is given.
      tf.errors.InvalidArgumentError: while iterating, if an element does not fit the signature.
    """
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    signature = _signature(output_types, output_shapes, output_signature)
    if not isinstance(args, (tuple, list, type(None))):
        raise TypeError(f"values must be a sequence. `args` of `Dataset.from_generator()` is {args!r}.")
    arguments = [convert_to_tensor(a) for a in (args or ())]
    python = PythonGenerator(generator, ElementStructure(signature))

    def flat_map_fn(_: object) -> DatasetBase:
        return _generator_dataset(python, arguments)

    return flat_map(from_tensors(0), flat_map_fn, name)


def _generator_dataset(python: PythonGenerator, arguments: list[Any]) -> DatasetBase:
    """Makes the dataset of a generator in the current graph."""
    structure = python.structure

    def init() -> Any:
        return numpy_function(python.begin_pass, arguments, int64)

    def following(number: Any) -> Any:
        tensors = numpy_function(python.next_element, [number], list(structure.dtypes))
        for tensor, shape in zip(tensors, structure.shapes, strict=True):
            tensor.set_shape(shape)
        return tuple(tensors)

    def end(number: Any) -> Any:
        return numpy_function(python.end_pass, [number], int64)

    number = TensorSpec([], int64)
    begins = TracedFunction(init, (), "Dataset.from_generator()")
    follows = TracedFunction(following, (number,), "Dataset.from_generator()")
    ends = TracedFunction(end, (number,), "Dataset.from_generator()")
    _generators[follows.graph_function] = python
    dataset: DatasetBase = apply_op(
        "_GeneratorDataset",
        generator_dataset,
        [begins.captures, follows.captures, ends.captures],
        structure.spec,
        functions=[begins, follows, ends],
        init_func=begins.graph_function,
        next_func=follows.graph_function,
        finalize_func=ends.graph_function,
    )
    return dataset


def _signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    """Returns the nest of specs of an element, whichever form it was given in."""
    if output_signature is not None:
        for given, argument in ((output_types, "output_types"), (output_shapes, "output_shapes")):
            if given is not None:
                raise TypeError(
                    f"The `{argument}` argument can not be used together with the `output_signature` argument."
                )
        for spec in nest.flatten(output_signature):
            if not isinstance(spec, TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                    f"{type(spec)} which is not."
                )
        return output_signature
    if output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` argument or the "
            "`output_types` argument."
        )
    if output_shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(None, as_dtype(dtype)), output_types)
    return map_structure_up_to(
        output_types, lambda dtype, shape: TensorSpec(as_shape(shape), as_dtype(dtype)), output_types, output_shapes
    )
