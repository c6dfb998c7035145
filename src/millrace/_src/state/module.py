"""`tf.Module`: an object whose variables and submodules can be found.

Checkpoints find attributes by their names (`AutoTrackable`). `variables`, `trainable_variables` and `submodules` walk
the attributes anew when asked, and the lists, tuples and dicts in them, so attributes set from outside count too.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from millrace._src.core import context
from millrace._src.state.variable import Variable
from millrace._src.trackable.auto import AutoTrackable
from millrace._src.util import nest_paths
from millrace._src.util.export import export

_VALID_IDENTIFIER = re.compile(r"^[a-zA-Z_]([a-zA-Z0-9_])*$")


class _ModuleNameScope:
    """The name scope of a module: entered as a fresh name the first time, as that scope again later."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._scopes: list[Any] = []

    @property
    def name(self) -> str:
        """The scope's name."""
        return self._name

    def __enter__(self) -> str:
        scope = context.name_scope(self._name)
        self._scopes.append(scope)
        return scope.__enter__()

    def __exit__(self, *exc: object) -> None:
        self._scopes.pop().__exit__(*exc)


@export("Module")
class Module(AutoTrackable):
    """Base class of objects that hold variables and other modules.

    Variables and modules are found in attributes, and in the lists, tuples and dicts there. A list, dict or tuple that
    is set as an attribute becomes one that tracks what is put into it; it is a list, dict or tuple as before.

    Args: name: a valid Python identifier; default is the class name in snake case.

    >>> class Dense(tf.Module):
    ...     def __init__(self, n_in, n_out, name=None):
    ...         super().__init__(name)
    ...         self.w = tf.Variable(tf.ones([n_in, n_out]), name="w")
    ...     def __call__(self, x):
    ...         return x @ self.w
    >>> d = Dense(3, 2)
    >>> d.name, [v.name for v in d.variables]
    ('dense', ['w:0'])

    Raises: ValueError: if `name` is not a valid identifier.
    """

    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset(
        ("_self_unconditional_dependency_names", "_self_unconditional_deferred_dependencies")
    )

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = camel_to_snake(type(self).__name__)
        elif not _VALID_IDENTIFIER.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. "
                "a valid class name)."
            )
        self._name = name
        with context.name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The module's name."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """The module's name scope, a context manager."""
        return _ModuleNameScope(self._scope_name)

    @property
    def variables(self) -> tuple[Any, ...]:
        """All variables of the module and its submodules, attributes in alphabetical order."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable variables among `variables`."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables among `variables` that are not trainable."""
        return tuple(self._flatten(predicate=_is_not_trainable, expand_composites=True))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules found in attributes of this module, and their submodules."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[Any], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """Walks the attributes: leaves that satisfy `predicate`, first this module's, then its submodules'."""
        predicate = predicate or (lambda leaf: True)
        walk = _ModuleWalk(recursive, predicate, with_path, expand_composites, attribute_traversal_key)
        return walk.leaves(self, (), set() if with_path else {id(self)})

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorates a method so that it runs in the module's name scope.

        >>> class M(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def make(self):
        ...         return tf.Variable(1.0, name="v").name
        >>> M().make()
        'm/v:0'
        """

        @functools.wraps(method)
        def in_scope(self: Any, *args: object, **kwargs: object) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return in_scope


def _is_variable(leaf: object) -> bool:
    return isinstance(leaf, Variable)


def _is_trainable(leaf: object) -> bool:
    return isinstance(leaf, Variable) and leaf.trainable


def _is_not_trainable(leaf: object) -> bool:
    return isinstance(leaf, Variable) and not leaf.trainable


def _is_module(leaf: object) -> bool:
    return isinstance(leaf, Module)


class _ModuleWalk(NamedTuple):
    """What a walk over the attributes of a module, and of the modules below it, looks for.

    Without paths, the walk gives each leaf once. With paths, it gives a leaf once for each path that leads to it; no
    path passes through a module twice.
    """

    recursive: bool
    predicate: Callable[[Any], bool]
    with_path: bool
    expand_composites: bool
    key: Callable[[Any], Any] | None

    def leaves(self, module: Module, path: tuple[Any, ...], seen: set[int]) -> Iterator[Any]:
        """Gives the leaves of a module, first its own, then those of its submodules.

        Args:
          module: the module.
          path: how the walk came to the module.
          seen: the ids of the objects given already; with paths, those of the modules on the path.
        """
        attributes, ignored = vars(module), module._TF_MODULE_IGNORED_PROPERTIES
        submodules = []
        for name in sorted(attributes, key=self.key):
            if name in ignored:
                continue
            try:
                parts = nest_paths.flatten_with_path(attributes[name], self.expand_composites)
            except (TypeError, ValueError) as error:  # as the keys of a dict that cannot be put in order
                raise ValueError(f"Error processing property {name!r} of {attributes[name]!r}") from error
            for leaf_path, leaf in parts:
                is_found = self.predicate(leaf)
                if not is_found and not isinstance(leaf, Module) or id(leaf) in seen and not self.with_path:
                    continue
                full_path = (*path, name, *leaf_path)
                if is_found:
                    yield (full_path, leaf) if self.with_path else self._once(leaf, seen)
                if self.recursive and isinstance(leaf, Module):
                    submodules.append((full_path, leaf))
        for full_path, submodule in submodules:
            if self.with_path and id(submodule) not in seen:
                yield from self.leaves(submodule, full_path, seen | {id(submodule)})
            elif not self.with_path and (id(submodule) not in seen or self.predicate(submodule)):
                yield from self.leaves(self._once(submodule, seen), full_path, seen)

    @staticmethod
    def _once(found: object, seen: set[int]) -> Any:
        """Returns an object, after noting the object as seen."""
        seen.add(id(found))
        return found


def camel_to_snake(name: str) -> str:
    """Converts `MyMLModule` to `my_ml_module`."""
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", name).lower()
