"""The registry: every op by its name, complete and yet lazy.

A loaded graph may name any op, but importing the homes of all ops takes long. So `get_op` imports the module that
declares an op when the op is first asked for. Rules of an op may stand in higher layers (the gradient of a loop is
itself a loop): such a rule is imported when the rule is first needed. A late-bound function is one that lower layers
call by name: an operator of Python that is more than one op, or a function of a higher layer, such as the constructor
of callable functions; it is imported in the same way. `core/op_homes.py`, generated from the sources, names the
modules.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from millrace._src.util.interrupts import interrupts_later

if TYPE_CHECKING:
    from millrace._src.core.op_def import OpDef

Function = TypeVar("Function", bound=Callable[..., Any])

_REGISTRY: dict[str, OpDef] = {}
_LATE_BOUND: dict[str, Callable[..., Any]] = {}


def register(op_def: OpDef) -> OpDef:
    """Adds an op to the registry; a second op of the same name is an error."""
    if op_def.name in _REGISTRY:
        raise ValueError(f"Op '{op_def.name}' is declared twice: {_REGISTRY[op_def.name].kernel} and {op_def.kernel}.")
    _REGISTRY[op_def.name] = op_def
    return op_def


def get_op(name: str) -> OpDef:
    """Returns the op called `name`; imports the op's home module on a miss.

    Raises: KeyError: if no such op exists.
    """
    op_def = _REGISTRY.get(name)
    if op_def is None:
        from millrace._src.core.op_homes import OP_HOMES  # generated; read only on a miss to keep start-up short

        home = OP_HOMES.get(name)
        if home is None:
            raise KeyError(f"Millrace has no op named '{name}'.")
        import_home(home)
        op_def = _REGISTRY[name]
    return op_def


def loaded_ops() -> list[OpDef]:
    """Returns the ops whose homes have been imported."""
    return list(_REGISTRY.values())


class LateRule:
    """A stand-in for a rule in a higher layer than its op; the rule is imported when it is first needed.

    Args:
      rules: the `Rules` of the op.
      name: the name of the rule's field in `Rules`.
      home: the module that attaches the rule.
    """

    __slots__ = ("_rules", "_name", "_home")

    def __init__(self, rules: Any, name: str, home: str) -> None:
        self._rules, self._name, self._home = rules, name, home

    def load(self) -> Callable[..., Any]:
        """Returns the rule itself."""
        import_home(self._home)
        rule: Callable[..., Any] = getattr(self._rules, self._name)
        return rule

    def __call__(self, *args: object) -> Any:
        """Calls the rule."""
        return self.load()(*args)


def late_rules(op_name: str, rules: object) -> Iterator[tuple[str, LateRule]]:
    """Yields the rules of an op that stand in higher layers, each with its name."""
    from millrace._src.core.op_homes import RULE_HOMES  # generated; see get_op

    for name, home in RULE_HOMES.get(op_name, {}).items():
        yield name, LateRule(rules, name, home)


def late_bound(name: str) -> Callable[[Function], Function]:
    """Declares a function, or a class, that lower layers find by name: `@late_bound("truediv")`."""

    def declare(function: Function) -> Function:
        _LATE_BOUND[name] = function
        return function

    return declare


def find_late_bound(name: str) -> Callable[..., Any]:
    """Returns the function that is declared late-bound under a name; imports its home module on a miss."""
    function = _LATE_BOUND.get(name)
    if function is None:
        from millrace._src.core.op_homes import LATE_BOUND_HOMES  # generated; see get_op

        import_home(LATE_BOUND_HOMES[name])
        function = _LATE_BOUND[name]
    return function


def import_home(module: str | None) -> None:
    """Imports a module that the generated tables name; does nothing for None.

    Ctrl-C waits for the end of the import: half a module would have declared half of its ops, for good.
    """
    if module is None:
        return
    if module in sys.modules:
        importlib.import_module(module)  # another thread may be about to import it
        return
    with interrupts_later():
        importlib.import_module(module)


def all_op_names() -> list[str]:
    """Returns the names of all ops, sorted, without importing their homes."""
    from millrace._src.core.op_homes import OP_HOMES  # generated; see get_op

    return sorted({*OP_HOMES, *_REGISTRY})
