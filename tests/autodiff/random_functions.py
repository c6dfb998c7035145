"""Random differentiable functions as source text: what people compose, mixed as no program does.

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

from tests.autodiff.random_expressions import LARGEST, MAX_AXES, Choose, Expressions, ProgramPoint, Shape, Value


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
        point = ProgramPoint([*inputs, *self.variables], count="n", trips="n")
        self.block(point)
        self.write(point, f"return ({self.results(point)},)")
        arrays = [rng.uniform(-1.2, 1.2, shape).round(4) + 0.00031 for _, shape in [*inputs, *self.variables]]
        cut = len(inputs)
        return Program("\n".join(self.lines) + "\n", (*arrays[:cut],), (*arrays[cut:],), self.choose(4), seed)

    def results(self, point: ProgramPoint) -> str:
        """What the function returns: the last value and perhaps others."""
        made = [name for name, _ in point.values]
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
        point = ProgramPoint([*self.variables, *parameters], depth=2 if is_nested else 1, converts=converts)
        start = len(self.lines)
        if is_nested:
            self.lines += ["@tf.custom_gradient", f"def {name}({names}):", f"    def compute({names}):"]
        else:
            self.lines += {"staged": ["@staged"], "recomputed": ["@tf.recompute_grad"]}.get(kind, [])
            self.lines.append(f"def {name}({names}):")
        self.few_statements(point)
        if kind in ("returns", "staged"):
            self.early_return(point, result)
        self.write(point, f"return {self.fit(point, result)}")
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

    def early_return(self, point: ProgramPoint, result: Shape) -> None:
        """`if` with `return`, perhaps in a loop."""
        inner = point.inside()
        if self.chance(50):
            step = self.new("i")
            self.write(point, f"for {step} in tf.range({self.pick(('3', '2'))}):")
            inner = inner.inside(loops=1, count=step)
            inner.depth -= 1
            self.write(inner, f"if {self.test(inner)}:")
            inner.depth += 1
        else:
            self.write(point, f"if {self.test(point)}:")
        self.write(inner, f"return {self.fit(inner, result)}")

    # --- statements --------------------------------------------------------------------------------------------------

    def block(self, point: ProgramPoint) -> None:
        """Statements until the budget is spent."""
        while self.budget > 0 or not any(name.startswith("t") for name, _ in point.values):
            self.statement(point)

    def few_statements(self, point: ProgramPoint) -> None:
        """One or two statements."""
        for _ in range(1 + self.choose(2)):
            self.statement(point)

    def statement(self, point: ProgramPoint) -> None:
        """One statement, which makes a value."""
        self.budget -= 1
        if point.depth < 4 and self.chance(35):
            kinds = [self.cond, self.while_, self.scan, self.map_, self.case, self.fold, self.array, self.nested]
            if point.converts:
                kinds += [self.if_, self.for_, self.for_, self.python_while, self.python_for]
            self.pick(kinds)(point)
        elif self.callable_helpers(point) and self.chance(20):
            name, parameters, result = self.pick(self.callable_helpers(point))
            self.assign(point, f"{name}({', '.join(self.fit(point, shape) for shape in parameters)})", result)
        else:
            self.assign(point, *self.expression(point))

    def callable_helpers(self, point: ProgramPoint) -> list[tuple[str, list[Shape], Shape]]:
        """The helpers that run here: those with statements to convert only where they are converted."""
        return [h for h in self.helpers if point.converts or h[0] not in self.converted]

    def function(
        self, point: ProgramPoint, parameters: Sequence[Value], results: Sequence[Shape | str], **changes: Any
    ) -> str:
        """A local function with a few statements that returns values of these shapes, or texts; gives its name."""
        name = self.new("f")
        self.write(point, f"def {name}({', '.join(parameter for parameter, _ in parameters)}):")
        inner = point.inside(*[p for p in parameters if p[0] not in ("i", "_")], **changes)
        if self.chance(60):
            self.few_statements(inner)
        texts = [r if isinstance(r, str) else self.fit(inner, r) for r in results]
        self.write(inner, f"return {', '.join(texts)}" if len(texts) != 1 else f"return {texts[0]}")
        return name

    # --- control flow by functions -----------------------------------------------------------------------------------

    def cond(self, point: ProgramPoint) -> None:
        """`tf.cond`."""
        shape = self.shape()
        test = self.test(point, converts=False)
        first, second = (self.function(point, [], [shape]) for _ in range(2))
        self.assign(point, f"tf.cond({test}, {first}, {second})", shape)

    def case(self, point: ProgramPoint) -> None:
        """`tf.case` or `tf.switch_case`."""
        shape = self.shape()
        tests = [self.test(point, converts=False) for _ in range(2)]
        first, second, last = (self.function(point, [], [shape]) for _ in range(3))
        if point.count and self.chance(50):
            self.assign(point, f"tf.switch_case({point.count} % 3, [{first}, {second}, {last}])", shape)
        else:
            pairs = f"[({tests[0]}, {first}), ({tests[1]}, {second})]"
            self.assign(point, f"tf.case({pairs}, default={last})", shape)

    def while_(self, point: ProgramPoint) -> None:
        """`tf.while_loop` over one or two values, with a known, given, or computed number of iterations."""
        shapes = [self.shape() for _ in range(1 + self.choose(2))]
        names = [f"s{point.loops}", f"r{point.loops}"][: len(shapes)]
        start = ", ".join(["tf.constant(0)", *[self.fit(point, shape) for shape in shapes]])
        parameters = [("i", ()), *zip(names, shapes, strict=True)]
        body = self.function(point, parameters, ["i + 1", *shapes], loops=point.loops + 1, count="i")
        test = self.pick(
            ("i < 3", f"i < {point.trips}", "i < 2", f"tf.logical_and(i < 3, tf.reduce_sum({names[0]}) < 1.3077)")
        )
        limit = self.pick(("", ", maximum_iterations=3"))
        out = self.new("t")
        self.write(point, f"{out} = tf.while_loop(lambda i, {', '.join(names)}: {test}, {body}, ({start}){limit})")
        for number, shape in enumerate(shapes, 1):
            self.assign(point, f"{out}[{number}]", shape)

    def with_first_axis(self, point: ProgramPoint) -> Value:
        """A value that can be gone through."""
        shape = self.shape() or (2,)
        shape = (shape[0] or 2, *shape[1:])
        return self.fit(point, shape), shape

    def scan(self, point: ProgramPoint) -> None:
        """`tf.scan`."""
        elements, shape = self.with_first_axis(point)
        state = self.shape()
        if math.prod(state) * shape[0] > LARGEST or len(state) >= MAX_AXES:
            state = ()
        name = f"c{point.loops}"
        body = self.function(point, [(name, state), (f"e{point.loops}", shape[1:])], [state], loops=point.loops + 1)
        options = self.pick(("", ", reverse=True"))
        self.assign(point, f"tf.scan({body}, {elements}, {self.fit(point, state)}{options})", (shape[0], *state))

    def fold(self, point: ProgramPoint) -> None:
        """`tf.foldl` or `tf.foldr`."""
        elements, shape = self.with_first_axis(point)
        state = self.shape()
        name = f"c{point.loops}"
        body = self.function(point, [(name, state), (f"e{point.loops}", shape[1:])], [state], loops=point.loops + 1)
        self.assign(
            point, f"{self.pick(('tf.foldl', 'tf.foldr'))}({body}, {elements}, {self.fit(point, state)})", state
        )

    def map_(self, point: ProgramPoint) -> None:
        """`tf.map_fn` or `tf.vectorized_map`."""
        elements, shape = self.with_first_axis(point)
        result = self.shape()[:2]
        if math.prod(result) * shape[0] > LARGEST:
            result = ()
        if self.chance(20):
            body = self.mapped_body(point, shape[1:], result)
            self.assign(point, f"tf.vectorized_map({body}, {elements})", (shape[0], *result))
            return
        body = self.function(point, [(f"e{point.loops}", shape[1:])], [result], loops=point.loops + 1)
        signature = self.pick(("", ", fn_output_signature=tf.float64"))
        self.assign(point, f"tf.map_fn({body}, {elements}{signature})", (shape[0], *result))

    def mapped_body(self, point: ProgramPoint, parameter: Shape, result: Shape) -> str:
        """A local function of one expression, for a vectorized map."""
        name = self.new("f")
        self.write(point, f"def {name}(e):")
        inner = point.inside(("e", parameter), graphs=True)
        text, shape = self.expression(inner)
        self.write(inner, f"return {self.adapted(text, shape, result)}")
        return name

    def array(self, point: ProgramPoint) -> None:
        """A TensorArray that a loop fills, perhaps reading what it wrote before."""
        shape = self.shape()[:2]
        start = self.fit(point, shape)
        name = self.new("t")
        self.write(
            point,
            f"{name}_array = tf.TensorArray(tf.float64, size=3, element_shape={list(shape)}, clear_after_read=False)",
        )
        self.write(point, f"{name}_array = {name}_array.write(0, {start})")
        body = self.new("f")
        self.write(point, f"def {body}(i, ta):")
        loop = point.inside(loops=point.loops + 1, count="i")
        if self.chance(70):
            self.assign(loop, "ta.read(i - 1)", shape)
        self.write(loop, f"return i + 1, ta.write(i, {self.fit(loop, shape)})")
        ends = "tf.while_loop(lambda i, ta: i < 3, {0}, (tf.constant(1), {1}_array))[1]".replace("{0}", body).replace(
            "{1}", name
        )
        self.write(point, f"{name}_array = {ends}")
        kind = self.choose(3)
        if kind == 0 or not shape:
            self.assign(point, f"{name}_array.stack()", (3, *shape))
        elif kind == 1:
            self.assign(point, f"{name}_array.concat()", (3 * shape[0], *shape[1:]))
        else:
            self.assign(point, f"{name}_array.gather([2, 0, 2])", (3, *shape))

    def nested(self, point: ProgramPoint) -> None:
        """A local `tf.function` that captures values around, perhaps called twice."""
        parameter, result = self.shape(), self.shape()
        if point.loops or point.graphs:
            self.cond(point)
            return
        name = self.function(point, [("a", parameter)], [result])
        self.assign(point, f"staged({name})({self.fit(point, parameter)})", result)

    # --- control flow by statements ----------------------------------------------------------------------------------

    def state(self, point: ProgramPoint) -> tuple[str, Shape]:
        """A value that the block which follows changes."""
        shape = self.shape()
        return self.assign(point, self.fit(point, shape), shape), shape

    def change(self, point: ProgramPoint, name: str, shape: Shape) -> None:
        """A new value for a name."""
        self.write(point, f"{name} = {self.fit(point, shape)}")

    def if_(self, point: ProgramPoint) -> None:
        """`if`, `elif`, `else` on tensors."""
        name, shape = self.state(point)
        self.write(point, f"if {self.test(point)}:")
        for head in self.pick((["else:"], [], [f"elif {point.count} > 1:", "else:"] if point.count else [])):
            self.branch(point, name, shape)
            self.write(point, head)
        self.branch(point, name, shape)

    def branch(self, point: ProgramPoint, name: str, shape: Shape) -> None:
        inner = point.inside()
        if self.chance(40):
            self.statement(inner)
        self.change(inner, name, shape)

    def for_(self, point: ProgramPoint) -> None:
        """`for` over a range or the rows of a tensor, perhaps with `break` or `continue`."""
        if point.loops > 1:
            self.if_(point)
            return
        name, shape = self.state(point)
        step = self.new("i")
        self.write(point, f"for {step} in {self.pick(('tf.range(3)', f'tf.range({point.trips})'))}:")
        inner = point.inside(loops=point.loops + 1, count=step)
        self.loop_body(inner, name, shape)

    def loop_body(self, inner: ProgramPoint, name: str, shape: Shape) -> None:
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

    def python_while(self, point: ProgramPoint) -> None:
        """`while` on tensors."""
        if point.loops > 1:
            self.if_(point)
            return
        name, shape = self.state(point)
        step = self.new("k")
        test = self.pick((f"{step} < 3", f"{step} < {point.trips}", f"{step} < 3 and tf.reduce_sum({name}) < 1.3077"))
        self.write(point, f"{step} = tf.constant(0)\nwhile {test}:")
        inner = point.inside(loops=point.loops + 1, count=step)
        self.write(inner, f"{step} += 1")
        self.loop_body(inner, name, shape)

    def python_for(self, point: ProgramPoint) -> None:
        """`for` over the rows of a tensor, or over what Python unrolls, with a list that grows."""
        if point.loops > 1:
            self.if_(point)
            return
        elements, shape = self.with_first_axis(point)
        name, state = self.state(point)
        row = self.new("e")
        if self.chance(40):
            grown = self.new("t")
            self.write(point, f"{grown}_list = []\nfor {row} in {elements}:")
            inner = point.inside((row, shape[1:]), loops=point.loops + 1)
            self.change(inner, name, state)
            kept = state if math.prod(state) * shape[0] <= LARGEST and len(state) < MAX_AXES else ()
            self.write(inner, f"{grown}_list.append({self.adapted(name, state, kept)})")
            self.assign(point, f"tf.stack({grown}_list)", (shape[0], *kept))
            return
        self.write(point, f"for {row} in {elements}:")
        self.loop_body(point.inside((row, shape[1:]), loops=point.loops + 1), name, state)
