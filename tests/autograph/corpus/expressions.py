"""Logical operators, comparisons, ternaries, walrus, comprehensions, arithmetic, slices, texts."""

# ruff: noqa: F821, RET504, SIM201, UP031, UP032  (programs as users write them)

from tests.autograph.corpus import boolean, case, f32, i32
from tests.autograph.framework import tf

SIGNS = [(i32(3),), (i32(0),), (i32(-3),)]
PAIRS = [(i32(1), i32(2)), (i32(2), i32(1)), (i32(2), i32(2))]
FLAGS = [(boolean(a), boolean(b)) for a in (False, True) for b in (False, True)]


@case(FLAGS)
def and_of_tensors(a, b):
    return a and b


@case(FLAGS)
def or_of_tensors(a, b):
    return a or b


@case(FLAGS)
def not_of_tensors(a, b):
    return not a, not b


@case(FLAGS)
def exclusive_or(a, b):
    return (a and not b) or (b and not a)


@case(FLAGS)
def de_morgan(a, b):
    return not (a and b), not a or not b


@case([(*flags, boolean(c)) for flags in FLAGS for c in (False, True)])
def and_of_three(a, b, c):
    return a and b and c


@case([(*flags, boolean(c)) for flags in FLAGS for c in (False, True)])
def mixed_and_or(a, b, c):
    return a or b and c


@case(FLAGS)
def bitwise_of_bools(a, b):
    return a & b, a | b, a ^ b, ~a


@case(PAIRS)
def all_comparisons(a, b):
    return a < b, a <= b, a > b, a >= b, a == b, a != b


@case([(i32(v),) for v in (0, 5, 9, 20)])
def chained_comparison(x):
    return 0 < x < 10


@case([(i32(v),) for v in (0, 5, 9, 20)])
def long_chain(x):
    return -1 < x <= 9 != x < 30


@case([(i32(v),) for v in (0, 5, 20)])
def chained_comparison_in_condition(x):
    if 1 <= x <= 10:
        return x
    return -x


@case(PAIRS)
def chain_of_equalities(a, b):
    return a == b == 2


@case(SIGNS)
def comparison_with_and_python(x):
    if x > 0 and True:
        return 1
    return 0


@case([(i32(3), True), (i32(3), False)])
def python_flag_and_tensor(x, enabled):
    if enabled and x > 0:
        return x * 2
    return x


@case([(i32(3), True), (i32(3), False), (i32(-3), False)])
def python_flag_or_tensor(x, always):
    if always or x > 0:
        return x * 2
    return x


@case([(i32(3), None), (i32(3), i32(4)), (i32(3), i32(2))])
def is_not_none_and_tensor(x, limit):
    if limit is not None and x > limit:
        return limit
    return x


@case([(i32(3), [1, 2]), (i32(3), [])])
def python_list_as_condition(x, values):
    if values and x > 0:
        return x + values[0]
    return x


@case(SIGNS)
def short_circuit_guards_python(x):
    values = []
    if len(values) > 0 and values[0] > x:
        return x
    return x + 1


@case(SIGNS)
def ternary(x):
    return x if x > 0 else -x


@case(SIGNS)
def ternary_in_assignment(x):
    y = 1 if x > 0 else 0
    return y * 10 + 1


@case(SIGNS, superset="ternary inside a ternary")
def nested_ternary(x):
    return 1 if x > 0 else -1 if x < 0 else 0


@case(PAIRS)
def ternary_of_tuples(a, b):
    low, high = (a, b) if a < b else (b, a)
    return low, high


@case(PAIRS)
def ternary_inside_an_expression(a, b):
    return (a if a > b else b) * 2 + (a if a < b else b)


@case(PAIRS)
def ternary_as_argument(a, b):
    return tf.maximum(a if a > 1 else 0, b)


@case([(i32(3), True), (i32(3), False)])
def ternary_on_python(x, flag):
    return x + 1 if flag else x - 1


@case(FLAGS)
def ternary_with_and(a, b):
    return 1.5 if a and b else 0.5


@case(SIGNS)
def ternary_on_python_is_lazy(x):
    return x + 1 if x is not None else undefined_name


@case(SIGNS, superset="walrus")
def walrus_in_condition(x):
    if (y := x * 2) > 3:
        return y
    return y - 1


@case(SIGNS)
def walrus_in_expression(x):
    total = (y := x + 1) + y
    return total


@case([(i32(3),)])
def walrus_in_comprehension(x):
    values = [y for k in range(4) if (y := k * 2) > 2]
    return x + values[0], values


@case([(i32(3),)])
def list_comprehension(x):
    return [x * k for k in range(3)]


@case([(i32(3),)])
def comprehension_with_python_condition(x):
    return [x * k for k in range(6) if k % 2]


@case([(i32(3),)])
def nested_comprehension(x):
    return [[x + i * j for j in range(2)] for i in range(2)]


