# ruff: noqa: F821, F841, RET503, SIM103, SIM108, B012, B023, C400, C416, E711, E712, E731, PIE794, RUF015, RUF059
# (these functions are wrong on purpose)
"""Common mistakes: what a user writes that cannot become graph control flow, or fails while it is traced.

Each function is called under `tf.function`. The line that is at fault ends in the comment `# <-- here`; the error must
be reported there. What TensorFlow says is kept in recorded/messages.json.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.autograph.framework import tf

ONE = np.int32(1)
HALF = np.float32(0.5)
VECTOR = np.array([1.0, 2.0, 3.0], np.float32)
INTEGERS = np.array([3, 1, 2], np.int32)


@dataclasses.dataclass
class Mistake:
    """One mistake: the function, its arguments, and whether it shows when the function runs rather than is traced."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    signature: list[Any] | None = None


MISTAKES: dict[str, Mistake] = {}


def mistake(*args: Any, signature: Callable[[], list[Any]] | None = None) -> Callable[[Any], Any]:
    """Registers a function with the arguments it is called with; arrays and NumPy scalars become tensors."""

    def register(function: Any) -> Any:
        assert function.__name__ not in MISTAKES
        MISTAKES[function.__name__] = Mistake(function, args, signature)
        return function

    return register


# -- names ---------------------------------------------------------------------------------------------------------


@mistake(ONE)
def name_set_in_main_branch_only(x):
    if x > 0:  # <-- here
        y = x * 2
    return y


@mistake(ONE)
def name_set_in_else_branch_only(x):
    if x > 0:  # <-- here
        pass
    else:
        y = x * 2
    return y


@mistake(ONE)
def name_set_in_one_arm_of_elif(x):
    if x > 2:
        y = x
    elif x > 1:  # <-- here
        y = x + 1
    else:
        z = x + 2
    return y


@mistake(ONE)
def attribute_set_in_one_branch_only(x):
    class Box:
        pass

    box = Box()
    if x > 0:  # <-- here
        box.value = x
    return box.value


@mistake(ONE)
def key_set_in_one_branch_only(x):
    table = {}
    if x > 0:  # <-- here
        table["a"] = x
    return table["a"]


@mistake(ONE)
def name_never_defined(x):
    if x > 0:
        y = x + undefined_offset  # <-- here
    else:
        y = x
    return y


@mistake(ONE)
def local_name_read_before_assignment(x):
    y = total + x  # <-- here
    total = y
    return total


@mistake(ONE)
def name_deleted_then_read(x):
    y = x + 1
    del y
    return y  # <-- here


@mistake(ONE)
def loop_state_not_initialised_before_while(x):
    while x < 5:
        total = total + x  # <-- here
        x = x + 1
    return total


@mistake(ONE)
def loop_state_not_initialised_before_for(x):
    for i in tf.range(x):
        total += i  # <-- here
    return total


@mistake(ONE)
def name_bound_only_inside_python_loop_that_never_runs(x):
    for _ in []:
        y = x
    return y  # <-- here


@mistake(ONE)
def free_variable_bound_too_late(x):
    def add(value):
        return value + offset  # <-- here

    y = add(x)
    offset = 3
    return y


# -- None, returns -------------------------------------------------------------------------------------------------


@mistake(ONE)
def none_in_else_branch(x):
    if x > 0:  # <-- here
        y = x
    else:
        y = None
    return y


@mistake(ONE)
def none_in_main_branch(x):
    y = None
    if x > 0:  # <-- here
        pass
    else:
        y = x
    return y


@mistake(ONE)
def none_before_loop(x):
    last = None
    while x < 3:  # <-- here
        last = x
        x += 1
    return last


@mistake(ONE)
def value_becomes_none_in_loop(x):
    y = x
    while x < 3:  # <-- here
        y = None
        x += 1
    return y


@mistake(ONE)
def return_missing_in_else_branch(x):
    if x > 0:  # <-- here
        return x


@mistake(ONE)
def return_missing_in_main_branch(x):
    if x > 0:  # <-- here
        y = x + 1
    else:
        return x


@mistake(ONE)
def return_without_value_in_one_branch(x):
    if x > 0:  # <-- here
        return x
    else:
        return


