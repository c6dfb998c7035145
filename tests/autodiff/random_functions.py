"""Random differentiable functions as source text: what people compose, mixed as nobody would.

A program is one function `program` over float64 tensors and a trip count, which reads variables, calls helper functions
and uses every kind of control flow. The shape of every value is known while it is written, so that each line is right;
one that has a condition which AutoGraph must convert stands only where it converts. A program is a function of a
sequence of small numbers, its choices, so that Hypothesis can shrink it; the simplest choice comes first.

What a difference of values cannot see (a stopped gradient, a rule that is not the derivative, rounding to float32) is
spelled by names that the loader defines: `stop`, `passed`, `tripled`, `LOW`; so is `staged`, a `tf.function`.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.autodiff.random_expressions import LARGEST, MAX_AXES, Choose, Expressions, Place, Shape, Value


@dataclasses.dataclass(frozen=True)
class Program:
    """A random program.

    Attributes:
        source: The text of its module, which needs `tf` and the names of the loader.
        inputs: The float64 arguments of the function `program`.
        variables: The values of its variables `w0`, `w1`; names of the module.
        count: Its last argument, the number of iterations of some loops.
        seed: Makes the weights of its results and the directions of its inputs.
    """

    source: str
    inputs: tuple[np.ndarray, ...]
    variables: tuple[np.ndarray, ...]
    count: int
    seed: int

    def uses(self, *words: str) -> bool:
        """Whether one of the words stands in the source."""
        return any(word in self.source for word in words)


def make(choose: Choose) -> Program:
    """The program of a sequence of choices."""
    return _Writer(choose).program()


class _Writer(Expressions):
    """Writes one program."""

    def __init__(self, choose: Choose) -> None:
        super().__init__(choose)
        self.helpers: list[tuple[str, list[Shape], Shape]] = []
        self.variables: list[Value] = []
        self.readers: set[str] = set()
        self.converted: set[str] = set()
        self.budget = 4 + choose(12)

    # --- the module --------------------------------------------------------------------------------------------------

    def program(self) -> Program:
        """The whole of it."""
        seed = self.choose(1 << 20)
        rng = np.random.RandomState(seed)
        inputs = [(f"x{i}", self.shape()) for i in range(1 + self.choose(3))]
        self.variables = [(f"w{i}", self.shape()) for i in range(self.choose(3))]
        for _ in range(self.choose(3)):
            self.helper()
        self.lines.append(f"def program({', '.join(name for name, _ in inputs)}, n):")
        place = Place([*inputs, *self.variables], count="n", trips="n")
        self.block(place)
        self.write(place, f"return ({self.results(place)},)")
        arrays = [rng.uniform(-1.2, 1.2, shape).round(4) + 0.00031 for _, shape in [*inputs, *self.variables]]
        cut = len(inputs)
        return Program("\n".join(self.lines) + "\n", (*arrays[:cut],), (*arrays[cut:],), self.choose(4), seed)

    def results(self, place: Place) -> str:
        """What the function returns: the last value and perhaps others."""
        made = [name for name, _ in place.values]
        chosen = [made[-1]] + [name for name in made[:-1] if name[0] == "t" and self.chance(25)]
        return ", ".join(chosen[:4])

    def helper(self) -> None:
        """A function of the module: plain with early returns, a `tf.function`, with its own gradient, or recomputed."""
        kind = self.pick(("returns", "staged", "own gradient", "recomputed", "own gradient", "inlined"))
        parameters = [(name, self.shape()) for name in ("a", "b")[: 1 + self.choose(2)]]
        names = ", ".join(name for name, _ in parameters)
        name, result = self.new("helper"), self.shape()
        is_nested = kind == "own gradient"
        converts = kind not in ("own gradient", "recomputed")
        place = Place([*self.variables, *parameters], depth=2 if is_nested else 1, converts=converts)
        start = len(self.lines)
        if is_nested:
            self.lines += ["@tf.custom_gradient", f"def {name}({names}):", f"    def compute({names}):"]
        else:
            self.lines += {"staged": ["@staged"], "recomputed": ["@tf.recompute_grad"]}.get(kind, [])
            self.lines.append(f"def {name}({names}):")
        self.few_statements(place)
        if kind in ("returns", "staged"):
            self.early_return(place, result)
        self.write(place, f"return {self.fit(place, result)}")
        if is_nested:
            self.own_gradient(names, self.reads_variables("\n".join(self.lines[start:])))
        if converts and kind != "staged":
            self.converted.add(name)
        if self.reads_variables("\n".join(self.lines[start:])):
            self.readers.add(name)
        self.lines += ["", ""]
        self.helpers.append((name, [shape for _, shape in parameters], result))

    def reads_variables(self, text: str) -> bool:
        """Whether a function of this text reads a variable, itself or in a helper that it calls."""
        return {*re.findall(r"\w+", text)}.isdisjoint({*self.readers, *[name for name, _ in self.variables]}) is False

    def own_gradient(self, names: str, reads: bool) -> None:
        """A gradient function for `compute` that asks a tape; `reads` says that variables are read."""
        lines = [f"    def grad(dy{', variables' if reads else ''}):", "        with tf.GradientTape() as tape:"]
        lines += [f"            tape.watch([{names}])", f"            y = compute({names})"]
        if reads:
            lines += [f"        found = tape.gradient(y, [{names}, *variables], dy, unconnected_gradients='zero')"]
            count = names.count(",") + 1
            lines += [f"        return found[:{count}], found[{count}:]"]
        else:
            lines += [f"        return tape.gradient(y, [{names}], dy, unconnected_gradients='zero')"]
        self.lines += [*lines, f"    return compute({names}), grad"]

    def early_return(self, place: Place, result: Shape) -> None:
        """`if` with `return`, perhaps in a loop."""
        inner = place.inside()
        if self.chance(50):
            step = self.new("i")
            self.write(place, f"for {step} in tf.range({self.pick(('3', '2'))}):")
            inner = inner.inside(loops=1, count=step)
            inner.depth -= 1
            self.write(inner, f"if {self.test(inner)}:")
            inner.depth += 1
        else:
            self.write(place, f"if {self.test(place)}:")
        self.write(inner, f"return {self.fit(inner, result)}")

    # --- statements --------------------------------------------------------------------------------------------------

    def block(self, place: Place) -> None:
        """Statements until the budget is spent."""
        while self.budget > 0 or not any(name.startswith("t") for name, _ in place.values):
            self.statement(place)

    def few_statements(self, place: Place) -> None:
        """One or two statements."""
        for _ in range(1 + self.choose(2)):
            self.statement(place)

    def statement(self, place: Place) -> None:
        """One statement, which makes a value."""
        self.budget -= 1
        if place.depth < 4 and self.chance(35):
            kinds = [self.cond, self.while_, self.scan, self.map_, self.case, self.fold, self.array, self.nested]
            if place.converts:
                kinds += [self.if_, self.for_, self.for_, self.python_while, self.python_for]
            self.pick(kinds)(place)
        elif self.callable_helpers(place) and self.chance(20):
            name, parameters, result = self.pick(self.callable_helpers(place))
            self.assign(place, f"{name}({', '.join(self.fit(place, shape) for shape in parameters)})", result)
        else:
            self.assign(place, *self.expression(place))

    def callable_helpers(self, place: Place) -> list[tuple[str, list[Shape], Shape]]:
        """The helpers that run here: those with statements to convert only where they are converted."""
        return [h for h in self.helpers if place.converts or h[0] not in self.converted]

    def function(
        self, place: Place, parameters: Sequence[Value], results: Sequence[Shape | str], **changes: Any
    ) -> str:
        """A local function with a few statements that returns values of these shapes, or texts; gives its name."""
        name = self.new("f")
        self.write(place, f"def {name}({', '.join(parameter for parameter, _ in parameters)}):")
        inner = place.inside(*[p for p in parameters if p[0] not in ("i", "_")], **changes)
        if self.chance(60):
            self.few_statements(inner)
        texts = [r if isinstance(r, str) else self.fit(inner, r) for r in results]
        self.write(inner, f"return {', '.join(texts)}" if len(texts) != 1 else f"return {texts[0]}")
        return name

    # --- control flow by functions -----------------------------------------------------------------------------------

    def cond(self, place: Place) -> None:
        """`tf.cond`."""
        shape = self.shape()
        test = self.test(place, converts=False)
        first, second = (self.function(place, [], [shape]) for _ in range(2))
        self.assign(place, f"tf.cond({test}, {first}, {second})", shape)

    def case(self, place: Place) -> None:
        """`tf.case` or `tf.switch_case`."""
        shape = self.shape()
        tests = [self.test(place, converts=False) for _ in range(2)]
        first, second, last = (self.function(place, [], [shape]) for _ in range(3))
        if place.count and self.chance(50):
            self.assign(place, f"tf.switch_case({place.count} % 3, [{first}, {second}, {last}])", shape)
        else:
            pairs = f"[({tests[0]}, {first}), ({tests[1]}, {second})]"
            self.assign(place, f"tf.case({pairs}, default={last})", shape)

    def while_(self, place: Place) -> None:
        """`tf.while_loop` over one or two values, with a known, given, or computed number of iterations."""
        shapes = [self.shape() for _ in range(1 + self.choose(2))]
        names = [f"s{place.loops}", f"r{place.loops}"][: len(shapes)]
        start = ", ".join(["tf.constant(0)", *[self.fit(place, shape) for shape in shapes]])
        parameters = [("i", ()), *zip(names, shapes, strict=True)]
        body = self.function(place, parameters, ["i + 1", *shapes], loops=place.loops + 1, count="i")
        test = self.pick(
            ("i < 3", f"i < {place.trips}", "i < 2", f"tf.logical_and(i < 3, tf.reduce_sum({names[0]}) < 1.3077)")
        )
        limit = self.pick(("", ", maximum_iterations=3"))
        out = self.new("t")
        self.write(place, f"{out} = tf.while_loop(lambda i, {', '.join(names)}: {test}, {body}, ({start}){limit})")
        for number, shape in enumerate(shapes, 1):
            self.assign(place, f"{out}[{number}]", shape)

    def with_first_axis(self, place: Place) -> Value:
        """A value that can be gone through."""
        shape = self.shape() or (2,)
        shape = (shape[0] or 2, *shape[1:])
        return self.fit(place, shape), shape

    def scan(self, place: Place) -> None:
        """`tf.scan`."""
        elements, shape = self.with_first_axis(place)
        state = self.shape()
        if math.prod(state) * shape[0] > LARGEST or len(state) >= MAX_AXES:
            state = ()
        name = f"c{place.loops}"
        body = self.function(place, [(name, state), (f"e{place.loops}", shape[1:])], [state], loops=place.loops + 1)
        options = self.pick(("", ", reverse=True"))
        self.assign(place, f"tf.scan({body}, {elements}, {self.fit(place, state)}{options})", (shape[0], *state))

    def fold(self, place: Place) -> None:
        """`tf.foldl` or `tf.foldr`."""
        elements, shape = self.with_first_axis(place)
        state = self.shape()
        name = f"c{place.loops}"
        body = self.function(place, [(name, state), (f"e{place.loops}", shape[1:])], [state], loops=place.loops + 1)
        self.assign(
            place, f"{self.pick(('tf.foldl', 'tf.foldr'))}({body}, {elements}, {self.fit(place, state)})", state
        )

    def map_(self, place: Place) -> None:
        """`tf.map_fn` or `tf.vectorized_map`."""
        elements, shape = self.with_first_axis(place)
        result = self.shape()[:2]
        if math.prod(result) * shape[0] > LARGEST:
            result = ()
        if self.chance(20):
            body = self.mapped_body(place, shape[1:], result)
            self.assign(place, f"tf.vectorized_map({body}, {elements})", (shape[0], *result))
            return
        body = self.function(place, [(f"e{place.loops}", shape[1:])], [result], loops=place.loops + 1)
        signature = self.pick(("", ", fn_output_signature=tf.float64"))
        self.assign(place, f"tf.map_fn({body}, {elements}{signature})", (shape[0], *result))

    def mapped_body(self, place: Place, parameter: Shape, result: Shape) -> str:
        """A local function of one expression, for a vectorized map."""
        name = self.new("f")
        self.write(place, f"def {name}(e):")
        inner = place.inside(("e", parameter), graphs=True)
        text, shape = self.expression(inner)
        self.write(inner, f"return {self.adapted(text, shape, result)}")
        return name

    def array(self, place: Place) -> None:
        """A TensorArray that a loop fills, perhaps reading what it wrote before."""
        shape = self.shape()[:2]
        start = self.fit(place, shape)
        name = self.new("t")
        self.write(
            place,
            f"{name}_array = tf.TensorArray(tf.float64, size=3, element_shape={list(shape)}, clear_after_read=False)",
        )
        self.write(place, f"{name}_array = {name}_array.write(0, {start})")
        body = self.new("f")
        self.write(place, f"def {body}(i, ta):")
        loop = place.inside(loops=place.loops + 1, count="i")
        if self.chance(70):
            self.assign(loop, "ta.read(i - 1)", shape)
        self.write(loop, f"return i + 1, ta.write(i, {self.fit(loop, shape)})")
        ends = "tf.while_loop(lambda i, ta: i < 3, {0}, (tf.constant(1), {1}_array))[1]".replace("{0}", body).replace(
            "{1}", name
        )
        self.write(place, f"{name}_array = {ends}")
        kind = self.choose(3)
        if kind == 0 or not shape:
            self.assign(place, f"{name}_array.stack()", (3, *shape))
        elif kind == 1:
            self.assign(place, f"{name}_array.concat()", (3 * shape[0], *shape[1:]))
        else:
            self.assign(place, f"{name}_array.gather([2, 0, 2])", (3, *shape))

    def nested(self, place: Place) -> None:
        """A local `tf.function` that captures values around, perhaps called twice."""
        parameter, result = self.shape(), self.shape()
        if place.loops or place.graphs:
            self.cond(place)
            return
        name = self.function(place, [("a", parameter)], [result])
        self.assign(place, f"staged({name})({self.fit(place, parameter)})", result)

    # --- control flow by statements ----------------------------------------------------------------------------------

    def state(self, place: Place) -> tuple[str, Shape]:
        """A value that the block which follows changes."""
        shape = self.shape()
        return self.assign(place, self.fit(place, shape), shape), shape

    def change(self, place: Place, name: str, shape: Shape) -> None:
        """A new value for a name."""
        self.write(place, f"{name} = {self.fit(place, shape)}")

    def if_(self, place: Place) -> None:
        """`if`, `elif`, `else` on tensors."""
        name, shape = self.state(place)
        self.write(place, f"if {self.test(place)}:")
        for head in self.pick((["else:"], [], [f"elif {place.count} > 1:", "else:"] if place.count else [])):
            self.branch(place, name, shape)
            self.write(place, head)
        self.branch(place, name, shape)

    def branch(self, place: Place, name: str, shape: Shape) -> None:
        inner = place.inside()
        if self.chance(40):
            self.statement(inner)
        self.change(inner, name, shape)

    def for_(self, place: Place) -> None:
        """`for` over a range or the rows of a tensor, perhaps with `break` or `continue`."""
        if place.loops > 1:
            self.if_(place)
            return
        name, shape = self.state(place)
        step = self.new("i")
        self.write(place, f"for {step} in {self.pick(('tf.range(3)', f'tf.range({place.trips})'))}:")
        inner = place.inside(loops=place.loops + 1, count=step)
        self.loop_body(inner, name, shape)

    def loop_body(self, inner: Place, name: str, shape: Shape) -> None:
        """Statements of a loop that change a value, with a jump before or after the change."""
        jump = self.pick(("", "break", "continue"))
        if jump and self.chance(50):
            self.write(inner, f"if {self.test(inner)}:\n    {jump}")
            jump = ""
        if self.chance(50):
            self.statement(inner)
        self.change(inner, name, shape)
        if jump:
            self.write(inner, f"if {self.test(inner)}:\n    {jump}")
            self.change(inner, name, shape)

    def python_while(self, place: Place) -> None:
        """`while` on tensors."""
        if place.loops > 1:
            self.if_(place)
            return
        name, shape = self.state(place)
        step = self.new("k")
        test = self.pick((f"{step} < 3", f"{step} < {place.trips}", f"{step} < 3 and tf.reduce_sum({name}) < 1.3077"))
        self.write(place, f"{step} = tf.constant(0)\nwhile {test}:")
        inner = place.inside(loops=place.loops + 1, count=step)
        self.write(inner, f"{step} += 1")
        self.loop_body(inner, name, shape)

    def python_for(self, place: Place) -> None:
        """`for` over the rows of a tensor, or over what Python unrolls, with a list that grows."""
        if place.loops > 1:
            self.if_(place)
            return
        elements, shape = self.with_first_axis(place)
        name, state = self.state(place)
        row = self.new("e")
        if self.chance(40):
            grown = self.new("t")
            self.write(place, f"{grown}_list = []\nfor {row} in {elements}:")
            inner = place.inside((row, shape[1:]), loops=place.loops + 1)
            self.change(inner, name, state)
            kept = state if math.prod(state) * shape[0] <= LARGEST and len(state) < MAX_AXES else ()
            self.write(inner, f"{grown}_list.append({self.adapted(name, state, kept)})")
            self.assign(place, f"tf.stack({grown}_list)", (shape[0], *kept))
            return
        self.write(place, f"for {row} in {elements}:")
        self.loop_body(place.inside((row, shape[1:]), loops=place.loops + 1), name, state)