@case([(i32(3),)])
def comprehension_of_two_loops(x):
    return [x + i * j for i in range(2) for j in (5, 6)]


@case([(i32(3),)])
def dict_comprehension(x):
    table = {name: x + k for k, name in enumerate("ab")}
    return table["a"] * 10 + table["b"]


@case([(i32(3),)])
def set_comprehension_of_python_values(x):
    return x + len({k % 3 for k in range(10)})


@case([(i32(3),)])
def generator_in_sum(x):
    return sum(x * k for k in range(4))


@case([(i32(3),), (i32(-3),)])
def comprehension_in_a_branch(x):
    if x > 0:
        values = [x + k for k in range(2)]
    else:
        values = [x - k for k in range(2)]
    return values


@case([(i32(3), i32(-4), i32(5))])
def comprehension_with_ternary(a, b, c):
    return [v if v > 0 else -v for v in (a, b, c)]


@case([(i32([1, 2, 3]),)], superset="comprehension over a tensor")
def comprehension_over_a_tensor(values):
    return tf.stack([v * 2 for v in values])


@case([(i32([1, 2, 3]),)], superset="comprehension over a tensor")
def generator_over_a_tensor(values):
    return sum(v * v for v in values)


@case([(i32(7), i32(2)), (i32(-7), i32(2)), (i32(7), i32(-3))])
def integer_arithmetic(a, b):
    return a + b, a - b, a * b, a // b, a % b, -a


@case([(f32(7), f32(2)), (f32(-7.5), f32(2))])
def float_arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**2


@case([(i32(3), i32(2))])
def reflected_arithmetic(a, b):
    return 10 - a, 2 * b, 10 // a, 10 % a, 2**b, 10 / a


@case([(i32(2), i32(3))])
def precedence(a, b):
    return a + b * a - (a + b) // 2 + -(a**2)


@case([(f32([[1, 2], [3, 4]]), f32([[1, 0], [0, 2]]))])
def matrix_product(a, b):
    return a @ b


@case([(i32([0, 1, 2, 3, 4]),)])
def slices(x):
    return x[1:3], x[::-1], x[-2:], x[::2], x[3]


@case([(i32([0, 1, 2, 3, 4]), i32(2))])
def slice_with_tensor_bounds(x, k):
    return x[:k], x[k:], x[k]


@case([(i32([[0, 1], [2, 3]]),)])
def new_axis_and_ellipsis(x):
    return x[..., 0], x[None, 0], x[:, 1:]


@case([(f32([1, 2, 3]),)])
def elementwise_comparison(x):
    return x > 1.5, x == 2.0, x != 2.0


@case([(i32(3), "n"), (i32(3), "m")])
def formatted_python_values(x, name):
    label = f"{name}:{len(name):>3}"
    if label == "n:  1":
        return x * 2
    return x


@case([(i32(3), 7)])
def percent_and_format_methods(x, k):
    a = "%d-%s" % (k, "b")
    b = "{:04d}".format(k)
    if a == "7-b" and b == "0007":
        return x + k
    return x


@case([(i32(3), "a,b,c")])
def text_methods(x, text):
    for part in text.split(","):
        if part.upper() == "B":
            x = x * 10
        x = x + 1
    return x


@case([(i32(3), 2), (i32(3), 5)])
def python_membership(x, k):
    if k in (1, 2, 3) and k not in [7, 8]:
        return x
    return -x


@case([(i32(2), i32([1, 2, 3])), (i32(7), i32([1, 2, 3]))], superset="in over a tensor")
def membership_in_a_tensor(x, values):
    return x in values


@case([(i32(2), i32([1, 2, 3])), (i32(7), i32([1, 2, 3]))], superset="in over a tensor")
def no_membership_in_condition(x, values):
    if x not in values:
        return x * 100
    return x


@case([(i32(2),)])
def identity_comparisons(x):
    y = x
    return (x is y), (x is None), (x is not None)


@case(SIGNS)
def condition_expression_with_calls(x):
    if tf.abs(x) > 2 and not tf.square(x) == 4:
        return tf.square(x)
    return tf.abs(x) + 1


@case([(f32([1, -2, 3]),)])
def where_and_comparison(x):
    return tf.where(x > 0, x, tf.zeros([3]))


@case([(f32(3), i32(2))])
def cast_in_expression(x, k):
    return x * tf.cast(k, tf.float32) if k > 1 else x


@case([(i32(5),)])
def tuple_comparison_of_python_values(x):
    if (1, 2) < (1, 3) and [1] == [1]:
        return x
    return -x


@case([(i32(5),)])
def conditional_lambda(x):
    f = (lambda v: v + 1) if len("ab") == 2 else (lambda v: v - 1)
    return f(x)


@case([(i32([4, 5, 6]), i32(1))])
def index_expression(x, k):
    return x[k + 1] - x[k - 1] + x[-1]


@case([(boolean([True, False]),)])
def invert_vector(flags):
    return ~flags