@mistake(ONE)
def return_missing_after_loop(x):
    while x < 10:  # <-- here
        if x > 5:
            return x
        x += 1


@mistake(ONE)
def returns_of_different_dtype(x):
    if x > 0:  # <-- here
        return x
    return tf.constant(0.5)


@mistake(ONE)
def returns_of_different_structure(x):
    if x > 0:  # <-- here
        return x, x
    return x


# -- dtype and shape -----------------------------------------------------------------------------------------------


@mistake(ONE)
def dtype_differs_between_branches(x):
    if x > 0:  # <-- here
        y = tf.constant(1)
    else:
        y = tf.constant(1.0)
    return y


@mistake(ONE)
def python_numbers_of_different_type_in_branches(x):
    if x > 0:  # <-- here
        y = 1
    else:
        y = 1.5
    return y


@mistake(ONE)
def dtype_changes_in_while(x):
    total = 0
    while x < 5:  # <-- here
        total = total + tf.constant(0.5)
        x += 1
    return total


@mistake(VECTOR)
def dtype_changes_in_for(x):
    total = 0
    for v in x:  # <-- here
        total = total + v
    return total


@mistake(ONE)
def division_turns_the_counter_into_a_float(x):
    while x < 5:  # <-- here
        x = x / 2 + 4
    return x


@mistake(VECTOR)
def shape_grows_in_for(x):
    y = tf.zeros([1])
    for v in x:  # <-- here
        y = tf.concat([y, [v]], 0)
    return y


@mistake(ONE)
def shape_grows_in_while(x):
    y = tf.constant([1])
    while x < 5:  # <-- here
        y = tf.concat([y, y], 0)
        x += 1
    return y


@mistake(ONE)
def rank_changes_in_while(x):
    y = tf.constant(1)
    while x < 5:  # <-- here
        y = tf.stack([y, y])
        x += 1
    return y


@mistake(VECTOR)
def operands_of_different_dtype_inside_loop(x):
    total = 0
    for v in x:
        total = tf.constant(1) + v  # <-- here
    return total


@mistake(VECTOR)
def shapes_do_not_match_inside_branch(x):
    if x[0] > 0:
        y = x + tf.zeros([2])  # <-- here
    else:
        y = x
    return y


# -- structures ----------------------------------------------------------------------------------------------------


@mistake(ONE)
def tuple_lengths_differ_between_branches(x):
    if x > 0:  # <-- here
        y = (x, x)
    else:
        y = (x, x, x)
    return y


@mistake(ONE)
def dict_keys_differ_between_branches(x):
    if x > 0:  # <-- here
        y = {"a": x}
    else:
        y = {"b": x}
    return y


@mistake(ONE)
def list_in_one_branch_number_in_the_other(x):
    if x > 0:  # <-- here
        y = [x]
    else:
        y = x
    return y


@mistake(ONE)
def list_grows_in_while(x):
    values = [x]
    while x < 5:  # <-- here
        values = values + [x]
        x += 1
    return values


@mistake(ONE)
def list_appended_in_branch(x):
    values = []
    if x > 0:
        values.append(x)
    return values[0]  # <-- here


@mistake(ONE)
def list_appended_in_loop_then_read(x):
    values = []
    for i in tf.range(x + 2):
        values.append(i)
    return tf.stack(values)  # <-- here


@mistake(ONE)
def object_that_is_no_tensor_changes_in_branch(x):
    class Mode:
        pass

    if x > 0:  # <-- here
        mode = Mode()
    else:
        mode = Mode()
    return mode


@mistake(ONE)
def text_changes_in_tensor_loop(x):
    text = "a"
    while x < 3:  # <-- here
        text = text + "b"
        x += 1
    return text


@mistake(ONE)
def object_changes_in_tensor_loop(x):
    state = object()
    while x < 3:  # <-- here
        state = object()
        x += 1
    return x


@mistake(ONE)
def python_counter_of_tensor_loop_indexes_a_list(x):
    items = [10, 20, 30]
    k = 0
    while x < 3:
        x += items[k]  # <-- here
        k += 1
    return x


# -- conditions ----------------------------------------------------------------------------------------------------


@mistake(VECTOR)
def condition_is_a_vector(x):
    if x > 0:  # <-- here
        return x
    return -x


