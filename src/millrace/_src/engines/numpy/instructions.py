"""The instructions of a generated program, before they are text: lines, loops and choices.

Two things are decided here, because both need to know what is still read later. A value is dropped at its last use.
And a list that a loop alone holds is changed in place, where a list that others may hold gets a new version:

    s0 = own(v1)              # the loop's copy
    while True:
        ...
        v7 = p7(s0, v6)       # writes into s0, which nothing reads any more
        s0 = v7

A list is *owned* if no other name or list holds the list. A list among the state of a loop is owned as long as each
iteration passes on an owned list. Arrays that only sums change are owned in the same way (see `accumulation`); any
other reader of an array may keep a view of the array.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Rendered: TypeAlias = tuple[str, Any, Sequence[str]]
"""A line of source, the node behind it (or None), and the names of the node's arguments."""


@dataclass(eq=False, slots=True)
class Line:
    """One statement.

    Args:
      targets: the names that the line sets.
      pattern: the left side: the targets, perhaps with brackets.
      call: the right side.
      uses: the names that the line reads.
      node: the node that the line runs; None for a plain assignment.
      kernel: the name of what runs the node.
      consumed: the list or array that the line may change in place, if no later line reads that list or array.
      call_in_place: the right side that changes the consumed list or array.
      escaping: lists that the line's results may hold.
      makes_array: whether the line's result is an array that nothing else holds.
      arguments: the names of the node's arguments, if they differ from `uses`.
    """

    targets: Sequence[str]
    pattern: str
    call: str
    uses: Sequence[str]
    node: Any = None
    kernel: str = ""
    consumed: str | None = None
    call_in_place: str = ""
    escaping: Sequence[str] = ()
    makes_array: bool = False
    arguments: Sequence[str] | None = None
    live_after: frozenset[str] = frozenset()
    is_in_place: bool = False

    def reads(self) -> set[str]:
        """Returns the names that the line reads and that were set before."""
        return set(self.uses)

    def render(self, indent: int) -> Iterator[Rendered]:
        """Yields the line's text."""
        call = self.call_in_place if self.is_in_place else self.call
        text = f"{self.pattern} = {call}" if self.targets else call
        yield _line(indent, text), self.node, self.arguments or self.uses


@dataclass(eq=False, slots=True)
class Loop:
    """A loop: the state, and the instructions before and after the test whether to go on.

    Args:
      states: for each variable of the loop the name, the name of the first value, and whether the variable is a list.
      test: the instructions of the condition.
      keep: the name of the condition's value.
      body: the instructions of an iteration; last, an assignment of the new state.
    """

    states: list[tuple[str, str, bool]]
    test: list[Instruction]
    keep: str
    body: list[Instruction]
    node: Any
    live_after: frozenset[str] = frozenset()
    copied: frozenset[str] = frozenset()
    """The lists that the loop copies at its start, so that the loop owns the lists."""
    scalars: frozenset[str] = frozenset()
    """The states that are scalars as long as the loop runs; see `scalars`."""

    @property
    def targets(self) -> list[str]:
        """The names that the loop leaves behind."""
        return [name for name, _, _ in self.states]

    @property
    def uses(self) -> list[str]:
        """The first values."""
        return [first for _, first, _ in self.states]

    def inner_reads(self) -> set[str]:
        """Returns the names that an iteration reads and that were set before, the state among them."""
        return {self.keep, *_reads([*self.test, *self.body])} - _assigned_names([*self.test])

    def reads(self) -> set[str]:
        """Returns the names that the loop reads and that were set before."""
        return (self.inner_reads() - set(self.targets)) | set(self.uses)

    def _start(self, name: str, first: str) -> str:
        """Returns the expression of the first value of a state."""
        if name in self.copied:
            return f"own({first})"
        return f"{first}[()]" if name in self.scalars else first

    def render(self, indent: int) -> Iterator[Rendered]:
        """Yields the lines of the loop's text."""
        if self.states:
            firsts = [self._start(name, first) for name, first, _ in self.states]
            yield _line(indent, f"{', '.join(self.targets)} = {', '.join(firsts)}"), self.node, self.uses
        yield _line(indent, "while True:"), None, ()
        yield from render(self.test, indent + 1)
        yield _line(indent + 1, f"if not {self.keep}: break"), self.node, [self.keep]
        yield from render(self.body, indent + 1)


