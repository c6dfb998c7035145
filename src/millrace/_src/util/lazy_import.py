"""Modules under another name, and dependencies that may be missing.

Problem: `tensorflow.math` must *be* `millrace.math`, and `millrace.keras.layers` must be `keras.layers`. Python's own
path search would load a second copy of the files under the other name, and every class would exist twice.

Idea: a finder that stands before the path search. A name below an alias is loaded as its target, and the target module
is put in `sys.modules` under the alias too, which Python allows a loader to do. One module, two names.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from types import ModuleType
else:
    Loader = object  # importing importlib.abc takes longer than the rest of this module


class AliasFinder:
    """A `sys.meta_path` entry that serves `alias.x.y` as the module `target.x.y`, for every alias that `add` named."""

    def __init__(self) -> None:
        self._targets: dict[str, str] = {}
        self._prepare: dict[str, Callable[[], None]] = {}

    def add(self, alias: str, target: str, prepare: Callable[[], None] | None = None) -> None:
        """Makes every module below `alias` the module of the same rest below `target`.

        Args:
            alias: The name that programs import.
            target: The module that the alias names.
            prepare: Runs before the target is imported through the alias.
        """
        self._targets[alias] = target
        if prepare is not None:
            self._prepare[alias] = prepare
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def target_of(self, name: str) -> str | None:
        """Returns the module that `name` refers to, or None for a name below no alias."""
        head = name
        while head:
            target = self._targets.get(head)
            if target is not None:
                return target + name[len(head) :]
            head = head.rpartition(".")[0]
        return None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        real_name = self.target_of(fullname)
        if real_name is None:
            return None
        return ModuleSpec(fullname, _AliasLoader(real_name, self._prepare.get(fullname)), is_package=True)


class _AliasLoader(Loader):
    """A loader that loads the target module and leaves the target in `sys.modules` under the alias."""

    def __init__(self, real_name: str, prepare: Callable[[], None] | None) -> None:
        self._real_name = real_name
        self._prepare = prepare

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        if self._prepare is not None:
            self._prepare()
        sys.modules[module.__name__] = import_under_alias(module.__name__, self._real_name)


def import_under_alias(alias: str, real_name: str) -> ModuleType:
    """Imports `real_name`; a missing module is reported under the name the program used."""
    try:
        return import_module(real_name)
    except ModuleNotFoundError as error:
        if error.name is None or not (real_name == error.name or real_name.startswith(error.name + ".")):
            raise
        shared_tail = real_name[len(error.name) :]
        shown = alias[: len(alias) - len(shared_tail)]
        message = str(error).replace(repr(error.name), repr(shown), 1)
        raise ModuleNotFoundError(message, name=shown) from None


aliases = AliasFinder()


class new_variables_removed:  # a scope, named as one; contextlib takes longer to import than this module
    """Removes the environment variables that an import inside the scope sets; child processes would inherit them.

    Args:
        *prefixes: How the names of these variables begin, for an import in the background: the program may set other
            variables meanwhile. By default all new variables are removed.
    """

    def __init__(self, *prefixes: str) -> None:
        self._prefixes = prefixes or ("",)

    def __enter__(self) -> None:
        self._before = set(os.environ)

    def __exit__(self, *exception: object) -> None:
        for name in os.environ.keys() - self._before:
            if name.startswith(self._prefixes):
                del os.environ[name]


def import_optional(name: str, purpose: str, extra: str) -> ModuleType:
    """Imports a dependency that is not installed by default.

    Args:
        name: The module, such as `"jax"`.
        purpose: What needs it, as the subject of a sentence: ``"tf.function(jit_compile=True)"``.
        extra: The extra of this project that brings it: `"xla"`.

    Returns:
        The module.

    Raises:
        ModuleNotFoundError: if it is not installed; the message says what to install.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        raise ModuleNotFoundError(
            f"{purpose} needs the package {name!r}, which is not installed. "
            f"Install it with: pip install 'millrace[{extra}]'",
            name=error.name,
        ) from None
