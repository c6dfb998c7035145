"""What op families declare next to their tests, and the contract tests are derived from.

A `Sample` is one call of one op on plain arrays. A `GradientProgram` is a differentiable function around an op that
such a call cannot check: one on handles, lists or graphs, or whose inputs must fit each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from millrace._src.core.op_registry import get_op

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Sample:
    """One call of an op.

    Args:
        op: TensorFlow's name of the op.
        inputs: one NumPy array (or Python value) per input of the signature; a list where the input is a list.
        attrs: attributes that have no default or differ from it.
        grad: whether to compare the gradient with finite differences (of float64 or complex128 inputs, or of
            float32 for an op that has nothing wider). Where the gradient is not the derivative, because it goes
            straight through a rounding or stops, a function of the output gradients and the floating inputs that gives
            it; or the error that there is instead.
        held: names of floating inputs whose gradient is None, as TensorFlow has it, although there could be one.
        needs_shapes: whether the derivatives are an error where shapes are not known while tracing.
        no_second: why the gradient of the gradient is an error; TensorFlow's, checked to be one.
        rtol: tolerance between engines, and of the gradient; None takes one that fits the dtype.
        xla: whether the XLA engine must give the same result (False only with a reason in a comment).
        random: whether the values differ from call to call, so that only dtypes and shapes are compared.
    """

    op: str
    inputs: Sequence[Any] = ()
    attrs: dict[str, Any] = field(default_factory=dict)
    grad: bool | Callable[..., Sequence[Any]] | type[Exception] = False
    held: Sequence[str] = ()
    needs_shapes: bool = False
    no_second: str | None = None
    rtol: float | None = None
    xla: bool = True
    random: bool = False

    def __str__(self) -> str:
        return f"{self.op}({', '.join(_brief(x) for x in self.inputs)})"


@dataclass(frozen=True)
class GradientProgram:
    """A differentiable function of floating tensors that runs certain ops.

    Args:
        op: TensorFlow's name of the op that it is about.
        function: from tensors to a nest of tensors, of which the floating and complex ones are differentiated.
        inputs: a NumPy array for each tensor, of float64 or complex128, or of float32.
        gradient: as `Sample.grad` for a gradient that is not the derivative.
        rtol: tolerance of the gradient; None takes one that fits the dtype.
        xla: whether the program must give the same under XLA (False only with a reason in a comment).
        no_second: why the gradient of the gradient is an error; TensorFlow's, checked to be one.
        second: whether to check the gradient of the gradient (False only with a reason in a comment).
        traced: whether the op exists only in a traced function, of which this is then the gradient.
        variables: whether the function takes variables with these values rather than tensors.
    """

    op: str
    function: Callable[..., Any]
    inputs: Sequence[Any]
    gradient: Callable[..., Sequence[Any]] | None = None
    rtol: float | None = None
    xla: bool = True
    no_second: str | None = None
    second: bool = True
    traced: bool = False
    variables: bool = False

    def __str__(self) -> str:
        return f"{self.op} in a program of ({', '.join(_brief(x) for x in self.inputs)})"


def _brief(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_brief(v) for v in value)}]"
    return f"{value.dtype.name}{list(value.shape)}" if hasattr(value, "dtype") else repr(value)[:20]


def all_samples() -> Iterator[Sample]:
    """The samples of every test module of a layer that declares ops of arrays; ops without outputs show nothing."""
    samples = _declared("SAMPLES", "ops", "checkpoint", "summary", "compat_v1")
    return (s for s in samples if get_op(s.op).signature.outputs)


def all_gradient_samples() -> Iterator[Sample]:
    """Further samples that only the gradient's contract runs: attributes and points that the gradient depends on."""
    return _declared("GRADIENT_SAMPLES", "ops", "compat_v1")


def all_gradient_programs() -> Iterator[GradientProgram]:
    """The gradient programs of every test module of a package that declares ops."""
    return _declared("GRADIENT_PROGRAMS", "ops", "autodiff", "control_flow", "data", "compat_v1")


def _declared(variable: str, *folders: str) -> Iterator[Any]:
    for folder in folders:
        for path in sorted((TESTS / folder).rglob("test_*.py")):
            if variable in path.read_text():
                name = ".".join(path.relative_to(TESTS.parent).with_suffix("").parts)
                yield from getattr(import_module(name), variable, ())
