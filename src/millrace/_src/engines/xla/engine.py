"""The XLA engine: compiles graphs through JAX's public API.

A program is one `jax.jit` function from the graph's inputs and the values of its variables to its outputs and the new
values; the values that change are donated. JAX keeps one executable for each set of input shapes. 64-bit types are
enabled only around Millrace's own calls, so the user's JAX code sees its own settings.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from millrace._src.core import errors
from millrace._src.core.accelerator import Accelerator
from millrace._src.core.array_namespace import Xp
from millrace._src.core.context import eager_engine
from millrace._src.core.dtypes import DType
from millrace._src.core.engine import Program, Run
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.resources import VariableStorage, resource_of
from millrace._src.core.tensor import PendingTensor, arrived
from millrace._src.engines.binding import bind_kernel
from millrace._src.engines.tensor_lists import boxed
from millrace._src.engines.xla.accelerators import list_accelerators
from millrace._src.engines.xla.executables import Executables, Known, Sharing
from millrace._src.engines.xla.known_values import KnownValue, inputs_behind
from millrace._src.engines.xla.lists import DenseList, to_dense
from millrace._src.engines.xla.lower import _callable
from millrace._src.engines.xla.namespace import xp
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value, restricted
from millrace._src.passes.pipeline import held_graphs
from millrace._src.util.logger import get_logger

_MOST_SPECIALIZATIONS = 16
"""The most executables of one function for different values of the arguments that decide sizes."""
_MOST_ELEMENTS = 256
"""How large an argument may be to be a constant."""


class XlaEngine:
    """Runs graphs compiled by XLA."""

    name = "xla"
    xp: Xp = xp

    def bind(self, op: OpDef, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        """Makes a callable on arrays for one op, run by JAX."""
        kernel = bind_kernel(op, attrs, engine=self.name, xp=xp, convert_function=_callable, with_checks=False)

        def run(*arrays: Any) -> Any:
            with jax.enable_x64(True):
                return kernel(*arrays)

        return run

    def compile(self, graph: OptimizedGraph) -> Program:
        """Returns an XLA program for a graph, or the NumPy engine's program with the reason.

        Raises: InvalidArgumentError: if the graph holds operations that XLA cannot run.
        """
        blocked, dynamic_nodes = unsupported_nodes(graph)
        strings = _string_ends(graph)
        if blocked or strings:
            raise _unsupported(graph, blocked, strings)
        if dynamic_nodes:
            graph.verdict.own_reason = _needs_numpy(dynamic_nodes)
        if graph.verdict.reason is not None:
            program = eager_engine().compile(graph)
            _leave_to_numpy(program, graph, graph.verdict.reason)
            return program
        return _XlaRunner(graph).program

    def accelerators(self) -> tuple[Accelerator, ...]:
        """Returns the GPUs and TPUs that JAX can use."""
        return list_accelerators()


def _leave_to_numpy(program: Program, graph: OptimizedGraph, reason: str) -> None:
    """Notes that the NumPy engine runs a graph, and logs the reason."""
    program.leave_to(eager_engine().name, reason)
    get_logger().info("%s runs on the NumPy tier: %s", graph.name, reason)


def unsupported_nodes(graph: OptimizedGraph) -> tuple[list[Node], list[Node]]:
    """Returns the nodes that XLA must refuse (strings, Python, datasets, output), and those that need NumPy.

    A node that needs NumPy has data-dependent shapes, draws random numbers inside a loop body, or is a loop whose
    condition writes to a variable.
    """
    blocked: list[Node] = []
    dynamic_nodes: list[Node] = []
    for node in graph.nodes:
        bodies = [] if node.op_def.traits.keeps_functions else held_graphs(node)
        if node.effects is Effects.IO and "xla" in node.op_def.rules.kernels:
            continue  # an assertion: compiled programs pass over assertions, as in TensorFlow
        if node.effects is Effects.IO and not bodies or _touches_strings(node) or node.op_def.traits.refused_by_xla:
            blocked.append(node)
        elif node.op_def.traits.host_only or is_draw(node) and _needs_state(node) or _writes_in_condition(node):
            dynamic_nodes.append(node)
        for body in bodies:
            more_blocked, more_dynamic = unsupported_nodes(body)
            blocked += more_blocked
            dynamic_nodes += [*more_dynamic, *filter(is_draw, body.nodes)]
    return blocked, dynamic_nodes


def _needs_state(node: Node) -> bool:
    """Tells whether the arguments of a random op depend on a variable or another effect: no drawing ahead then."""
    stack, seen_nodes = [value.node for value in node.inputs], set()
    while stack:
        current = stack.pop()
        if current is None or current in seen_nodes:
            continue
        seen_nodes.add(current)
        if current.effects not in (Effects.NONE, Effects.RANDOM):
            return True
        if any(value.dtype.name == "resource" for value in (*current.inputs, *current.outputs)):
            return True
        stack.extend(value.node for value in current.inputs)
    return False


def _writes_in_condition(node: Node) -> bool:
    """Tells whether a node is a loop whose condition writes to a variable; XLA keeps the state of iterations alone."""
    if node.op_def.traits.control != "loop":
        return False
    condition, _ = held_graphs(node)
    return any(inner.effects is Effects.WRITES for inner in condition.nodes)


def _touches_strings(node: Node) -> bool:
    return any(value.dtype.name == "string" for value in (*node.inputs, *node.outputs))


def _string_ends(graph: OptimizedGraph) -> list[str]:
    """Lists the kinds of ends, arguments and results, that are strings, by TensorFlow's names."""
    ends = {"_Arg": graph.inputs, "_Retval": graph.outputs}
    return [kind for kind, values in ends.items() if any(value.dtype.name == "string" for value in values)]


