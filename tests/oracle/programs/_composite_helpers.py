"""What the topics about composite tensors share: sample values, and one call made in several modes.

A *call* is a function of `tf`, or of `tf` and `np`, that returns a function and its arguments. `staged` makes a
program of it for each mode: eagerly, as a graph, compiled. Of an exception the class and the first words of its
own message are the answer, so that a program that fails on purpose reads like any other.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from tests.oracle.programs._data_helpers import outcome as _outcome

EAGER_AND_GRAPH = ("eager", "graph")
ALL_MODES = ("eager", "graph", "xla")
_WORDS = 8
_NODE = re.compile(r"\s*\[\[\{\{node .*", re.DOTALL)
_CONVERSION = re.compile(
    r"TypeError: object of type '\w+' has no len\(\)|Failed to convert elements of|Attempt to convert a value"
)
"""How messages start that say, in one of TensorFlow's ways, that a value is not a tensor."""


def outcome(call: Callable[[], Any], words: int = _WORDS) -> Any:
    """As `outcome` of the topics about datasets, without the names of nodes.

    TensorFlow meets a composite where a tensor is due by accident, in several classes and words. They count as one.
    """
    found = _outcome(call, 1000)
    if not (isinstance(found, list) and len(found) == 2 and all(isinstance(part, str) for part in found)):
        return found
    name, text = found
    if not name.endswith("Error"):
        return found
    if _CONVERSION.match(text):
        return ["ValueError or TypeError", "is not a tensor"]
    return [name, " ".join(_NODE.sub("", text).split()[:words])]


def numbers(tf: Any, dtype: Any = None) -> Any:
    """The ragged matrix of three rows: two numbers, none, and one."""
    return tf.ragged.constant([[3, 1], [], [2]], dtype)


def floats(tf: Any) -> Any:
    """As `numbers`, of float32."""
    return tf.ragged.constant([[0.5, -0.25], [], [0.75]])


def deep(tf: Any, dtype: Any = None) -> Any:
    """A ragged tensor of three dimensions."""
    return tf.ragged.constant([[[1], [2, 3]], [[]], []], dtype)


def wide(tf: Any) -> Any:
    """A ragged tensor whose innermost dimension is uniform."""
    return tf.ragged.constant([[[1, 2]], [], [[3, 4], [5, 6]]], ragged_rank=1)


def words(tf: Any) -> Any:
    """A ragged matrix of texts."""
    return tf.ragged.constant([["what makes", "a"], [], ["good time"]])


def sparse(tf: Any, dtype: Any = None) -> Any:
    """A sparse matrix of three rows and two columns with two values."""
    return tf.sparse.SparseTensor([[0, 1], [2, 0]], tf.constant([5, 7], dtype), [3, 2])


def sparse_floats(tf: Any) -> Any:
    """As `sparse`, of float32."""
    return tf.sparse.SparseTensor([[0, 1], [2, 0]], [0.5, -2.0], [3, 2])


def staged(*modes: str, limit: int = _WORDS, **calls: Callable[..., Any]) -> dict[str, Any]:
    """Makes, for a module's globals, a program of each call for each mode; eagerly and as a graph if none is named."""
    return {
        f"prog_{name}_{mode}": _program(call, mode, limit)
        for name, call in calls.items()
        for mode in modes or EAGER_AND_GRAPH
    }


def traced(limit: int = _WORDS, **calls: Callable[..., Any]) -> dict[str, Any]:
    """Makes a program of each call: what is known of its result while it is traced, as specs.

    The call returns a function and the specs of its arguments.
    """
    return {f"prog_{name}": _spec_program(call, limit) for name, call in calls.items()}


def plain(limit: int = _WORDS, **calls: Callable[..., Any]) -> dict[str, Any]:
    """Makes a program of each function of `tf`, or of `tf` and `np`, that returns what is compared."""

    def program_of(call: Callable[..., Any]) -> Callable[[Any, Any], Any]:
        return lambda tf, np: outcome(lambda: _filled(call, tf, np), limit)

    return {f"prog_{name}": program_of(call) for name, call in calls.items()}


def _filled(call: Callable[..., Any], tf: Any, np: Any) -> Any:
    return call(tf, np) if len(inspect.signature(call).parameters) == 2 else call(tf)


def _program(call: Callable[..., Any], mode: str, limit: int) -> Callable[[Any, Any], Any]:
    def program(tf: Any, np: Any) -> Any:
        def run() -> Any:
            f, *arguments = _filled(call, tf, np)
            if mode == "eager":
                return f(*arguments)
            return tf.function(lambda *a: f(*a), autograph=False, jit_compile=mode == "xla" or None)(*arguments)

        return outcome(run, limit)

    return program


def _spec_program(call: Callable[..., Any], limit: int) -> Callable[[Any, Any], Any]:
    def program(tf: Any, np: Any) -> Any:
        def run() -> Any:
            f, *specs = _filled(call, tf, np)
            concrete = tf.function(lambda *a: f(*a), autograph=False).get_concrete_function(*specs)
            return tf.nest.map_structure(tf.type_spec_from_value, concrete.structured_outputs)

        return outcome(run, limit)

    return program
