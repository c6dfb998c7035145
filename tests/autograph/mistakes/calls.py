"""Errors inside called functions, exceptions, loop options, and forms that AutoGraph does not take."""

# ruff: noqa: B012, E731, F401, F821  (these functions are wrong on purpose)

from tests.autograph.framework import tf
from tests.autograph.mistakes import HALF, INTEGERS, ONE, mistake

# -- calls ------------------------------------------------------------------------------------------------------------


def _inner(x):
    return x + tf.constant(1)  # <-- here


def _middle(x):
    return _inner(x) * 2.0


def _outer(x):
    y = _middle(x)
    return y + 1.0


@mistake(HALF, at="_inner")
def error_three_calls_deep(x):
    return _outer(x)


@mistake(HALF)
def error_in_a_lambda(x):
    bad = lambda v: v + tf.constant(1)  # <-- here
    return bad(x)


@mistake(HALF)
def error_in_a_nested_function(x):
    def inner(v):
        if v > 0:
            return v + tf.constant(1)  # <-- here
        return v

    return inner(x)


class _Model:
    def __init__(self, scale):
        self.scale = scale

    def apply(self, x):
        return x * self.scale  # <-- here

    def __call__(self, x):
        return self.apply(x) + 1.0

    def __getitem__(self, key):
        raise KeyError(key)


@mistake(HALF, at="_Model.apply")
def error_in_a_method(x):
    return _Model(tf.constant(2)).apply(x)


@mistake(HALF, at="_Model.apply")
def error_in_a_callable_object(x):
    return _Model(tf.constant(2))(x)


@mistake(HALF)
def error_in_a_comprehension(x):
    return [x + v for v in (1.0, tf.constant(1))]  # <-- here


@mistake(HALF)
def error_in_a_decorated_function(x):
    def twice(function):
        def wrapper(v):
            return function(v) * 2.0

        return wrapper

    @twice
    def shifted(v):
        return v + tf.constant(1)  # <-- here

    return shifted(x)


def _two(a, b):
    return a + b


@mistake(ONE)
def argument_missing(x):
    return _two(x)  # <-- here


@mistake(ONE)
def argument_unknown(x):
    return _two(x, b=x, c=x)  # <-- here


@mistake(ONE)
def call_of_something_that_is_no_function(x):
    return x(3)  # <-- here


@mistake(ONE)
def call_of_none(x):
    callback = None
    return callback(x)  # <-- here


@mistake(ONE)
def attribute_of_a_tensor_that_does_not_exist(x):
    if x > 0:
        x = x.relu()  # <-- here
    return x


@mistake(ONE, endless="both branches are traced, so the recursion goes on for minutes", at="_factorial")
def recursion_with_a_tensor_condition(n):
    return _factorial(n)


def _factorial(n):
    if n < 2:
        return 1
    return n * _factorial(n - 1)  # <-- here


# -- exceptions -------------------------------------------------------------------------------------------------------


class _SeveralArguments(Exception):
    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code = code


class _WithDefault(ValueError):
    def __init__(self, message="nothing given"):
        super().__init__(message)


class _NoArguments(Exception):
    def __init__(self):
        super().__init__("always the same")


class _Missing(KeyError):
    pass


class _Plain(ValueError):
    pass


@mistake(ONE)
def exception_whose_init_takes_two_arguments(x):
    raise _SeveralArguments(7, "bad")  # <-- here


@mistake(ONE)
def exception_with_a_default_message(x):
    raise _WithDefault()  # <-- here


@mistake(ONE)
def exception_whose_init_takes_nothing(x):
    raise _NoArguments  # <-- here


@mistake(ONE)
def subclass_of_key_error(x):
    raise _Missing("a")  # <-- here


@mistake(ONE)
def plain_subclass_of_value_error(x):
    raise _Plain("bad value")  # <-- here


@mistake(ONE)
def key_that_does_not_exist(x):
    table = {"a": x}
    return table["b"]  # <-- here