def _unsupported(graph: OptimizedGraph, nodes: Sequence[Node], ends: Sequence[str]) -> errors.InvalidArgumentError:
    listed = "".join(f"\n\t{end} of dtype string" for end in ends) + "".join(
        f"\n\t{node.type} (node {{{{node {node.name}}}}}){f' defined at {node.source}' if node.source else ''}"
        for node in nodes
    )
    return errors.InvalidArgumentError(
        None,
        None,
        f"Detected unsupported operations when trying to compile graph {graph.name}[_XlaMustCompile=true] "
        "on XLA_CPU_JIT: "
        f"{', '.join([*dict.fromkeys(node.type for node in nodes), *ends])}{listed}\n"
        "These operations work on the host only. Call them outside the function, or remove jit_compile=True.",
    )


def _needs_numpy(nodes: Sequence[Node]) -> str:
    """Returns the reason why a graph with some nodes runs on NumPy although XLA does not refuse the nodes."""
    listed = ", ".join(dict.fromkeys(f"{node.type} {{{{node {node.name}}}}}" for node in nodes))
    return (
        "XLA needs every shape before it runs, random numbers drawn outside of loops and branches, and conditions of "
        f"loops that write to no variable; these operations do otherwise: {listed}."
    )


class _XlaRunner:
    """One graph compiled by XLA; callable with one array or resource handle per input.

    Random numbers of the top level are drawn on the host, by the same kernels and streams as on the NumPy tier, and
    passed in: every engine gives the same bits.

    Where a size depends on the value of an argument (`x[:n]`, `tf.zeros([n])`), that argument becomes a constant, and
    there is an executable for each of its values. A size that the program itself computes, or one with very many
    values, leaves the function to the NumPy tier.
    """

    def __init__(self, graph: OptimizedGraph, executables: Executables | None = None) -> None:
        self.graph = graph
        self.inputs = inputs = graph.inputs
        self.resources = [i for i, value in enumerate(inputs) if value.dtype.name == "resource"]
        self.plain = [i for i, value in enumerate(inputs) if value.dtype.name != "resource"]
        # JAX takes locks and may warn: not inside our quiet context.
        self.program = Program(
            self,
            "xla",
            keeps_quiet=True,
            tensor_class=PendingTensor,
            takes_pending=True,
            lower=self.lower,
            for_caller=self.for_caller,
        )
        self.has_lists = any(value.dtype.name == "variant" for value in (*inputs, *graph.outputs))
        draws = [value for node in graph.nodes if is_draw(node) for value in node.outputs]
        self.draw = self._drawing(draws) if draws else None
        self.executables = self._executables(draws) if executables is None else executables
        if graph.verdict.reason is not None:
            self.program.leave_to(eager_engine().name, graph.verdict.reason)
        self.sharing = Sharing((), (), (), (), ())
        """How the inputs of the last call shared variables."""

    def _drawing(self, draws: Sequence[Value]) -> Callable[[Sequence[Any]], Sequence[Any]]:
        """Returns the program that draws random numbers, as a function of the arguments of a call."""
        drawing = restricted(self.graph, [self.inputs[i] for i in self.plain], draws)
        read_values = {value for node in drawing.nodes for value in node.inputs}
        positions = [i for i in self.plain if self.inputs[i] in read_values]
        drawing.inputs = [self.inputs[i] for i in positions]
        run = eager_engine().compile(drawing).quiet_run()
        return lambda arguments: run(*[arrived(arguments[i]) for i in positions])

    def _executables(self, draws: Sequence[Value]) -> Executables:
        graph = self.graph
        changed_inputs = _written(graph)
        nodes = [node for node in graph.nodes if not is_draw(node)]
        return Executables(
            OptimizedGraph(graph.name, [*graph.inputs, *draws], graph.outputs, nodes),
            len(graph.inputs),
            self.resources,
            self.plain,
            frozenset(i for i, value in enumerate(graph.inputs) if value in changed_inputs),
        )

    def for_caller(self) -> Program:
        """Returns a program with the same executables for another caller, who may have random streams of its own."""
        return _XlaRunner(self.graph, self.executables).program

    def __call__(self, *arguments: Any) -> Sequence[Any]:
        return self._call(arguments, self._drawn(arguments))

    def _drawn(self, arguments: Sequence[Any]) -> list[Any]:
        """Draws the random numbers of one call, once, whoever runs the rest."""
        return [] if self.draw is None else list(self.draw(arguments))

    def _call(self, arguments: Sequence[Any], draws: list[Any]) -> Sequence[Any]:
        executables, reason = self.executables, self.graph.verdict.reason
        if reason is not None:
            return self._left(reason, arguments, draws)
        known_values = tuple([(i, KnownValue(arguments[i])) for i in executables.known])
        if known_values and known_values not in executables.seen:
            if len(executables.seen) == _MOST_SPECIALIZATIONS:
                reason = f"a size depends on an argument that had more than {_MOST_SPECIALIZATIONS} values."
                return self._left(reason, arguments, draws)
            executables.seen.add(known_values)
        try:
            return self._run(known_values, arguments, draws)
        except errors.UnknownWhileCompilingError as error:
            self._learn(error, arguments, {position for position, _ in known_values})
        return self._call(arguments, draws)

    def _learn(self, error: errors.UnknownWhileCompilingError, arguments: Sequence[Any], known: set[int]) -> None:
        """Makes the inputs behind an unknown size constants of the executables, or leaves the function to NumPy.

        Args:
          error: the error of the call.
          arguments: the arguments of the call.
          known: the inputs that were constants; another thread may have made further ones constants since.
        """
        positions = inputs_behind(error.tensors, self.inputs)
        if positions is None or positions <= known or any(arguments[i].size > _MOST_ELEMENTS for i in positions):
            self.graph.verdict.own_reason = error.message
            _leave_to_numpy(self.program, self.graph, error.message)
        else:
            self.executables.known = tuple(sorted({*self.executables.known, *positions}))
            self.executables.seen = set()

    def _left(self, reason: str, arguments: Sequence[Any], draws: Sequence[Any]) -> Sequence[Any]:
        """Runs the graph on the NumPy tier."""
        self.program.leave_to(eager_engine().name, reason)
        return self._on_host(*map(arrived, arguments), *draws)

    @functools.cached_property
    def _on_host(self) -> Run:
        return eager_engine().compile(self.executables.lowering.graph).quiet_run()

    def lower(self, *arguments: Any) -> Any:
        """Returns the form to which JAX lowers the program for these arguments."""
        storages = [resource_of(arguments[position]) for position in self.resources]
        sharing = self._sharing_of(storages)
        plain, draws = self._plain_operands((), arguments), self._drawn(arguments)
        with jax.enable_x64(True):
            return self.executables.run.lower(sharing.owners, (), *_values(storages, sharing), plain, draws)

    def _run(self, known: Known, arguments: Sequence[Any], draws: list[Any]) -> Sequence[Any]:
        storages: list[VariableStorage] = [resource_of(arguments[position]) for position in self.resources]
        sharing = self._sharing_of(storages)
        plain = self._plain_operands(known, arguments)
        locks = [storages[place].lock for place in sharing.order]
        for lock in locks:
            lock.acquire()
        try:
            return self._run_locked(storages, sharing, known, plain, draws)
        except errors.OpError as error:
            error.__dict__.pop("__notes__", None)  # JAX's remark about its own frames
            raise error.with_traceback(None) from None
        except jax.errors.JaxRuntimeError as error:
            raise errors.InternalError(None, None, f"XLA failed to run the function: {error}") from None
        finally:
            for lock in locks:
                lock.release()

    def _run_locked(
        self,
        storages: Sequence[VariableStorage],
        sharing: Sharing,
        known: Known,
        plain: Sequence[Any],
        draws: Sequence[Any],
    ) -> Sequence[Any]:
        """Runs the function while no other thread takes an array of the variables."""
        with jax.enable_x64(True):
            written, read = _values(storages, sharing)
            results, values = self.executables.run(sharing.owners, known, written, read, plain, draws)
            if self.has_lists:
                results = [boxed(r.to_host()) if isinstance(r, DenseList) else r for r in results]
        self.executables.make_room()
        for place, value in zip(sharing.written, values, strict=True):
            storages[place].set_device_value(value)
        return _detached(results, values, read) if storages else results

    def _sharing_of(self, storages: Sequence[VariableStorage]) -> Sharing:
        """Returns how the inputs of a call share variables; calls in a row mostly have the same variables."""
        identities = tuple(map(id, storages))
        sharing = self.sharing
        if sharing.identities != identities:
            sharing = self.sharing = self.executables.sharing(identities)
        return sharing

    def _plain_operands(self, known: Known, arguments: Sequence[Any]) -> list[Any]:
        """Returns the arguments that are operands of the compiled function: no variables, no constants of it."""
        plain_arguments = [arguments[i] for i in self.executables.unknown(known)]
        if self.has_lists:
            with jax.enable_x64(True):
                plain_arguments = [_as_dense(a) for a in plain_arguments]
        return plain_arguments


