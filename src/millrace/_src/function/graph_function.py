"""`GraphFunction`: a finished graph that can be called with flat tensors; the executor of every function.

In eager mode the call runs the graph's program, which the tiers choose; in a graph the call becomes a
`PartitionedCall` (or `StatefulPartitionedCall`) node whose attribute is the function; under a tape or an accumulator it
runs the derivative that the recorder needs (`recorded_calls.py`).

Branches and loops run such functions too. Their layer stands below this one and makes functions by
`graph/function_factory.py: make_function`, which finds the class by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.control_flow.derivative import Derivative
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.devices import check_placement
from millrace._src.core.dtypes import DType
from millrace._src.core.engine import Program, Run
from millrace._src.core.execute import scalar_array
from millrace._src.core.op_def import Effects
from millrace._src.core.op_registry import get_op, late_bound
from millrace._src.core.tensor import EagerTensor, array_of, note_devices
from millrace._src.engines.tiers import EngineChoice, Tier, choice_of, compile_for_caller, tier_of, tier_of_call
from millrace._src.function.recorded_calls import call_recorded
from millrace._src.graph.captured_tensors import capture_into
from millrace._src.graph.control_deps import body_effects, body_writes, list_called_functions
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import body_of, is_of_dataset, must_compile
from millrace._src.util.collector import without_collector

_CONFIG = b"\n\x07\n\x03CPU\x10\x01\n\x07\n\x03GPU\x10\x002\x02J\x008\x01\x82\x01\x00\x92\x01\x02J\x00".decode(
    "utf-8", "surrogateescape"
)
"""The serialized `ConfigProto` that TensorFlow puts on every call: one CPU, no GPU, default optimizer options."""


@late_bound("graph_function")
class GraphFunction:
    """A finished function graph, callable with one flat tensor per graph input.

    Args:
      graph: the body; its inputs include the placeholders of its captures.
      name: the function's name in a GraphDef.
      jit_compile: True: always compiled; False or None: the tiers decide.
      attributes: further attributes of the function in a GraphDef.
      on_host: whether the host always runs the function, for one that makes single values.
    """

    def __init__(
        self,
        graph: FuncGraph,
        name: str,
        *,
        jit_compile: bool | None = None,
        attributes: dict[str, Any] | None = None,
        on_host: bool = False,
    ) -> None:
        self.graph = graph
        self.name = name
        self.jit_compile = jit_compile
        self.attributes = attributes or {}
        stays_on_host = on_host or is_of_dataset(self.attributes)
        self._engine_choice = EngineChoice.HOST if stays_on_host else choice_of(jit_compile)
        self.derivatives: dict[tuple[Any, ...], Derivative] = {}
        self.forward_modes: dict[tuple[Any, ...], tuple[GraphFunction, list[bool]]] = {}
        self._program: Program | None = None
        self._eager_run: tuple[Run, Callable[[Any, DType], EagerTensor], bool] | None = None
        self.lock = graph.lock

    @property
    def effects(self) -> Effects:
        """What running the body does besides computing."""
        return body_effects([self.graph])

    def program(self) -> Program:
        """Returns the program of the graph, from arrays to arrays, which is compiled on first use."""
        if self._program is None:
            self._check_devices()
            with self.lock, without_collector():
                program = compile_for_caller(self.graph, self._engine_choice)
                self.use(program if program.tiering is None else program.tiering.hold(self))
                self._program = program
        return self._program

    def _check_devices(self) -> None:
        """Checks that there are the devices for which nodes ask; operations before constants.

        Raises: InvalidArgumentError: if there is no such device, and no other device may stand in.
        """
        placed = [operation for operation in self.graph.get_operations() if operation.device]
        for operation in sorted(placed, key=lambda one: not one.inputs):
            check_placement(operation.device, operation.name, self.name)

    def use(self, program: Program) -> None:
        """Runs eager calls by a program from now on."""
        self._eager_run = program.quiet_run(pending=True), program.make_tensor, program.takes_pending

    def array_runner(self) -> Run:
        """Returns the run of the program with NumPy arrays as results, whatever its tensors can hold."""
        return self.program().quiet_run()

    def tiers(self) -> dict[str, Tier]:
        """Returns the tier of this function, of the forward and backward functions of its gradients, and of the
        compiled functions that the function calls, by name.
        """
        tiers = {self.name: tier_of(self.program(), self._engine_choice)}
        for derivative in self.derivatives.values():
            for function in (derivative.forward, derivative.backward):
                assert isinstance(function, GraphFunction)
                if function._program is not None:
                    tiers.update(function.tiers())
        if not self.jit_compile:
            tiers.update(
                (function.name, tier_of_call(function.graph))
                for function in _find_compiled_functions(self.graph, set())
            )
        return tiers

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """Calls the function with flat tensors; returns its flat outputs."""
        if state.tapes and any(getattr(t, "_tape_id", 0) in tape.watched for tape in state.tapes for t in inputs):
            return call_recorded(self, inputs)
        return self.call_unrecorded(inputs)

    def call_unrecorded(self, inputs: Sequence[Any]) -> list[Any]:
        """Calls the function without telling the tapes."""
        if state.graph is None:
            if self._eager_run is None:
                self.program()
            assert self._eager_run is not None  # made with the program
            run, make, takes_pending = self._eager_run
            results = run(*[array_of(t) if takes_pending else t._eager_array for t in inputs])
            if make is EagerTensor:
                outputs = [
                    EagerTensor(r if type(r) is np.ndarray else scalar_array(r, t.dtype), t.dtype)
                    for r, t in zip(results, self.graph.outputs, strict=True)
                ]
            else:
                outputs = [make(r, t.dtype) for r, t in zip(results, self.graph.outputs, strict=True)]
            note_devices(outputs)
            return outputs
        tensors = [convert_to_tensor(t) for t in inputs]
        return list(self.add_to_graph(tensors).outputs)

    def add_to_graph(self, tensors: Sequence[Any]) -> Any:
        """Adds a call node for tensors of the current graph."""
        stateful = self.effects is not Effects.NONE
        name = "StatefulPartitionedCall" if stateful else "PartitionedCall"
        attrs = get_op(name).normalize_attrs(
            {
                "f": self,
                "Tin": [t.dtype for t in tensors],
                "Tout": [t.dtype for t in self.graph.outputs],
                **self._node_attrs(),
            }
        )
        graph = state.graph
        tensors = [capture_into(graph, t) for t in tensors]
        return graph.add_operation(get_op(name), tensors, attrs, graph.unique_name(name))

    def _node_attrs(self) -> dict[str, Any]:
        """Returns the attributes that TensorFlow's runtime reads on a call node."""
        graph = self.graph
        attrs: dict[str, Any] = {
            "_collective_manager_ids": (),
            "_read_only_resource_inputs": tuple(
                i for i, t in enumerate(graph.inputs) if t.dtype.is_resource and not body_writes(graph, i)
            ),
            "config_proto": _CONFIG,
        }
        return {**attrs, "_XlaMustCompile": True} if self.jit_compile else attrs


def _find_compiled_functions(graph: FuncGraph, seen_graphs: set[int]) -> Iterator[Any]:
    """Yields the functions called in a graph that must be compiled, each once."""
    for function in [f for operation in graph.get_operations() for f in list_called_functions(operation)]:
        inner = body_of(function)
        if id(inner) not in seen_graphs:
            seen_graphs.add(id(inner))
            if must_compile(function):
                yield function
            else:
                yield from _find_compiled_functions(inner, seen_graphs)
