"""The public namespaces: modules whose names are imported on first use.

Problem: `tf.*` has thousands of names in a hundred modules. Importing all of them would take seconds and load NumPy
before anyone asked for a tensor.

Idea: `table.py` (generated) says where each name lives. A `Namespace` is a module that looks a missing attribute up
there, imports the home, and keeps the value as its own attribute, so that the second use costs what any attribute of a
module costs. A finder creates the namespaces themselves on first use, so that `import millrace.math` works like any
import. `tf.compat.v1` is the root with differences: a name that `tf.compat.v1` does not state is taken from the root.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

from millrace._api.table import NAMES
from millrace._src.util.lazy_import import aliases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from typing import Any
else:
    Loader = object  # importing importlib.abc takes longer than the rest of this module

ROOT = "millrace"
_SOURCES = ROOT + "._src."
_V1 = "compat.v1"
_HIDDEN = "-"  # the home of a name that the root has and tf.compat.v1 has not

# Namespaces that are another module: TensorFlow 2 by its long name, real Keras, every op by its name.
KERAS = "keras._tf_keras.keras"  # what Keras makes for `tf.keras`: Keras with the names of older releases
ALIASES = {
    "compat.v2": ROOT,
    "keras": KERAS,
    "initializers": f"{KERAS}.initializers",
    "losses": f"{KERAS}.losses",
    "metrics": f"{KERAS}.metrics",
    "optimizers": f"{KERAS}.optimizers",
    "compat.v1.keras": KERAS,
    "raw_ops": ROOT + "._src.ops.raw",
    "compat.v1.app.flags": ROOT + ".compat.v1.flags",
    "compat.v1.raw_ops": ROOT + "._src.ops.raw",
}


def _mirrored(path: str) -> str | None:
    """Returns the path from which a namespace below `compat.v1` takes its unstated names; None for other namespaces."""
    if path == _V1:
        return ""
    return path[len(_V1) + 1 :] if path.startswith(_V1 + ".") else None


def namespace_paths() -> frozenset[str]:
    """Lists all namespaces, as paths below the root; the root itself is the empty string."""
    paths = {"", "compat", _V1}
    for path in NAMES:
        while path:
            paths.add(path)
            path = path.rpartition(".")[0]
    paths |= {f"{_V1}.{path}" for path in paths if path and not path.startswith("compat")}
    return frozenset(paths - ALIASES.keys())


_PATHS = namespace_paths()


def describe(path: str) -> dict[str, str]:
    """Lists everything that a namespace offers, as name -> home, without importing any of it.

    A home is `module:variable`; the home of a namespace is the module's name alone.
    """
    mirrored = _mirrored(path)
    offered = describe(mirrored) if mirrored in _PATHS else {}
    for alias in ALIASES:
        offered.pop(alias, None)  # tf.compat.v1 states its own
    below = path + "." if path else ""
    start = len(below)
    for line in NAMES.get(path, "").split("\n"):
        name, _, home = line[start:].partition(" ")
        if home == _HIDDEN:
            offered.pop(name, None)
        elif home:
            offered[name] = _SOURCES + home
    for child in (*_PATHS, *ALIASES):
        if child.startswith(below) and "." not in child[start:] and child != path:
            offered[child[start:]] = f"{ROOT}.{child}"
    return offered


def _load(home: str) -> Any:
    """Returns the object at `module:variable`, or the module."""
    module_name, _, variable = home.partition(":")
    if not variable:
        return import_module(module_name)
    from millrace._src.util.interrupts import interrupts_later  # not before somebody asks for a name

    with interrupts_later():  # half a module would have declared half of its ops, for good
        module = import_module(module_name)
    try:
        return getattr(module, variable)
    except AttributeError:
        raise ImportError(f"{module_name} has no {variable!r}: the table is stale; run tools/gen_api.py") from None


def _why_unbuilt(name: str) -> str:
    """Returns the end of the message about a missing name or namespace; nothing for one TensorFlow has not either."""
    from millrace._api.unbuilt import UNBUILT  # only a program that meets a missing name needs it

    if name in UNBUILT:
        return f": tf.{name} of TensorFlow is not built yet in Millrace"
    below = sum(other.startswith(name + ".") for other in UNBUILT)
    return f": tf.{name} of TensorFlow, with its {below} names, is not built yet in Millrace" if below else ""


def _is_keras(home: str) -> bool:
    return ALIASES.get(home.removeprefix(f"{ROOT}."), "").startswith(KERAS)


class Namespace(ModuleType):
    """A public module, whose names are imported from their homes on first use and then are plain attributes."""

    _homes: dict[str, str]

    def __init__(self, name: str) -> None:
        path = name.partition(".")[2]
        super().__init__(name, f"Public names of `tf.{path}`.")
        self.__dict__["_homes"] = describe(path)

    def __getattr__(self, name: str) -> Any:
        home = self._homes.get(name)
        if home is not None:
            value = _load(home)
        elif name == "__all__":
            value = [name for name in self._available() if not name.startswith("_")]
        else:
            message = f"module '{self._shown_name()}' has no attribute '{name}'{self._why_missing(name)}"
            raise AttributeError(message, name=name, obj=self)
        self.__dict__[name] = value
        return value

    def _shown_name(self) -> str:
        root = sys.modules[ROOT].__name__  # "tensorflow" once the program asked for that name
        return root + self.__name__[len(ROOT) :] if self.__name__.startswith(ROOT) else root

    def _why_missing(self, name: str) -> str:
        """Returns the end of the message about a name that only TensorFlow has; nothing for one it has not either."""
        path = self.__name__.partition(".")[2]
        mirrored = _mirrored(path)
        return _why_unbuilt(f"{path if mirrored is None else mirrored}.{name}".lstrip("."))

    def _available(self) -> list[str]:
        """Lists the names that can be had: nothing of an optional package that is not installed."""
        from importlib.util import find_spec  # takes longer to import than the rest of this module

        has_keras = find_spec("keras") is not None
        return [name for name, home in self._homes.items() if has_keras or not _is_keras(home)]

    def __dir__(self) -> list[str]:
        return sorted({*self._available(), *self.__dict__} - {"_homes"})

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Lets a namespace be copied and pickled by name, as functions are."""
        assert self.__spec__ is not None
        return import_module, (self.__spec__.name,)


