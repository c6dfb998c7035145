"""What a program shows to the world when it runs in one of several modes, and whether two modes show the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.core.engine import Program as EngineProgram
from millrace._src.engines.tier_settings import Pin, TierChoice, settings
from millrace._src.passes import clustering, optimized_graph_validation
from millrace._src.passes.clustering import ClusterStrategy, cluster_graph
from millrace._src.passes.pipeline import optimize
from tests.soundness.programs import CALLS, Program

TOLERANCES = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 2e-3, "float64": 1e-6, "complex64": 2e-3}
"""The largest difference of two numbers, for each dtype, where the larger is at most one; else relative to it."""


@dataclass
class Outcome:
    """What the calls of one run showed.

    Attributes:
      results: for each call the arrays, or the class and the text of the error.
      variables: for each call the variables after it.
      log: what the program told the outside.
    """

    results: list[Any] = field(default_factory=list)
    variables: list[dict[str, Any]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)


Call = Callable[..., Any]
Mode = Callable[[Program, Call], "Call | None"]
"""Makes of a program's Python function what is called in a run; None where the mode is not for the program."""


def run(program: Program, mode: Mode) -> Outcome | None:
    """Returns what a program shows in one run, several calls with the same variables; None without a run."""
    tf.random.set_seed(7)
    environment = program.environment()
    exec(compile(program.text, f"<program {program.seed}>", "exec"), environment)  # text of our own
    arguments = [tf.constant(array) for array in program.arrays]
    function = mode(program, environment["function"])
    if function is None:
        return None
    outcome = Outcome()
    program.log.clear()
    for k in CALLS:
        try:
            outcome.results.append([np.asarray(r) for r in function(*arguments, tf.constant(k))])
        except Exception as error:  # each mode must show the same one
            outcome.results.append((_kind(error), str(error)))
        outcome.variables.append({name: environment[name].numpy() for name in program.variables})
    outcome.log = list(program.log)
    return outcome


def _kind(error: Exception) -> str:
    """Returns the class of an error; eager TensorArrays have a class of their own for an index, as in TensorFlow."""
    return type(error).__name__.replace("OutOfRangeError", "InvalidArgumentError")


def differences(found: Outcome, wanted: Outcome, *, same_text: bool = True) -> list[str]:
    """Lists where an outcome is not what it should be.

    Args:
      found: the outcome.
      wanted: what it should be.
      same_text: whether errors have the same text, or only the same class: eager mode names ops differently.
    """
    return list(_differences(found, wanted, same_text))


def _differences(found: Outcome, wanted: Outcome, same_text: bool) -> Iterator[str]:
    for number, (one, other) in enumerate(zip(found.results, wanted.results, strict=True)):
        if isinstance(other, tuple) and not isinstance(one, tuple) and not same_text:
            return  # eager mode, or a trace that knows less, also runs what has no reader
        if isinstance(one, tuple) or isinstance(other, tuple):
            if (
                not isinstance(one, tuple)
                or not isinstance(other, tuple)
                or one[: 1 + same_text] != other[: 1 + same_text]
            ):
                yield f"call {number}: {_shown(one)}, not {_shown(other)}"
            continue
        for index, (a, b) in enumerate(zip(one, other, strict=True)):
            if not alike(a, b):
                yield f"call {number}, result {index}: {_shown(a)}, not {_shown(b)}"
    for number, (values, others) in enumerate(zip(found.variables, wanted.variables, strict=True)):
        for name, value in values.items():
            if not alike(value, others[name]):
                yield f"variable {name} after call {number}: {_shown(value)}, not {_shown(others[name])}"
    if found.log != wanted.log:
        yield f"told {found.log}, not {wanted.log}"


