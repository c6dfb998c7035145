"""A sample: one call of one op, declared next to the op family's tests, from which the contract tests are derived."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Sample:
    """One call of an op.

    Args:
        op: TensorFlow's name of the op.
        inputs: one NumPy array (or Python value) per input of the signature; a list where the input is a list.
        attrs: attributes that have no default or differ from it.
        grad: whether to compare the gradient with finite differences (needs float64 or complex128 inputs).
        rtol: tolerance between engines, and of the gradient; None takes one that fits the dtype.
        xla: whether the XLA engine must give the same result (False only with a reason in a comment).
        random: whether the values differ from call to call, so that only dtypes and shapes are compared.
    """

    op: str
    inputs: Sequence[Any] = ()
    attrs: dict[str, Any] = field(default_factory=dict)
    grad: bool = False
    rtol: float | None = None
    xla: bool = True
    random: bool = False

    def __str__(self) -> str:
        return f"{self.op}({', '.join(_brief(x) for x in self.inputs)})"


def _brief(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_brief(v) for v in value)}]"
    return f"{value.dtype.name}{list(value.shape)}" if hasattr(value, "dtype") else repr(value)[:20]


def all_samples() -> Iterator[Sample]:
    """The samples of every test module below tests/ops."""
    for path in sorted((TESTS / "ops").rglob("test_*.py")):
        if "SAMPLES" in path.read_text():
            name = ".".join(path.relative_to(TESTS.parent).with_suffix("").parts)
            yield from getattr(import_module(name), "SAMPLES", ())
