"""Calls of a graph that XLA compiles: from the arguments of a call to an executable and its operands, quickly.

What is known of a graph before a call is prepared: the positions of variables, of arrays whose shape may change, of
arrays that are constants. A call then makes a short key, takes the executable that last fitted that key, and runs it.
JAX compares the operands with the types that the executable was compiled for. Where they differ, and the first time,
the call takes the slow path: the whole signature of the operands decides, and a new signature is compiled.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Hashable, Sequence
from itertools import compress
from typing import Any, NamedTuple

import jax

from millrace._src.core import errors
from millrace._src.core.context import eager_engine, state
from millrace._src.core.engine import Program, Run
from millrace._src.core.resources import VariableStorage, resource_of
from millrace._src.core.tensor import PendingTensor, wait_for_array
from millrace._src.engines.tensor_lists import box
from millrace._src.engines.xla.cached_device_arrays import CachedDeviceArrays
from millrace._src.engines.xla.compile_time_constants import CompileTimeValue, inputs_behind
from millrace._src.engines.xla.compiled_variables import (
    Sharing,
    VariableType,
    abstract,
    detach,
    indices_of_variable_arrays,
    sharing_of,
    values_of,
    written_values,
)
from millrace._src.engines.xla.executables import (
    Executable,
    Executables,
    ExecutableSignature,
    Known,
    OtherTypesError,
    signature_of,
)
from millrace._src.engines.xla.host_random import Draws
from millrace._src.engines.xla.lists import DenseList, to_dense
from millrace._src.engines.xla.placement import device_in_force, has_choice, meeting_device, move
from millrace._src.engines.xla.unsupported_ops import is_draw, leave_to_numpy
from millrace._src.passes.optimized_graph import OptimizedGraph, Value

_MAX_SPECIALIZATIONS = 16
"""The most executables of one function for different values of the arguments that decide sizes."""
_NO_KEY = Sharing().key
_MAX_ELEMENTS = 256
"""How large an argument may be to be a constant."""
_acquire, _release = type(threading.RLock()).acquire, type(threading.RLock()).release


class _ProgramCall(NamedTuple):
    """What a call is made of.

    Attributes:
      arguments: one for each input of the graph.
      draws: the random numbers, drawn once, whichever program runs the rest.
      storages: the variable behind each resource input.
      sharing: how resource inputs share variables.
      known: the values of the inputs that are constants of an executable.
      device: the device on which the call must run; None leaves that to JAX.
    """

    arguments: Sequence[Any]
    draws: Sequence[Any]
    storages: Sequence[VariableStorage]
    sharing: Sharing
    known: Known
    device: jax.Device | None


class Runner:
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
        self.resources = [i for i, value in enumerate(inputs) if value.dtype.is_resource]
        self.plain = [i for i, value in enumerate(inputs) if not value.dtype.is_resource]
        self.open = [i for i in self.plain if not inputs[i].shape.is_fully_defined()]
        """The inputs whose shapes may differ from call to call."""
        # JAX takes locks and may warn: not inside our quiet context.
        self.program = Program(
            self,
            "xla",
            keeps_quiet=True,
            tensor_class=PendingTensor,
            takes_pending=True,
            lower=self.lower,
            for_caller=self.for_caller,
            prepare=self.prepare,
            ready=self.ready,
            wait=self.wait,
        )
        self.has_lists = any(value.dtype.name == "variant" for value in (*inputs, *graph.outputs))
        draws = [value for node in graph.nodes if is_draw(node) for value in node.outputs]
        self.draws = Draws(graph, draws) if draws else None
        self.is_quick = not (self.has_lists or draws)
        """Whether all inputs and outputs are arrays and variables."""
        self.executables = self._executables(draws) if executables is None else executables
        if graph.verdict.reason is not None:
            self.program.leave_to(eager_engine().name, graph.verdict.reason)
        self.has_choice = has_choice()
        """Whether the machine has several devices."""
        self.sharing = Sharing()
        """How the inputs of the last call shared variables."""
        self.cached_arrays = CachedDeviceArrays(len(self.plain))
        self.attempt = self.program.attempt = self._choose_attempt()

    def _executables(self, draws: Sequence[Value]) -> Executables:
        graph = self.graph
        changed_inputs = written_values(graph)
        nodes = [node for node in graph.nodes if not is_draw(node)]
        return Executables(
            OptimizedGraph(graph.name, [*graph.inputs, *draws], graph.outputs, nodes),
            len(graph.inputs),
            self.resources,
            self.plain,
            [graph.inputs[i] in changed_inputs for i in self.resources],
        )

    def for_caller(self) -> Program:
        """Returns a program with the same executables for another caller, who may have random streams of its own."""
        return Runner(self.graph, self.executables).program

    # --- calls ---------------------------------------------------------------------------------------------------

    def __call__(self, *arguments: object) -> Sequence[Any]:
        results = self.attempt(*arguments)
        if results is None:
            call = self._call(arguments, self._draw(arguments))
            results = self._run_slowly(self._key(call), call)
        return results

    def _choose_attempt(self) -> Callable[..., Sequence[Any] | None]:
        """Returns what runs a call if that needs no compiler; see `Program`.

        All calls of a hot function pass through the function that is returned: it looks up as little as possible.
        """
        if not self.is_quick:
            return lambda *arguments: self._attempt_in_full(arguments)
        run = self._run_with_arrays() if not self.resources else self._run_with_arrays_and_variables
        executables, has_choice = self.executables, self.has_choice

        def attempt(*arguments: object) -> Sequence[Any] | None:
            if executables.known or has_choice and state.device is not None:
                return self._attempt_in_full(arguments)
            try:
                results = run(arguments)
            except OtherTypesError:
                results = None
            return self._attempt_ready(arguments) if results is None else results

        return attempt

    def _run_with_arrays(self) -> Callable[[Sequence[Any]], Sequence[Any] | None]:
        """Returns what runs a call without variables with the executable that last fitted the call's shapes.

        The function returns None where there is no such executable.

        Raises: OtherTypesError: if the executable is for other types.
        """
        recent, operands_of, open_inputs = self.executables.recent, self.cached_arrays.operands, self.open

        def run(arguments: Sequence[Any]) -> Sequence[Any] | None:
            key = (*_NO_KEY, *[arguments[i].shape for i in open_inputs]) if open_inputs else _NO_KEY
            executable = recent.get(key)
            return None if executable is None else executable(operands_of(arguments))

        return run

    def _run_with_arrays_and_variables(self, arguments: Sequence[Any]) -> Sequence[Any] | None:
        """Does what `_run_with_arrays` returns, for a call with variables."""
        shapes = [arguments[i].shape for i in self.open] if self.open else ()
        storages = [arguments[i][()] for i in self.resources]
        sharing = self.sharing
        if sharing.identities != tuple(map(id, storages)):
            sharing = self._sharing_of(storages)
        executable = self.executables.recent.get((*sharing.key, *shapes))
        if executable is None:
            return None
        operands = self.cached_arrays.operands([arguments[i] for i in self.plain])
        return self._run_with_variables(executable, storages, sharing, operands)

    def _attempt_in_full(self, arguments: Sequence[Any]) -> Sequence[Any] | None:
        """Runs a call of any kind with the executable that last fitted its key, if there is one."""
        call = self._call(arguments, ())
        key = self._key(call)
        executable = self.executables.recent.get(key)
        if executable is None:
            return self._attempt_ready(arguments)
        call = call._replace(draws=self._draw(arguments))
        try:
            return self._run(executable, call)
        except OtherTypesError:
            return self._run_slowly(key, call)
        except errors.UnknownWhileCompilingError as error:
            self._leave(error)
            return self._run_on_host(call)

    def _attempt_ready(self, arguments: Sequence[Any]) -> Sequence[Any] | None:
        """Runs a call with the executable for its signature, if there is one."""
        executable = self._find(arguments)
        if executable is None:
            return None
        call = self._call(arguments, self._draw(arguments))
        self.executables.keep_recent(self._key(call), executable)
        return self._run_slowly(self._key(call), call)

    def _draw(self, arguments: Sequence[Any]) -> Sequence[Any]:
        return () if self.draws is None else self.draws(arguments)

    def _call(self, arguments: Sequence[Any], draws: Sequence[Any]) -> _ProgramCall:
        """Returns what a call is made of, as far as that is found quickly."""
        positions, storages = self.executables.known, [resource_of(arguments[position]) for position in self.resources]
        known = tuple([(i, CompileTimeValue(arguments[i])) for i in positions]) if positions else ()
        device = device_in_force() if self.has_choice else None
        return _ProgramCall(arguments, draws, storages, self._sharing_of(storages), known, device)

    def _key(self, call: _ProgramCall) -> Hashable:
        """Returns what decides the executable of most calls."""
        shapes = [call.arguments[i].shape for i in self.open]
        device = () if call.device is None else (call.device,)
        return *call.sharing.key, *shapes, *call.known, *device

    def _sharing_of(self, storages: Sequence[VariableStorage]) -> Sharing:
        """Returns how the inputs of a call share variables; calls in a row mostly have the same variables."""
        identities = tuple(map(id, storages))
        sharing = self.sharing
        if sharing.identities != identities:
            sharing = self.sharing = sharing_of(identities, self.executables.is_written)
        return sharing

    def _run(self, executable: Executable, call: _ProgramCall) -> Sequence[Any]:
        """Runs an executable on the operands of any call.

        Raises: OtherTypesError: if the executable is for other types.
        """
        operands = [*self._plain_operands(call), *call.draws]
        if call.device is not None:
            operands = move(operands, call.device)
        if call.storages:
            results: Sequence[Any] = self._run_with_variables(
                executable, call.storages, call.sharing, operands, call.device
            )
        else:
            results = executable(operands)
        return self._on_host_lists(results) if self.has_lists else results

    def _run_with_variables(
        self,
        executable: Executable,
        storages: Sequence[VariableStorage],
        sharing: Sharing,
        operands: Sequence[Any],
        device: jax.Device | None = None,
    ) -> list[Any]:
        """Runs an executable while no other thread takes an array of the variables.

        Raises: OtherTypesError: if the executable is for other types.
        """
        locks = [storages[index].lock for index in sharing.order]
        taken: list[bool] = []
        releases = map(_release, compress(locks, taken))
        outputs: list[Any] = []
        values: Sequence[Any] = ()
        try:
            taken.extend(map(_acquire, locks))  # Ctrl-C comes between lines of Python: no lock is taken but not noted
            values = values_of(storages, sharing)
            if device is not None:
                values = move(values, device)
            executable.add_outputs([*values, *operands], outputs)
            return self._results(executable, storages, sharing, values, outputs)
        except BaseException:  # Ctrl-C, or what the handler of another signal raises
            if outputs:  # the old values are gone
                self._results(executable, storages, sharing, values, outputs)
            raise
        finally:
            any(releases)

    def _results(
        self,
        executable: Executable,
        storages: Sequence[VariableStorage],
        sharing: Sharing,
        values: Sequence[Any],
        outputs: Sequence[Any],
    ) -> list[Any]:
        """Gives variables their new values, and returns the results of the call."""
        results = list(outputs[: self.executables.result_count])
        new_values = outputs[len(results) :]
        for index, value in zip(sharing.written, new_values):
            storages[index].set_device_value(value)
        if executable.shared is None:
            executable.shared = indices_of_variable_arrays(results, [*new_values, *values])
        if executable.shared:
            detach(results, executable.shared)
        return results

    def _on_host_lists(self, results: Sequence[Any]) -> list[Any]:
        """Returns results with lists in the NumPy engine's form."""
        with jax.enable_x64(True):
            return [box(r.to_host()) if isinstance(r, DenseList) else r for r in results]

    def _plain_operands(self, call: _ProgramCall) -> list[Any]:
        """Returns the arguments that are operands of the compiled function: no variables, no constants of it."""
        operands = self.cached_arrays.operands([call.arguments[i] for i in self.executables.unknown(call.known)])
        if self.has_lists:
            with jax.enable_x64(True):
                operands = [_as_dense(operand) for operand in operands]
        return operands

    # --- the slow path ----------------------------------------------------------------------------------------------

    def _run_slowly(self, key: Hashable, call: _ProgramCall) -> Sequence[Any]:
        """Runs a call whose executable is not known yet, or runs the graph on the NumPy tier."""
        earlier_signature = None
        call = self._gather(call)
        while self._reason_against(call.known) is None:
            try:
                signature = self._signature(call)
                executable = self._compile(signature)
            except errors.UnknownWhileCompilingError as error:
                self._learn(error, call)
                call = self._gather(self._call(call.arguments, call.draws))
                key = self._key(call)
                continue
            if self._key(call) == key:
                self.executables.keep_recent(key, executable)
            try:
                return self._run(executable, call)
            except OtherTypesError as error:
                if signature == earlier_signature:
                    raise errors.InternalError(None, None, f"XLA refuses operands: {error}") from None
                earlier_signature = signature  # another thread has changed a variable since; or else it fails again
        return self._run_on_host(call)

    def _reason_against(self, known: Known) -> str | None:
        """Returns why XLA does not run the graph with these values as constants, if anything is known against it."""
        executables = self.executables
        reason = self.graph.verdict.reason
        if reason is None and known and known not in executables.seen:
            if len(executables.seen) == _MAX_SPECIALIZATIONS:
                return f"a size depends on an argument that had more than {_MAX_SPECIALIZATIONS} values."
            executables.seen.add(known)
        return reason

    def _gather(self, call: _ProgramCall) -> _ProgramCall:
        """Returns a call whose operands meet on one device."""
        if not self.has_choice or call.device is not None:
            return call
        return call._replace(device=meeting_device([*values_of(call.storages, call.sharing), *call.arguments]))

    def _signature(self, call: _ProgramCall) -> ExecutableSignature:
        operands = [*values_of(call.storages, call.sharing), *self._plain_operands(call), *call.draws]
        return signature_of(call.sharing.owners, call.known, operands, call.device)

    def _compile(self, signature: ExecutableSignature) -> Executable:
        """Returns the executable for a signature.

        Raises: OpError: if XLA cannot compile the graph.
        """
        try:
            return self.executables.get(signature)
        except errors.OpError as error:
            error.__dict__.pop("__notes__", None)  # JAX's remark about its own frames
            raise error.with_traceback(None) from None
        except jax.errors.JaxRuntimeError as error:
            raise errors.InternalError(None, None, f"XLA failed to compile the function: {error}") from None

    def _learn(self, error: errors.UnknownWhileCompilingError, call: _ProgramCall) -> None:
        """Makes the inputs behind an unknown size constants of the executables, or leaves the function to NumPy.

        Another thread may have made further inputs constants since the call began.
        """
        known_positions = {position for position, _ in call.known}
        positions = inputs_behind(error.tensors, self.inputs)
        is_large = positions is not None and any(call.arguments[i].size > _MAX_ELEMENTS for i in positions)
        if positions is None or positions <= known_positions or is_large:
            self._leave(error)
        else:
            self.executables.known = tuple(sorted({*self.executables.known, *positions}))
            self.executables.seen = set()

    def _leave(self, error: errors.UnknownWhileCompilingError) -> None:
        """Leaves the function to the NumPy tier from now on."""
        self.graph.verdict.own_reason = error.message
        leave_to_numpy(self.program, self.graph, error.message)

    def _run_on_host(self, call: _ProgramCall) -> Sequence[Any]:
        """Runs the graph on the NumPy tier."""
        self.program.leave_to(eager_engine().name, str(self._reason_against(call.known)))
        return self._on_host(*map(wait_for_array, call.arguments), *call.draws)

    @functools.cached_property
    def _on_host(self) -> Run:
        return eager_engine().compile(self.executables.lowering.graph).quiet_run()

    # --- ahead of calls --------------------------------------------------------------------------------------------

    def ready(self, arguments: Sequence[Any]) -> bool:
        """Returns whether there is an executable for these arguments; see `Program`."""
        return self._find(arguments) is not None

    def _find(self, arguments: Sequence[Any]) -> Executable | None:
        """Returns the executable for these arguments if there is one; leaves lists without XLA's form to NumPy."""
        call = self._gather(self._call(*self._types(arguments)))
        try:
            return self.executables.find(self._signature(call))
        except errors.UnknownWhileCompilingError as error:
            self._leave(error)
            return None

    def prepare(self, arguments: Sequence[Any]) -> Callable[[], None]:
        """Returns a function that compiles the executable for these arguments; see `Program`."""
        types, draws = self._types(arguments)
        call = self._gather(self._call(types, draws))
        try:
            signature = self._signature(call)
        except errors.UnknownWhileCompilingError as error:
            self._leave(error)
            return lambda: None

        def compile_ahead() -> None:
            nonlocal call, signature
            while self._reason_against(call.known) is None:
                try:
                    self._compile(signature)
                except errors.UnknownWhileCompilingError as error:
                    self._learn(error, call)
                    call = self._call(types, draws)._replace(device=call.device)
                    signature = self._signature(call)
                else:
                    return

        return compile_ahead

    def _types(self, arguments: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
        """Returns what represents arguments and random numbers while nothing runs: the types of the arrays.

        Small arrays and lists stay as they are, since they may decide a size.
        """
        stand_ins: dict[int, Any] = {}
        types = list(arguments)
        for position in self.resources:
            storage = resource_of(arguments[position])
            types[position] = stand_ins.setdefault(id(storage), VariableType(storage))
        for position in self.plain:
            argument = arguments[position]
            if argument.size > _MAX_ELEMENTS:
                types[position] = abstract(argument)
        return types, () if self.draws is None else self.draws.types(arguments)

    def lower(self, *arguments: object) -> Any:
        """Returns the form to which JAX lowers the program for these arguments."""
        call = self._call(arguments, self._draw(arguments))
        with jax.enable_x64(True):
            return self.executables.lower(self._signature(call))

    # --- behind calls ----------------------------------------------------------------------------------------------

    def wait(self, arguments: Sequence[Any], results: Sequence[Any]) -> None:
        """Waits until results and variables are computed; see `Program`.

        An array that failed to compute raises where it is read; an array that another call has donated is gone.
        """
        values = [resource_of(arguments[position]).device for position in self.resources]
        with contextlib.suppress(RuntimeError):
            jax.block_until_ready([*results, *values])


def _as_dense(argument: Any) -> Any:
    """Returns an argument of a compiled program; a list in XLA's form."""
    return to_dense(resource_of(argument)) if argument.dtype.kind == "O" else argument
