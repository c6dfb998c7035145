"""The names that converted code finds under `ag__`.

Converted code runs with the user's globals, which must stay the user's. So one cell of each converted function holds
this module, which collects the operators, the tables that converted code looks into, and the builtins that converted
code needs whatever the user has named so.

Tests: tests/autograph/test_corpus.py
"""

from __future__ import annotations

import builtins
import types
from typing import Any

from millrace._src.autograph.operators.assertions import assert_stmt
from millrace._src.autograph.operators.calls import call, callee, looked_up
from millrace._src.autograph.operators.comprehensions import filters, iterable, iterable_of_rows
from millrace._src.autograph.operators.containers import key, set_item
from millrace._src.autograph.operators.if_statements import if_exp, if_stmt
from millrace._src.autograph.operators.logic import and_, and_value, in_, not_, not_in, or_, or_value
from millrace._src.autograph.operators.loops import for_stmt, while_stmt
from millrace._src.autograph.operators.matching import (
    both,
    chosen,
    either,
    mapping_rest,
    match_class,
    match_ends,
    match_items,
    match_mapping,
    match_with_rest,
    matches_any,
    matches_value,
    sequences,
)
from millrace._src.autograph.operators.resuming import iterate, resume, site_of
from millrace._src.autograph.operators.staged_loops import loop_options
from millrace._src.autograph.operators.staged_values import plain, staged, staged_iterable
from millrace._src.autograph.operators.undefined_variables import (
    Undefined,
    container,
    is_defined,
    ld,
    ldu,
    local_variables,
    ret,
)
from millrace._src.autograph.operators.unpacking import unpacked
from millrace._src.core.context import state
from millrace._src.core.errors import OperatorNotAllowedInGraphError

Class = type
BuiltinMethod = types.BuiltinMethodType
Method = types.MethodType
NeedsGraphError = OperatorNotAllowedInGraphError
isinstance: Any = builtins.isinstance
iter: Any = builtins.iter


def graph() -> Any:
    """Returns the graph that is being built, or None."""
    return state.graph


locals: Any = builtins.locals
frame_functions = {function.__name__: function for function in (builtins.locals, vars, dir, eval, exec)}

__all__ = [
    "BuiltinMethod",
    "Class",
    "Method",
    "NeedsGraphError",
    "Undefined",
    "and_",
    "and_value",
    "assert_stmt",
    "both",
    "call",
    "callee",
    "chosen",
    "container",
    "either",
    "filters",
    "for_stmt",
    "frame_functions",
    "graph",
    "if_exp",
    "if_stmt",
    "in_",
    "is_defined",
    "isinstance",
    "iter",
    "iterable",
    "iterable_of_rows",
    "iterate",
    "key",
    "ld",
    "ldu",
    "local_variables",
    "locals",
    "looked_up",
    "loop_options",
    "mapping_rest",
    "match_class",
    "match_ends",
    "match_items",
    "match_mapping",
    "match_with_rest",
    "matches_any",
    "matches_value",
    "not_",
    "not_in",
    "or_",
    "or_value",
    "plain",
    "resume",
    "ret",
    "sequences",
    "set_item",
    "site_of",
    "staged",
    "staged_iterable",
    "unpacked",
    "while_stmt",
]
