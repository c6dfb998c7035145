"""`if`, `elif`, `else` on tensors and on Python values, alone, in sequence and nested."""

# ruff: noqa: F821, F841  (programs as users write them)

from tests.autograph.corpus import boolean, case, f32, i32
from tests.autograph.framework import tf

SIGNS = [(i32(3),), (i32(0),), (i32(-3),)]
PAIRS = [(i32(1), i32(2)), (i32(2), i32(1)), (i32(2), i32(2))]


@case(SIGNS)
def assigns_in_both_branches(x):
    if x > 0:
        y = x * 2
    else:
        y = -x
    return y


@case(SIGNS)
def assigns_before_and_in_one_branch(x):
    y = x
    if x > 0:
        y = x + 10
    return y


@case(SIGNS)
def changes_its_argument(x):
    if x > 0:
        x = x - 1
    return x


@case(SIGNS)
def else_only_changes(x):
    y = 1
    if x > 0:
        pass
    else:
        y = 2
    return y + x


@case(SIGNS)
def three_arms(x):
    if x > 0:
        y = 1
    elif x < 0:
        y = -1
    else:
        y = 0
    return y


@case([(i32(v),) for v in (95, 85, 75, 10)])
def grades(score):
    if score >= 90:
        grade = 4
    elif score >= 80:
        grade = 3
    elif score >= 70:
        grade = 2
    else:
        grade = 0
    return grade


@case(SIGNS)
def elif_without_else(x):
    y = x * 0
    if x > 2:
        y = x
    elif x == 0:
        y = x + 7
    return y


@case(PAIRS)
def nested_in_main_branch(a, b):
    if a > 0:
        if b > 1:
            y = a
        else:
            y = b
    else:
        y = a + b
    return y


@case([*PAIRS, (i32(-1), i32(4)), (i32(-1), i32(-4))])
def nested_in_both_branches(a, b):
    if a > 0:
        if b > a:
            y = b - a
        else:
            y = a - b
    else:
        if b > 0:
            y = b * 10
        else:
            y = b * 100
    return y


@case([(i32(v),) for v in (1, 2, 3, 4, 5)])
def four_levels_deep(x):
    y = 0
    if x > 1:
        y += 1
        if x > 2:
            y += 10
            if x > 3:
                y += 100
                if x > 4:
                    y += 1000
    return y


@case(PAIRS)
def two_conditionals_in_sequence(a, b):
    if a > b:
        c = a
    else:
        c = b
    if c > 1:
        c = c * c
    return c


@case(PAIRS)
def swaps(a, b):
    if a < b:
        a, b = b, a
    return a, b


@case(PAIRS)
def several_names_at_once(a, b):
    if a == b:
        low, high, same = a, b, True
    elif a < b:
        low, high, same = a, b, False
    else:
        low, high, same = b, a, False
    return low, high, same


@case([(boolean(True),), (boolean(False),)])
def condition_is_the_tensor_itself(flag):
    if flag:
        y = 1.5
    else:
        y = 2.5
    return y


@case([(boolean(True),), (boolean(False),)])
def negated_condition(flag):
    if not flag:
        y = 1
    else:
        y = 0
    return y


@case([(i32(3), True), (i32(3), False), (i32(-3), True)])
def python_condition_around_tensor_condition(x, double):
    if double:
        if x > 0:
            x = x * 2
    else:
        x = x + 100
    return x


@case([(i32(3), True), (i32(3), False), (i32(-3), True), (i32(-3), False)])
def tensor_condition_around_python_condition(x, double):
    if x > 0:
        if double:
            y = x * 2
        else:
            y = x * 3
    else:
        y = x
    return y


@case([(i32(3), None), (i32(3), i32(4))])
def optional_argument_is_none(x, bias):
    if bias is None:
        return x
    return x + bias


@case([(i32(3), "add"), (i32(3), "mul"), (i32(3), "other")])
def chosen_by_text(x, kind):
    if kind == "add":
        y = x + x
    elif kind == "mul":
        y = x * x
    else:
        y = x
    return y


@case([(f32([1, 2]),), (f32([-1, -2]),)])
def vector_by_its_sum(x):
    if tf.reduce_sum(x) > 0:
        y = x * 2
    else:
        y = x - 1
    return y


@case([(f32([1, 2, 3]),), (f32([3, 2, 1]),)])
def condition_on_an_element(x):
    if x[0] < x[2]:
        return x[0]
    else:
        return x[1]


@case([(f32([[1, 2], [3, 4]]),), (f32([[9, 2], [3, 4]]),)])
def condition_on_a_matrix_element(m):
    if m[0, 0] > m[1][1]:
        y = m[0]
    else:
        y = m[:, 1]
    return y


@case(SIGNS)
def branch_reads_what_the_other_writes(x):
    y = x + 1
    z = x + 2
    if x > 0:
        y = z
    else:
        z = y
    return y, z