@dataclass(eq=False, slots=True)
class BranchChoice:
    """One of two blocks, each with the names of its results."""

    test: str
    branches: list[tuple[list[Instruction], list[str]]]
    targets: list[str]
    node: Any
    live_after: frozenset[str] = frozenset()

    @property
    def uses(self) -> list[str]:
        """The condition, and results that were there before."""
        return [self.test, *[r for block, results in self.branches for r in results if r not in _assigned_names(block)]]

    def reads(self) -> set[str]:
        """Returns the names that the choice reads and that were set before."""
        names = {self.test}
        for block, results in self.branches:
            names |= _reads(block) | (set(results) - _assigned_names(block))
        return names

    def render(self, indent: int) -> Iterator[Rendered]:
        """Yields the lines of the choice's text."""
        for head, (block, results) in zip((f"if {self.test}:", "else:"), self.branches, strict=True):
            yield _line(indent, head), self.node if head != "else:" else None, [self.test]
            yield from render(block, indent + 1)
            assignment = f"{', '.join(self.targets)} = {', '.join(results)}" if results else "pass"
            yield _line(indent + 1, assignment), None, ()
            dead_names = sorted({r for r in results if r in _assigned_names(block)})
            if dead_names:
                yield _line(indent + 1, f"del {', '.join(dead_names)}"), None, ()


@dataclass(eq=False, slots=True)
class InBlocks:
    """Lines for small arrays, and one call for large arrays that goes through the lines' kernels block by block.

    Args:
      lines: the lines.
      targets: the names of the lines' results that are read later.
      uses: the names that the lines read, the arguments of the call.
      large: the test whether the arrays may be large.
      call: the call, which returns the values of `targets`, or None where the lines have to be run.
      result: a name for what the call returns.
      node: the last node.
    """

    lines: list[Instruction]
    targets: list[str]
    uses: list[str]
    large: str
    call: str
    result: str
    node: Any
    live_after: frozenset[str] = frozenset()

    def reads(self) -> set[str]:
        """Returns the names that the lines read and that were set before."""
        return set(self.uses)

    def render(self, indent: int) -> Iterator[Rendered]:
        """Yields the text of both forms."""
        yield _line(indent, f"if {self.large} and ({self.result} := {self.call}) is not None:"), None, ()
        yield _line(indent + 1, f"{''.join(f'{name}, ' for name in self.targets)} = {self.result}"), None, ()
        yield _line(indent + 1, f"del {self.result}"), None, ()
        yield _line(indent, "else:"), None, ()
        yield from render(self.lines, indent + 1)


Instruction: TypeAlias = Line | Loop | BranchChoice | InBlocks


def _line(indent: int, text: str) -> str:
    return "    " * indent + text


def _reads(block: Iterable[Instruction]) -> set[str]:
    """Returns the names that a block reads and that were set before the block."""
    made_names: set[str] = set()
    read_names: set[str] = set()
    for instruction in block:
        read_names |= instruction.reads() - made_names
        made_names.update(instruction.targets)
    return read_names


def _assigned_names(block: Iterable[Instruction]) -> set[str]:
    return {name for instruction in block for name in instruction.targets}


def render(block: Sequence[Instruction], indent: int) -> Iterator[Rendered]:
    """Yields the lines of a block; drops the names made in the block after their last use."""
    made_names: set[str] = set()
    for instruction in block:
        yield from instruction.render(indent)
        made_names.update(instruction.targets)
        dead_names = ({*instruction.targets, *instruction.reads()} & made_names) - instruction.live_after
        if dead_names:
            yield _line(indent, f"del {', '.join(sorted(dead_names))}"), None, ()
            made_names -= dead_names


# --- what is read later ------------------------------------------------------------------------------------------


def note_lives(block: Sequence[Instruction], live: Iterable[str]) -> None:
    """Notes for every instruction which of its names are read later; `live` are the names read after the block."""
    later = set(live)
    for instruction in reversed(block):
        read_names = instruction.reads()
        instruction.live_after = frozenset(later.intersection([*instruction.targets, *read_names]))
        if isinstance(instruction, Loop):
            again = frozenset(instruction.inner_reads()) | frozenset(instruction.targets)
            note_lives(instruction.body, again)
            note_lives(instruction.test, again | {instruction.keep} | frozenset(_reads(instruction.body)))
        elif isinstance(instruction, BranchChoice):
            for inner, results in instruction.branches:
                note_lives(inner, later.intersection(read_names).union(results))
        elif isinstance(instruction, InBlocks):
            note_lives(instruction.lines, later.union(instruction.targets))
        later.difference_update(instruction.targets)
        later |= read_names


# --- lists -------------------------------------------------------------------------------------------------------


def choose_in_place(block: Sequence[Instruction]) -> None:
    """Decides which lines change a list in place; `note_lives` must have noted the names that are read later."""
    if _may_change(block):
        _Owners(frozenset(_escaping(block)), _names_changed_in_place(block)).walk(block, set())