class NamespaceFinder(Loader):
    """The `sys.meta_path` entry that makes `import millrace.math` create the namespace."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(ROOT + "."):
            return None
        inner = fullname[len(ROOT) + 1 :]
        if inner in _PATHS:
            return ModuleSpec(fullname, self, origin=f"{ROOT} namespace", is_package=True)
        if not inner.startswith("_") and (reason := _why_unbuilt(inner)):
            raise ModuleNotFoundError(f"No module named {fullname!r}{reason}", name=fullname)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Namespace(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Does nothing: the namespace is complete already; a reload comes here too."""


def install(root: ModuleType) -> None:
    """Turns the package `millrace` itself into the root namespace; a second call, as a reload makes, is harmless."""
    root.__dict__["_homes"] = describe("")
    root.__class__ = Namespace
    if not any(isinstance(finder, NamespaceFinder) for finder in sys.meta_path):
        sys.meta_path[:0] = [NamespaceFinder(), KerasFinder()]
    for path, target in ALIASES.items():
        aliases.add(f"{ROOT}.{path}", target, prepare=_prepare_keras if target.startswith(KERAS) else None)


def _prepare_keras() -> None:
    _load(_SOURCES + "interop.keras:prepare")()


class KerasFinder:
    """The `sys.meta_path` entry that makes a plain `import keras` find Millrace as the `tensorflow` of its backend.

    The other entries find Keras; its loader then offers Millrace just before Keras's code runs.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "keras":
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        spec = next((spec for finder in others if (spec := finder.find_spec(fullname, path, target))), None)
        if spec is not None and spec.loader is not None:
            spec.loader.create_module = _offer_to_keras  # type: ignore[method-assign]  # of this one loader
        return spec


def _offer_to_keras(spec: ModuleSpec) -> None:
    """Makes Millrace ready for Keras; None lets Python create Keras's module."""
    _load(_SOURCES + "interop.keras:offer")()
