"""The executables of one graph: what XLA makes of the graph, for each set of input types.

The graph becomes one function from the values of its variables and its other inputs to its outputs and the new values.
JAX lowers and compiles that function ahead of time, for the shapes, dtypes and placements of a call's operands, in any
thread; a thread that needs an executable that another thread compiles waits for that thread. An executable takes some
megabytes, so their number has a bound: the executable that was looked up least recently makes room.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from itertools import chain, starmap
from typing import Any, NamedTuple

import jax
import numpy as np

from millrace._src.core import errors
from millrace._src.core.watching import note_span
from millrace._src.engines.compilations import note_compilation
from millrace._src.engines.variable_cells import Cell
from millrace._src.engines.xla import compile_cache
from millrace._src.engines.xla.compile_time_constants import CompileTimeValue
from millrace._src.engines.xla.compiled_variables import abstract, changed_variables
from millrace._src.engines.xla.host_calls import allow_calls
from millrace._src.engines.xla.lower import Lowering
from millrace._src.passes.optimized_graph import OptimizedGraph
from millrace._src.util.interrupts import interrupts_later

Known = tuple[tuple[int, CompileTimeValue], ...]
"""The inputs that are constants of an executable: their positions and values."""
_MAX_EXECUTABLES = 128
_FIRST_CALLS = 8
"""The calls of an executable in which JAX may still run code in Python, once for each kind of operands."""
_FunctionInC = type(jax.jit(lambda: None))
"""The class of the functions that JAX calls without any Python."""


class ExecutableSignature(NamedTuple):
    """All that decides an executable.

    Attributes:
      owners: how resource inputs share variables; see `variables.Sharing`.
      known: the inputs that are constants.
      tree: the structure of the operands: an array, or the arrays of a list.
      leaves: shape, dtype and placement of each array among the operands.
      device: the device on which the executable must run; None leaves that to JAX.
    """

    owners: tuple[int, ...]
    known: Known
    tree: Any
    leaves: tuple[jax.ShapeDtypeStruct, ...]
    device: jax.Device | None

    @property
    def operands(self) -> list[Any]:
        """The operands, with types instead of arrays."""
        operands: list[Any] = jax.tree.unflatten(self.tree, self.leaves)
        return operands


def signature_of(
    owners: tuple[int, ...], known: Known, operands: Sequence[Any], device: jax.Device | None = None
) -> ExecutableSignature:
    """Returns the signature of a call with these operands, which are to be moved to `device`."""
    leaves, tree = jax.tree.flatten(list(operands))
    return ExecutableSignature(owners, known, tree, tuple([abstract(leaf, device) for leaf in leaves]), device)


class OtherTypesError(Exception):
    """The operands are not of the types for which an executable was compiled."""


_observer: Callable[[Executable], None] | None = None


def set_observer(observer: Callable[[Executable], None] | None) -> None:
    """Lets a function see the executables that run, or, with None, none.

    Nothing asks for the observer: while there is one, the class has other methods.
    """
    global _observer
    _observer = observer
    for name, method in _METHODS.items():
        setattr(Executable, name, method if observer is None else _observe(method))


def _observe(method: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Executable, *arguments: Any) -> Any:
        observer = _observer
        if observer is not None:
            observer(self)
        return method(self, *arguments)

    return run


class Executable:
    """One executable, which may still have to be compiled.

    Args: graph: the graph; None where not asked for.

    Attributes:
      lock: held by the thread that compiles.
      run: takes the operands, returns the results and then the new values of variables; None until compiled.
      is_wide: whether `run` must be called with JAX's 64-bit types enabled.
      shared: the results that are also a variable's array, by position; None until the first call tells.
    """

    __slots__ = ("graph", "lock", "run", "compiled", "is_wide", "shared", "_first_calls", "_direct_run")

    def __init__(self, graph: OptimizedGraph | None = None) -> None:
        self.graph = graph
        self.lock = threading.Lock()
        self.compiled: Any = None
        self.run: Any = None
        self.is_wide = True
        self.shared: tuple[int, ...] | None = None
        self._first_calls = 0
        self._direct_run: Any = None

    def text(self) -> str:
        """Returns the module that XLA runs, as text; an empty one before it is compiled."""
        return "" if self.compiled is None else str(self.compiled.as_text())

    def __call__(self, operands: Sequence[Any]) -> list[Any]:
        """Runs the executable.

        Raises: OtherTypesError: if the operands are not of its types.
        """
        outputs: list[Any]
        try:
            if self.is_wide:
                with jax.enable_x64(True):
                    outputs = self.run(*operands)
            else:
                outputs = self.run(*operands)
        except _FAILURES as error:
            raise _translate_error(error) from None
        return outputs

    def add_outputs(self, operands: Sequence[Any], outputs: list[Any]) -> None:
        """Runs the executable and adds the outputs to a list, at one stroke: Ctrl-C comes before or after both.

        The executable deletes the arrays of variables that it changes. When the list has got outputs, these arrays are
        gone, also where this method raises KeyboardInterrupt.

        Raises: OtherTypesError: if the operands are not of the executable's types.
        """
        if self._direct_run is not None:
            self._add(self._direct_run, operands, outputs)
            return
        with interrupts_later():
            self._add(self.run, operands, outputs)
        if self._first_calls < _FIRST_CALLS:
            self._first_calls += 1
        else:
            self._direct_run = _direct_run(self.run)

    def _add(self, run: Any, operands: Sequence[Any], outputs: list[Any]) -> None:
        """Adds the outputs of a run to a list; after a run that is not Python, no Python runs before they are added."""
        results = chain.from_iterable(starmap(run, [operands]))
        try:
            if self.is_wide:
                with jax.enable_x64(True):
                    outputs.extend(results)
            else:
                outputs.extend(results)
        except _FAILURES as error:
            raise _translate_error(error) from None


_METHODS: dict[str, Callable[..., Any]] = {"__call__": Executable.__call__, "add_outputs": Executable.add_outputs}
"""The methods that an observer replaces."""
_FAILURES = (TypeError, ValueError, jax.errors.JaxRuntimeError)
"""The errors of JAX in calls."""


def _translate_error(error: Exception) -> Exception:
    """Returns what a call raises instead of an error of JAX's."""
    if isinstance(error, jax.errors.JaxRuntimeError):
        return errors.InternalError(None, None, f"XLA failed to run the function: {error}")
    return OtherTypesError(str(error))