@mistake(ONE)
def condition_is_an_integer(x):
    y = 0
    if x:  # <-- here
        y = 1
    return y


@mistake(VECTOR)
def while_condition_is_a_vector(x):
    while x < 10:  # <-- here
        x = x * 2
    return x


@mistake(ONE)
def while_condition_is_an_integer(x):
    while x:  # <-- here
        x = x - 1
    return x


@mistake(ONE)
def while_true_left_by_a_tensor_break(x):
    while True:  # <-- here
        x += 1
        if x > 5:
            break
    return x


@mistake(ONE)
def python_range_left_by_a_tensor_break(x):
    for i in range(10):  # <-- here
        x += i
        if x > 5:
            break
    return x


@mistake(ONE)
def python_list_left_by_a_tensor_return(x):
    for i in [1, 2, 3]:  # <-- here
        if x > i:
            return x
    return x + 1


@mistake(ONE)
def python_condition_becomes_a_tensor(x):
    go = True
    while go:  # <-- here
        x += 1
        go = x < 5
    return x


@mistake(HALF)
def error_in_condition(x):
    if x + tf.constant(1) > 0:  # <-- here
        return x
    return -x


@mistake(HALF)
def error_in_while_condition(x):
    while x < tf.constant(3):  # <-- here
        x += 1.0
    return x


@mistake(HALF)
def error_in_else_branch(x):
    if x > 0:
        y = x
    else:
        y = x + tf.constant(1)  # <-- here
    return y


@mistake(HALF)
def error_in_ternary(x):
    return x if x > 0 else x + tf.constant(1)  # <-- here


@mistake(ONE)
def ternary_of_different_dtypes(x):
    return 1 if x > 0 else 0.5  # <-- here


@mistake(HALF)
def logical_and_of_floats(x):
    if x and x > 1:  # <-- here
        return x
    return -x


# -- tensors where Python needs values -----------------------------------------------------------------------------


@tf.autograph.experimental.do_not_convert
def _unconverted_sign(x):
    if x > 0:  # <-- here
        return x
    return -x


@mistake(ONE)
def tensor_as_bool_in_unconverted_code(x):
    return _unconverted_sign(x)


@tf.autograph.experimental.do_not_convert
def _unconverted_sum(x):
    total = 0.0
    for v in x:  # <-- here
        total += v
    return total


@mistake(VECTOR)
def tensor_iterated_in_unconverted_code(x):
    return _unconverted_sum(x)


@mistake(ONE)
def iteration_over_a_scalar(x):
    total = 0
    for v in x:  # <-- here
        total += v
    return total


@mistake(ONE)
def len_of_a_scalar(x):
    return len(x)  # <-- here


@mistake(VECTOR, signature=lambda: [tf.TensorSpec(None, tf.float32)])
def len_of_unknown_rank(x):
    return len(x)  # <-- here


@mistake(VECTOR, signature=lambda: [tf.TensorSpec(None, tf.float32)])
def iteration_over_unknown_rank(x):
    total = 0.0
    for v in x:  # <-- here
        total += v
    return total


@mistake(ONE)
def iteration_over_a_number(x):
    for i in 5:  # <-- here
        x += i
    return x


@mistake(ONE)
def list_indexed_by_a_tensor(x):
    return [10, 20, 30][x]  # <-- here


@mistake(ONE)
def numpy_called_on_a_symbolic_tensor(x):
    return np.sin(x)  # <-- here


@mistake(ONE)
def numpy_method_of_a_symbolic_tensor(x):
    return x.numpy()  # <-- here


@mistake(INTEGERS)
def unpacking_the_wrong_number(x):
    a, b = x  # <-- here
    return a + b


@mistake(ONE)
def tensor_as_dict_key(x):
    return {x: 1}  # <-- here


@mistake(INTEGERS)
def assignment_to_an_element(x):
    x[0] = 5  # <-- here
    return x


@mistake(INTEGERS)
def assignment_to_an_element_in_loop(x):
    for i in tf.range(3):
        x[i] = x[i] * 2  # <-- here
    return x


@mistake(ONE)
def membership_in_a_tensor(x):
    if 3 in tf.constant([1, 2, 3]):  # <-- here
        return x
    return -x


