"""Parts of kernels that engines run in different ways.

A kernel is one text for all engines. Where an engine needs another algorithm the op declares a kernel for this engine
(`@conv.kernel_for("xla")`). Often only a helper that several kernels share is different: NumPy draws again for the few
samples that were rejected, a compiled program for all at once. Such a helper is a *kernel part*: a function that has
forms for engines, as an op has kernels. So no kernel asks which engine runs the kernel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from millrace._src.core.array_namespace import Xp

P = ParamSpec("P")
R = TypeVar("R")


class KernelPart(Generic[P, R]):
    """A function of an array namespace with another form for some engines; made by `kernel_part`."""

    def __init__(self, function: Callable[Concatenate[Xp, P], R]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._forms: dict[str, Callable[..., R]] = {}

    def __call__(self, xp: Xp, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the form for the engine of `xp`."""
        form = self._forms.get(xp.engine)
        return self._function(xp, *args, **kwargs) if form is None else form(xp, *args, **kwargs)

    def kernel_for(self, engine: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declares the form for one engine."""

        def declare(form: Callable[..., Any]) -> Callable[..., Any]:
            self._forms[engine] = form
            return form

        return declare


def kernel_part(function: Callable[Concatenate[Xp, P], R]) -> KernelPart[P, R]:
    """Makes a kernel part from the form for most engines."""
    return KernelPart(function)
