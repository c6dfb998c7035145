"""That all modes to ask for a derivative of a random function answer alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.autodiff.derivative_modes import Case, Frozen
from tests.autodiff.random_functions import Program

NOT_COMPILED = (
    r"XLA",
    r"must be a compile-time constant",
)
"""What says that a function cannot be compiled."""
NOT_SHAPED = (
    r"To allow the shape to vary across iterations",
    r"shape invariant",
    r"Cannot infer argument `num` from shape",
)
"""What says that a shape must be known: that of a loop variable, or the number of parts."""
_STEP = 1e-4
_MAX_ROWS = 12


class Disagreement(AssertionError):
    """Two answers differ; says in which mode, and shows the program."""


class Check:
    """Compares all modes for one program.

    Args:
        program: The program.
        tf: The framework.
        seen: Counts what was compared.
        compiled: Whether to compile it too.
    """

    def __init__(self, program: Program, tf: Any, seen: Counter[str], compiled: bool = False) -> None:
        self.program, self.tf, self.seen, self.compiled = program, tf, seen, compiled
        self.case = Case(program, tf)
        self.rtol = 2e-3 if program.uses("LOW") else 1e-7

    def run(self) -> None:
        """All of it."""
        self.seen["programs"] += 1
        try:
            self.results = self.case.value()
            if not self.is_ordinary():
                self.seen["too large"] += 1
                return
            self.first_order()
            self.second_order()
            self.jacobians()
            self.numbers()
        except Exception as error:
            error.add_note(describe(self.program))
            raise

    def is_ordinary(self) -> bool:
        """Whether results and gradients are numbers of ordinary size."""
        self.results, self.gradients = self.case.call(self.case.taped(self.case.function))
        self.product = self.case.call(self.case.reverse_over_reverse(self.case.function))
        arrays = [np.asarray(g) for g in [*self.results, *self.gradients, *self.product] if g is not None]
        return all(np.isfinite(a).all() and (abs(a) < 1e4).all() for a in arrays)

    # --- first order -------------------------------------------------------------------------------------------------

    def first_order(self) -> None:
        """Tapes, `tf.gradients` and accumulators, inside and around graphs."""
        case, f = self.case, self.case.function
        graph, staged = case.converted(), self.tf.function(f)
        self.same_gradients("one by one", case.taped_one_by_one)
        self.same_gradients("inside", case.taped(graph), {"jit_compile": False})
        self.same_gradients("through", case.taped(staged))
        self.same_gradients("around inside", case.taped(staged), {"jit_compile": False})
        self.same_gradients("gradients", case.by_gradients(graph), {"jit_compile": False})
        self.same_gradients("unknown shapes", case.taped(graph), {"input_signature": case.unknown_shapes()})
        if self.compiled:
            self.same_gradients("xla inside", case.taped(graph), {"jit_compile": True})
            self.same_gradients("xla through", case.taped(self.tf.function(f, jit_compile=True)))
        if self.program.uses("tripled"):  # an accumulator does not ask a custom gradient
            return
        change = case.contracted(self.gradients, case.directions)
        for mode, run, options in [
            ("pushed", case.pushed(f), {}),
            ("pushed inside", case.pushed(graph), {"jit_compile": False}),
            ("pushed through", case.pushed(staged), {}),
            ("xla pushed inside", case.pushed(graph), {"jit_compile": True}),
        ]:
            found = self.called(mode, run, options)
            if found is not None:
                self.same(mode, [change], [found])

    def same_gradients(self, mode: str, run: Callable[..., Any], options: dict[str, Any] | None = None) -> None:
        """Results and gradients, and which of these are None, are those of the eager tape."""
        found = self.called(mode, run, options or {})
        if found is None:
            return
        results, gradients = found
        self.same(f"{mode}: results", self.results, results)
        zeros = [np.zeros(np.shape(a)) for a in self.case.arrays()]
        self.same(mode, _or(self.gradients, zeros), _or(gradients, zeros))
        self.same_missing(mode, [g is None for g in gradients])

    def same_missing(self, mode: str, missing: list[bool]) -> None:
        """Which gradients are None is the same in all graphs; eagerly it can be more: a branch was not taken."""
        eager = [g is None for g in self.gradients]
        if mode == "one by one":
            self.graph_missing: list[bool] | None = None
            if missing != eager:
                raise Disagreement(f"{mode}: None are {missing}, but {eager} for all results at once")
            return
        if self.graph_missing is None:
            self.graph_missing = missing
        if missing != self.graph_missing:
            raise Disagreement(f"{mode}: None are {missing}, but {self.graph_missing} in the first graph")
        if any(m and not e for m, e in zip(missing, eager, strict=True)):
            raise Disagreement(f"{mode}: None are {missing}, but {eager} eagerly")

    def called(self, mode: str, run: Callable[..., Any], options: dict[str, Any]) -> Any:
        """What `run` gives; None if XLA cannot compile it, or is not asked."""
        compiles = mode.startswith("xla")
        if compiles and not self.compiled:
            return None
        try:
            found = self.case.call(run, **options)
        except Exception as error:
            refusals = NOT_COMPILED if compiles else NOT_SHAPED if mode == "unknown shapes" else ()
            if any(re.search(words, str(error)) for words in refusals):
                self.seen[f"refused: {mode}"] += 1
                return None
            error.add_note(f"mode: {mode}")
            raise
        self.seen[mode] += 1
        return found

    # --- second order ------------------------------------------------------------------------------------------------

    def second_order(self) -> None:
        """Products with the Hessian by two recorders, of tapes and accumulators."""
        case, f = self.case, self.case.function
        graph, staged = case.converted(), self.tf.function(f)
        modes_of_order = {"reverse over reverse": case.reverse_over_reverse}
        if not self.program.uses("tripled"):
            modes_of_order["forward over reverse"] = case.forward_over_reverse
            modes_of_order["reverse over forward"] = case.reverse_over_forward
        for name, form in modes_of_order.items():
            for mode, run, options in [
                (name, form(f), {}),
                (f"{name} inside", form(graph), {"jit_compile": False}),
                (f"{name} through", form(staged), {}),
                (f"xla {name} inside", form(graph), {"jit_compile": True}),
            ]:
                found = self.called(mode, run, options)
                if found is not None:
                    self.same(mode, self.product, found, 30 * self.rtol)

    # --- jacobians ---------------------------------------------------------------------------------------------------

    def jacobians(self) -> None:
        """A Jacobian, all rows at once and one after the other, weighted: the gradient."""
        case = self.case
        if np.size(self.results[0]) > _MAX_ROWS:
            return
        with self.tf.GradientTape(persistent=True) as tape:
            tape.watch(case.inputs)
            result = case.function(*case.inputs, case.count)[0]
        sources = [*case.inputs, *case.variables]
        weight = case.weights([result])[0]
        expected = case.dense(tape.gradient(result, sources, output_gradients=weight))
        looped = tape.jacobian(result, sources, experimental_use_pfor=False)
        vectorized = tape.jacobian(result, sources)
        for mode, found in (("jacobian by a loop", looped), ("jacobian", vectorized)):
            if [j is None for j in found] != [g is None for g in expected]:
                raise Disagreement(f"{mode}: {found} where the gradient is {expected}")
            rank = len(weight.shape)
            rows = [None if j is None else np.tensordot(weight, j, rank) for j in found]
            self.same(mode, expected, rows)
            self.seen[mode] += 1

    # --- differences -------------------------------------------------------------------------------------------------

    def numbers(self) -> None:
        """First and second derivatives by differences of values and of gradients, of the sharp module."""
        frozen = Frozen()
        case = Case(self.program, self.tf, frozen)
        case.value()

        def total(inputs: Any, count: Any) -> list[np.ndarray]:
            results = case.function(*inputs, count)
            return [case.contracted(results, case.weights(results)).numpy()]

        def gradient(inputs: Any, count: Any) -> list[np.ndarray]:
            return [g.numpy() for g in case.zeros_for_none(case.taped(case.function)(inputs, count)[1])]

        for mode, run, form in [
            ("numeric", total, case.pushed if not self.program.uses("tripled") else self.by_tape(case)),
            ("numeric second order", gradient, case.reverse_over_reverse),
        ]:
            frozen.restart()
            expected = case.call(form(case.function))
            expected = [np.asarray(e) for e in (expected if isinstance(expected, list) else [expected])]
            frozen.restart()
            run(case.inputs, case.count)
            self.near(mode, expected, case, run)

    @staticmethod
    def by_tape(case: Case) -> Callable[..., Any]:
        """The change along the directions by a tape."""

        def form(function: Callable[..., Any]) -> Callable[..., Any]:
            return lambda inputs, count: case.contracted(case.taped(function)(inputs, count)[1], case.directions)

        return form

    def near(self, mode: str, expected: Sequence[Any], case: Case, run: Callable[..., Any]) -> None:
        """Derivatives are those of differences, unless a kink or a jump is within the step."""
        found = case.differences(run, _STEP)
        try:
            self.same(mode, expected, found, 1e-5)
        except Disagreement:
            finer = case.differences(run, _STEP / 16)
            if all(np.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(found, finer, strict=True)):
                raise
            try:
                self.same(mode, expected, finer, 1e-4)
            except Disagreement:
                self.seen[f"kink: {mode}"] += 1
                return
        self.seen[mode] += 1

    # --- comparison --------------------------------------------------------------------------------------------------

    def same(self, mode: str, expected: Sequence[Any], found: Sequence[Any], rtol: float | None = None) -> None:
        """Raises Disagreement unless the arrays are the same, in proportion to the largest element."""
        rtol = self.rtol if rtol is None else rtol
        for index, (left, right) in enumerate(zip(expected, found, strict=True)):
            if left is None and right is None:
                continue
            a, b = np.asarray(left), np.asarray(right)
            if a.shape != b.shape or a.dtype != b.dtype:
                raise Disagreement(f"{mode} [{index}]: {b.dtype} {b.shape} instead of {a.dtype} {a.shape}")
            largest = max([1.0, *np.abs(a[np.isfinite(a)]).reshape(-1)])
            if not np.allclose(b, a, rtol=rtol, atol=rtol * largest, equal_nan=True):
                raise Disagreement(f"{mode} [{index}]:\n{b}\ninstead of\n{a}")


def _or(tensors: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    return [other if t is None else t for t, other in zip(tensors, others, strict=True)]


def describe(program: Program) -> str:
    """A program and its point, to run again."""
    values = [f"x{i} = {x.tolist()}" for i, x in enumerate(program.inputs)]
    values += [f"w{i} = {w.tolist()}" for i, w in enumerate(program.variables)]
    return "\n".join([program.source, *values, f"n = {program.count}"])
