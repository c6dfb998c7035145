"""From an op with fixed attributes to one callable on arrays, for any engine.

A kernel takes the engine's array namespace, arrays (lists of arrays where the op's signature says so) and attributes. A
graph and an eager call have a flat list of arrays. Binding a kernel settles the way from the flat list to the kernel's
arguments once, for all engines alike.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from millrace._src.core.array_namespace import Xp
from millrace._src.core.handle_types import NotedCall, Referent
from millrace._src.core.op_checks import checks_of_op
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_signature import argument_indices


def bind_kernel(
    op: OpDef,
    attrs: dict[str, Any],
    *,
    engine: str,
    xp: Xp,
    convert_function: Callable[[Any], Any],
    with_checks: bool = True,
) -> Callable[..., Any]:
    """Returns the kernel that an op has for an engine, as a callable on a flat list of arrays.

    Args:
      op: the op.
      attrs: the attributes of one call; an attribute that is missing takes its default.
      engine: the name of the engine.
      xp: the array namespace of the engine.
      convert_function: turns the value of a function attribute into a callable on arrays.
      with_checks: whether the op's checks run before the kernel; False where arrays have no values yet.
    """
    kernel_attrs = _kernel_attrs(op, attrs, convert_function)
    kernel: Callable[..., Any] = functools.partial(op.select_kernel(engine), xp, **kernel_attrs)
    if with_checks:
        kernel = _add_checks(checks_of_op(op, kernel_attrs), kernel)
    if any(arg.is_list for arg in op.signature.inputs):
        kernel = _grouping(op, attrs, kernel)
    return _noting(op, attrs, kernel) if op.traits.notes_call else kernel


def bind_addition(op: OpDef, attrs: dict[str, Any], xp: Xp) -> Callable[..., Any]:
    """Binds the op's rule `added_to`, which adds the result of an op to an array without making that result.

    The callable takes the array and the kernel's arguments. It returns the sum, or None where only the whole result can
    be added.
    """
    assert op.rules.added_to is not None  # or else no pass had asked for the addition
    kernel_attrs = {name: attrs.get(name, op.attr_defaults.get(name)) for name in op.kernel_attrs}
    return functools.partial(op.rules.added_to, xp, **kernel_attrs)


def _kernel_attrs(op: OpDef, attrs: dict[str, Any], convert_function: Callable[[Any], Any]) -> dict[str, Any]:
    """Returns the attributes that the kernel names; callables instead of functions, unless the kernel keeps these."""
    kernel_attrs: dict[str, Any] = {}
    for name in op.kernel_attrs:
        value = attrs[name] if name in attrs else op.attr_defaults[name]
        kind = None if op.traits.keeps_functions else op.attr_kinds[name]
        if kind == "func":
            value = convert_function(value)
        elif kind == "list[func]":
            value = [convert_function(v) for v in value]
        kernel_attrs[name] = value
    return kernel_attrs


def bind_checks(op: OpDef, attrs: dict[str, Any]) -> Callable[..., None] | None:
    """Returns the checks of an op as a callable on a flat list of arrays; None for an op without checks."""
    check = checks_of_op(op, attrs)
    return _grouping(op, attrs, check) if check is not None and op.has_list_inputs else check


def _add_checks(check: Callable[..., None] | None, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a callable that runs the checks, if there are any, and then the kernel."""
    if check is None:
        return kernel

    def run(*arrays: Any) -> Any:
        check(*arrays)
        return kernel(*arrays)

    return run


def _noting(op: OpDef, attrs: dict[str, Any], kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a callable that tells the object that the kernel makes of the call."""

    def run(*arrays: Any) -> Any:
        made: Referent = kernel(*arrays)
        made.note_call(NotedCall(op, arrays, attrs))
        return made

    return run


def _grouping(op: OpDef, attrs: dict[str, Any], kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a callable on flat arrays that collects the arrays of list inputs into lists and calls the kernel."""
    arguments = list(argument_indices(op.signature.inputs, attrs))
    if len(arguments) == 1:
        return lambda *arrays: kernel(list(arrays))
    parts = [slice(at.start, at.stop) if arg.is_list else at.start for arg, at in arguments]
    return lambda *arrays: kernel(*[list(arrays[p]) if type(p) is slice else arrays[p] for p in parts])
