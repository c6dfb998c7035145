"""`tf.function`: the decorator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from millrace._src.function.polymorphic_function import Function, FunctionOptions
from millrace._src.util.export import export

_ATTRIBUTES = frozenset(
    {
        "_implements",
        "_noinline",
        "_tf_data_function",
        "api_implements",
        "api_preferred_device",
        "disable_summaries_at_runtime",
        "go_backwards",
        "runtime_constant_optimization",
        "time_major",
    }
)
"""The function attributes that TensorFlow's runtime knows and lets users set."""


@export("function")
def function(
    func: Callable[..., Any] | None = None,
    input_signature: object = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: object = None,
    experimental_attributes: Mapping[str, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Compiles a Python function into graphs that run without Python.

    The first call with arguments of a kind *traces* the function: its Python code runs once and its ops are recorded in
    a graph. Later calls with arguments of that kind run the graph. Tensors, NumPy arrays and variables are of one kind
    if dtype and shape are the same; Python values if type and value are the same; other objects if they are equal.

    >>> @tf.function
    ... def f(x, y):
    ...     return x ** 2 + y
    >>> f(tf.constant([2.0, 3.0]), tf.constant([3.0, -2.0]))
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([7., 7.], dtype=float32)>

    Args:
      func: The Python function. Left out, `tf.function(...)` is a decorator.
      input_signature: A list or tuple of `tf.TensorSpec`s (nested as the arguments are): one graph for all calls;
        arguments are converted to these types.
      autograph: Whether Python's control flow on tensors is converted to graph ops.
      jit_compile: True: compile the whole function with XLA, or fail. False or None: the function starts on NumPy, and
        moves to the engine that measures fastest; `tf.types.experimental.ConcreteFunction.tier` says how to pin it.
      reduce_retracing: Whether a second kind of shapes makes a graph for shapes in general.
      experimental_implements: The name of a known function that `func` implements; noted in the graph.
      experimental_autograph_options: a `tf.autograph.experimental.Feature`, or several.
      experimental_attributes: Function attributes to note in the graph.
      experimental_relax_shapes: Old name of `reduce_retracing`.
      experimental_compile: Old name of `jit_compile`.
      experimental_follow_type_hints: Ignored, as in TensorFlow.

    Returns: A `tf.types.experimental.PolymorphicFunction`, or a decorator that makes one.
    Raises:
      TypeError: if `func` is not callable, or `input_signature` does not fit `func`.
      ValueError: if both `jit_compile` and `experimental_compile` are given, or an attribute is not known.
    """
    del experimental_follow_type_hints
    if experimental_compile is not None:
        if jit_compile is not None:
            raise ValueError("Cannot specify both 'experimental_compile' and 'jit_compile'.")
        jit_compile = experimental_compile
    options = FunctionOptions(
        input_signature=tuple(input_signature) if isinstance(input_signature, list) else input_signature,
        autograph=autograph,
        jit_compile=jit_compile,
        reduce_retracing=bool(reduce_retracing or experimental_relax_shapes),
        autograph_options=experimental_autograph_options,
        attributes=_validate_attributes(experimental_attributes, experimental_implements, jit_compile),
    )

    def decorated(inner: Callable[..., Any]) -> Function:
        return Function(inner, getattr(inner, "__name__", "function"), options)

    return decorated if func is None else decorated(func)


def _validate_attributes(
    attributes: Mapping[str, Any] | None, implements: str | None, jit_compile: bool | None
) -> dict[str, Any]:
    """Returns the function attributes for the GraphDef."""
    checked_attributes: dict[str, Any] = {}
    for name, value in dict(attributes or {}).items():
        if name not in _ATTRIBUTES:
            raise ValueError(f"`{name} is not supported by tf.function as an attribute.")
        checked_attributes[name] = value
    if implements is not None:
        checked_attributes["_implements"] = implements
    if jit_compile is not None:
        checked_attributes["_XlaMustCompile"] = bool(jit_compile)
    return checked_attributes
