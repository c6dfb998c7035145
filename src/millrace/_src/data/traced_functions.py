"""The user's functions of a pipeline: traced once, then applied to blocks of elements.

A function is traced as a `tf.function` is, with a placeholder for each tensor of an element. The graph runs on the
NumPy tier. A function without effects runs once for a whole block, if its operations can be run on many rows at
once (`vectorized_functions`); any other function runs once for each element. Where the run for a block fails, the
elements are tried one by one, so that an error is that of its element.

Tests: tests/data/transforms/test_map_elements.py, tests/data/test_pipeline_optimizer.py
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from millrace._src.autograph.api import for_tracing
from millrace._src.core.array_namespace import Array
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import InvalidArgumentError, OpError, OutOfRangeError
from millrace._src.core.execute import scalar_array
from millrace._src.core.op_def import Effects
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block, join_blocks
from millrace._src.data.cursors import Cursor, DeferredError, State
from millrace._src.data.debug_mode import is_debugging
from millrace._src.data.nodes import PartOfStage
from millrace._src.data.stacked_results import StackedResults, allocate_results
from millrace._src.data.structure import ElementStructure, map_leaves, normalize, spec_of
from millrace._src.data.vectorized_functions import rows_at_once, vectorize_function
from millrace._src.engines.node_errors import is_explained, mark_explained
from millrace._src.function.graph_function import GraphFunction
from millrace._src.function.polymorphic_function import Function, FunctionOptions
from millrace._src.graph.control_deps import effects_beyond_checks, function_attrs
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.ops.py_function import py_function
from millrace._src.util import nest
from millrace._src.util.nest_paths import map_structure_up_to

_LARGE = 1 << 14
"""The bytes of the results for an element from which on a batch is copied result by result."""

# --- tracing -----------------------------------------------------------------------------------------------------


class TracedFunction:
    """A user's function of elements as a graph.

    Args:
      function: the user's function; it takes the components of a tuple as arguments of their own.
      arguments: the specs of the arguments: the element's, where the element is a tuple one for each component.
      caller: the caller in messages and names, such as "Dataset.map()".

    Attributes:
      graph_function: takes the flat tensors of an element, then the captures.
      captures: the tensors of outside that the function reads.
      output: the structure of the result.

    Raises:
      TypeError: if the function returns something that is not a nest of tensors.
    """

    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any], caller: str) -> None:
        results: list[ElementStructure] = []
        specs = tuple(arguments)
        encoded = nest.map_structure(_encode_spec, specs)

        def traced(*args: object) -> Any:
            own = map_structure_up_to(specs, _decode, specs, args)  # dictionaries from which items may be taken
            result = _normalize_result(for_tracing(function)(*own), caller)
            structure = ElementStructure(spec_of(result))
            results[:] = [structure]
            return structure.flatten(result)

        name = f"{caller.removesuffix('()').replace('.', '_')}_{name_of(function)}"
        options = FunctionOptions(autograph=False, attributes={"_tf_data_function": True})
        concrete = Function(traced, name, options).get_concrete_function(*encoded)
        self.output = results[0]
        if is_debugging():
            called = _python_caller(function, ElementStructure(specs), self.output, caller)
            concrete = Function(called, name, options).get_concrete_function(*encoded)
        self.graph_function: GraphFunction = concrete.graph_function
        self.captures: list[Any] = concrete.captured_inputs


def _encode_spec(leaf: Any) -> Any:
    """Returns what represents a leaf among the arguments of the graph: the specs of the tensors that it travels by."""
    return leaf if _travels_as_it_is(leaf) else tuple(leaf._flat_tensor_specs)


def _decode(leaf: Any, argument: Any) -> Any:
    """Returns the value of a leaf, given what represents it among the arguments of the graph."""
    return argument if _travels_as_it_is(leaf) else leaf._from_compatible_tensor_list(list(argument))


def _travels_as_it_is(leaf: Any) -> bool:
    """Returns whether a leaf travels through a pipeline by the tensors of which it consists."""
    return isinstance(leaf, TensorSpec) or bool(leaf._flat_tensor_specs == leaf.flatten())


def _python_caller(
    function: Callable[..., Any], element: ElementStructure, output: ElementStructure, caller: str
) -> Any:
    """Returns a function for a graph that calls the user's function with eager tensors."""

    def called(*args: object) -> Any:
        def run(*tensors: object) -> Any:
            result = _normalize_result(function(*element.pack(tensors)), caller)
            return output.flatten(result)

        flat = nest.flatten(args, expand_composites=True)
        results = py_function(run, flat, list(output.dtypes))
        for tensor, shape in zip(results, output.shapes, strict=True):
            tensor.set_shape(shape)
        return results

    return called


