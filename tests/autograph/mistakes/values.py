"""Tensors where Python needs values, and conditions that are none."""

# ruff: noqa: C417  (these functions are wrong on purpose)

import numpy as np

from tests.autograph.framework import tf
from tests.autograph.mistakes import HALF, INTEGERS, ONE, VECTOR, mistake

# -- conditions -------------------------------------------------------------------------------------------------------


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


@mistake(ONE, lifted="while True with a tensor break")
def while_true_left_by_a_tensor_break(x):
    while True:  # <-- here
        x += 1
        if x > 5:
            break
    return x


@mistake(ONE, lifted="Python range with a tensor break")
def python_range_left_by_a_tensor_break(x):
    for i in range(10):  # <-- here
        x += i
        if x > 5:
            break
    return x


@mistake(ONE, lifted="Python list with a tensor return")
def python_list_left_by_a_tensor_return(x):
    for i in [1, 2, 3]:  # <-- here
        if x > i:
            return x
    return x + 1


@mistake(ONE, lifted="Python condition that becomes a tensor")
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


@mistake(
    HALF,
    ours=(
        "TypeError",
        'condition of `and` expected to be `tf.bool` scalar, got Tensor(',
        "TensorFlow tells of arguments of tf.cond that the user never gave",
    ),
)
def logical_and_of_floats(x):
    if x and x > 1:  # <-- here
        return x
    return -x


# -- tensors where Python needs values --------------------------------------------------------------------------------


def _unconverted_sign(x):
    if x > 0:  # <-- here
        return x
    return -x


@mistake(ONE, at="_unconverted_sign")
def tensor_as_bool_in_unconverted_code(x):
    return tf.autograph.experimental.do_not_convert(_unconverted_sign)(x)


def _unconverted_sum(x):
    total = 0.0
    for v in x:  # <-- here
        total += v
    return total


@mistake(VECTOR, at="_unconverted_sum")
def tensor_iterated_in_unconverted_code(x):
    return tf.autograph.experimental.do_not_convert(_unconverted_sum)(x)


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


@mistake(INTEGERS, lifted="unpacking of a tensor")
def unpacking_the_wrong_number(x):
    a, b = x  # <-- here
    return a + b


@mistake(ONE)
def tensor_as_dict_key(x):
    return {x: 1}  # <-- here


@mistake(INTEGERS, lifted="item assignment")
def assignment_to_an_element(x):
    x[0] = 5  # <-- here
    return x


@mistake(INTEGERS, lifted="item assignment")
def assignment_to_an_element_in_loop(x):
    for i in tf.range(3):
        x[i] = x[i] * 2  # <-- here
    return x


@mistake(ONE, lifted="in over a tensor")
def membership_in_a_tensor(x):
    if 3 in tf.constant([1, 2, 3]):  # <-- here
        return x
    return -x


@mistake(INTEGERS, lifted="comprehension over a tensor")
def comprehension_over_a_tensor(x):
    return tf.stack([v * 2 for v in x])  # <-- here


@mistake(INTEGERS, lifted="comprehension over a tensor")
def generator_expression_over_a_tensor(x):
    return sum(v for v in x)  # <-- here


@mistake(INTEGERS, lifted="zip over tensors")
def zip_of_tensors(x):
    total = 0
    for a, b in zip(x, x):  # <-- here
        total += a * b
    return total


@mistake(INTEGERS, lifted="enumerate over a tensor")
def enumerate_of_a_tensor(x):
    total = 0
    for i, v in enumerate(x):  # <-- here
        total += i * v
    return total


@mistake(INTEGERS, lifted="max over a tensor")
def max_of_a_tensor(x):
    return max(x)  # <-- here


@mistake(INTEGERS, lifted="sum over a tensor")
def sum_of_a_tensor(x):
    return sum(x)  # <-- here


@mistake(INTEGERS, lifted="any over a tensor")
def any_of_a_tensor(x):
    return any(x > 2)  # <-- here


@mistake(INTEGERS, lifted="all over a tensor")
def all_of_a_tensor(x):
    return all(x > 0)  # <-- here


@mistake(INTEGERS, lifted="map over a tensor")
def map_over_a_tensor(x):
    return list(map(lambda v: v + 1, x))  # <-- here


@mistake(INTEGERS, lifted="filter over a tensor")
def filter_over_a_tensor(x):
    return list(filter(lambda v: v > 1, x))  # <-- here


@mistake(INTEGERS, lifted="list of a tensor")
def list_of_a_tensor(x):
    return list(x)  # <-- here


@mistake(INTEGERS, lifted="reversed over a tensor")
def reversed_tensor(x):
    total = 0
    for v in reversed(x):  # <-- here
        total = total * 10 + v
    return total


@mistake(INTEGERS, lifted="iter of a tensor")
def next_of_a_tensor(x):
    return next(iter(x))  # <-- here


@mistake(INTEGERS)
def sorted_by_key_of_two_dimensions(x):
    return sorted(tf.stack([x, x]))  # <-- here


@mistake(ONE, lifted="round of a tensor")
def round_of_a_tensor(x):
    return round(x)  # <-- here


@mistake(ONE, lifted="divmod of tensors")
def divmod_of_tensors(x):
    q, r = divmod(x, 2)  # <-- here
    return q + r


@mistake(ONE)
def int_of_a_text_tensor(x):
    return int(tf.constant("abc")) + x  # <-- here


@mistake(ONE)
def format_spec_on_a_tensor(x):
    return f"{x:.2f}"  # <-- here


@mistake(ONE, endless="a tensor range with step zero never ends")
def range_step_zero(x):
    total = 0
    for i in range(0, x, 0):  # <-- here
        total += i
    return total


@mistake(HALF)
def range_of_a_float_tensor(x):
    total = 0
    for i in range(x):
        total += i  # <-- here
    return total
