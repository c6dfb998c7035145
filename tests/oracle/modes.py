"""One computation, run in several ways: each way is an oracle program of its own.

A *computation* is a function of `(tf, np)` that returns `(f, arguments)`. `in_modes` runs `f` as it is: eagerly, as a
graph, compiled by XLA. `derivatives` differentiates `f` and asks for the value and the gradients of the first `order`
orders, with the tapes at every position:

- `eager`: everything eager;
- `inside`: tapes and `f` in one `tf.function`;
- `through`: tapes outside, `f` a `tf.function`;
- `gradients`: `tf.gradients` in one `tf.function`;
- `xla`: as `inside`, compiled;
- `xla_through`: as `through`, compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from tests.oracle.support import Approx

Computation = Callable[[Any, Any], "tuple[Callable[..., Any], Sequence[Any]]"]

WORDS = 5
"""How much of an exception's message is compared."""


def needs_xla(name: str) -> bool:
    """Whether a program of this name compiles with XLA."""
    return name.endswith(("_xla", "_xla_through"))


def in_modes(*modes: str, autograph: bool = False) -> Callable[[Computation], Computation]:
    """Makes a program of the computation for each of "eager", "graph" and "xla"; all of them if none is named."""

    def add(computation: Computation) -> Computation:
        for mode in modes or ("eager", "graph", "xla"):
            _add(computation, mode, _runner(computation, mode, autograph))
        return computation

    return add


def _runner(computation: Computation, mode: str, autograph: bool) -> Callable[[Any, Any], Any]:
    def program(tf: Any, np: Any) -> Any:
        f, arguments = computation(tf, np)
        return _staged(tf, f, mode, autograph)(*arguments)

    return program


def _staged(tf: Any, f: Callable[..., Any], mode: str, autograph: bool) -> Callable[..., Any]:
    if mode == "eager":
        return f
    return tf.function(f, autograph=autograph, jit_compile=mode == "xla" or None)


MODES = ("eager", "inside", "through", "gradients", "xla")
UNCOMPILED = ("eager", "inside", "through", "gradients")
ALL_MODES = (*MODES, "xla_through")


def derivatives(
    order: int = 2,
    modes: Sequence[str] = MODES,
    autograph: bool = False,
    rtol: float = 1e-4,
    atol: float = 1e-5,
) -> Callable[[Computation], Computation]:
    """Makes a program for each mode that returns the value and the gradients up to `order`."""

    def add(computation: Computation) -> Computation:
        for mode in modes:
            _add(computation, mode, _differentiator(computation, mode, order, autograph, (rtol, atol)))
        return computation

    return add


def _differentiator(
    computation: Computation, mode: str, order: int, autograph: bool, tolerance: tuple[float, float]
) -> Callable[[Any, Any], Any]:
    def program(tf: Any, np: Any) -> Any:
        f, arguments = computation(tf, np)
        compiled = True if mode.startswith("xla") else None

        def staged(g: Callable[..., Any]) -> Callable[..., Any]:
            return tf.function(g, autograph=autograph, jit_compile=compiled)

        if mode == "eager":
            found = _taped(tf, f, arguments, order)
        elif mode in ("through", "xla_through"):
            found = _taped(tf, staged(f), arguments, order)
        else:
            nest = _by_gradients if mode == "gradients" else _taped
            inner = tf.autograph.to_graph(f) if autograph else f
            whole = tf.function(lambda *a: nest(tf, inner, a, order), autograph=False, jit_compile=compiled)
            found = whole(*arguments)
        return Approx(found, *tolerance)

    return program


def _taped(tf: Any, f: Callable[..., Any], arguments: Sequence[Any], order: int) -> list[Any]:
    """The value of `f` and its gradients with respect to the floating arguments, by nested tapes."""
    if order == 0:
        return [f(*arguments)]
    sources = _floating(arguments)
    with tf.GradientTape() as tape:
        tape.watch(sources)
        found = _taped(tf, f, arguments, order - 1)
        total = weighed(tf, found[-1])
    return [*found, None if total is None else [_dense(tf, g) for g in tape.gradient(total, sources)]]


def _by_gradients(tf: Any, f: Callable[..., Any], arguments: Sequence[Any], order: int) -> list[Any]:
    """As `_taped`, by `tf.gradients`."""
    found = [f(*arguments)]
    for _ in range(order):
        total = weighed(tf, found[-1])
        sources = _floating(arguments)
        found.append(None if total is None else [_dense(tf, g) for g in tf.gradients(total, sources)])
    return found


def _floating(arguments: Sequence[Any]) -> list[Any]:
    return [a for a in arguments if a.dtype.is_floating or a.dtype.is_complex]


def weighed(tf: Any, structure: Any) -> Any:
    """A sum over all floating elements in which no two weigh the same; None if there is none."""
    terms = []
    for number, item in enumerate(tf.nest.flatten(structure)):
        if item is None or not (item.dtype.is_floating or item.dtype.is_complex):
            continue
        indices = tf.cast(tf.reshape(tf.range(tf.size(item)), tf.shape(item)), tf.float32)
        weights = tf.cos(indices * 0.7 + number)
        terms.append(tf.reduce_sum(tf.cast(tf.math.real(item), tf.float32) * weights))
        if item.dtype.is_complex:
            terms.append(tf.reduce_sum(tf.cast(tf.math.imag(item), tf.float32) * tf.sin(indices + number)))
    return tf.add_n(terms) if terms else None


def _dense(tf: Any, gradient: Any) -> Any:
    return tf.convert_to_tensor(gradient) if isinstance(gradient, tf.IndexedSlices) else gradient


def _add(computation: Computation, mode: str, program: Callable[[Any, Any], Any]) -> None:
    module = sys.modules[computation.__module__]
    setattr(module, f"prog_{computation.__name__}_{mode}", program)
