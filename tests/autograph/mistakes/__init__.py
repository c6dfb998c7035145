"""Common mistakes: what a user writes that cannot become graph control flow, or fails while it is traced.

Each function is called under `tf.function`. The line that is at fault ends in the comment `# <-- here`; the error must
be reported there. What TensorFlow says is kept in recorded/messages.json.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Mistake:
    """One mistake.

    Attributes:
        function: The function, which is called under `tf.function`.
        args: Its arguments; NumPy values become tensors.
        signature: Makes its input signature, if it needs one.
        at: The name of the helper of its module that has the faulty line, if it has none itself.
        lifted: The form that TensorFlow refuses and Millrace takes; then it is a mistake in TensorFlow only.
        endless: Why TensorFlow does not come back from it.
        frameless: Why no line of the user runs when it fails.
        unconverted: Why AutoGraph leaves it as it is; it says so in a warning.
        ours: Class and leading words of Millrace's own error where it is better told in other words, and why.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    signature: Callable[[], list[Any]] | None = None
    at: str | None = None
    lifted: str | None = None
    endless: str | None = None
    frameless: str | None = None
    unconverted: str | None = None
    ours: tuple[str, str, str] | None = None


MISTAKES: dict[str, Mistake] = {}

ONE = np.int32(1)
HALF = np.float32(0.5)
VECTOR = np.array([1.0, 2.0, 3.0], np.float32)
INTEGERS = np.array([3, 1, 2], np.int32)


def mistake(*args: Any, **notes: Any) -> Callable[[Any], Any]:
    """Registers a function with the arguments it is called with and what else is known of it."""

    def register(function: Any) -> Any:
        assert function.__name__ not in MISTAKES, f"{function.__name__} is there twice"
        MISTAKES[function.__name__] = Mistake(function, args, **notes)
        return function

    return register


def mistakes() -> dict[str, Mistake]:
    """All mistakes by name, in the order of the files."""
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        importlib.import_module(f"{__name__}.{path.stem}")
    return MISTAKES
