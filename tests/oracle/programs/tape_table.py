"""The table of tapes: how to differentiate, where from, how the value came in, and what kind of value it is.

Not every row has a program, but every side, recorder, binding and kind meets the others.
`tests/contracts/test_every_tape.py` checks that, and that no gradient is lost without a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.oracle.programs._tape_bindings import BINDINGS
from tests.oracle.programs._tape_kinds import KINDS
from tests.oracle.programs._tape_recorders import RECORDERS, SIDES, answer

Cell = tuple[str, str, str, str]
"""A side, a recorder, a binding and a kind."""

_SAME_BINDING = ("plain", "keyword", "varargs", "default", "bound_partial", "attribute", "second_of_two", "relaxed")
"""Bindings that differ from others only in how the signature binds the argument."""

_SLOW_BINDINGS = ("compiled", "loaded", "loaded_concrete")

_CROSSED = (
    *("zeros", "second", "jacobian", "forward", "forward_over_back", "gradients", "in_cond", "in_while"),
    *("around_cond", "in_function_of_it", "custom", "custom_of_variables", "watched_variables"),
)
"""Recorders that meet every binding; the others differ from one of these, or from "tape", only in what is watched."""


def cells() -> Iterator[Cell]:
    """Yields the rows of the table that have a program."""
    for side in SIDES:
        yield from ((side, "tape", binding, kind) for binding in BINDINGS for kind in ("tensor", "variable"))
        yield from ((side, recorder, "argument", "variable") for recorder in RECORDERS)
    yield from (("inside", recorder, "argument", kind) for recorder in RECORDERS for kind in KINDS)
    yield from _in_turns(_CROSSED, [b for b in BINDINGS if b not in (*_SAME_BINDING, *_SLOW_BINDINGS)])
    for i, binding in enumerate(BINDINGS):
        if binding not in _SLOW_BINDINGS:
            yield from ((SIDES[(i + j) % 3], "tape", binding, kind) for j, kind in enumerate(KINDS))


def _in_turns(recorders: Sequence[str], bindings: Sequence[str]) -> Iterator[Cell]:
    """Yields a row for every recorder and binding; sides and kinds take turns."""
    kinds = ("variable", "module", "variables", "tensor", "vector_variable")
    for i, recorder in enumerate(recorders):
        for j, binding in enumerate(bindings):
            yield SIDES[(i + j) % 3], recorder, binding, kinds[(i + 2 * j) % len(kinds)]


def program_name(cell: Cell) -> str:
    """Returns the name of a row's program; one that compiles says so."""
    name = "__".join(cell)
    return f"compiled__{name}" if cell[1] == "around_compiled" or cell[2] == "compiled" else name


def _program(cell: Cell):
    return lambda tf, np: answer(tf, *cell)


CELLS: dict[str, Cell] = {program_name(cell): cell for cell in cells()}
globals().update({f"prog_{name}": _program(cell) for name, cell in CELLS.items()})