@mistake(INTEGERS)
def comprehension_over_a_tensor(x):
    return tf.stack([v * 2 for v in x])  # <-- here


@mistake(INTEGERS)
def generator_expression_over_a_tensor(x):
    return sum(v for v in x)  # <-- here


@mistake(INTEGERS)
def zip_of_tensors(x):
    total = 0
    for a, b in zip(x, x):  # <-- here
        total += a * b
    return total


@mistake(INTEGERS)
def enumerate_of_a_tensor(x):
    total = 0
    for i, v in enumerate(x):  # <-- here
        total += i * v
    return total


@mistake(INTEGERS)
def max_of_a_tensor(x):
    return max(x)  # <-- here


@mistake(INTEGERS)
def sum_of_a_tensor(x):
    return sum(x)  # <-- here


@mistake(INTEGERS)
def any_of_a_tensor(x):
    return any(x > 2)  # <-- here


@mistake(INTEGERS)
def all_of_a_tensor(x):
    return all(x > 0)  # <-- here


@mistake(INTEGERS)
def map_over_a_tensor(x):
    return list(map(lambda v: v + 1, x))  # <-- here


@mistake(INTEGERS)
def filter_over_a_tensor(x):
    return list(filter(lambda v: v > 1, x))  # <-- here


@mistake(INTEGERS)
def list_of_a_tensor(x):
    return list(x)  # <-- here


@mistake(INTEGERS)
def reversed_tensor(x):
    total = 0
    for v in reversed(x):  # <-- here
        total = total * 10 + v
    return total


@mistake(INTEGERS)
def next_of_a_tensor(x):
    return next(iter(x))  # <-- here


@mistake(INTEGERS)
def sorted_by_key_of_two_dimensions(x):
    return sorted(tf.stack([x, x]))  # <-- here


@mistake(ONE)
def round_of_a_tensor(x):
    return round(x)  # <-- here


@mistake(ONE)
def divmod_of_tensors(x):
    q, r = divmod(x, 2)  # <-- here
    return q + r


@mistake(ONE)
def int_of_a_text_tensor(x):
    return int(tf.constant("abc")) + x  # <-- here


@mistake(ONE)
def format_spec_on_a_tensor(x):
    return f"{x:.2f}"  # <-- here


@mistake(ONE)
def range_step_zero(x):
    total = 0
    for i in range(0, x, 0):  # <-- here
        total += i
    return total


@mistake(HALF)
def range_of_a_float_tensor(x):
    total = 0
    for i in range(x):  # <-- here
        total += i
    return total


# -- calls ---------------------------------------------------------------------------------------------------------


def _inner(x):
    return x + tf.constant(1)  # <-- here


def _middle(x):
    return _inner(x) * 2.0


def _outer(x):
    y = _middle(x)
    return y + 1.0


@mistake(HALF)
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


@mistake(HALF)
def error_in_a_method(x):
    return _Model(tf.constant(2)).apply(x)


@mistake(HALF)
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


@mistake(ONE)
def recursion_with_a_tensor_condition(n):
    return _factorial(n)


def _factorial(n):
    if n < 2:
        return 1
    return n * _factorial(n - 1)  # <-- here


# -- exceptions ----------------------------------------------------------------------------------------------------


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


@mistake(ONE)
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


@mistake(ONE)
def return_in_with_and_fall_through(x):
    with tf.name_scope("scope"):
        if x > 0:  # <-- here
            return x
    return -x


# -- loop options, generators, and others --------------------------------------------------------------------------


@mistake(ONE)
def loop_options_outside_a_loop(x):
    tf.autograph.experimental.set_loop_options(maximum_iterations=3)  # <-- here
    return x


@mistake(ONE)
def loop_options_of_unknown_name(x):
    while x < 5:
        tf.autograph.experimental.set_loop_options(max_iterations=3)  # <-- here
        x += 1
    return x


@mistake(ONE)
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


@mistake(ONE)
def generator_function(x):
    yield x  # <-- here


@mistake(ONE)
def generator_called(x):
    def numbers():
        yield x
        if x > 0:  # <-- here
            yield x + 1

    return sum(numbers())


@mistake(ONE)
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


@mistake(INTEGERS)
def match_on_an_unknown_sequence(x):
    match x:
        case [a, b, c]:
            return a + b + c
    return x[0]
