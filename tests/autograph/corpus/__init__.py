"""Small functions as a user writes them, each with arguments to call it with.

Every function gives one answer, however it is run: as plain Python on NumPy values, on eager tensors, as a graph, as a
compiled graph. A module holds one theme; `case` registers a function with its arguments and what is known of it.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Case:
    """One function of the corpus; a text instead of None says why something does not hold for it.

    Attributes:
        function: The function, untouched.
        args: The argument tuples. NumPy values in them become tensors in the modes that have tensors.
        tensor_args: Positions of the arguments that become tensors; None for all.
        superset: The form for which TensorFlow refuses to make a graph of the function.
        superset_xla: The form for which TensorFlow refuses to compile it, though it makes a graph.
        wrong: What TensorFlow's graph gets wrong.
        autograph: Whether it calls tf.function or tf.autograph itself, so that it needs them in every mode.
        no_eager: Why the function cannot run on eager tensors.
        no_xla: Why the function cannot be compiled.
    """

    function: Callable[..., Any]
    args: Sequence[tuple[Any, ...]]
    tensor_args: tuple[int, ...] | None = None
    superset: str | None = None
    superset_xla: str | None = None
    wrong: str | None = None
    autograph: bool = False
    no_eager: str | None = None
    no_xla: str | None = None

    @property
    def theme(self) -> str:
        """The module that the function stands in."""
        return self.function.__module__.rpartition(".")[2]

    @property
    def name(self) -> str:
        """`theme::function`, unique in the corpus."""
        return f"{self.theme}::{self.function.__name__}"


_CASES: dict[str, Case] = {}


def case(args: Sequence[tuple[Any, ...]], **notes: Any) -> Callable[[Any], Any]:
    """Registers the decorated function, which stays as it is, with the argument tuples it is called with."""

    def register(function: Any) -> Any:
        entry = Case(function, args, **notes)
        assert entry.name not in _CASES, f"{entry.name} is there twice"
        _CASES[entry.name] = entry
        return function

    return register


def themes() -> list[str]:
    """The modules of the corpus, sorted."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def cases(theme: str | None = None) -> dict[str, Case]:
    """The cases by name: of one theme, or all of them."""
    for each in themes() if theme is None else [theme]:
        importlib.import_module(f"{__name__}.{each}")
    return {name: entry for name, entry in _CASES.items() if theme in (None, entry.theme)}


def _maker(dtype: Any) -> Callable[[Any], Any]:
    return lambda value: np.array(value, dtype)[()]


i32 = _maker(np.int32)
i64 = _maker(np.int64)
f32 = _maker(np.float32)
f64 = _maker(np.float64)
boolean = _maker(np.bool_)
