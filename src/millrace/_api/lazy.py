"""The public namespaces: modules whose names are imported on first use.

Problem: `tf.*` has thousands of names in a hundred modules. Importing what they name would take seconds and load NumPy
before anyone asked for a tensor.

Idea: `table.py` (generated) says where each name lives. A `Namespace` is a module that looks a missing attribute up
there, imports the home, and keeps the value as its own attribute, so that the second use costs what any module attribute
costs. A finder creates the namespaces themselves on first use, so that `import millrace.math` works like any import.
`tf.compat.v1` is the root with differences: a name it does not state itself is taken from the root.
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
    from typing import Any

ROOT = "millrace"
_SOURCES = ROOT + "._src."
_V1 = "compat.v1"
_HIDDEN = "-"  # the home of a name that the root has and tf.compat.v1 has not

# Namespaces that are another module: TensorFlow 2 by its long name, and real Keras.
_ALIASES = {"compat.v2": ROOT, "keras": "keras", "compat.v1.keras": "keras"}


def _mirrored(path: str) -> str | None:
    """The path that a namespace below `compat.v1` takes its unstated names from; None elsewhere."""
    if path == _V1:
        return ""
    return path[len(_V1) + 1 :] if path.startswith(_V1 + ".") else None


def namespace_paths() -> frozenset[str]:
    """All namespaces, as paths below the root; the root itself is the empty string."""
    paths = {"", "compat", _V1}
    for path in NAMES:
        while path:
            paths.add(path)
            path = path.rpartition(".")[0]
    paths |= {f"{_V1}.{path}" for path in paths if path and not path.startswith("compat")}
    return frozenset(paths - _ALIASES.keys())


_PATHS = namespace_paths()


def _homes(path: str) -> dict[str, str]:
    """Name -> home, for the names that the table states for this namespace."""
    lines = NAMES.get(path, "").split("\n")
    start = len(path) + 1 if path else 0
    return {name[start:]: home for name, _, home in (line.partition(" ") for line in lines) if home}


def _children(path: str) -> list[str]:
    prefix = path + "." if path else ""
    start = len(prefix)
    return [p[start:] for p in (*_PATHS, *_ALIASES) if p and p.startswith(prefix) and "." not in p[start:]]


def _load(home: str) -> Any:
    """The object at `module:variable`."""
    module_name, _, variable = home.partition(":")
    module = import_module(_SOURCES + module_name)
    try:
        return getattr(module, variable)
    except AttributeError:
        raise ImportError(f"{module.__name__} has no {variable!r}: the table is stale; run tools/gen_api.py") from None


class Namespace(ModuleType):
    """A public module. Its names are imported from their homes on first use and then are plain attributes."""

    _path: str
    _stated: dict[str, str]

    def __init__(self, name: str) -> None:
        path = name.partition(".")[2]
        super().__init__(name, f"Public names of `tf.{path}`.")
        self.__dict__.update(_path=path, _stated=_homes(path))

    def __getattr__(self, name: str) -> Any:
        value = self._find(name)
        self.__dict__[name] = value
        return value

    def _find(self, name: str) -> Any:
        home = self._stated.get(name)
        if home is not None and home != _HIDDEN:
            return _load(home)
        path = f"{self._path}.{name}" if self._path else name
        if path in _PATHS or path in _ALIASES:
            return import_module(f"{ROOT}.{path}")
        mirrored = _mirrored(self._path)
        if home is None and mirrored is not None and mirrored in _PATHS and not name.startswith("__"):
            origin = sys.modules.get(f"{ROOT}.{mirrored}" if mirrored else ROOT) or import_module(f"{ROOT}.{mirrored}")
            if name in origin.__dir__():
                return getattr(origin, name)
        if name == "__all__":
            return self._public_names()
        raise AttributeError(f"module '{self._shown_name()}' has no attribute '{name}'", name=name, obj=self)

    def _shown_name(self) -> str:
        root = sys.modules[ROOT].__name__  # "tensorflow" once the program asked for that name
        return f"{root}.{self._path}" if self._path else root

    def _public_names(self) -> list[str]:
        names = {name for name, home in self._stated.items() if home != _HIDDEN}
        names.update(_children(self._path))
        mirrored = _mirrored(self._path)
        if mirrored is not None and mirrored in _PATHS:
            names.update(name for name in _homes(mirrored) if name not in self._stated)
        return sorted(name for name in names if not name.startswith("_"))

    def __dir__(self) -> list[str]:
        return sorted({*self._public_names(), *(n for n in self.__dict__ if n not in ("_path", "_stated"))})

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Copied and pickled by name, as functions are."""
        return import_module, (f"{ROOT}.{self._path}" if self._path else ROOT,)


class NamespaceFinder:
    """The `sys.meta_path` entry that makes `import millrace.math` create the namespace."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.startswith(ROOT + ".") and fullname[len(ROOT) + 1 :] in _PATHS:
            return ModuleSpec(fullname, self, origin=f"{ROOT} namespace", is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Namespace(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do; a reload comes here too."""

    def load_module(self, fullname: str) -> ModuleType:
        return import_module(fullname)


def install(root: ModuleType) -> None:
    """Turns the package `millrace` itself into the root namespace. Doing it again, as a reload does, changes nothing."""
    root.__dict__.update(_path="", _stated=_homes(""))
    root.__class__ = Namespace
    if not any(isinstance(finder, NamespaceFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, NamespaceFinder())
    for path, target in _ALIASES.items():
        aliases.add(f"{ROOT}.{path}", target, prepare=_prepare_keras if target == "keras" else None)


def _prepare_keras() -> None:
    _load("interop.keras:prepare")()