@mistake(ONE)
def index_out_of_range(x):
    values = [x]
    return values[3]  # <-- here


@mistake(ONE)
def division_by_python_zero(x):
    return x * (1 // 0)  # <-- here


@mistake(ONE)
def raise_under_a_tensor_condition(x):
    if x > 5:
        raise ValueError("x is too large")  # <-- here
    return x


@mistake(ONE)
def raise_in_a_tensor_loop(x):
    while x < 5:
        if x == 3:
            raise ValueError("three")  # <-- here
        x += 1
    return x


@mistake(ONE)
def raise_from_another_error(x):
    try:
        {}["a"]
    except KeyError as error:
        raise RuntimeError("no such entry") from error  # <-- here
    return x


@mistake(ONE)
def error_while_handling_an_error(x):
    try:
        {}["a"]
    except KeyError:
        return x + undefined_fallback  # <-- here


@mistake(ONE)
def stop_iteration_escapes(x):
    return x + next(iter([]))  # <-- here


@mistake(ONE)
def python_assert_fails(x):
    values = [1, 2]
    assert len(values) == 3, "three values are needed"  # <-- here
    return x


@mistake(ONE, lifted="assert of a tensor")
def tensor_assert_fails(x):
    assert x > 5, "x must be above 5"  # <-- here
    return x


@mistake(ONE)
def break_in_finally(x):
    while x < 5:
        try:
            x = x + tf.constant(1.5)  # <-- here
        finally:
            x += 1
            break
    return x


@mistake(ONE, lifted="return in with and fall through")
def return_in_with_and_fall_through(x):
    with tf.name_scope("scope"):
        if x > 0:  # <-- here
            return x
    return -x


# -- loop options, generators, and others -----------------------------------------------------------------------------


@mistake(
    ONE,
    ours=(
        "TypeError",
        "set_loop_options() got an unexpected keyword argument 'max_iterations'",
        "the function that the user called, not TensorFlow's own",
    ),
)
def loop_options_of_unknown_name(x):
    while x < 5:  # <-- here
        tf.autograph.experimental.set_loop_options(max_iterations=3)  # <-- here
        x += 1
    return x


@mistake(
    ONE,
    ours=(
        "ValueError",
        '"set_loop_options" must be the first statement in the loop block',
        "TensorFlow runs the function unconverted and tells of a bool",
    ),
)
def loop_options_after_the_first_statement(x):
    while x < 5:
        x += 1
        tf.autograph.experimental.set_loop_options(maximum_iterations=2)  # <-- here
    return x


@mistake(ONE)
def shape_invariant_of_a_name_outside_the_loop(x):
    y = tf.constant([1])
    z = tf.constant([1])
    while x < 5:  # <-- here
        tf.autograph.experimental.set_loop_options(shape_invariants=[(z, tf.TensorShape([None]))])
        y = tf.concat([y, z], 0)
        x += 1
    return y


@mistake(ONE)
def shape_invariant_that_does_not_fit(x):
    y = tf.constant([1])
    while x < 5:  # <-- here
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([2]))])
        y = tf.concat([y, y], 0)
        x += 1
    return y


@mistake(
    ONE,
    frameless="calling a generator function runs none of its lines",
    unconverted="generators are not supported",
)
def generator_function(x):
    yield x  # <-- here


@mistake(ONE, lifted="a generator over tensors")
def generator_called(x):
    def numbers():
        yield x
        if x > 0:  # <-- here
            yield x + 1

    return sum(numbers())


@mistake(ONE, lifted="walrus in a loop condition")
def walrus_in_a_while_condition(x):
    while (y := x * 2) < 10:  # <-- here
        x += 1
    return y


@mistake(ONE)
def variable_created_on_every_call(x):
    v = tf.Variable(1)  # <-- here
    return v + x


@mistake(ONE)
def tensor_array_of_the_wrong_dtype(x):
    array = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        array = array.write(i, i)  # <-- here
    return array.stack()