def _values(storages: Sequence[VariableStorage], sharing: Sharing) -> tuple[list[Any], list[Any]]:
    """Returns the values of the variables that a function may change, and of the others.

    The others stay with XLA: a call takes an array of XLA's more quickly than one of NumPy's.
    """
    written = [s.device if s.device is not None else _host_value(s) for s in map(storages.__getitem__, sharing.written)]
    read = [s.device if s.device is not None else _kept(s) for s in map(storages.__getitem__, sharing.read)]
    return written, read


def _kept(storage: VariableStorage) -> Any:
    """Puts the value of a variable that no engine holds into XLA's memory, and returns that value."""
    storage.set_device_value(jax.device_put(_host_value(storage)))
    return storage.device


def _as_dense(argument: Any) -> Any:
    """Returns an argument of a compiled program; a list in XLA's form."""
    return to_dense(resource_of(argument)) if argument.dtype.kind == "O" else argument


def _detached(results: Sequence[Any], *of_variables: Sequence[Any]) -> list[Any]:
    """Returns results that outlive the variables: a result that is also a variable's array is copied to NumPy.

    The variable's next change donates the variable's array to XLA, which deletes that array; the copy stays.
    """
    variable_arrays = {identity for arrays in of_variables for identity in map(id, arrays)}
    return [np.asarray(r) if id(r) in variable_arrays else r for r in results]


def _written(graph: OptimizedGraph) -> set[Value]:
    """Returns the variables that a graph may change."""
    written_values: set[Value] = set()
    for node in graph.nodes:
        bodies = held_graphs(node)
        if not bodies and node.effects is not Effects.READS:
            written_values.update(value for value in node.inputs if value.dtype.name == "resource")
        for body in bodies:
            changed_inputs, operands = _written(body), node.inputs[len(node.inputs) - len(body.inputs) :]
            written_values.update(
                value for value, own_input in zip(operands, body.inputs, strict=True) if own_input in changed_inputs
            )
    return written_values


def is_draw(node: Node) -> bool:
    """Tells whether a node draws from a hidden random stream."""
    return node.effects is Effects.RANDOM and not node.holds_functions


def _host_value(storage: VariableStorage) -> Any:
    """Returns the value of a variable that no engine holds."""
    value = storage.value
    if value is None:
        raise errors.FailedPreconditionError(
            None, None, f"Could not find variable {storage.name}. It was never initialized."
        )
    return value


def make_engine() -> XlaEngine:
    """Makes the XLA engine."""
    return XlaEngine()
