"""AutoGraph over another array library: plain Python control flow becomes `jax.lax` control flow.

Millrace's AutoGraph is a transformer of Python code that knows nothing of tensors, and operators that the transformed
code calls for every branch and loop. Here it gets other operators, which hand branches to `jax.lax.cond` and loops to
`jax.lax.while_loop`: `jax.jit` then takes functions with `if`, `while`, `for`, `break` and early `return`.

    $ python examples/autograph_jax.py
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from millrace._src.autograph.transform.function_conversion import with_operators

# --- variables without a value ---------------------------------------------------------------------------------------


class Undefined:
    """What a variable holds that has no value yet."""

    def __init__(self, name: str) -> None:
        self.name = name


def ld(value: Any) -> Any:
    """Reads a variable that may have no value."""
    if isinstance(value, Undefined):
        raise UnboundLocalError(f"'{value.name}' is used before assignment")
    return value


def ret(returned: Any, result: Any) -> Any:
    """What a function returns: None if it came to its end."""
    return None if isinstance(result, Undefined) else result


def as_arrays(state: Any) -> list[Any]:
    """A state as `jax.lax` takes it; None represents no value."""
    return [None if isinstance(value, Undefined) else jnp.asarray(value) for value in state]


def zeros(shape: Any) -> Any:
    return None if shape is None else jnp.zeros(shape.shape, shape.dtype)


# --- control flow ----------------------------------------------------------------------------------------------------


def is_traced(value: Any) -> bool:
    return isinstance(value, jax.core.Tracer)


def if_stmt(test, body, orelse, get_state, set_state, names, outputs, certain, handed=None):
    if not is_traced(test):
        return body() if test else orelse()
    before = get_state()

    def branch(run: Callable[[], None], missing: Any = None) -> Callable[[], list[Any]]:
        def traced() -> list[Any]:
            set_state(before)
            run()
            after = as_arrays(get_state())
            return [other if own is None else own for own, other in zip(after, missing or after, strict=True)]

        return traced

    shapes = zip(*(jax.eval_shape(branch(run)) for run in (body, orelse)), strict=True)
    missing = [
        zeros(b if a is None else a) for a, b in shapes
    ]  # what only one branch gives a value is read after that one only
    after = jax.lax.cond(test, branch(body, missing), branch(orelse, missing))
    return set_state([old if new is None else new for old, new in zip(before, after, strict=True)])


def while_stmt(test, body, get_state, set_state, names, options):
    while not is_traced(value := test()):  # a loop of Python, as long as its condition is known
        if not value:
            return
        body()

    def step(state: Any) -> list[Any]:
        set_state(state)
        body()
        return as_arrays(get_state())

    def goes_on(state: Any) -> Any:
        set_state(state)
        return test()

    before = get_state()
    first = zip(as_arrays(before), jax.eval_shape(lambda: step(before)), strict=True)
    start = [zeros(shape) if value is None else value for value, shape in first]  # some get a value in the loop only
    set_state(jax.lax.while_loop(goes_on, step, start))


def for_stmt(iterable, extra_test, body, get_state, set_state, names, options):
    if isinstance(iterable, TracedRange):
        return range_for(iterable, extra_test, body, get_state, set_state, names, options)
    for item in iterable:
        run = functools.partial(body, item)
        if extra_test is None:
            run()
        else:  # the loop may have been left already
            if_stmt(extra_test(), run, lambda: None, get_state, set_state, names, names, names)
    return None


class TracedRange:
    """`range` with an end that only the compiled program knows."""

    def __init__(self, *ends: Any) -> None:
        self.start, self.stop, self.step = {1: (0, *ends, 1), 2: (*ends, 1), 3: ends}[len(ends)]


def range_for(numbers, extra_test, body, get_state, set_state, names, options):
    index = jnp.asarray(numbers.start)

    def test() -> Any:
        inside = (index - numbers.stop) * jnp.sign(numbers.step) < 0
        return inside if extra_test is None else and_(lambda: inside, extra_test)

    def step() -> None:
        nonlocal index
        body(index)
        index = index + numbers.step

    def set_all(state: Any) -> None:
        nonlocal index
        index, *others = state
        set_state(others)

    while_stmt(test, step, lambda: (index, *get_state()), set_all, names, options)


# --- expressions -----------------------------------------------------------------------------------------------------


def and_(first: Any, second: Any) -> Any:
    return jnp.logical_and(value, second()) if is_traced(value := first()) else value and second()


def or_(first: Any, second: Any) -> Any:
    return jnp.logical_or(value, second()) if is_traced(value := first()) else value or second()


def not_(value: Any) -> Any:
    return jnp.logical_not(value) if is_traced(value) else not value


def if_exp(test: Any, body: Any, orelse: Any, text: str) -> Any:
    return jax.lax.cond(test, body, orelse) if is_traced(test) else body() if test else orelse()


def callee(function: Any) -> Any:
    """What is called in place of a function: your own functions are converted too."""
    if function is range:
        return lambda *ends: TracedRange(*ends) if any(map(is_traced, ends)) else range(*ends)
    is_own = isinstance(function, types.FunctionType) and not function.__module__.startswith("jax")
    return with_operators(function, OPERATORS) if is_own and "ag__" not in function.__code__.co_freevars else function


OPERATORS = types.SimpleNamespace(
    **{f.__name__: f for f in (Undefined, ld, ret, if_stmt, while_stmt, for_stmt, and_, or_, not_, if_exp, callee)},
    loop_options=lambda **options: options,
)


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """`jax.jit` for functions with Python's control flow."""
    return jax.jit(functools.wraps(function)(with_operators(function, OPERATORS)))


# --- programs --------------------------------------------------------------------------------------------------------


def collatz_steps(n, limit):
    """After how many steps the Collatz sequence from n comes to 1; -1 if it takes more than a limit."""
    for step in range(limit):
        if n == 1:
            return step
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
    return -1


def square_root(x):
    """The square root by Newton's method."""
    if x < 0:
        return -1.0
    root = 1.0 + 0.5 * x
    while abs(root * root - x) > 1e-4 * x and root > 1e-6:
        root = 0.5 * (root + x / root)
    return root


def sum_of_roots(values):
    """The roots of numbers up to the first negative one, added up."""
    total = 0.0
    for value in values:
        if value < 0:
            break
        total += square_root(value)
    return total


def main() -> None:
    print("program         Python    jit")
    for function, arguments in (
        (collatz_steps, (27, 1000)),
        (collatz_steps, (27, 100)),
        (square_root, (2.0,)),
        (square_root, (-2.0,)),
        (sum_of_roots, ([4.0, 9.0, -1.0, 16.0],)),
    ):
        compiled = jit(function)(*(jnp.asarray(argument) for argument in arguments))
        print(f"{function.__name__:<13} {function(*arguments):>8.4g} {compiled:>6.4g}")


if __name__ == "__main__":
    main()
