"""Branches and loops over int32, int64, float32, float64 and bool, and over several of them at once."""

from tests.autograph.corpus import boolean, case, f32, f64, i32, i64
from tests.autograph.framework import tf

NUMBERS = [i32(3), i64(3), f32(3), f64(3), i32(-2), i64(-2), f32(-2.5), f64(-2.5)]
INT64 = [(i64(5),), (i64(0),)]


@case([(v,) for v in NUMBERS])
def conditional_of_each_dtype(x):
    if x > 0:
        y = x * 2
    else:
        y = -x
    return y


@case([(v,) for v in NUMBERS])
def while_of_each_dtype(x):
    while x < 10:
        x = x + 4
    return x


@case([(v,) for v in NUMBERS])
def early_return_of_each_dtype(x):
    if x < 0:
        return x * x
    return x + 1


@case([(i32([1, 2]),), (i64([1, 2]),), (f32([1, 2]),), (f64([1, 2]),)])
def for_of_each_dtype(values):
    total = values[0] * 0
    for v in values:
        total = total * 3 + v
    return total


@case([(i32([1, 2]),), (i64([1, 2]),), (f32([1, 2]),), (f64([1, 2]),)])
def ternary_of_each_dtype(values):
    return values[0] if values[0] > values[1] else values[1]


@case([(v,) for v in NUMBERS])
def loop_over_a_python_range_of_each_dtype(x):
    for k in range(3):
        x = x + k
    return x


@case(INT64)
def int64_loop_counter(n):
    steps = 0
    while n > 0:
        n -= 2
        steps += 1
    return n, steps


@case([(i64(2**40),)])
def int64_beyond_int32(x):
    if x > 2**35:
        x = x + 2**36
    return x


@case([(f64(1.0),)])
def float64_keeps_its_precision(x):
    steps = 0
    while x > 1e-9:
        x = x / 8.0
        steps += 1
    return x, steps


@case([(f64(2.0), f64(1e-12))])
def newton_in_float64(x, tolerance):
    guess = x
    while abs(guess * guess - x) > tolerance:
        guess = (guess + x / guess) / 2.0
    return guess


@case([(i32(7), f32(0.5)), (i32(-7), f32(0.5))])
def int_decides_about_float(n, x):
    if n > 0:
        y = x + 1.0
    else:
        y = x - 1.0
    return y, n


@case([(f32(0.5), i32(7)), (f32(-0.5), i32(7))])
def float_decides_about_int(x, n):
    if x > 0.0:
        n = n // 2
    return n


@case([(i32(3), f32(1.5)), (i32(0), f32(1.5))])
def int_counts_float_accumulates(n, x):
    total = x * 0.0
    while n > 0:
        total += x
        n -= 1
    return total


@case([(i32(3),), (i32(0),)])
def cast_in_the_body(n):
    total = 0.0
    for i in tf.range(n):
        total += tf.cast(i, tf.float32) * 0.5
    return total


@case([(f32([0.2, 0.8, 0.6]),)])
def counts_with_a_cast_bool(values):
    count = 0
    for v in values:
        count += tf.cast(v > 0.5, tf.int32)
    return count


@case([(boolean(True),), (boolean(False),)])
def bool_as_loop_state(flag):
    steps = 0
    while not flag or steps < 2:
        flag = True
        steps += 1
    return flag, steps


@case([(boolean([True, False, True]),)])
def loop_over_a_bool_vector(flags):
    count = 0
    for flag in flags:
        if flag:
            count += 1
    return count


@case([(boolean([True, True]),), (boolean([True, False]),)])
def folds_bools_with_and(flags):
    result = True
    for flag in flags:
        result = result and flag
    return result


@case([(boolean([False, True]),), (boolean([False, False]),)])
def folds_bools_with_or(flags):
    result = False
    for flag in flags:
        result = flag or result
    return result


@case([(boolean([True, False, True, True]),)])
def parity_of_a_bool_vector(flags):
    odd = False
    for flag in flags:
        odd = odd != flag
    return odd


@case([(i64([5, 3, 9]),)])
def int64_maximum(values):
    best = values[0]
    for v in values:
        if v > best:
            best = v
    return best


@case([(i32(7), i32(2)), (i32(-7), i32(2))])
def true_division_gives_float64(a, b):
    if b > 1:
        y = a / b
    else:
        y = b / a
    return y


@case([(f32(1.5),), (f32(-1.5),)])
def int_from_float_in_branches(x):
    if x > 0:
        k = int(x)
    else:
        k = -int(x)
    return k + 1


@case([(i32(3),), (i32(-3),)])
def float_from_int_in_branches(x):
    if x > 0:
        y = float(x)
    else:
        y = 0.25
    return y


@case([(f32(2.0),), (f64(2.0),)])
def python_literals_follow_the_tensor(x):
    y = 0.5 * x + 1
    if y > 1.5:
        y = y - 1
    return y


@case([(f32("inf"),), (f32("-inf"),), (f32(1),)])
def infinities(x):
    if x > 1e30:
        return 1
    elif x < -1e30:
        return -1
    else:
        return 0


@case([(f32("nan"),), (f32(1),)])
def not_a_number_is_unequal_to_itself(x):
    if x != x:
        return 1.0
    return 2.0


@case([(np_value,) for np_value in (i32(-8), i64(-8), f32(-8.0))])
def floor_division_and_modulo_of_negatives(x):
    if x < 0:
        return x // 3, x % 3
    return x, x


@case([(f32(3.7), f64(3.7), i32(3), i64(3), boolean(True))])
def all_dtypes_through_one_conditional(a, b, c, d, e):
    if e:
        a, b, c, d = a + 1, b + 1, c + 1, d + 1
    return a, b, c, d, e


@case([(i32(2), f32(3.7), f64(3.7), i64(3), boolean(True)), (i32(0), f32(3.7), f64(3.7), i64(3), boolean(True))])
def all_dtypes_through_one_loop(n, a, b, c, e):
    while n > 0:
        a, b, c, e = a * 2, b / 2, c - 1, not e
        n -= 1
    return a, b, c, e