def _direct_run(program: object) -> Any:
    """Returns the function in C++ that JAX made when a program was first called; None for a program without one."""
    function = getattr(program, "_call", None)  # JAX's own; where it moves, calls take some microseconds more
    return function if isinstance(function, _FunctionInC) else None


class Executables:
    """The executables of one graph without draws.

    Args:
      graph: the graph; its last inputs are random numbers that the caller draws.
      input_count: the number of its other inputs.
      resources: the positions of the inputs that are variables.
      plain: the positions of the inputs that are arrays.
      is_written: for each of the `resources`, whether the graph may change the variable.
    """

    def __init__(
        self,
        graph: OptimizedGraph,
        input_count: int,
        resources: Sequence[int],
        plain: Sequence[int],
        is_written: Sequence[bool],
    ) -> None:
        self.lowering = Lowering(graph)
        self.result_count = len(graph.outputs)
        self.input_count = input_count
        self.resources = resources
        self.plain = plain
        self.is_written = is_written
        self.known: tuple[int, ...] = ()
        """The positions of the plain inputs that are constants of an executable."""
        self.seen: set[Known] = set()
        """The values of these inputs that have executables."""
        self.recent: dict[Hashable, Executable] = {}
        """The executable that last fitted what is quickly known of a call; see `Runner`."""
        self._table: OrderedDict[ExecutableSignature, Executable] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, signature: ExecutableSignature) -> Executable | None:
        """Returns the executable for a signature if it has been compiled."""
        executable = self._table.get(signature)
        return None if executable is None or executable.run is None else executable

    def get(self, signature: ExecutableSignature) -> Executable:
        """Returns the executable for a signature; compiles it, or waits for the thread that does.

        Raises: OpError: if XLA cannot compile the graph for the signature.
        """
        with self._lock:
            executable = self._table.setdefault(signature, Executable(self.lowering.graph))
            self._table.move_to_end(signature)
            if len(self._table) > _MAX_EXECUTABLES:
                self._table.popitem(last=False)
                self.recent.clear()
        with executable.lock:
            if executable.run is None:
                self._compile(executable, signature)
        return executable

    def keep_recent(self, key: Hashable, executable: Executable) -> None:
        """Notes which executable fits calls of which this much is known."""
        if len(self.recent) >= _MAX_EXECUTABLES:
            self.recent.clear()
        self.recent[key] = executable

    def unknown(self, known: Known) -> Sequence[int]:
        """Returns the positions of the plain inputs that are arguments of an executable."""
        positions = [position for position, _ in known]
        return [i for i in self.plain if i not in positions] if positions else self.plain

    def _compile(self, executable: Executable, signature: ExecutableSignature) -> None:
        start = time.perf_counter()
        with jax.enable_x64(True), allow_calls() as watched:
            compiled = compile_cache.compile_or_load(self.lower(signature), self.lowering.graph.name)
            run = watched(compiled)
        executable.is_wide = any(_is_wide(leaf) for leaf in (*signature.leaves, *jax.tree.leaves(compiled.out_info)))
        executable.compiled, executable.run = compiled, run
        note_span("compile", self.lowering.graph.name, start, time.perf_counter())

    def lower(self, signature: ExecutableSignature) -> Any:
        """Returns the form to which JAX lowers the graph for a signature; 64-bit types have to be enabled."""
        function: Any = functools.partial(self._trace, signature.owners, signature.known)
        function.__name__ = self.lowering.graph.name  # what profiles and compiler dumps show
        written_count = len(changed_variables(signature.owners, self.is_written))
        jitted = jax.jit(function, donate_argnums=tuple(range(written_count)))
        if signature.device is None:
            return jitted.lower(*signature.operands)
        with jax.default_device(signature.device):  # for a function without operands
            return jitted.lower(*signature.operands)

    def _trace(self, owners: tuple[int, ...], known: Known, *operands: object) -> list[Any]:
        """Runs the graph while JAX traces.

        Args:
          owners: how inputs share variables; see `Sharing`.
          known: the inputs that are constants.
          *operands: the values of the variables that change, of the others, of the other inputs, and random numbers.
        """
        changed_numbers = changed_variables(owners, self.is_written)
        count = len(set(owners))
        unchanged = [number for number in range(count) if number not in changed_numbers]
        values = dict(zip([*sorted(changed_numbers), *unchanged], operands, strict=False))
        cells = [Cell(values[number], f"variable {number}") for number in range(count)]
        arguments: list[Any] = [None] * self.input_count
        positions = self.unknown(known)
        for position, value in zip(positions, operands[count:], strict=False):
            arguments[position] = value
        for position, constant in known:
            arguments[position] = constant.array
        for owner, position in zip(owners, self.resources, strict=True):
            arguments[position] = cells[owner]
        results = self.lowering(*arguments, *operands[count + len(positions) :])
        note_compilation()
        return [*results, *[cell.value for number, cell in enumerate(cells) if number in changed_numbers]]


def _is_wide(array: Any) -> bool:
    return np.dtype(array.dtype) in _WIDE


_WIDE = frozenset(map(np.dtype, ("int64", "uint64", "float64", "complex128")))
