"""All the modes to ask for the derivatives of a random function: what `test_random_functions` and the soak compare.

A function of a program stands in a module whose names the loader defines. In a *sharp* module no derivative rule
disagrees with differences of values: all is float64, eager, and what is to stay (`stop`) is replayed from a first run.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.autodiff.random_functions import Program

_NUMBERS = itertools.count()
Arrays = list[Any]
"""An array for each source, or None."""


class Frozen:
    """Values that stay the same while the point moves: kept in a first run, given again in the next ones."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.position: int | None = None

    def __call__(self, value: Any) -> Any:
        """The value at the same position of the first run."""
        if self.position is None:
            self.kept.append(value)
            return value
        self.position += 1
        return self.kept[self.position - 1]

    def restart(self) -> None:
        """Starts a first run."""
        self.kept, self.position = [], None

    def again(self) -> None:
        """Starts a run that replays."""
        self.position = 0


def ordinary_names(tf: Any) -> dict[str, Any]:
    """What a program takes for granted, as users have it."""

    @tf.custom_gradient
    def tripled(x: Any) -> Any:
        return x * 1.0, lambda dy: dy * 3.0

    return {
        "tf": tf,
        "LOW": tf.float32,
        "stop": tf.stop_gradient,
        "passed": tf.grad_pass_through(tf.round),
        "tripled": tripled,
        "staged": tf.function,
    }


def sharp_names(tf: Any, frozen: Frozen) -> dict[str, Any]:
    """The same for differences: the function whose derivative the rules of `ordinary_names` are."""

    def stop(x: Any) -> Any:
        return frozen(tf.stop_gradient(x))

    return {
        "tf": tf,
        "LOW": tf.float64,
        "stop": stop,
        "passed": lambda x: x + stop(tf.round(x) - x),
        "tripled": lambda x: 3.0 * x - 2.0 * stop(x),
        "staged": lambda f: f,
    }