@case(SIGNS)
def temporary_in_one_branch_is_local(x):
    if x > 0:
        temporary = x * 3
        y = temporary + 1
    else:
        y = x
    return y


@case(SIGNS)
def name_unused_afterwards_may_be_set_in_one_branch(x):
    if x > 0:
        unused = x * 3
    return x


@case(SIGNS)
def empty_branches(x):
    if x > 0:
        pass
    else:
        pass
    return x


@case(SIGNS)
def branch_with_only_an_expression(x):
    if x > 0:
        x + 1
    return x


@case(PAIRS)
def condition_computed_before(a, b):
    bigger = a > b
    a = a + 5
    if bigger:
        return a
    return b


@case(PAIRS)
def condition_is_a_call(a, b):
    def close(u, v):
        return tf.abs(u - v) < 1

    if close(a, b):
        return a * 100
    return a - b


@case(SIGNS)
def assigns_a_tuple(x):
    if x > 0:
        pair = (x, x + 1)
    else:
        pair = (-x, x)
    first, second = pair
    return first * 10 + second


@case(SIGNS)
def assigns_a_list(x):
    if x > 0:
        values = [x, x + 1, 3]
    else:
        values = [0, x, x]
    return values


@case(SIGNS)
def assigns_a_dict(x):
    if x > 0:
        table = {"a": x, "b": x + 1}
    else:
        table = {"a": -x, "b": x}
    return table["a"] * 10 + table["b"]


@case(SIGNS)
def assigns_nested_structures(x):
    if x > 0:
        tree = {"pair": (x, [x, x]), "n": 1}
    else:
        tree = {"pair": (x + 1, [x + 2, x + 3]), "n": 2}
    return tree


@case(SIGNS)
def python_number_in_one_branch(x):
    if x > 0:
        y = x
    else:
        y = 0
    return y


@case(SIGNS)
def python_bool_in_both_branches(x):
    if x > 0:
        positive = True
    else:
        positive = False
    return positive


@case(SIGNS)
def flag_used_by_a_later_condition(x):
    found = False
    if x == 0:
        found = True
    if found:
        x = x + 42
    return x


@case([(f32(0.5),), (f32(-0.5),), (f32(2.0),)])
def clamps(x):
    if x < 0.0:
        x = x * 0.0
    if x > 1.0:
        x = x / x
    return x


@case([(f32([1, -2, 3]), i32(0)), (f32([1, -2, 3]), i32(1)), (f32([1, -2, 3]), i32(2))])
def condition_by_a_tensor_index(values, index):
    if values[index] > 0:
        y = values[index]
    else:
        y = -values[index]
    return y


@case([(i32([1, 2, 3]),), (i32([1, 2]),)])
def static_shape_decides(x):
    if x.shape[0] == 3:
        return x[2]
    return x[0]


@case([(i32(3),), (f32(3),)])
def dtype_decides(x):
    if x.dtype == i32(0).dtype:
        return x + 1
    return x * 2


@case(SIGNS)
def constant_true_condition(x):
    if True:
        y = x + 1
    else:
        y = undefined_name
    return y


@case(SIGNS)
def constant_tensor_condition(x):
    if tf.constant(True):
        y = x + 1
    else:
        y = x + 2
    return y


@case([(f32([1.0, 2.0]),), (f32([2.0, 1.0, 0.5]),)])
def branches_of_the_same_shape_from_different_ops(x):
    if x[0] < x[1]:
        y = tf.square(x)
    else:
        y = tf.zeros(x.shape) + 1.0
    return y


@case([(i32(4), i32(1)), (i32(4), i32(0))])
def division_only_where_it_is_safe(a, b):
    if b != 0:
        y = a // b
    else:
        y = -1
    return y


@case([(i32(2), i32(3), i32(4)), (i32(4), i32(3), i32(2)), (i32(3), i32(4), i32(2))])
def largest_of_three(a, b, c):
    largest = a
    if b > largest:
        largest = b
    if c > largest:
        largest = c
    return largest


@case([(i32(2), i32(3), i32(4)), (i32(4), i32(3), i32(2)), (i32(3), i32(4), i32(2))])
def sorts_three(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return [a, b, c]


@case([(i32(v),) for v in (1900, 2000, 2023, 2024)])
def leap_year(year):
    if year % 400 == 0:
        leap = True
    elif year % 100 == 0:
        leap = False
    elif year % 4 == 0:
        leap = True
    else:
        leap = False
    return leap


@case([(f32(1), f32(1)), (f32(-1), f32(1)), (f32(-1), f32(-1)), (f32(1), f32(-1))])
def quadrant(x, y):
    if x > 0:
        if y > 0:
            q = 1
        else:
            q = 4
    else:
        if y > 0:
            q = 2
        else:
            q = 3
    return q
