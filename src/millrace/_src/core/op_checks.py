"""The checks of an op, bound to the attributes of one call.

Tests: tests/core/test_execute.py
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from millrace._src.core.op_def import OpDef


def checks_of_op(op: OpDef, attrs: dict[str, Any]) -> Callable[..., None] | None:
    """Returns the checks of an op as a function of the kernel's inputs; None for an op without checks.

    Args:
      op: the op.
      attrs: the attributes of one call; an attribute that is missing takes its default.
    """
    return None if op.rules.checks is None else _bind(op.rules.checks, op, attrs)


def exactness_check_of_op(op: OpDef, attrs: dict[str, Any]) -> Callable[..., None] | None:
    """Returns the rule `exact_when` of an op as a function of the kernel's inputs; None for an op without the rule."""
    return None if op.rules.exact_when is None else _bind(op.rules.exact_when, op, attrs)


def _bind(checks: Callable[..., None], op: OpDef, attrs: dict[str, Any]) -> Callable[..., None]:
    code = checks.__code__
    keyword_names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    if not keyword_names:
        return checks
    return functools.partial(checks, **{name: attrs.get(name, op.attr_defaults.get(name)) for name in keyword_names})
