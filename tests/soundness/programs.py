"""Random programs as Python text: what people write with tensors, variables, loops, gradients, and some mistakes.

A program is a function of a seed. It is grown statement by statement: each is tried at once, eagerly, and kept if it
gives tensors of moderate size and magnitude. So nearly every program runs, and none needs a model of shapes. The
text is what a person reads when two modes of running the program differ.

A program takes three arrays and an integer `k`, the number of the call. Mistakes (an index out of range, a division by
zero, an assertion) wait for a certain `k`, so that a program fails in one call and must go on unharmed in the next.

Rounding differs between engines. Comparing, rounding, sorting and the like would make much of a little, so such ops get
*exact* values only: small multiples of 1/64, which float arithmetic gives without any rounding.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import millrace as tf

CALLS = (0, 1, 2, 3, 1, 2)
"""The values of `k` in the calls of one run: each mistake comes twice, so that it meets both engines of a way."""
_MAX_ELEMENTS = 256
_LARGEST = 64.0
_GRID = 64.0
_FLOATS = ("float32", "float64", "float16", "bfloat16")
_INTEGERS = ("int32", "int64", "uint8", "int8")
_COMPLEX = ("complex64",)


@dataclass
class Value:
    """A name in a program: the tensor at the first call, and whether its numbers are free of rounding."""

    name: str
    tensor: Any
    is_exact: bool

    @property
    def dtype(self) -> str:
        return str(self.tensor.dtype.name)

    @property
    def rank(self) -> int:
        return int(self.tensor.shape.rank)

    @property
    def shape(self) -> list[int]:
        return list(self.tensor.shape.as_list())


@dataclass
class Program:
    """A program and what it needs to run.

    Attributes:
      seed: the seed of which the program is a function.
      text: the Python text, which defines `function(x, y, z, k)`.
      arrays: the first three arguments.
      variables: the values with which the variables begin, by name.
      draws: whether the program draws from hidden random streams, whose numbers differ between eager mode and graphs.
      compiles: whether the program calls a function with `jit_compile=True`, which loses checks.
    """

    seed: int
    text: str
    arrays: list[Any]
    variables: dict[str, Any]
    draws: bool = False
    compiles: bool = False
    log: list[str] = field(default_factory=list)

    def environment(self) -> dict[str, Any]:
        """Returns the names that the program may use, with new variables."""
        variables = {name: tf.Variable(value, name=name) for name, value in self.variables.items()}
        return {"tf": tf, "np": np, "note": self.note, **variables}

    def note(self, label: str, *arrays: Any) -> None:
        """What the program tells the outside, in order: how many elements it saw."""
        self.log.append(f"{label} {[np.asarray(a).shape for a in arrays]}")


class Writer:
    """Grows a block of a program.

    Args:
      rng: the source of all choices.
      environment: the names and their values at the first call.
      values: the tensors in reach.
      depth: how deep the block is nested.
      program: the program as a whole.
    """

    def __init__(
        self, rng: random.Random, environment: dict[str, Any], values: list[Value], depth: int, program: Program
    ) -> None:
        self.rng = rng
        self.environment = environment
        self.values = values
        self.depth = depth
        self.program = program
        self.lines: list[str] = []
        self.results: list[str] = []
        """The names whose values the block must return, so that no mistake is pruned."""

    # --- growing -------------------------------------------------------------------------------------------------

    def grow(self, count: int, makers: Sequence[Callable[[Writer], bool]] = ()) -> None:
        """Adds statements, of certain kinds if `makers` are given."""
        for _ in range(count):
            for _ in range(8):
                maker = self.rng.choice(makers or _MAKERS)
                if maker(self):
                    break

    def add(self, expression: str, *, exact: bool = False, kept: bool = False) -> bool:
        """Adds `name = expression` if that can be computed; returns whether it can."""
        try:
            result = eval(expression, self.environment)  # text of our own
        except Exception:  # whatever does not run eagerly is not a statement of the program
            return False
        tensors = list(result) if isinstance(result, (list, tuple)) else [result]
        if not tensors or len(tensors) > 4 or not all(map(_is_moderate, tensors)):
            return False
        names = [self.name() for _ in tensors]
        self.lines.append(f"{', '.join(names)}{',' if isinstance(result, (list, tuple)) else ''} = {expression}")
        for name, tensor in zip(names, tensors, strict=True):
            self.environment[name] = tensor
            self.values.append(Value(name, tensor, _is_exact(tensor, exact)))
        if kept:
            self.results += names
        return True

    def name(self) -> str:
        """Returns a new name."""
        count = self.environment["_count"] = self.environment.get("_count", 0) + 1
        return f"t{count}"

    def inner(
        self, parameters: Sequence[Value] = (), makers: Sequence[Callable[[Writer], bool]] = (), *, reach: bool = True
    ) -> Writer:
        """Returns a grown block of a function with some parameters, in reach of some of what is around."""
        outside = [v for v in self.values if self.rng.random() < 0.4] if reach else []
        block = Writer(self.rng, dict(self.environment), [*outside, *parameters], self.depth + 1, self.program)
        block.environment.update((p.name, p.tensor) for p in parameters)
        block.grow(self.rng.randint(1, 4), makers)
        self.environment["_count"] = block.environment.get("_count", 0)
        return block

    def define(self, head: str, lines: Sequence[str], result: str) -> bool:
        """Adds the definition of a function; returns whether it is one."""
        text = [head, *indented([*lines, f"return {result}"])]
        try:
            exec("\n".join(text), self.environment)  # text of our own
        except Exception:
            return False
        self.lines += text
        return True

    def number(self) -> str:
        """Returns an expression for one small float32 that depends on much of the block, and on all its mistakes."""
        last = self.pick(dtypes=("float32", "float64", "int32", "bool", "float16"))
        names = [*self.results, *([last.name] if last is not None else [])]
        self.results = []
        return (
            " + ".join([f"0.25 * tf.tanh(tf.reduce_mean(tf.cast({name}, tf.float32)))" for name in names])
            or "tf.constant(0.5)"
        )

    # --- choosing ------------------------------------------------------------------------------------------------

    def pick(self, *, dtypes: Sequence[str] = (), ranks: Sequence[int] = (), exact: bool = False) -> Value | None:
        """Returns a value with one of the dtypes and ranks, rather a late one; None if there is none."""
        fitting = [
            v
            for v in self.values
            if (not dtypes or v.dtype in dtypes) and (not ranks or v.rank in ranks) and (v.is_exact or not exact)
        ]
        if not fitting:
            return None
        return fitting[max(self.rng.randrange(len(fitting)), self.rng.randrange(len(fitting)))]

    def like(self, value: Value, *, exact: bool = False) -> Value:
        """Returns a value of the same dtype, rather of the same shape."""
        same = [v for v in self.values if v.dtype == value.dtype and (v.is_exact or not exact)]
        alike = [v for v in same if v.shape == value.shape]
        return self.rng.choice(alike if alike and self.rng.random() < 0.8 else same or [value])

    def chance(self, percent: int) -> bool:
        """Returns whether something happens that happens in so many of a hundred cases."""
        return self.rng.randrange(100) < percent

    def axis(self, value: Value) -> int:
        """Returns an axis of a value, counted from the front or from the back."""
        return self.rng.randrange(-value.rank, value.rank)


def _is_moderate(tensor: Any) -> bool:
    """Returns whether a tensor is small, and its numbers are too."""
    if not isinstance(tensor, tf.Tensor) or tensor.dtype.name in ("variant", "resource"):
        return False
    if tensor.shape.rank > 4 or (tensor.shape.num_elements() or 0) > _MAX_ELEMENTS:
        return False
    if tensor.dtype.is_floating or tensor.dtype.is_complex:
        return bool(np.all(np.abs(tensor.numpy().astype(np.complex128)) <= _LARGEST))  # false for NaN
    return True


def _is_exact(tensor: Any, by_exact_op: bool) -> bool:
    """Returns whether the numbers of a tensor are free of rounding."""
    if tensor.dtype.is_integer or tensor.dtype.is_bool or tensor.dtype.name == "string":
        return True
    if not by_exact_op or tensor.dtype.name not in ("float32", "float64"):
        return False
    scaled = tensor.numpy().astype(np.float64) * _GRID
    return bool(np.all(scaled == np.round(scaled)))


# --- statements -------------------------------------------------------------------------------------------------------

_MAKERS: list[Callable[[Writer], bool]] = []


def statement(weight: int) -> Callable[[Callable[[Writer], bool]], Callable[[Writer], bool]]:
    """Registers a kind of statement; kinds with a greater weight come more often."""

    def register(maker: Callable[[Writer], bool]) -> Callable[[Writer], bool]:
        _MAKERS.extend([maker] * weight)
        return maker

    return register


def generate(seed: int) -> Program:
    """Returns the program of a seed."""
    from tests.soundness import control_statements, statements  # noqa: F401  # they register kinds of statements

    rng = random.Random(seed)
    arrays = [_array(rng, dtype) for dtype in ("float32", rng.choice((*_FLOATS, *_INTEGERS)), rng.choice(_INTEGERS))]
    variables = {"w": _array(rng, "float32", (3,)), "u": _array(rng, "float32", (2, 3)), "c": np.array(3, np.int64)}
    program = Program(seed, "", arrays, variables)
    environment = program.environment()
    values = [Value(name, tf.constant(array), True) for name, array in zip("xyz", arrays, strict=True)]
    values.append(Value("k", tf.constant(0), True))
    environment.update((value.name, value.tensor) for value in values)
    block = Writer(rng, environment, values, 0, program)
    block.grow(rng.randint(4, 14))
    made = [v.name for v in block.values[4:]]
    results = list(dict.fromkeys([*block.results, *made[-2:], *(rng.sample(made, min(len(made), 3)))]))
    body = [*block.lines, f"return [{', '.join(results)}]"]
    program.text = "def function(x, y, z, k):\n" + "".join(f"    {line}\n" for line in body)
    program.log.clear()
    return program


def _array(rng: random.Random, dtype: str, shape: tuple[int, ...] | None = None) -> Any:
    """Returns an array of small multiples of 1/8, or of small integers."""
    if shape is None:
        shape = rng.choice([(), (3,), (2, 3), (2, 3), (4, 3), (2, 2, 3), (3, 3)])
    count = int(np.prod(shape, dtype=np.int64))
    if dtype in _INTEGERS:
        numbers = [rng.randint(0 if dtype.startswith("u") else -4, 6) for _ in range(count)]
    else:
        numbers = [rng.randint(-16, 16) / 8 for _ in range(count)]
    return np.array(numbers, tf.as_dtype(dtype).as_numpy_dtype).reshape(shape)


def indented(lines: Sequence[str]) -> list[str]:
    """Returns lines one level deeper."""
    return [f"    {line}" for line in lines]
