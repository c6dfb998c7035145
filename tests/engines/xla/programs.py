"""Programs of the XLA engine, made without a call of the function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import millrace as tf
from millrace._src.core.engine import Program
from millrace._src.engines.engine_table import compiling_engine
from millrace._src.passes.pipeline import optimize


def program_of(function: Any, *specs: Any) -> tuple[Program, Callable[..., list[Any]]]:
    """Compiles a function of tensors; returns the program, and what adds captures to the arrays of a call."""
    concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    program = compiling_engine().compile(optimize(concrete.graph, keep_clusters=False))
    return program, lambda *arrays: [*arrays, *[t._eager_array for t in concrete.captured_inputs]]


def prepare(program: Program, arguments: list[Any]) -> None:
    assert program.prepare is not None
    program.prepare(arguments)()
