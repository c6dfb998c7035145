"""The names that converted code finds under `ag__`."""

from __future__ import annotations

import builtins
import types
from typing import Any

from millrace._src.autograph.operators.assertions import assert_stmt
from millrace._src.autograph.operators.calls import call, callee
from millrace._src.autograph.operators.comprehensions import filters, iterable
from millrace._src.autograph.operators.containers import list_append, set_item
from millrace._src.autograph.operators.if_statements import if_exp, if_stmt
from millrace._src.autograph.operators.logic import and_, and_value, in_, not_, not_in, or_, or_value
from millrace._src.autograph.operators.loops import for_stmt, while_stmt
from millrace._src.autograph.operators.resuming import resume
from millrace._src.autograph.operators.staged_loops import loop_options
from millrace._src.autograph.operators.staging import staged, staged_iterable
from millrace._src.autograph.operators.variables import Undefined, container, is_defined, ld, ldu, ret

BuiltinMethod = types.BuiltinMethodType
Function = types.FunctionType
iter: Any = builtins.iter
locals: Any = builtins.locals

__all__ = [
    "BuiltinMethod",
    "Function",
    "Undefined",
    "and_",
    "and_value",
    "assert_stmt",
    "call",
    "callee",
    "container",
    "filters",
    "for_stmt",
    "if_exp",
    "if_stmt",
    "in_",
    "is_defined",
    "iter",
    "iterable",
    "ld",
    "ldu",
    "list_append",
    "locals",
    "loop_options",
    "not_",
    "not_in",
    "or_",
    "or_value",
    "resume",
    "ret",
    "set_item",
    "staged",
    "staged_iterable",
    "while_stmt",
]