class Case:
    """A program as a function of one framework, with the point, weights and directions of its derivatives.

    Args:
        program: The program.
        tf: The framework.
        frozen: Given for a sharp module.
    """

    def __init__(self, program: Program, tf: Any, frozen: Frozen | None = None) -> None:
        self.tf, self.program, self.frozen = tf, program, frozen
        self.variables = [tf.Variable(value, dtype=tf.float64) for value in program.variables]
        file = f"<random function {next(_NUMBERS)}>"
        linecache.cache[file] = (len(program.source), None, program.source.splitlines(keepends=True), file)
        names = ordinary_names(tf) if frozen is None else sharp_names(tf, frozen)
        module = {"__name__": "random_function", **names}
        module |= {f"w{i}": variable for i, variable in enumerate(self.variables)}
        exec(compile(program.source, file, "exec"), module)
        self.function: Callable[..., Any] = module["program"]
        self.inputs = [tf.constant(x, tf.float64) for x in program.inputs]
        self.count = tf.constant(program.count)
        rng = np.random.RandomState(program.seed + 1)
        self.directions = [tf.constant(rng.uniform(-1, 1, np.shape(x))) for x in self.arrays()]
        self._weights: list[np.ndarray] = []
        self._rng = rng

    def arrays(self) -> list[np.ndarray]:
        """Where the derivatives are asked for."""
        return [*self.program.inputs, *self.program.variables]

    def weights(self, results: Sequence[Any]) -> list[Any]:
        """A weight for every element of the results; the same in each call."""
        for result in results[len(self._weights) :]:
            self._weights.append(self._rng.uniform(0.4, 1.6, result.shape.as_list()))
        return [self.tf.constant(w) for w in self._weights]

    def converted(self) -> Callable[..., Any]:
        """The function with its Python control flow converted, for graphs that are traced as they stand."""
        function: Callable[..., Any] = self.tf.autograph.to_graph(self.function)
        return function

    # --- first order -------------------------------------------------------------------------------------------------

    def value(self) -> list[np.ndarray]:
        """What the function gives eagerly; also fixes the weights."""
        results = self.function(*self.inputs, self.count)
        self.weights(results)
        return [r.numpy() for r in results]

    def taped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Results and gradients of a function, by a tape."""

        def run(inputs: Sequence[Any], count: Any) -> Any:
            with self.tf.GradientTape() as tape:
                tape.watch(inputs)
                results = function(*inputs, count)
            sources = [*inputs, *self.variables]
            return results, self.dense(tape.gradient(results, sources, output_gradients=self.weights(results)))

        return run

    def taped_one_by_one(self, inputs: Sequence[Any], count: Any) -> Any:
        """The same by a persistent tape, one result at a time."""
        with self.tf.GradientTape(persistent=True) as tape:
            tape.watch(inputs)
            results = self.function(*inputs, count)
        sources = [*inputs, *self.variables]
        found = [
            self.dense(tape.gradient(result, sources, output_gradients=weight))
            for result, weight in zip(results, self.weights(results), strict=True)
        ]
        return results, [_total([g for g in column if g is not None]) for column in zip(*found, strict=True)]

    def by_gradients(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same by `tf.gradients`."""

        def run(inputs: Sequence[Any], count: Any) -> Any:
            results = function(*inputs, count)
            sources = [*inputs, *self.variables]
            return results, self.dense(self.tf.gradients(list(results), sources, grad_ys=self.weights(results)))

        return run

    def pushed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The change of the weighted results along the directions, by an accumulator."""

        def run(inputs: Sequence[Any], count: Any) -> Any:
            with self.accumulator(inputs) as acc:
                results = function(*inputs, count)
            return self.contracted(acc.jvp(list(results)), self.weights(results))

        return run

    # --- second order ------------------------------------------------------------------------------------------------

    def reverse_over_reverse(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The derivative of the gradient along the directions, by two tapes."""

        def run(inputs: Sequence[Any], count: Any) -> Any:
            with self.tf.GradientTape() as tape:
                tape.watch(inputs)
                _, gradients = self.taped(function)(inputs, count)
                product = self.contracted(gradients, self.directions)
            return self.zeros_for_none(tape.gradient(product, [*inputs, *self.variables]))

        return run

    def forward_over_reverse(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same by a tape in an accumulator."""

        def run(inputs: Sequence[Any], count: Any) -> Any:
            with self.accumulator(inputs) as acc:
                _, gradients = self.taped(function)(inputs, count)
            return self.zeros_for_none([None if g is None else acc.jvp(g) for g in gradients])

        return run

    def reverse_over_forward(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same by an accumulator in a tape."""

        def run(inputs: Sequence[Any], count: Any) -> Any:
            with self.tf.GradientTape() as tape:
                tape.watch(inputs)
                change = self.pushed(function)(inputs, count)
            return self.zeros_for_none(tape.gradient(change, [*inputs, *self.variables]))

        return run

    # --- parts -------------------------------------------------------------------------------------------------------

    def accumulator(self, inputs: Sequence[Any]) -> Any:
        """An accumulator along the directions."""
        return self.tf.autodiff.ForwardAccumulator([*inputs, *self.variables], self.directions)

    def contracted(self, tensors: Sequence[Any], weights: Sequence[Any]) -> Any:
        """The sum of all elements, each with its weight; None counts as zero."""
        tf = self.tf
        pairs = [(t, w) for t, w in zip(tensors, weights, strict=True) if t is not None]
        return _total([tf.reduce_sum(t * w) for t, w in pairs]) if pairs else tf.constant(0.0, tf.float64)

    def dense(self, gradients: Sequence[Any]) -> list[Any]:
        """Gradients as tensors or None."""
        return [None if g is None else self.tf.convert_to_tensor(g) for g in gradients]

    def zeros_for_none(self, gradients: Sequence[Any]) -> list[Any]:
        """Gradients as tensors."""
        arrays = [np.zeros(np.shape(x)) for x in self.arrays()]
        return [
            self.tf.constant(a) if g is None else self.tf.convert_to_tensor(g)
            for a, g in zip(arrays, gradients, strict=True)
        ]

    def call(self, run: Callable[..., Any], **options: Any) -> Any:
        """Runs one of the above in a graph, or eagerly without options."""
        if options:
            run = self.tf.function(run, autograph=False, **options)
        return run(self.inputs, self.count)

    def unknown_shapes(self) -> list[Any]:
        """A signature that tells ranks only."""
        tf = self.tf
        return [[tf.TensorSpec([None] * len(x.shape), tf.float64) for x in self.inputs], tf.TensorSpec([], tf.int32)]

    # --- by differences ----------------------------------------------------------------------------------------------

    def moved(self, step: float, run: Callable[..., Any]) -> list[np.ndarray]:
        """What `run` gives a step along the directions; of a sharp module."""
        if self.frozen is not None:
            self.frozen.again()
        arrays = [x + step * d.numpy() for x, d in zip(self.arrays(), self.directions, strict=True)]
        cut = len(self.inputs)
        try:
            for variable, array in zip(self.variables, arrays[cut:], strict=True):
                variable.assign(array)
            return run([self.tf.constant(a) for a in arrays[:cut]], self.count)
        finally:
            for variable, array in zip(self.variables, self.program.variables, strict=True):
                variable.assign(array)

    def differences(self, run: Callable[..., Any], step: float) -> list[np.ndarray]:
        """The derivative of what `run` gives along the directions: central differences, extrapolated once."""
        ends = [self.moved(k * step, run) for k in (2, 1, -1, -2)]
        arrays = [[np.asarray(part) for part in end] for end in ends]
        return [(8 * (b - c) - (a - d)) / (12 * step) for a, b, c, d in zip(*arrays, strict=True)]


def _total(terms: Sequence[Any]) -> Any:
    return sum(terms[1:], terms[0]) if terms else None
