"""Calls: nested functions, closures, lambdas, defaults, decorators, recursion, functions as values."""

# ruff: noqa: B006, E731, PIE804, RET504  (programs as users write them)

import functools
import operator

from tests.autograph.corpus import case, f32, i32
from tests.autograph.framework import tf

SIGNS = [(i32(3),), (i32(0),), (i32(-3),)]
OFFSET = 10
counter = 0


def absolute(x):
    if x < 0:
        return -x
    return x


def scaled(x, factor=2, *, offset=0):
    if factor > 1:
        return x * factor + offset
    return x + offset


def sum_to(n):
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total


@case(SIGNS)
def calls_a_function_of_the_module(x):
    return absolute(x) + 1


@case(SIGNS)
def calls_in_a_branch(x):
    if absolute(x) > 2:
        return absolute(x - 10)
    return x


@case([(i32(3),), (i32(0),)])
def calls_in_a_loop(n):
    total = 0
    for i in tf.range(n):
        total += absolute(i - 2)
    return total


@case([(i32(3),)])
def calls_a_function_with_a_loop(n):
    return sum_to(n) * sum_to(n + 1)


@case(SIGNS)
def default_and_keyword_arguments(x):
    return scaled(x), scaled(x, 3), scaled(x, factor=1), scaled(x, offset=5), scaled(x, 4, offset=1)


@case(SIGNS)
def own_default_arguments(x, k=5, *, negate=False):
    if x > 0:
        x = x + k
    if negate:
        x = -x
    return x


@case([(i32(3), 7), (i32(-3), 7)])
def nested_function(x, k):
    def inner(v):
        if v > 0:
            return v + k
        return v - k

    return inner(x)


@case(SIGNS)
def closure_over_a_tensor(x):
    y = x * 2

    def inner(v):
        if v > y:
            return v
        return y

    return inner(x)


@case(SIGNS)
def closure_reads_the_latest_value(x):
    k = 1

    def inner():
        return x + k

    first = inner()
    k = 100
    return first, inner()


@case(SIGNS)
def function_of_a_function(x):
    def apply(function, value):
        if value > 0:
            return function(value)
        return value

    return apply(absolute, x) + apply(lambda v: v * v, x)


@case(SIGNS)
def function_that_makes_functions(x):
    def adder(k):
        def add(v):
            if v > 0:
                return v + k
            return k

        return add

    return adder(1)(x), adder(5)(x)


@case(SIGNS)
def three_levels_of_nesting(x):
    def outer(a):
        def middle(b):
            def inner(c):
                return c + x if c > 0 else a

            return inner(b) * 2

        return middle(a) + 1

    return outer(x)


@case(SIGNS)
def nonlocal_in_python(x):
    count = 0

    def bump():
        nonlocal count
        count += 1
        return x + count

    return bump() + bump(), count


@case(SIGNS, wrong="an assignment to a nonlocal under a tensor condition is lost")
def nonlocal_under_a_tensor_condition(x):
    y = x

    def change():
        nonlocal y
        if x > 0:
            y = y + 100
        else:
            y = y - 1

    change()
    return y


@case([(i32(3),), (i32(0),)])
def nonlocal_in_a_tensor_loop(n):
    total = 0

    def run():
        nonlocal total
        for i in tf.range(n):
            total = total + i

    run()
    return total


@case(SIGNS)
def global_read(x):
    if x > 0:
        return x + OFFSET
    return x - OFFSET


@case(SIGNS)
def global_written_with_python_values(x):
    global counter
    counter = 0
    for _ in range(3):
        counter += 1
    return x + counter


@case(SIGNS)
def lambda_with_ternary(x):
    f = lambda v: v if v > 0 else -v
    return f(x)


@case(SIGNS)
def lambda_with_default(x):
    f = lambda v, k=3: v * k if v > 0 else k
    return f(x), f(x, 4)


@case(SIGNS)
def lambda_in_a_list(x):
    functions = [
        lambda u: u + 1,
        lambda w: w * 2,
    ]
    for f in functions:
        x = f(x)
    return x


@case(SIGNS)
def immediately_called_lambda(x):
    return (lambda v: v * v + 1)(x)


@case(SIGNS)
def lambda_that_returns_a_lambda(x):
    add = lambda a: lambda b: a + b
    return add(x)(5)


@case([(i32(3), 4), (i32(3), 0)])
def recursion_on_a_python_value(x, depth):
    def power(v, k):
        if k == 0:
            return v * 0 + 1
        return v * power(v, k - 1)

    return power(x, depth)


@case([(i32(3), 5)])
def recursion_through_the_module(x, depth):
    return x + python_fibonacci(depth)


def python_fibonacci(k):
    if k < 2:
        return k
    return python_fibonacci(k - 1) + python_fibonacci(k - 2)