def alike(a: Any, b: Any) -> bool:
    """Returns whether two arrays are equal up to rounding."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    tolerance = TOLERANCES.get(a.dtype.name)
    if tolerance is None:
        return bool(np.array_equal(a, b))
    wide = np.complex128
    return bool(np.allclose(a.astype(wide), b.astype(wide), rtol=tolerance, atol=tolerance, equal_nan=True))


def _shown(value: Any) -> str:
    return repr(value)[:300]


# --- modes -----------------------------------------------------------------------------------------------------------


def eager(program: Program, function: Call) -> Call:
    """Runs everything op by op, inner functions too."""

    def call(*arguments: Any) -> Any:
        with run_eagerly():
            return function(*arguments)

    return call


@contextlib.contextmanager
def run_eagerly() -> Iterator[None]:
    """Runs `tf.function`s as plain Python."""
    tf.config.run_functions_eagerly(True)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(False)


def graph(program: Program, function: Call) -> Call | None:
    """Runs a `tf.function` that knows the shapes of the arguments."""
    return _traced(function, [tf.TensorSpec(a.shape, tf.as_dtype(a.dtype)) for a in program.arrays])


def unknown_shapes(program: Program, function: Call) -> Call | None:
    """Runs a `tf.function` that knows no first dimension."""
    shapes = [[None, *a.shape[1:]] if a.ndim else [] for a in program.arrays]
    return _traced(
        function, [tf.TensorSpec(s, tf.as_dtype(a.dtype)) for s, a in zip(shapes, program.arrays, strict=True)]
    )


def _traced(function: Call, specs: list[Any]) -> Call | None:
    """Returns a `tf.function` that has been traced; None for a program that needs a shape that no trace knows."""
    traced = tf.function(function, autograph=False, input_signature=[*specs, tf.TensorSpec([], tf.int32)])
    try:
        traced.get_concrete_function()
    except (ValueError, TypeError, LookupError):
        return None
    return traced  # type: ignore[no-any-return]


def unoptimized(program: Program, function: Call) -> Call:
    """Runs a `tf.function` without any optimization of its graph."""

    def call(*arguments: Any) -> Any:
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
        try:
            return traced(*arguments)
        finally:
            tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})

    traced = tf.function(function, autograph=False)
    return call


def clusters(strategy: ClusterStrategy) -> Mode:
    """Returns a mode that runs the NumPy program with clusters: the first call on NumPy, then parts on XLA in turn."""

    def mode(program: Program, function: Call) -> Call:
        def make(concrete: Any) -> EngineProgram:
            graph = cluster_graph(optimize(concrete.graph), strategy)
            if graph is None:
                return eager_engine().compile(optimize(concrete.graph))
            optimized_graph_validation.check(graph)
            return eager_engine().compile(graph)

        return _run_by(make, function, program)

    return mode


def pinned_to_xla(program: Program, function: Call) -> Call:
    """Runs all that loses nothing by it on XLA: whole functions, or clusters."""
    return _with_settings(tf.function(function, autograph=False), pin=Pin.COMPILED)


def automatic(program: Program, function: Call) -> Call:
    """Runs a `tf.function` on all engines in turn, from its second call on."""
    return _with_settings(tf.function(function, autograph=False), **_IN_TURN)


def _with_settings(function: Call, **values: Any) -> Call:
    def call(*arguments: Any) -> Any:
        with tiers(**values):
            return function(*arguments)

    return call


def _run_by(make: Callable[[Any], EngineProgram], function: Call, program: Program) -> Call:
    """Returns a function that runs the trace of a Python function by a program of its graph."""
    specs = [tf.TensorSpec(a.shape, tf.as_dtype(a.dtype)) for a in program.arrays]
    concrete = tf.function(function, autograph=False).get_concrete_function(*specs, tf.TensorSpec([], tf.int32))
    with tiers(**_IN_TURN):
        clustering._MIN_NODES, least_nodes = 1 + program.seed % 4, clustering._MIN_NODES
        made = make(concrete)
        clustering._MIN_NODES = least_nodes
    run = made.quiet_run()
    is_prepared = False

    def call(*arguments: Any) -> Any:
        nonlocal is_prepared
        arrays = [t._eager_array for t in (*arguments, *concrete.captured_inputs)]
        with tiers(**_IN_TURN):
            try:
                return run(*arrays)
            finally:
                if made.is_committed is not None and made.prepare is not None and not is_prepared:
                    made.prepare(arrays)()
                    is_prepared = True

    return call


_IN_TURN: dict[str, Any] = {"pin": Pin.AUTO, "waits": True, "threshold": 0.0, "choice": TierChoice.ALTERNATE}
"""The settings of tiers that make calls take turns with all engines, as soon as they can."""


@contextlib.contextmanager
def tiers(**values: Any) -> Iterator[None]:
    """Sets what decides where functions run, and makes clusters of the smallest parts."""
    before = {name: getattr(settings, name) for name in values}
    least_seconds, clustering._MIN_SECONDS = clustering._MIN_SECONDS, 0.0
    try:
        for name, value in values.items():
            setattr(settings, name, value)
        yield
    finally:
        clustering._MIN_SECONDS = least_seconds
        for name, value in before.items():
            setattr(settings, name, value)
