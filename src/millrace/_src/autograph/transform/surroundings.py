"""Compiling a definition as if it still stood where the user wrote it.

A name's meaning depends on what stands around a function: `nonlocal x` and reads of `x` need the variable of a function
around, `__x` has the prefix of a class around, and `super()` needs the cell `__class__`. So a definition is compiled
inside a factory that declares its surroundings:

    def ag_outer__(x, factor):          # the variables of functions around, as cells
        class _Model:                   # the class around, if there is one, under a name that no code means
            def ag_function__(self): nonlocal x; ...

The factory never runs. Only the definition's code object is taken out of the factory, and gets the user's own cells.
"""

from __future__ import annotations
import __future__

import ast
import types
from collections.abc import Iterable, Sequence
from typing import Any

from millrace._src.autograph.transform.naming import identifiers
from millrace._src.autograph.transform.syntax_templates import copy_tree, locate, template

FUNCTION = "ag_function__"
"""The name of every definition that is compiled; the user's own name may be read in the body, as a global."""
_CLASS_CELL = "__class__"


class Surroundings:
    """The functions and classes around a function, as far as the function's code shows.

    Args: code: The function's code, which is not kept.
    """

    def __init__(self, code: types.CodeType) -> None:
        self.filename = code.co_filename
        self.free = code.co_freevars
        self.is_method = _CLASS_CELL in code.co_freevars
        self._owner = _class_name(code.co_qualname)
        self._prefix = "" if self._owner is None else _private_prefix(self._owner)
        self._future_flags = _future_flags(code.co_flags)

    def variables(self) -> set[str]:
        """Returns the variables of the functions around, as the source has them: private names without a prefix."""
        start = f"{self._prefix}__"
        mangled = len(self._prefix)
        return {name[mangled:] if self._prefix and name.startswith(start) else name for name in self.free}

    def compile(self, definition: ast.FunctionDef, free: Iterable[str], at: ast.AST) -> types.CodeType:
        """Returns the code object of a definition.

        Args:
          definition: The definition; loses its name, decorators, annotations and the values of its defaults.
          free: The variables that the definition takes from the functions around.
          at: The node whose position other nodes get that have none.
        """
        _reduce_to_code(definition)
        definition.name = FUNCTION
        (factory,) = template("def ag_outer__():\n    pass")
        assert isinstance(factory, ast.FunctionDef)
        factory.args.args = [ast.arg(self._mangle(name)) for name in free if name != _CLASS_CELL]
        factory.body = self._class_around([definition])
        module = ast.Module(locate([factory], at), [])
        compiled = compile(module, self.filename, "exec", dont_inherit=True, flags=self._future_flags)
        return _find_code(compiled, FUNCTION)

    def _mangle(self, name: str) -> str:
        """Returns the name that `__x` has at run time in the methods of a class."""
        return f"{self._prefix}{name}" if name.startswith("__") and not name.endswith("__") else name

    def _class_around(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Returns a class in whose body private names are those of the user's class, and `__class__` is known.

        Python mangles without the underscores that the name of a class starts with, so the name gets more of them until
        no code can mean the class: `class A` -> `class _A`.
        """
        if self._owner is None:
            return body
        name, meant = f"_{self._owner}", identifiers(ast.Module(body, []))
        while name in meant:
            name = f"_{name}"
        type_params: dict[str, Any] = {"type_params": []} if "type_params" in ast.ClassDef._fields else {}
        return [ast.ClassDef(name, [], [], body, [], **type_params)]


def code_of_definition(node: ast.FunctionDef | ast.Lambda, original: types.CodeType) -> types.CodeType:
    """Returns the code that Python makes of the tree of a function, given the function's original code.

    Raises: SyntaxError: if the tree cannot stand where the function stood.
    """
    definition = definition_of(node)
    bare = ast.FunctionDef(**dict(ast.iter_fields(definition)))  # the body is only read, so it is shared
    bare.args = copy_tree(definition.args)
    return Surroundings(original).compile(ast.copy_location(bare, definition), original.co_freevars, node)


def definition_of(node: ast.FunctionDef | ast.Lambda, name: str = FUNCTION) -> ast.FunctionDef:
    """Returns a definition with the parameters and the body of a lambda; returns a definition unchanged."""
    if not isinstance(node, ast.Lambda):
        return node
    (definition,) = locate(template("def name():\n    return value", name=name, value=node.body), node)
    assert isinstance(definition, ast.FunctionDef)
    definition.args = node.args
    return definition


def _reduce_to_code(definition: ast.FunctionDef) -> None:
    """Removes what Python evaluates when it defines a function; defaults stay, without their values."""
    definition.decorator_list = []
    definition.returns = None
    arguments = definition.args
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    none = ast.Constant(None)
    arguments.defaults = [none for _ in arguments.defaults]
    arguments.kw_defaults = [None if default is None else none for default in arguments.kw_defaults]
    if "type_params" in definition._fields:  # from Python 3.12 on
        vars(definition)["type_params"] = []


def _class_name(qualname: str) -> str | None:
    """Returns the class in whose body a function, or one around the function, is defined."""
    parts: Sequence[str] = qualname.split(".")[:-1]
    while parts and parts[-1] == "<locals>":
        parts = parts[:-2]
    return parts[-1] if parts else None


def _private_prefix(owner: str) -> str:
    """Returns what Python puts in front of private names in a class."""
    name = owner.lstrip("_")
    return f"_{name}" if name else ""


def _future_flags(code_flags: int) -> int:
    """Returns the `from __future__` settings a function was compiled with."""
    flags = [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
    return sum(flag & code_flags for flag in flags)


def _find_code(code: types.CodeType, name: str) -> types.CodeType:
    """Returns the code object of a name among the constants of another one, at any depth.

    Raises: LookupError: if there is none.
    """
    pending = [code]
    while pending:
        codes = [constant for constant in pending.pop().co_consts if isinstance(constant, types.CodeType)]
        for constant in codes:
            if constant.co_name == name:
                return constant
        pending += codes
    raise LookupError(name)