def name_of(function: Callable[..., Any]) -> str:
    """Returns the name of a user's function for names in graphs."""
    name = getattr(function, "__name__", type(function).__name__)
    return "lambda" if name == "<lambda>" else name


def arguments_of(spec: object) -> tuple[Any, ...]:
    """Returns the specs of the arguments with which a function of elements is called: a tuple is spread."""
    return spec if type(spec) is tuple else (spec,)


def _normalize_result(result: object, caller: str) -> Any:
    """Returns what a user's function returned as a nest of tensors; a list is taken for a tuple."""
    if isinstance(result, list):
        result = tuple(result)
    try:
        return normalize(result)
    except (TypeError, ValueError) as error:
        if any(_is_no_tensor(leaf) for leaf in nest.flatten(result)):
            raise TypeError(f"Unsupported return value from function passed to {caller}: {result}.") from error
        raise


def _is_no_tensor(leaf: object) -> bool:
    """Returns whether a leaf has no tensor form."""
    try:
        map_leaves(convert_to_tensor, leaf)
    except (TypeError, ValueError):
        return True
    return False


def check_callable(function: object) -> None:
    """Refuses a map function that is not a function.

    Raises: ValueError: in TensorFlow's words.
    """
    if not callable(function):
        raise ValueError(f"Argument `func` must be a callable. Received func={function} (of type {type(function)})")


# --- running -----------------------------------------------------------------------------------------------------


class BoundFunction(PartOfStage):
    """A graph function with the values of its captures, applied to rows and blocks.

    Args:
      function: takes the flat tensors of an element, then the captures.
      captures: the values of the captures.
      stage: the type of the dataset op that has the function, for messages.
    """

    def __init__(self, function: GraphFunction, captures: Sequence[Array], stage: str = "") -> None:
        self.function = function
        self.captures = tuple(captures)
        self.stage = stage
        self.dtypes: list[DType] = [t.dtype for t in function.graph.outputs]
        self._run: Any = None
        self._run_block: Any = None
        self._rows_at_once: int | None = None  # 0: there is no block form; None: not asked yet

    @functools.cached_property
    def _effects(self) -> Effects:
        """What the function does besides computing; an assertion that fails is an error of the element."""
        return effects_beyond_checks(self.function.graph)

    @property
    def is_pure(self) -> bool:
        """Whether the result depends on the element alone: no program sees when, or how often, the function runs."""
        return self._effects is Effects.NONE

    @property
    def runs_unseen(self) -> bool:
        """Whether no program can tell when the function runs, but for which random numbers an element gets."""
        return self._effects in (Effects.NONE, Effects.RANDOM)

    @functools.cached_property
    def draws(self) -> bool:
        """Whether the function draws random numbers from hidden streams."""
        return _draws(self.function.graph)

    def call_row(self, row: Sequence[Array], index: int | None = None) -> list[Array]:
        """Returns the results for one element; its index is for messages."""
        try:
            return self.run_row(row)
        except OpError as error:
            raise self._failure(error, index) from None

    def run_row(self, row: Sequence[Array]) -> list[Array]:
        """Returns the results for one element; an error is raised as the graph raised it."""
        run = self._run
        if run is None:
            run = self._run = self.function.array_runner()
        results = run(*row, *self.captures)
        return [r if type(r) is np.ndarray else scalar_array(r, d) for r, d in zip(results, self.dtypes, strict=True)]

    def _failure(self, error: OpError, index: int | None) -> OpError:
        """Returns the error that says in which stage, and at which element, the function has failed."""
        if isinstance(error, OutOfRangeError):  # which would be taken for the end of the dataset
            return InvalidArgumentError(None, None, f"Function invocation produced OutOfRangeError: {error.message}")
        if not self.stage:
            return error
        where = "" if index is None else f" at element {index}"
        text = f"Error in user-defined function passed to {self.stage} transformation{where}: {error.message}"
        failure: OpError = type(error)(None, None, text)  # type: ignore[call-arg]  # of a subclass
        if is_explained(error):
            mark_explained(failure)
        return failure

    def call_block(self, block: Block) -> Block | None:
        """Returns the results for all elements of a block at once; None if that is not possible."""
        if block.count == 1 or not block.is_uniform:
            return None
        if self._rows_at_once is None:
            self._prepare(len(block.columns))
        rows = self._rows_at_once
        if not rows or rows == 1:
            return None
        try:
            if block.count <= rows:
                return self._call_rows(block)
            return join_blocks(
                [self._call_rows(block.part(i, min(i + rows, block.count))) for i in range(0, block.count, rows)]
            )
        except Exception:
            return None  # element by element, the error will say which element it belongs to

    def _prepare(self, argument_count: int) -> None:
        """Makes the block form, if there is one and blocks are no burden."""
        rows = rows_at_once(self.function.graph) if self.is_pure else 1
        self._run_block = vectorize_function(self.function, argument_count) if rows > 1 else None
        self._rows_at_once = 0 if self._run_block is None else rows

    def _call_rows(self, block: Block) -> Block:
        return Block(self._run_block(*block.columns, *self.captures), block.count)