@case([(i32(3), 3)])
def mutual_recursion(x, depth):
    def even(v, k):
        return v if k == 0 else odd(v + 1, k - 1)

    def odd(v, k):
        return v * 10 if k == 0 else even(v * 2, k - 1)

    return even(x, depth)


@case([(i32(3), [1, [2, [3, 4]], 5])])
def recursion_over_a_nested_list(x, tree):
    def total(node):
        if isinstance(node, list):
            result = 0
            for part in node:
                result = result + total(part)
            return result
        return x * node

    return total(tree)


@case([(i32(1), i32(2), i32(3))])
def variadic(*values):
    total = 0
    for v in values:
        if v > 1:
            total = total + v
    return total


@case([(i32(1), i32(2))])
def passes_on_variadic_arguments(a, b):
    def inner(*args, **kwargs):
        total = 0
        for v in args:
            total = total * 10 + v
        for name in sorted(kwargs):
            total = total * 10 + kwargs[name]
        return total

    return inner(a, b), inner(*[a, b], c=b), inner(**{"x": a, "y": b})


@case([(i32(1), i32(2), i32(3))])
def first_and_rest(a, *rest):
    if a > 0:
        return a + rest[0] + rest[-1]
    return len(rest)


@case(SIGNS)
def positional_only_and_keyword_only(x):
    def inner(a, /, b, *, c=1):
        if a > b:
            return a + c
        return b - c

    return inner(x, 1), inner(x, b=2, c=3)


@case(SIGNS)
def partial_of_a_function(x):
    triple = functools.partial(scaled, factor=3)
    return triple(x), triple(x, offset=1)


@case([(i32(3), i32(4))])
def functools_reduce(a, b):
    return functools.reduce(lambda u, v: u * 10 + v, [a, b, 5])


@case([(i32(3), i32(4))])
def operator_module(a, b):
    return operator.add(a, b), operator.lt(a, b), operator.getitem([a, b], 1)


@case(SIGNS)
def decorated_inner_function(x):
    def doubled(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs) * 2

        return wrapper

    @doubled
    def inner(v):
        if v > 0:
            return v
        return v - 1

    return inner(x)


def plus(amount):
    def decorate(function):
        def wrapper(v):
            result = function(v)
            if result > 5:
                return result + amount
            return result

        return wrapper

    return decorate


@plus(100)
def decorated_square(v):
    return v * v


@plus(1)
@plus(1000)
def twice_decorated(v):
    return v + 3


@case(SIGNS)
def decorator_with_arguments(x):
    return decorated_square(x)


@case(SIGNS)
def two_decorators(x):
    return twice_decorated(x)


@case([(i32(3), "double"), (i32(3), "negate")])
def table_of_functions(x, name):
    table = {"double": lambda v: v * 2, "negate": lambda v: -v}
    return table[name](x)


@case([(i32(3),)])
def mutable_default(x, store=[]):
    if store:
        return x
    return x * 2


@case([(f32(3),), (f32(-3),)])
def calls_with_tensors_in_structures(x):
    def total(parts):
        result = parts["bias"]
        for v in parts["values"]:
            result = result + v
        return result

    return total({"bias": x, "values": [x, x * 2.0]})


@case(SIGNS)
def function_without_return(x):
    results = []

    def note(v):
        results.append(v)

    note(x)
    note(x + 1)
    return results


@case(SIGNS)
def shadows_its_own_name(x):
    def shadow(v):
        shadow = v + 1
        return shadow

    return shadow(x)


@case(SIGNS)
def names_like_generated_ones(x):
    do_return = x
    retval_ = x + 1
    get_state = x + 2
    if x > 0:
        do_return = do_return + retval_
    else:
        retval_ = get_state
    return do_return, retval_, get_state


@case(SIGNS, superset="a local named ag__")
def names_of_the_helpers(x):
    ag__ = x + 1
    fscope = ag__ * 2
    if fscope > 0:
        return ag__
    return fscope


@case(SIGNS)
def shadowed_builtin(x):
    def abs(v):
        return v * 1000

    len = 3
    return abs(x) + len


@case([(i32(3),), (i32(0),)])
def returns_from_inner_in_loop(n):
    def step(v):
        if v % 2 == 0:
            return v
        return v * 10

    total = 0
    while n > 0:
        total += step(n)
        n -= 1
    return total


@case(SIGNS, superset="annotation without a value")
def annotated(x: int, y: "float" = 2) -> int:
    z: int = x
    w: int
    if z > 0:
        w = z * y
    else:
        w = z
    return w


@case(SIGNS)
def documented(x):
    """A docstring stays where it is."""
    # and a comment
    if x > 0:
        """a text as a statement"""
        return x
    return -x
