"""Random structured programs as source text: what people write, mixed as no program does.

A program is one function `program` over int32 tensors, Python numbers and containers, with nested control flow, exits
at any depth, helper functions and closures. Every variable has one type for its whole life, is read only where it
is definitely assigned, and every loop is bounded, so plain Python answers, and a graph can express the function. A
program is a function of a sequence of small numbers, its choices, so that Hypothesis can shrink it; the simplest choice
comes first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Choose = Callable[[int], int]
"""Gives a number below its argument."""

HEADER = '''\
"""A random program."""

from contextlib import contextmanager


@contextmanager
def scope():
    yield


class Box:
    def __init__(self, n):
        self.n = n


'''
_TENSORS, _PYTHON, _FRESH = ("a", "b"), ("p",), ("t", "u")
_BOUND = 97
_MODULI = (2, 3, 5, 7)


@dataclasses.dataclass(frozen=True)
class Program:
    """A random program.

    Attributes:
        source: The text of its module, which needs `tf`.
        args: Argument tuples for the function `program`: two int32 scalars, an int32 vector, a Python int.
        stores: Whether it assigns items of tensors, which only converted code can.
    """

    source: str
    args: Sequence[tuple[Any, ...]]
    stores: bool


def make(choose: Choose) -> Program:
    """The program of a sequence of choices."""
    count = 1 + choose(4)
    number = choose(5)
    args = [
        (
            np.int32(choose(10)),
            np.int32(choose(10)),
            np.array([choose(10) for _ in range(3)], np.int32),
            number,
        )
        for _ in range(count)
    ]
    lines = _Writer(choose).program()
    return Program(
        HEADER + "\n".join(lines) + "\n", args, any(line.lstrip().startswith(("v[", "w[")) for line in lines)
    )


@dataclasses.dataclass
class _ProgramPoint:
    """What holds at a point in a program.

    Attributes:
        names: The int variables that are definitely assigned.
        vectors: The same of vectors.
        flags: The same of booleans.
        functions: The local functions that can be called, with their numbers of parameters.
        indices: Loop variables that are Python numbers below the length of a list.
        loops: The number of loops around.
        depth: The number of blocks around.
        can_jump: Whether `break` and `continue` are allowed.
        is_lazy: Whether an expression here may not be evaluated; it must not give a variable its first value then.
        is_nested: Whether this is in a nested function, which must not assign variables of the function around.
        result: The parts of the value of the function; empty where `return` is not allowed.
    """

    names: set[str]
    vectors: set[str]
    flags: set[str]
    functions: dict[str, int]
    indices: set[str]
    loops: int = 0
    depth: int = 0
    can_jump: bool = False
    is_lazy: bool = False
    is_nested: bool = False
    result: tuple[str, ...] = ()

    def inside(self, **changes: Any) -> _ProgramPoint:
        """The point at the start of a block here."""
        copies = {
            "names": {*self.names},
            "vectors": {*self.vectors},
            "flags": {*self.flags},
            "functions": {**self.functions},
            "indices": {*self.indices},
        }
        return dataclasses.replace(self, **(copies | {"depth": self.depth + 1} | changes))

    def join(self, *ends: _ProgramPoint | None) -> bool:
        """Takes over what holds at all ends of blocks; False if none of them is reached."""
        reached = [end for end in ends if end is not None]
        if not reached:
            return False
        for field in ("names", "vectors", "flags"):
            setattr(self, field, set.intersection(*[getattr(end, field) for end in reached]))
        self.functions = {f: n for f, n in self.functions.items() if all(f in end.functions for end in reached)}
        return True


class _Writer:
    """Writes one program."""

    def __init__(self, choose: Choose) -> None:
        self.choose = choose
        self.lines: list[str] = []
        self.budget = 3 + choose(16)
        self.counters = 0
        self.has = {name: self.chance(40) for name in ("box", "d", "xs", "grown", "helper", "bump", "f", "w")}

    # --- choices -----------------------------------------------------------------------------------------------------

    def pick(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        return options[self.choose(len(options))]

    def chance(self, percent: int) -> bool:
        """True in so many of 100 cases; False is simpler."""
        return self.choose(100) >= 100 - percent

    def write(self, point: _ProgramPoint, text: str) -> None:
        """Adds lines at the indentation of a point."""
        self.lines += ["    " * (point.depth + 1) + line for line in text.split("\n")]

    # --- the function ------------------------------------------------------------------------------------------------

    def program(self) -> list[str]:
        """The lines of the function."""
        point = _ProgramPoint({*_TENSORS, "n"}, {"v"}, set(), {}, set())
        self.lines = ["def program(a, b, v, n):"]
        self.write(point, f"p = {self.choose(5)}")
        point.names.add("p")
        for name, text in (
            ("box", "box = Box(a)"),
            ("d", "d = {'k': b}"),
            ("xs", "xs = [a, b, 3]"),
            ("grown", "grown = []"),
            ("f", "f = False"),
            ("w", "w = v + 1"),
        ):
            if self.has[name]:
                self.write(point, text)
        if self.has["f"]:
            point.flags.add("f")
        if self.has["w"]:
            point.vectors.add("w")
        if self.has["helper"]:
            self.helper(point)
        if self.has["bump"]:
            self.bump(point)
        parts = ["a", "b", "p", *[e for e, n in _PARTS.items() if self.has[n]]]
        chosen = [part for part in parts if self.chance(60)] or ["a"]
        point.result = tuple(chosen)
        if self.block(point, 1 + self.choose(6)):
            only = not any(line.lstrip().startswith("return (") for line in self.lines)
            grown = ("grown",) if only and self.has["grown"] else ()
            self.write(point, f"return ({', '.join((*point.result, *grown))},)")
        return self.lines

    def early_return(self, point: _ProgramPoint) -> str:
        """`return` with the structure of the last one, and other values."""
        values = [
            part if self.chance(40) else self.vector(point) if part in ("v + 0", "w + 0") else f"{self.number(point)}"
            for part in point.result
        ]
        return f"return ({', '.join(values)},)"

    def helper(self, point: _ProgramPoint) -> None:
        """A function that returns early, of its own arguments and variables around."""
        inner = point.inside(names={"x", "y", *self.some(point.names)}, functions={}, is_nested=True)
        test, first, last = self.test(inner), self.number(inner), self.number(inner)
        style = self.choose(4)
        if style == 0:
            self.write(point, f"helper = lambda x, y: {first} if {test} else {last}")
        elif style == 1:
            self.write(point, f"def helper(x, y):\n    if {test}:\n        return {first}\n    return {last}")
        elif style == 2:
            self.write(
                point,
                f"def helper(x, y):\n    if {test}:\n        x = {first}\n    else:\n        x += 1\n    return x",
            )
        else:
            loop = f"for i in range(3):\n        if {test}:\n            return {first}\n        y += i"
            self.write(point, f"def helper(x, y):\n    {loop}\n    return {last}")
        point.functions["helper"] = 2

    def bump(self, point: _ProgramPoint) -> None:
        """A function that changes a variable of the function around."""
        name = self.pick(("p", "a"))
        inner = point.inside(names={"x", name}, functions={}, is_nested=True)
        self.write(
            point, f"def bump(x):\n    nonlocal {name}\n    {name} = {self.number(inner)} % {_BOUND}\n    return {name}"
        )
        point.functions["bump"] = 1

    def some(self, names: set[str]) -> set[str]:
        """A few of the names."""
        return {name for name in sorted(names) if self.chance(30)}

    # --- statements --------------------------------------------------------------------------------------------------

    def block(self, point: _ProgramPoint, count: int) -> bool:
        """Statements; whether control reaches their end."""
        wrote = False
        for _ in range(count):
            if wrote and self.budget <= 0:
                break
            self.budget -= 1
            wrote = True
            if not self.statement(point):
                return False
        return True

    def statement(self, point: _ProgramPoint) -> bool:
        """One statement; whether control reaches its end."""
        simple = [self.assign, self.augment, self.unpack, self.store, self.call, self.set_flag, self.walrus]
        compound = [self.if_, self.if_, self.for_, self.for_, self.while_, self.while_true, self.with_, self.try_]
        if point.depth < 4 and self.chance(50):
            return bool(self.pick(compound)(point))
        if point.depth and self.chance(30):
            return self.exit(point)
        self.pick(simple)(point)
        return True

    def target(self, point: _ProgramPoint) -> str:
        """A number that can be assigned."""
        return self.pick([*_TENSORS, *_PYTHON, *_FRESH])

    def assign(self, point: _ProgramPoint) -> None:
        """`a = expression`."""
        if point.vectors and self.chance(25):
            name = self.pick(("v", "w")) if self.has["w"] else "v"
            self.write(point, f"{name} = {self.vector(point)} % {_BOUND}")
            return
        value = f"({self.number(point)}) % {_BOUND}"
        name = self.target(point)
        self.write(point, f"{name} = {value}")
        point.names.add(name)

    def augment(self, point: _ProgramPoint) -> None:
        """`a += expression`."""
        name = self.pick(sorted(point.names & {*_TENSORS, *_PYTHON, *_FRESH}))
        operator = self.pick(("+=", "-=", "%=", "//="))
        value = self.pick(_MODULI) if operator in ("%=", "//=") else f"({self.number(point)}) % 7"
        self.write(point, f"{name} {operator} {value}")

    def unpack(self, point: _ProgramPoint) -> None:
        """`a, b = b, a`."""
        first, second = self.target(point), self.target(point)
        self.write(point, f"{first}, {second} = ({self.number(point)}) % {_BOUND}, ({self.number(point)}) % {_BOUND}")
        point.names |= {first, second}

    def store(self, point: _ProgramPoint) -> None:
        """An assignment to an item or attribute."""
        targets = ["v[0]", f"v[{self.atom(point)} % 3]"]
        targets += [text for name, text in _STORES.items() if self.has[name]]
        if self.has["xs"]:
            targets += [f"xs[{index}]" for index in sorted(point.indices)]
        if self.has["w"]:
            targets += ["w[1]"]
        target = self.pick(targets)
        if self.chance(30):
            self.write(point, f"{target} += {self.choose(5)}")
        else:
            self.write(point, f"{target} = ({self.number(point)}) % {_BOUND}")

    def call(self, point: _ProgramPoint) -> None:
        """A call for its effect, or of a lambda."""
        if "bump" in point.functions:
            self.write(point, f"bump({self.number(point)})")
            return
        inner = point.inside(names={"z", *point.names}, is_nested=True)
        name = self.pick(_FRESH)
        self.write(point, f"{name} = (lambda z: {self.number(inner)})({self.atom(point)}) % {_BOUND}")
        point.names.add(name)

    def set_flag(self, point: _ProgramPoint) -> None:
        """`f = condition`."""
        self.write(point, f"f = {self.test(point)}")
        point.flags.add("f")

    def walrus(self, point: _ProgramPoint) -> None:
        """`b = (t := a) + t`."""
        name = self.pick(_FRESH)
        self.write(point, f"b = (({name} := ({self.number(point)}) % {_BOUND}) + {self.atom(point)}) % {_BOUND}")
        point.names.add(name)

    def exit(self, point: _ProgramPoint) -> bool:
        """A jump; under a condition if it stands in the block of a loop or `with`."""
        if point.can_jump and self.chance(70):
            self.write(point, self.pick(("break", "continue")))
        elif point.result:
            self.write(point, self.early_return(point))
        else:
            self.write(point, "pass")
            return True
        return False

    # --- blocks ------------------------------------------------------------------------------------------------------

    def sub(self, point: _ProgramPoint, **changes: Any) -> _ProgramPoint | None:
        """A block one level deeper; what holds at its end."""
        inner = point.inside(**changes)
        return inner if self.block(inner, 1 + self.choose(3)) else None

    def if_(self, point: _ProgramPoint) -> bool:
        """`if`, `elif`, `else`."""
        self.write(point, f"if {self.test(point)}:")
        ends = [self.sub(point)]
        while self.chance(25):
            self.write(point, f"elif {self.test(point, certain=False)}:")
            ends.append(self.sub(point))
        if self.chance(50):
            self.write(point, "else:")
            ends.append(self.sub(point))
        else:
            ends.append(point.inside())
        return point.join(*ends)

    def for_(self, point: _ProgramPoint) -> bool:
        """A loop over a tensor or a Python collection."""
        if point.loops >= 2:
            return self.if_(point)
        over = self.iterable(point)
        inner = point.inside(loops=point.loops + 1, can_jump=True)
        if over == "enumerate":
            self.write(point, f"for i{point.loops}, e{point.loops} in enumerate([{self.number(point)}, 2]):")
            inner.names |= {f"i{point.loops}", f"e{point.loops}"}
        else:
            self.write(point, f"for i{point.loops} in {over}:")
            inner.names.add(f"i{point.loops}")
        if over == "range(3)":
            inner.indices.add(f"i{point.loops}")
        self.block(inner, 1 + self.choose(3))
        if self.has["grown"] and over.startswith(("v", "tf.range")) and not point.depth and self.chance(60):
            self.lines.insert(
                self._line_after_header(point), "    " * (point.depth + 2) + f"grown.append(i{point.loops})"
            )
        return self.otherwise(point)

    def _line_after_header(self, point: _ProgramPoint) -> int:
        header = "    " * (point.depth + 1) + "for "
        return max(i for i, line in enumerate(self.lines) if line.startswith(header)) + 1

    def iterable(self, point: _ProgramPoint) -> str:
        """What a `for` loop runs over."""
        kinds = ["range(3)", "v + 0", "tf.range", "range", "list", "evens", "range(4, 0, -1)", "enumerate"]
        kind = self.pick([*kinds, "xs"] if self.has["xs"] else kinds)
        if kind in ("tf.range", "range"):
            return f"{kind}({self.atom(point)} % 4)"
        if kind == "list":
            return f"[{self.number(point)}, {self.atom(point)}]"
        return f"tf.range({self.choose(3)}, 4, 2)" if kind == "evens" else str(kind)

    def otherwise(self, point: _ProgramPoint) -> bool:
        """`else` of a loop."""
        if self.chance(20):
            self.write(point, "else:")
            self.sub(point)
        return True

    def while_(self, point: _ProgramPoint) -> bool:
        """A loop that counts, with the counter a Python number or a tensor."""
        if point.loops >= 2:
            return self.if_(point)
        self.counters += 1
        counter = f"k{self.counters}"
        self.write(point, f"{counter} = {self.pick(('0', 'a * 0'))}")
        point.names.add(counter)
        test = f"{counter} < {1 + self.choose(4)}"
        if self.chance(60):
            joined = (test, self.test(point, certain=False))
            test = " and ".join(joined if self.chance(50) else joined[::-1])
        self.write(point, f"while {test}:")
        inner = point.inside(loops=point.loops + 1, can_jump=True)
        self.write(inner, f"{counter} += 1")
        self.block(inner, 1 + self.choose(3))
        return self.otherwise(point)

    def while_true(self, point: _ProgramPoint) -> bool:
        """`while True` with a `break`."""
        if point.loops >= 2:
            return self.if_(point)
        self.counters += 1
        counter = f"k{self.counters}"
        self.write(point, f"{counter} = {self.pick(('0', 'a * 0'))}")
        self.write(point, "while True:")
        inner = point.inside(loops=point.loops + 1, can_jump=True)
        inner.names.add(counter)
        self.write(inner, f"{counter} += 1")
        condition = f"{counter} > {1 + self.choose(3)}"
        if self.chance(60):
            condition += f" or {self.test(inner, certain=False)}"
        end = "break"
        if point.result and self.chance(20):
            end = self.early_return(inner.inside())
        self.write(inner, f"if {condition}:\n    {end}")
        self.block(inner, 1 + self.choose(3))
        point.names.add(counter)
        return True

    def with_(self, point: _ProgramPoint) -> bool:
        """`with`."""
        self.write(point, "with scope():")
        return point.join(self.sub(point))

    def try_(self, point: _ProgramPoint) -> bool:
        """`try` with `finally`, or with an exception that Python values decide about."""
        self.write(point, "try:")
        if self.chance(60):
            end = self.sub(point)
            self.write(point, "finally:")
            final = point.inside(result=(), can_jump=False, loops=2)
            self.assign(final)
            if self.chance(30):
                self.if_(final)
            return point.join(end)
        inner = point.inside()
        self.assign(inner)
        self.write(inner, f"if n > {self.choose(4)}:\n    raise ValueError")
        self.augment(inner)
        self.write(point, "except ValueError:")
        return point.join(point.inside(), self.sub(point))

    # --- expressions -------------------------------------------------------------------------------------------------

    def atom(self, point: _ProgramPoint) -> str:
        """A number without an operator; small enough to multiply."""
        options = [*sorted(point.names), str(self.choose(10)), "v[1]", f"v[{self.pick(sorted(point.names))} % 3]"]
        options += [text for name, text in _READS.items() if self.has[name]]
        if self.has["xs"]:
            options += [f"xs[{index}]" for index in sorted(point.indices)]
        return str(self.pick(options))

    def number(self, point: _ProgramPoint, depth: int = 0) -> str:
        """An int32 expression."""
        if depth > 1 or self.chance(45):
            return self.atom(point)
        kind = self.choose(12)
        if kind < 5:
            operator = self.pick(("+", "-", "*"))
            return f"({self.atom(point)} {operator} {self.atom(point)})"
        if kind < 7:
            return f"({self.number(point, depth + 1)} {self.pick(('%', '//'))} {self.pick(_MODULI)})"
        if kind < 9:
            test = self.test(point, depth + 1)
            lazy = point.inside(is_lazy=True)
            return f"({self.number(lazy, depth + 1)} if {test} else {self.number(lazy, depth + 1)})"
        if kind == 9:
            return f"tf.reduce_sum({self.vector(point)} % 7)"
        if kind == 10 and point.functions:
            name = self.pick(sorted(point.functions))
            return f"{name}({', '.join(self.atom(point) for _ in range(point.functions[name]))})"
        if self.has["xs"]:
            return f"sum([y * 2 for y in xs if n < {self.choose(5)}])" if self.chance(30) else "len(xs)"
        return f"-{self.atom(point)}"

    def vector(self, point: _ProgramPoint) -> str:
        """An int32 vector that is no other variable's."""
        name = self.pick(sorted(point.vectors))
        kind = self.choose(4)
        if kind == 0:
            return f"({name} + {self.atom(point)})"
        if kind == 1:
            return f"({name} * {self.choose(4)})"
        if kind == 2:
            return f"({self.pick(sorted(point.vectors))} - {name})"
        return f"({name} + 1 if {self.test(point, 1)} else {name} - 1)"

    def test(self, point: _ProgramPoint, depth: int = 0, certain: bool = True) -> str:
        """A condition."""
        kind = self.choose(11) if depth < 2 else self.choose(5)
        if kind < 4:
            return f"{self.atom(point)} {self.pick(('>', '<', '==', '!=', '<=', '>='))} {self.atom(point)}"
        if kind == 4:
            return str(self.pick(sorted(point.flags))) if point.flags else f"n > {self.choose(5)}"
        if kind == 5:
            return f"{self.atom(point)} < {self.number(point, 1)} <= {self.atom(point)}"
        if kind in (6, 7):
            lazy = point.inside(is_lazy=True)
            first, second = (self.test(lazy, depth + 1, False) for _ in range(2))
            return f"({first} {'and' if kind == 6 else 'or'} {second})"
        if kind == 8:
            return f"not {self.test(point, depth + 1, certain)}"
        if kind == 9:
            return f"{self.atom(point)} in (1, 2, {self.choose(10)})"
        if point.is_nested:
            return f"{self.number(point, 1)} > {self.choose(10)}"
        assigned = {*_TENSORS, *_PYTHON, *_FRESH}
        name = self.pick(sorted(point.names & assigned) if point.is_lazy or not certain else sorted(assigned))
        text = f"({name} := ({self.number(point, 1)}) % {_BOUND}) > {self.choose(10)}"
        point.names.add(name)
        return text


_READS = {"box": "box.n", "d": "d['k']", "xs": "xs[1]"}
_STORES = {"box": "box.n", "d": "d['k']", "xs": "xs[1]"}
_PARTS = {"v + 0": "w", "w + 0": "w", "box.n": "box", "d['k']": "d", "xs[0]": "xs", "xs[1]": "xs"}


class ArraysAsTensors:
    """What programs use of `tf`, over NumPy arrays: how plain Python runs them."""

    @staticmethod
    def range(*ends: Any) -> Any:
        """`tf.range`."""
        return np.arange(*ends, dtype=np.int32)

    @staticmethod
    def reduce_sum(array: Any) -> Any:
        """`tf.reduce_sum`."""
        return np.sum(array, dtype=np.int32)