def _draws(graph: FuncGraph) -> bool:
    """Returns whether an operation of a graph, or of a function that the graph runs, draws from a hidden stream."""
    operations = [o for o in graph.get_operations() if not o.op_def.traits.is_placeholder]
    return any(o.effects is Effects.RANDOM or any(map(_draws, function_attrs(o))) for o in operations)


class ElementFunction(Protocol):
    """What can be applied to elements: a user's function, or what an op does to each element."""

    @property
    def is_pure(self) -> bool:
        """Whether the result depends on the element alone."""

    def call_row(self, row: Sequence[Array], index: int | None = None) -> list[Array]:
        """Returns the results for one element; its index is for messages."""

    def call_block(self, block: Block) -> Block | None:
        """Returns the results for all elements of a block at once; None if that is not possible."""


class Applying(ABC):
    """What applies a function to the elements of a cursor."""

    __slots__ = ()

    @abstractmethod
    def next_blocks(self, limit: int) -> tuple[Block, Block] | None:
        """Returns the next elements, at most `limit`, and the results for them; None at the end."""

    @abstractmethod
    def save(self) -> State:
        """Returns the state."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Goes on from a state."""

    @abstractmethod
    def close(self) -> None:
        """Closes the source."""


class AppliedFunction(Applying):
    """A function applied to the blocks of a cursor; what an error leaves over is applied next.

    Args:
      function: the function.
      source: the cursor.
    """

    __slots__ = ("_error", "_function", "_next", "_rest", "_source", "first")

    def __init__(self, function: ElementFunction, source: Cursor) -> None:
        self._function = function
        self._source = source
        self._rest: Block | None = None
        self._error = DeferredError()
        self._next = 0  # the index of the next element
        self.first = 0
        """The index of the first of the elements that were given last."""

    def next_blocks(self, limit: int) -> tuple[Block, Block] | None:
        """Returns the next elements, at most `limit`, and the results for them; None at the end."""
        block = self.next_elements(limit)
        if block is None:
            return None
        results = self._function.call_block(block)
        return self._by_row(block) if results is None else (block, results)

    def next_elements(self, limit: int) -> Block | None:
        """Returns the next elements, to which the function has not been applied."""
        self._error.check()
        block = self._rest if self._rest is not None else self._source.next_block(limit)
        if block is not None and block.count > limit:
            block, self._rest = block.part(0, limit), block.part(limit, block.count)
        else:
            self._rest = None
        if block is not None:
            self.first, self._next = self._next, self._next + block.count
        return block

    def _by_row(self, block: Block) -> tuple[Block, Block]:
        """Applies the function to each element; stops before an element that raises an error.

        Large results are put side by side one by one, while they are in the processor's cache.
        """
        results: list[list[Array]] = []
        stacked: StackedResults | None = None
        for index in range(block.count):
            try:
                row = self._function.call_row(block.row(index), self.first + index)
            except Exception as error:
                self._keep(block, index + 1)
                if not results:
                    raise
                self._error.put(error)
                break
            if not index and sum([array.nbytes for array in row]) >= _LARGE:
                stacked = allocate_results(block.count, [(array.shape, array.dtype) for array in row])
            results.append(row if stacked is None else stacked.put(index, row))
        block_of_results = Block.of_rows(results) if stacked is None else stacked.block(0, results)
        return block.part(0, len(results)), block_of_results

    def _keep(self, block: Block, start: int) -> None:
        """Keeps the elements from `start` on for the next call, before those that are kept already."""
        if start < block.count:
            left = block.part(start, block.count)
            self._next -= left.count
            self._rest = left if self._rest is None else join_blocks([left, self._rest])

    def save(self) -> State:
        """Returns the state: of the source, the elements to which the function is to be applied, an error, an index."""
        rest = None if self._rest is None else self._rest.save()
        return self._source.save(), rest, self._error.save(), self._next

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        source, rest, error, self._next = state
        self._source.restore(source)
        self._rest = None if rest is None else Block.from_state(rest)
        self._error.restore(error)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()
