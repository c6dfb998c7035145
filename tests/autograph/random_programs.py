"""Random structured programs as source text: what people write, mixed as nobody would.

A program is one function `program` over int32 tensors, Python numbers and containers, with nested control flow, exits
at any depth, helper functions and closures. Every variable has one type for its whole life, is read only where it
certainly has a value, and every loop is bounded, so plain Python answers, and a graph can express the function. A
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
class _Place:
    """What holds at a place in a program.

    Attributes:
        names: The int variables that certainly have a value.
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

    def inside(self, **changes: Any) -> _Place:
        """The place at the start of a block here."""
        copies = {
            "names": {*self.names},
            "vectors": {*self.vectors},
            "flags": {*self.flags},
            "functions": {**self.functions},
            "indices": {*self.indices},
        }
        return dataclasses.replace(self, **(copies | {"depth": self.depth + 1} | changes))

    def join(self, *ends: _Place | None) -> bool:
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

    def write(self, place: _Place, text: str) -> None:
        """Adds lines at the indentation of a place."""
        self.lines += ["    " * (place.depth + 1) + line for line in text.split("\n")]

    # --- the function ------------------------------------------------------------------------------------------------

    def program(self) -> list[str]:
        """The lines of the function."""
        place = _Place({*_TENSORS, "n"}, {"v"}, set(), {}, set())
        self.lines = ["def program(a, b, v, n):"]
        self.write(place, f"p = {self.choose(5)}")
        place.names.add("p")
        for name, text in (
            ("box", "box = Box(a)"),
            ("d", "d = {'k': b}"),
            ("xs", "xs = [a, b, 3]"),
            ("grown", "grown = []"),
            ("f", "f = False"),
            ("w", "w = v + 1"),
        ):
            if self.has[name]:
                self.write(place, text)
        if self.has["f"]:
            place.flags.add("f")
        if self.has["w"]:
            place.vectors.add("w")
        if self.has["helper"]:
            self.helper(place)
        if self.has["bump"]:
            self.bump(place)
        parts = ["a", "b", "p", *[e for e, n in _PARTS.items() if self.has[n]]]
        chosen = [part for part in parts if self.chance(60)] or ["a"]
        place.result = tuple(chosen)
        if self.block(place, 1 + self.choose(6)):
            only = not any(line.lstrip().startswith("return (") for line in self.lines)
            grown = ("grown",) if only and self.has["grown"] else ()
            self.write(place, f"return ({', '.join((*place.result, *grown))},)")
        return self.lines

    def early_return(self, place: _Place) -> str:
        """`return` with the structure of the last one, and other values."""
        values = [
            part if self.chance(40) else self.vector(place) if part in ("v + 0", "w + 0") else f"{self.number(place)}"
            for part in place.result
        ]
        return f"return ({', '.join(values)},)"

    def helper(self, place: _Place) -> None:
        """A function that returns early, of its own arguments and variables around."""
        inner = place.inside(names={"x", "y", *self.some(place.names)}, functions={}, is_nested=True)
        test, first, last = self.test(inner), self.number(inner), self.number(inner)
        style = self.choose(4)
        if style == 0:
            self.write(place, f"helper = lambda x, y: {first} if {test} else {last}")
        elif style == 1:
            self.write(place, f"def helper(x, y):\n    if {test}:\n        return {first}\n    return {last}")
        elif style == 2:
            self.write(
                place,
                f"def helper(x, y):\n    if {test}:\n        x = {first}\n    else:\n        x += 1\n    return x",
            )
        else:
            loop = f"for i in range(3):\n        if {test}:\n            return {first}\n        y += i"
            self.write(place, f"def helper(x, y):\n    {loop}\n    return {last}")
        place.functions["helper"] = 2

    def bump(self, place: _Place) -> None:
        """A function that changes a variable of the function around."""
        name = self.pick(("p", "a"))
        inner = place.inside(names={"x", name}, functions={}, is_nested=True)
        self.write(
            place, f"def bump(x):\n    nonlocal {name}\n    {name} = {self.number(inner)} % {_BOUND}\n    return {name}"
        )
        place.functions["bump"] = 1

    def some(self, names: set[str]) -> set[str]:
        """A few of the names."""
        return {name for name in sorted(names) if self.chance(30)}

    # --- statements --------------------------------------------------------------------------------------------------

    def block(self, place: _Place, count: int) -> bool:
        """Statements; whether control reaches their end."""
        wrote = False
        for _ in range(count):
            if wrote and self.budget <= 0:
                break
            self.budget -= 1
            wrote = True
            if not self.statement(place):
                return False
        return True

    def statement(self, place: _Place) -> bool:
        """One statement; whether control reaches its end."""
        simple = [self.assign, self.augment, self.unpack, self.store, self.call, self.set_flag, self.walrus]
        compound = [self.if_, self.if_, self.for_, self.for_, self.while_, self.while_true, self.with_, self.try_]
        if place.depth < 4 and self.chance(50):
            return bool(self.pick(compound)(place))
        if place.depth and self.chance(30):
            return self.exit(place)
        self.pick(simple)(place)
        return True

    def target(self, place: _Place) -> str:
        """A number that can be assigned."""
        return self.pick([*_TENSORS, *_PYTHON, *_FRESH])

    def assign(self, place: _Place) -> None:
        """`a = expression`."""
        if place.vectors and self.chance(25):
            name = self.pick(("v", "w")) if self.has["w"] else "v"
            self.write(place, f"{name} = {self.vector(place)} % {_BOUND}")
            return
        value = f"({self.number(place)}) % {_BOUND}"
        name = self.target(place)
        self.write(place, f"{name} = {value}")
        place.names.add(name)

    def augment(self, place: _Place) -> None:
        """`a += expression`."""
        name = self.pick(sorted(place.names & {*_TENSORS, *_PYTHON, *_FRESH}))
        operator = self.pick(("+=", "-=", "%=", "//="))
        value = self.pick(_MODULI) if operator in ("%=", "//=") else f"({self.number(place)}) % 7"
        self.write(place, f"{name} {operator} {value}")

    def unpack(self, place: _Place) -> None:
        """`a, b = b, a`."""
        first, second = self.target(place), self.target(place)
        self.write(place, f"{first}, {second} = ({self.number(place)}) % {_BOUND}, ({self.number(place)}) % {_BOUND}")
        place.names |= {first, second}

    def store(self, place: _Place) -> None:
        """An assignment to an item or attribute."""
        targets = ["v[0]", f"v[{self.atom(place)} % 3]"]
        targets += [text for name, text in _STORES.items() if self.has[name]]
        if self.has["xs"]:
            targets += [f"xs[{index}]" for index in sorted(place.indices)]
        if self.has["w"]:
            targets += ["w[1]"]
        target = self.pick(targets)
        if self.chance(30):
            self.write(place, f"{target} += {self.choose(5)}")
        else:
            self.write(place, f"{target} = ({self.number(place)}) % {_BOUND}")

    def call(self, place: _Place) -> None:
        """A call for its effect, or of a lambda."""
        if "bump" in place.functions:
            self.write(place, f"bump({self.number(place)})")
            return
        inner = place.inside(names={"z", *place.names}, is_nested=True)
        name = self.pick(_FRESH)
        self.write(place, f"{name} = (lambda z: {self.number(inner)})({self.atom(place)}) % {_BOUND}")
        place.names.add(name)

    def set_flag(self, place: _Place) -> None:
        """`f = condition`."""
        self.write(place, f"f = {self.test(place)}")
        place.flags.add("f")

    def walrus(self, place: _Place) -> None:
        """`b = (t := a) + t`."""
        name = self.pick(_FRESH)
        self.write(place, f"b = (({name} := ({self.number(place)}) % {_BOUND}) + {self.atom(place)}) % {_BOUND}")
        place.names.add(name)

    def exit(self, place: _Place) -> bool:
        """A jump; under a condition if it stands in the block of a loop or `with`."""
        if place.can_jump and self.chance(70):
            self.write(place, self.pick(("break", "continue")))
        elif place.result:
            self.write(place, self.early_return(place))
        else:
            self.write(place, "pass")
            return True
        return False

    # --- blocks ------------------------------------------------------------------------------------------------------

    def sub(self, place: _Place, **changes: Any) -> _Place | None:
        """A block one level deeper; what holds at its end."""
        inner = place.inside(**changes)
        return inner if self.block(inner, 1 + self.choose(3)) else None

    def if_(self, place: _Place) -> bool:
        """`if`, `elif`, `else`."""
        self.write(place, f"if {self.test(place)}:")
        ends = [self.sub(place)]
        while self.chance(25):
            self.write(place, f"elif {self.test(place, certain=False)}:")
            ends.append(self.sub(place))
        if self.chance(50):
            self.write(place, "else:")
            ends.append(self.sub(place))
        else:
            ends.append(place.inside())
        return place.join(*ends)

    def for_(self, place: _Place) -> bool:
        """A loop over a tensor or a Python collection."""
        if place.loops >= 2:
            return self.if_(place)
        over = self.iterable(place)
        inner = place.inside(loops=place.loops + 1, can_jump=True)
        if over == "enumerate":
            self.write(place, f"for i{place.loops}, e{place.loops} in enumerate([{self.number(place)}, 2]):")
            inner.names |= {f"i{place.loops}", f"e{place.loops}"}
        else:
            self.write(place, f"for i{place.loops} in {over}:")
            inner.names.add(f"i{place.loops}")
        if over == "range(3)":
            inner.indices.add(f"i{place.loops}")
        self.block(inner, 1 + self.choose(3))
        if self.has["grown"] and over.startswith(("v", "tf.range")) and not place.depth and self.chance(60):
            self.lines.insert(
                self._line_after_header(place), "    " * (place.depth + 2) + f"grown.append(i{place.loops})"
            )
        return self.otherwise(place)

    def _line_after_header(self, place: _Place) -> int:
        header = "    " * (place.depth + 1) + "for "
        return max(i for i, line in enumerate(self.lines) if line.startswith(header)) + 1

    def iterable(self, place: _Place) -> str:
        """What a `for` loop runs over."""
        kinds = ["range(3)", "v + 0", "tf.range", "range", "list", "evens", "range(4, 0, -1)", "enumerate"]
        kind = self.pick([*kinds, "xs"] if self.has["xs"] else kinds)
        if kind in ("tf.range", "range"):
            return f"{kind}({self.atom(place)} % 4)"
        if kind == "list":
            return f"[{self.number(place)}, {self.atom(place)}]"
        return f"tf.range({self.choose(3)}, 4, 2)" if kind == "evens" else str(kind)

    def otherwise(self, place: _Place) -> bool:
        """`else` of a loop."""
        if self.chance(20):
            self.write(place, "else:")
            self.sub(place)
        return True

    def while_(self, place: _Place) -> bool:
        """A loop that counts, with the counter a Python number or a tensor."""
        if place.loops >= 2:
            return self.if_(place)
        self.counters += 1
        counter = f"k{self.counters}"
        self.write(place, f"{counter} = {self.pick(('0', 'a * 0'))}")
        place.names.add(counter)
        test = f"{counter} < {1 + self.choose(4)}"
        if self.chance(60):
            joined = (test, self.test(place, certain=False))
            test = " and ".join(joined if self.chance(50) else joined[::-1])
        self.write(place, f"while {test}:")
        inner = place.inside(loops=place.loops + 1, can_jump=True)
        self.write(inner, f"{counter} += 1")
        self.block(inner, 1 + self.choose(3))
        return self.otherwise(place)

    def while_true(self, place: _Place) -> bool:
        """`while True` with a `break`."""
        if place.loops >= 2:
            return self.if_(place)
        self.counters += 1
        counter = f"k{self.counters}"
        self.write(place, f"{counter} = {self.pick(('0', 'a * 0'))}")
        self.write(place, "while True:")
        inner = place.inside(loops=place.loops + 1, can_jump=True)
        inner.names.add(counter)
        self.write(inner, f"{counter} += 1")
        condition = f"{counter} > {1 + self.choose(3)}"
        if self.chance(60):
            condition += f" or {self.test(inner, certain=False)}"
        end = "break"
        if place.result and self.chance(20):
            end = self.early_return(inner.inside())
        self.write(inner, f"if {condition}:\n    {end}")
        self.block(inner, 1 + self.choose(3))
        place.names.add(counter)
        return True

    def with_(self, place: _Place) -> bool:
        """`with`."""
        self.write(place, "with scope():")
        return place.join(self.sub(place))

    def try_(self, place: _Place) -> bool:
        """`try` with `finally`, or with an exception that Python values decide about."""
        self.write(place, "try:")
        if self.chance(60):
            end = self.sub(place)
            self.write(place, "finally:")
            final = place.inside(result=(), can_jump=False, loops=2)
            self.assign(final)
            if self.chance(30):
                self.if_(final)
            return place.join(end)
        inner = place.inside()
        self.assign(inner)
        self.write(inner, f"if n > {self.choose(4)}:\n    raise ValueError")
        self.augment(inner)
        self.write(place, "except ValueError:")
        return place.join(place.inside(), self.sub(place))

    # --- expressions -------------------------------------------------------------------------------------------------

    def atom(self, place: _Place) -> str:
        """A number without an operator; small enough to multiply."""
        options = [*sorted(place.names), str(self.choose(10)), "v[1]", f"v[{self.pick(sorted(place.names))} % 3]"]
        options += [text for name, text in _READS.items() if self.has[name]]
        if self.has["xs"]:
            options += [f"xs[{index}]" for index in sorted(place.indices)]
        return str(self.pick(options))

    def number(self, place: _Place, depth: int = 0) -> str:
        """An int32 expression."""
        if depth > 1 or self.chance(45):
            return self.atom(place)
        kind = self.choose(12)
        if kind < 5:
            operator = self.pick(("+", "-", "*"))
            return f"({self.atom(place)} {operator} {self.atom(place)})"
        if kind < 7:
            return f"({self.number(place, depth + 1)} {self.pick(('%', '//'))} {self.pick(_MODULI)})"
        if kind < 9:
            test = self.test(place, depth + 1)
            lazy = place.inside(is_lazy=True)
            return f"({self.number(lazy, depth + 1)} if {test} else {self.number(lazy, depth + 1)})"
        if kind == 9:
            return f"tf.reduce_sum({self.vector(place)} % 7)"
        if kind == 10 and place.functions:
            name = self.pick(sorted(place.functions))
            return f"{name}({', '.join(self.atom(place) for _ in range(place.functions[name]))})"
        if self.has["xs"]:
            return f"sum([y * 2 for y in xs if n < {self.choose(5)}])" if self.chance(30) else "len(xs)"
        return f"-{self.atom(place)}"

    def vector(self, place: _Place) -> str:
        """An int32 vector that is no other variable's."""
        name = self.pick(sorted(place.vectors))
        kind = self.choose(4)
        if kind == 0:
            return f"({name} + {self.atom(place)})"
        if kind == 1:
            return f"({name} * {self.choose(4)})"
        if kind == 2:
            return f"({self.pick(sorted(place.vectors))} - {name})"
        return f"({name} + 1 if {self.test(place, 1)} else {name} - 1)"

    def test(self, place: _Place, depth: int = 0, certain: bool = True) -> str:
        """A condition."""
        kind = self.choose(11) if depth < 2 else self.choose(5)
        if kind < 4:
            return f"{self.atom(place)} {self.pick(('>', '<', '==', '!=', '<=', '>='))} {self.atom(place)}"
        if kind == 4:
            return str(self.pick(sorted(place.flags))) if place.flags else f"n > {self.choose(5)}"
        if kind == 5:
            return f"{self.atom(place)} < {self.number(place, 1)} <= {self.atom(place)}"
        if kind in (6, 7):
            lazy = place.inside(is_lazy=True)
            first, second = (self.test(lazy, depth + 1, False) for _ in range(2))
            return f"({first} {'and' if kind == 6 else 'or'} {second})"
        if kind == 8:
            return f"not {self.test(place, depth + 1, certain)}"
        if kind == 9:
            return f"{self.atom(place)} in (1, 2, {self.choose(10)})"
        if place.is_nested:
            return f"{self.number(place, 1)} > {self.choose(10)}"
        assigned = {*_TENSORS, *_PYTHON, *_FRESH}
        name = self.pick(sorted(place.names & assigned) if place.is_lazy or not certain else sorted(assigned))
        text = f"({name} := ({self.number(place, 1)}) % {_BOUND}) > {self.choose(10)}"
        place.names.add(name)
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