def _may_change(block: Iterable[Instruction]) -> bool:
    """Returns whether a block has a line that could change a list or an array in place."""
    for instruction in block:
        if isinstance(instruction, Line):
            if instruction.consumed is not None:
                return True
        elif isinstance(instruction, Loop):
            if _may_change(instruction.test) or _may_change(instruction.body):
                return True
        elif isinstance(instruction, BranchChoice) and any(_may_change(inner) for inner, _ in instruction.branches):
            return True
    return False


def _escaping(block: Iterable[Instruction]) -> Iterator[str]:
    """Yields the names of lists that the results of a line may hold."""
    for instruction in block:
        if isinstance(instruction, Line):
            yield from instruction.escaping
        elif isinstance(instruction, Loop):
            yield from _escaping(instruction.test)
            yield from _escaping(instruction.body)
        elif isinstance(instruction, BranchChoice):
            for inner, _ in instruction.branches:
                yield from _escaping(inner)


def _names_changed_in_place(block: Iterable[Instruction]) -> set[str]:
    """Returns the names of arrays that a line of a block could change in place."""
    names: set[str] = set()
    for instruction in block:
        if isinstance(instruction, Line):
            if instruction.makes_array and instruction.consumed is not None:
                names.add(instruction.consumed)
        elif isinstance(instruction, Loop):
            inside = _names_changed_in_place([*instruction.test, *instruction.body])
            names |= inside | {first for name, first, _ in instruction.states if name in inside}
        elif isinstance(instruction, BranchChoice):
            for inner, _ in instruction.branches:
                names |= _names_changed_in_place(inner)
    return names


class _Owners:
    """A walk through a program that tracks the names that own their list or array."""

    def __init__(self, escaping: frozenset[str], arrays: set[str]) -> None:
        self.escaping = escaping
        self.arrays = arrays

    def walk(self, block: Sequence[Instruction], owned: set[str]) -> None:
        """Goes through a block; `owned` becomes the names that own their list after the block."""
        for instruction in block:
            if isinstance(instruction, Line):
                self._line(instruction, owned)
            elif isinstance(instruction, Loop):
                self._loop(instruction, owned)
            elif isinstance(instruction, BranchChoice):
                self._choice(instruction, owned)
            else:
                owned.difference_update(self.arrays.intersection(instruction.uses))  # a result may be a view

    def _can_take(self, name: str | None, instruction: Instruction, owned: set[str]) -> bool:
        """Returns whether an instruction may change the list of a name in place."""
        return name in owned and name not in instruction.live_after

    def _line(self, line: Line, owned: set[str]) -> None:
        if line.node is None:
            moved_names = [
                target
                for target, use in zip(line.targets, line.uses, strict=True)
                if self._can_take(use, line, owned) and line.uses.count(use) == 1
            ]
            owned.difference_update(line.targets)
            owned.update(moved_names)
            return
        viewed = [u for u in line.uses if u != line.consumed or line.uses.count(u) > 1]
        owned.difference_update(self.arrays.intersection(viewed))
        line.is_in_place = line.consumed is not None and self._can_take(line.consumed, line, owned)
        owned.discard(line.consumed or "")  # a new version shares the elements
        if line.is_in_place or line.makes_array:
            owned.update(t for t in line.targets[:1] if t not in self.escaping)
            self.arrays.update(line.targets if line.makes_array else ())

    def _loop(self, loop: Loop, owned: set[str]) -> None:
        """Goes through a loop: supposes that the loop owns all its lists, then drops those that an iteration loses."""
        lists = {n for n, _, is_list in loop.states if (is_list or n in self.arrays) and n not in self.escaping}
        while True:
            inside = (owned - set(loop.uses)) | lists
            self.walk([*loop.test, *loop.body], inside)
            kept_lists = {name for name in lists if name in inside}
            if kept_lists == lists:
                break
            lists = kept_lists
        firsts = {name: first for name, first, _ in loop.states}
        loop.copied = frozenset(
            name
            for name in lists
            if not self._can_take(firsts[name], loop, owned) or list(firsts.values()).count(firsts[name]) > 1
        )
        shared_names = {first for name, first, _ in loop.states if name not in loop.copied}
        owned.difference_update(shared_names, set(loop.uses) - loop.live_after)
        owned.intersection_update(inside | set(loop.uses))
        owned.update(lists)

    def _choice(self, choice: BranchChoice, owned: set[str]) -> None:
        after = []
        remaining_names = set(owned)
        for block, results in choice.branches:
            inside = set(owned)
            self.walk(block, inside)
            after.append([self._can_take(r, choice, inside) and results.count(r) == 1 for r in results])
            remaining_names &= inside
        owned.intersection_update(remaining_names)
        for target, *is_owned in zip(choice.targets, *after, strict=True):
            if all(is_owned) and target not in self.escaping:
                owned.add(target)
        for _, results in choice.branches:
            owned.difference_update(set(results) - set(choice.targets))
