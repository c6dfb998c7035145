"""`while` over tensors and over Python values: conditions, loop state, what is defined where."""

from tests.autograph.corpus import case, f32, i32, i64
from tests.autograph.framework import tf

COUNTS = [(i32(5),), (i32(1),), (i32(0),)]


@case(COUNTS)
def sums_down(n):
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total


@case(COUNTS)
def sums_up(n):
    i = 0
    total = 0
    while i < n:
        total = total + i
        i = i + 1
    return total, i


@case(COUNTS)
def factorial(n):
    product = 1
    while n > 1:
        product *= n
        n -= 1
    return product


@case([(i32(0),), (i32(1),), (i32(7),)])
def fibonacci(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n = n - 1
    return a


@case([(i32(48), i32(18)), (i32(7), i32(3)), (i32(5), i32(0))])
def greatest_common_divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@case([(i32(27),), (i32(1),), (i32(6),)])
def collatz_steps(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@case([(f32(2.0),), (f32(9.0),)])
def newton_square_root(x):
    guess = x
    while tf.abs(guess * guess - x) > 1e-3:
        guess = (guess + x / guess) / 2.0
    return guess


@case([(i32(2), i32(10)), (i32(3), i32(0)), (i32(5), i32(3))])
def power_by_squaring(base, exponent):
    result = 1
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base
        base = base * base
        exponent = exponent // 2
    return result


@case([(i64(1234),), (i64(9),), (i64(0),)])
def sums_digits(n):
    total = n * 0
    while n > 0:
        total += n % 10
        n //= 10
    return total


@case([(i32(120),), (i32(-7),)])
def reverses_digits(n):
    sign = 1
    if n < 0:
        sign = -1
        n = -n
    reverse = 0
    while n > 0:
        reverse = reverse * 10 + n % 10
        n = n // 10
    return sign * reverse


@case(COUNTS)
def condition_with_and(n):
    total = 0
    while n > 0 and total < 8:
        total += n
        n -= 1
    return total, n


@case(COUNTS)
def condition_with_or(n):
    steps = 0
    while n > 3 or steps < 2:
        n -= 1
        steps += 1
    return steps


@case(COUNTS)
def condition_with_not(n):
    steps = 0
    while not n <= 0:
        n -= 2
        steps += 1
    return steps


@case(COUNTS)
def chained_condition(n):
    steps = 0
    while 0 < n < 10:
        n = n * 2
        steps += 1
    return n, steps


@case([(i32(3),)])
def tensor_flag_in_condition(n):
    going = n > 0
    steps = 0
    while going:
        n -= 1
        steps += 1
        going = n > 0
    return steps


@case([(i32(3),)])
def condition_calls_a_function(n):
    def more(value):
        return value < 50

    while more(n):
        n = n * 3
    return n


@case([(i32(3), 4), (i32(3), 0)])
def python_counter_unrolls(x, times):
    while times > 0:
        x = x * 2
        times -= 1
    return x


@case([(i32(1),)])
def python_loop_inside_tensor_loop(n):
    while n < 100:
        k = 0
        while k < 3:
            n = n + k
            k += 1
    return n


@case([(i32(2),), (i32(0),)])
def tensor_loop_inside_python_loop(n):
    k = 0
    total = n * 0
    while k < 3:
        m = n
        while m > 0:
            total += m
            m -= 1
        k += 1
    return total


@case([(i32(4),), (i32(0),)])
def triangle_of_two_tensor_loops(n):
    total = 0
    i = 0
    while i < n:
        j = 0
        while j <= i:
            total += j
            j += 1
        i += 1
    return total


@case([(i32(3),), (i32(0),)])
def two_loops_in_sequence(n):
    a = 0
    while a < n:
        a += 2
    b = a
    while b < 10:
        b += a + 1
    return a, b


@case([(i32(3),), (i32(0),)])
def loop_never_entered_keeps_the_values(n):
    y = n + 7
    while y < n:
        y = y + 1
    return y


@case([(i32(3),)])
def name_first_set_in_the_loop(n):
    while n > 0:
        last = n * 10
        n -= 1
    return last


@case([(i32(3),), (i32(1),)])
def name_that_is_none_before_the_loop(n):
    last = None
    while n > 0:
        last = n * 10
        n -= 1
    return last


@case([(i32(3),)])
def temporary_of_the_body(n):
    total = 0
    while n > 0:
        square = n * n
        total += square
        n -= 1
    return total


@case([(f32([1, 2, 3]),), (f32([50, 60]),)])
def vector_doubles_until_large(x):
    while tf.reduce_sum(x) < 100.0:
        x = x * 2
    return x


@case([(f32([[1, 2], [3, 4]]),)])
def matrix_in_the_loop_state(m):
    steps = 0
    while m[0, 0] < 20.0:
        m = m + m[::-1]
        steps += 1
    return m, steps


@case([(i32([3, 1, 2]),), (i32([7]),)])
def indexes_with_the_counter(values):
    i = 0
    total = 0
    while i < len(values):
        total += values[i] * i
        i += 1
    return total


@case(
    [(i32([1, 3, 5, 7, 9]), i32(7)), (i32([1, 3, 5, 7, 9]), i32(4))], superset="Python condition that becomes a tensor"
)
def binary_search(values, wanted):
    low = 0
    high = len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@case([(i32(3),)])
def state_is_a_tuple(n):
    state = (0, 1)
    while n > 0:
        state = (state[1], state[0] + state[1])
        n -= 1
    return state


@case([(i32(3),)])
def state_is_a_dict(n):
    state = {"count": 0, "sum": 0}
    while n > 0:
        state = {"count": state["count"] + 1, "sum": state["sum"] + n}
        n -= 1
    return state


@case([(i32(3),)])
def state_is_a_list(n):
    state = [n, n]
    while n > 0:
        state = [state[1], state[0] + 1]
        n -= 1
    return state


@case([(i32(5),), (i32(0),)])
def swaps_roles_each_time(n):
    a, b = n, n * 10
    while n > 0:
        a, b = b, a
        n -= 1
    return a, b


@case([(i32(5),)])
def constant_in_the_loop_is_captured(n):
    step = n // 2
    total = 0
    while total < n * 3:
        total += step
    return total


@case([(i32(100),), (i32(1),)])
def halves(n):
    steps = 0
    while n > 1:
        n //= 2
        steps += 1
    return steps


@case([(f32(1.0),)])
def stops_when_it_no_longer_changes(x):
    old = x + 1.0
    steps = 0
    while tf.abs(old - x) > 0.01:
        old = x
        x = x * 0.5
        steps += 1
    return steps, x


@case([(i32(10),), (i32(11),)])
def smallest_divisor(n):
    d = 2
    while n % d != 0:
        d += 1
    return d


@case([(i32(3), i32(4)), (i32(4), i32(0))])
def multiplies_by_adding(a, b):
    product = a * 0
    while b > 0:
        product += a
        b -= 1
    return product


@case([(i32(0),), (i32(9),), (i32(15),)])
def integer_square_root(n):
    r = 0
    while (r + 1) * (r + 1) <= n:
        r += 1
    return r


@case([(i32(3),)])
def condition_uses_a_name_set_in_the_body(n):
    remaining = n * 4
    while remaining > n:
        remaining = remaining - 2
    return remaining


@case([(i32(4),), (i32(0),)], superset="while-else")
def while_else_runs_after_a_full_loop(n):
    total = 0
    while n > 0:
        total += n
        n -= 1
    else:
        total += 100
    return total


@case([(i32(4),), (i32(1),)], superset="while-else")
def while_else_is_skipped_by_break(n):
    found = 0
    while n > 0:
        if n == 3:
            found = 1
            break
        n -= 1
    else:
        found = -1
    return found, n


@case([(i32(1),)], superset="walrus in a loop condition")
def walrus_in_the_condition(x):
    while (y := x * x) < 30:
        x += 1
    return x, y


@case([(i32(1),), (i32(9),)], superset="while True with a tensor break")
def endless_loop_left_by_break(x):
    while True:
        x += 2
        if x > 7:
            break
    return x


@case([(i32(1),), (i32(9),)], superset="while True with a tensor return")
def endless_loop_left_by_return(x):
    while True:
        x += 2
        if x > 7:
            return x * 10


@case([(i32(1),)], superset="Python condition that becomes a tensor")
def python_flag_becomes_a_tensor(x):
    go = True
    while go:
        x += 3
        go = x < 20
    return x
