"""Finding the syntax tree of a Python function, with the positions that the function has in its file.

The tree must carry the user's own lines and columns, since the converted code is compiled with them. So the source is
not dedented: the lines of a function are parsed below a line `if 1:` that takes their indentation. A lambda has no
lines of its own; the lambda is looked up in the tree of its whole file by the position of its code.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import linecache
import tokenize
import types
from collections.abc import Iterable, Iterator, Sequence

from millrace._src.autograph.transform.surroundings import code_of_definition

FunctionNode = ast.FunctionDef | ast.Lambda


class NoSourceError(Exception):
    """A function whose source cannot be read, or that has none."""


def function_node(function: types.FunctionType) -> FunctionNode:
    """Finds the syntax tree of a function; the positions in the tree are those of the file.

    Raises: NoSourceError: if there is no source, or the source is not that of the function.
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)  # a module may have been edited and loaded again
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise NoSourceError(f"the source of {code.co_filename} cannot be read")
    if code.co_name == "<lambda>":
        return _lambda_node(code, lines)
    try:
        node = _definition(code, lines)
    except SyntaxError as error:
        raise _not_python(code, error) from error
    if node is None:
        raise NoSourceError(f"line {code.co_firstlineno} of {code.co_filename} does not define {code.co_name}")
    if not _fits(node, code):
        raise NoSourceError(f"{code.co_filename} has changed since {code.co_name} was defined")
    return node


def _not_python(code: types.CodeType, error: SyntaxError) -> NoSourceError:
    return NoSourceError(f"{code.co_filename} is not Python: {error.msg} (line {error.lineno})")


def _definition(code: types.CodeType, lines: Sequence[str]) -> ast.FunctionDef | None:
    """Finds the definition that starts (with its decorators) at the first line of the code."""
    first = code.co_firstlineno
    if not 1 <= first <= len(lines):
        return None
    try:
        block = inspect.getblock(lines[first - 1 :])
        tree = ast.parse("if 1:\n" + "".join(block) if block[0][:1].isspace() else "\n" + "".join(block))
    except (SyntaxError, tokenize.TokenError):
        tree = ast.parse("".join(lines))  # a block that the tokenizer cuts at the wrong line
        first = 2
    ast.increment_lineno(tree, first - 2)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name and _first_line(node) == code.co_firstlineno:
            return node
    return None


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _fits(node: ast.FunctionDef, code: types.CodeType) -> bool:
    """Returns whether code may come from a definition: same parameters and numbers, on lines that hold expressions."""
    lines = {getattr(part, end, 0) for part in ast.walk(node) for end in ("lineno", "end_lineno")}
    on_lines = all(line in lines for _, _, line in code.co_lines() if line)
    return _has_parameters(node, code) and on_lines and _has_constants(node, code)


def _has_constants(node: FunctionNode, code: types.CodeType) -> bool:
    """Returns whether code holds the numbers that a definition compiles to; the code may hold more."""
    compiled = code_of_definition(node, code)
    return _numbers(compiled.co_consts) <= _numbers(code.co_consts)


def _numbers(constants: Iterable[object]) -> set[str]:
    """Returns the numbers among constants, and among the constants of the code and tuples in them."""
    numbers: set[str] = set()
    pending = list(constants)
    while pending:
        constant = pending.pop()
        if isinstance(constant, types.CodeType):
            pending += constant.co_consts
        elif isinstance(constant, (tuple, frozenset)):
            pending += constant
        elif isinstance(constant, (int, float, complex)):
            numbers.add(repr(constant))
    return numbers


@functools.lru_cache(maxsize=32)
def _lambdas(source: str) -> tuple[ast.Lambda, ...]:
    return tuple(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Lambda))


def _lambda_node(code: types.CodeType, lines: Sequence[str]) -> ast.Lambda:
    """Finds the lambda whose body has the positions of the code's instructions."""
    try:
        candidates = _lambdas("".join(lines))
    except SyntaxError as error:
        raise _not_python(code, error) from error
    span = _span(code)
    on_line = [node for node in candidates if node.lineno == code.co_firstlineno]
    fitting_nodes = [node for node in candidates if _node_span(node.body) == span] or [
        node for node in on_line if span is None or _contains(_node_span(node.body), span)
    ]
    fitting_nodes = [node for node in fitting_nodes if _has_parameters(node, code) and _has_constants(node, code)]
    if len(fitting_nodes) != 1:
        raise NoSourceError(f"no single lambda at line {code.co_firstlineno} of {code.co_filename} fits the code")
    return fitting_nodes[0]


_Span = tuple[tuple[int, int], tuple[int, int]]


def _span(code: types.CodeType) -> _Span | None:
    """Returns the first and the last position of the instructions of a code object; None if it returns a constant.

    Raises: NoSourceError: if the code has no positions.
    """
    positions = [position for position in _positions(code) if position[2:] != (0, 0)]  # entry and exit have no columns
    if not positions and any(True for _ in _positions(code)):
        return None
    if not positions:
        raise NoSourceError(f"the code of {code.co_name} has no positions")
    start = min((line, column) for line, _, column, _ in positions)
    return start, max((line, column) for _, line, _, column in positions)


def _positions(code: types.CodeType) -> Iterator[tuple[int, int, int, int]]:
    for position in code.co_positions():
        if None not in position:
            yield position  # type: ignore[misc]  # no part is None


def _node_span(node: ast.expr) -> _Span:
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)


def _contains(outer: _Span, inner: _Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _has_parameters(node: FunctionNode, code: types.CodeType) -> bool:
    """Returns whether code has the parameters of a definition or lambda; in a class, names like `__x` have a prefix."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    names = [a.arg for a in [*positional, *arguments.kwonlyargs, *filter(None, [arguments.vararg, arguments.kwarg])]]
    counts = len(arguments.posonlyargs), len(positional), len(arguments.kwonlyargs)
    return (
        counts == (code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount)
        and (arguments.vararg is not None) == bool(code.co_flags & inspect.CO_VARARGS)
        and (arguments.kwarg is not None) == bool(code.co_flags & inspect.CO_VARKEYWORDS)
        and all(own.endswith(name) for own, name in zip(code.co_varnames, names))
    )


def has_control_flow(code: types.CodeType) -> bool:
    """Returns whether code has a branch or a loop, so that conversion would make a difference."""
    before = ""
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name == "FOR_ITER" or "JUMP" in name and "IF" in name and before != "WITH_EXCEPT_START":
            return True
        if name not in ("TO_BOOL", "CACHE", "NOT_TAKEN"):
            before = name
    return False
