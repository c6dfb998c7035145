"""`break`, `continue` and early `return`, in all kinds of loops and branches."""

# ruff: noqa: B007, F821, RET504, SIM103, SIM110, SIM113  (programs as users write them)

from tests.autograph.corpus import case, f32, i32
from tests.autograph.framework import tf

COUNTS = [(i32(7),), (i32(2),), (i32(0),)]
SIGNS = [(i32(3),), (i32(0),), (i32(-3),)]


@case(COUNTS)
def break_in_while(n):
    total = 0
    while n > 0:
        if total > 10:
            break
        total += n
        n -= 1
    return total, n


@case(COUNTS)
def continue_in_while(n):
    total = 0
    while n > 0:
        n -= 1
        if n % 2 == 0:
            continue
        total += n
    return total


@case(COUNTS)
def break_in_tf_range(n):
    total = 0
    for i in tf.range(n):
        if i == 4:
            break
        total += i
    return total


@case(COUNTS)
def continue_in_tf_range(n):
    total = 0
    for i in tf.range(n):
        if i == 1:
            continue
        total += i
    return total


@case(COUNTS)
def break_and_continue_in_for(n):
    total = 0
    for i in tf.range(n):
        if i % 2 == 0:
            continue
        if i > 4:
            break
        total += i
    return total


@case(COUNTS)
def break_and_continue_in_while(n):
    i = 0
    total = 0
    while i < n:
        i += 1
        if i == 2:
            continue
        if i == 5:
            break
        total += i
    return i, total


@case([(i32([1, 2, 0, 3]),), (i32([0, 1]),), (i32([1]),)])
def stops_at_the_first_zero(values):
    total = 0
    for v in values:
        if v == 0:
            break
        total += v
    return total


@case([(i32([1, -2, 3]),), (i32([-1, -1]),)])
def skips_negative_elements(values):
    total = 0
    for v in values:
        if v < 0:
            continue
        total += v
    return total


@case([(i32([1, -2, 3]),)])
def two_continues(values):
    total = 0
    for v in values:
        if v < 0:
            continue
        total += 1
        if v > 2:
            continue
        total += 100
    return total


@case([(i32([1, 7, 3]),), (i32([1, 2]),)])
def break_in_else(values):
    count = 0
    for v in values:
        if v < 5:
            count += 1
        else:
            break
    return count


@case([(i32([1, 7, 3]),)])
def continue_in_else(values):
    total = 0
    for v in values:
        if v > 2:
            total += v
        else:
            continue
        total += 1
    return total


@case([(i32([1, 7, 3]),), (i32([9, 9]),)])
def break_in_nested_conditionals(values):
    total = 0
    for v in values:
        if v > 2:
            if v > 5:
                break
            total += 10
        total += v
    return total


@case([(i32([1, 7, 3]),)])
def break_first_thing(values):
    total = 0
    for v in values:
        break
    return total


@case([(i32([1, 7, 3]),)])
def continue_first_thing(values):
    total = 0
    for v in values:
        continue
        total += v
    return total


@case([(i32(4),), (i32(0),)])
def break_at_the_end_of_the_body(n):
    total = 0
    while n > 0:
        total += n
        n -= 1
        break
    return total


@case([(i32(5),)])
def break_of_the_inner_loop(n):
    total = 0
    for i in tf.range(n):
        for j in tf.range(n):
            if j > i:
                break
            total += j
    return total


@case([(i32(5),)])
def continue_of_the_inner_loop(n):
    total = 0
    for i in tf.range(n):
        for j in tf.range(n):
            if j == i:
                continue
            total += 1
    return total


@case([(i32(5),)])
def break_of_both_loops(n):
    total = 0
    done = False
    for i in tf.range(n):
        for j in tf.range(n):
            if i * j > 3:
                done = True
                break
            total += 1
        if done:
            break
    return total


@case([(i32(5),)])
def continue_outer_break_inner(n):
    total = 0
    while n > 0:
        n -= 1
        if n == 3:
            continue
        k = n
        while k > 0:
            k -= 2
            if k == 1:
                break
            total += k
    return total


@case([(i32(3),)])
def python_break_in_python_loop(x):
    for i in [1, 2, 3, 4]:
        if i == 3:
            break
        x = x * i
    return x


@case([(i32(3),)])
def python_continue_in_python_loop(x):
    for i in range(5):
        if i % 2:
            continue
        x = x + i
    return x


@case([(i32(3), 2), (i32(3), 9)])
def python_break_in_tensor_loop_body_of_python_values(x, limit):
    total = 0
    while x > 0:
        for k in range(5):
            if k == limit:
                break
            total += k
        x -= 1
    return total


@case(SIGNS)
def return_in_both_branches(x):
    if x > 0:
        return x * 2
    else:
        return -x


@case(SIGNS)
def return_in_main_then_fall_through(x):
    if x > 0:
        return x
    return x - 1


@case(SIGNS)
def return_in_else_then_fall_through(x):
    if x > 0:
        y = x * 5
    else:
        return x
    return y + 1


@case(SIGNS, superset="nested conditional that returns, then falls through")
def three_returns(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0


@case(SIGNS)
def returns_in_sequence(x):
    if x > 2:
        return x
    x = x + 10
    if x > 9:
        return x * 2
    x = x + 100
    return x


@case([(i32(v),) for v in (-5, 1, 5, 20)])
def nested_returns(x):
    if x > 0:
        if x > 10:
            return x
        if x > 3:
            return x * 100
        return x * 1000
    return -x


@case([(i32(v),) for v in (-5, 1, 5)])
def return_after_work_in_branches(x):
    y = x * x
    if x > 3:
        y += 1
        return y
    y += 2
    return y


@case(SIGNS)
def returns_tuples(x):
    if x > 0:
        return x, 1
    return -x, 0


@case(SIGNS)
def returns_dicts(x):
    if x > 0:
        return {"value": x, "sign": 1}
    return {"value": -x, "sign": -1}


@case(SIGNS)
def returns_bools(x):
    if x == 0:
        return True
    return False


@case([(i32(7),), (i32(2),), (i32(0),)], superset="return in a tensor loop")
def return_in_while_then_after(n):
    while n > 0:
        if n == 4:
            return n * 100
        n -= 1
    return n


@case([(i32(7),), (i32(2),), (i32(0),)], superset="return in a tensor loop")
def return_in_tf_range_then_after(n):
    total = 0
    for i in tf.range(n):
        total += i
        if total > 5:
            return total
    return -1


@case([(i32([1, 5, 9]), i32(5)), (i32([1, 5, 9]), i32(6))], superset="return in a tensor loop")
def linear_search(values, wanted):
    i = 0
    for v in values:
        if v == wanted:
            return i
        i += 1
    return -1


@case([(i32([1, 5, 9]),), (i32([-1, 2]),)], superset="return in a tensor loop")
def return_in_for_of_a_tuple(values):
    for v in values:
        if v > 4:
            return v, True
    return 0, False


@case([(i32([[1, 2], [3, 4]]), i32(3)), (i32([[1, 2], [3, 4]]), i32(8))], superset="return in a tensor loop")
def return_from_the_inner_loop(matrix, wanted):
    for row in matrix:
        for v in row:
            if v == wanted:
                return v * 10
    return 0


@case([(i32(5),), (i32(50),)], superset="return in a tensor loop")
def return_and_break(n):
    i = 0
    while i < n:
        i += 1
        if i == 30:
            break
        if i * i > 2 * n + 900:
            return -1
    return i


@case([(i32(5),), (i32(50),)], superset="return in a tensor loop")
def return_and_continue(n):
    i = 0
    total = 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        total += i
        if total > 100:
            return i
    return total


@case([(i32(9),), (i32(25),), (i32(29),)], superset="return in a tensor loop")
def is_prime(n):
    d = 2
    while d * d <= n:
        if n % d == 0:
            return False
        d += 1
    return True


@case([(i32([1, 2, 3]),), (i32([1, -2, 3]),)], superset="return in a tensor loop")
def all_positive_with_return(values):
    for v in values:
        if v <= 0:
            return False
    return True


@case([(i32(3), True), (i32(3), False)])
def python_return_skips_the_rest(x, early):
    if early:
        return x
    while x < 100:
        x *= 2
    return x


@case([(i32(3), 1), (i32(3), 7)])
def python_return_in_python_loop(x, stop):
    for k in range(5):
        if k == stop:
            return x
        x = x + k
    return -x


@case([(i32(3),), (i32(-3),)])
def return_in_one_branch_of_the_second_conditional(x):
    y = 0
    if x > 0:
        y = x
    if y > 1:
        return y
    else:
        y = y + 50
    return y


@case([(i32(3),), (i32(-3),)])
def code_after_return_is_dead(x):
    if x > 0:
        return x
        x = undefined_name
    return x + 1


@case([(f32([0.5, 3.0]),), (f32([0.5, 0.1]),)], superset="return in a tensor loop")
def return_depends_on_a_reduction(x):
    while tf.reduce_sum(x) < 100.0:
        if x[1] < x[0]:
            return x * 0.0
        x = x * 2.0
    return x


@case([(i32(2),), (i32(6),)], superset="return in a tensor loop")
def return_computed_from_loop_state(n):
    a, b = 1, 1
    for i in tf.range(10):
        if i == n:
            return a * 1000 + b
        a, b = b, a + b
    return a


@case([(i32(4),), (i32(40),)])
def break_keeps_values_set_before_it(n):
    last = 0
    for i in tf.range(n):
        last = i * 2
        if i > 10:
            last = -i
            break
        last += 1
    return last


@case([(i32(4),), (i32(40),)])
def condition_of_break_uses_name_of_the_body(n):
    total = 0
    while total < n:
        step = total // 2 + 1
        if step > 6:
            break
        total += step
    return total


@case([(i32(3),), (i32(-3),)])
def nothing_returned_from_a_call_with_side_work(x):
    box = [x]

    def bump():
        box[0] = box[0] + 1

    bump()
    bump()
    return box[0]


@case([(i32(1),), (i32(-1),)], superset="return in with and fall through")
def return_inside_with(x):
    with tf.name_scope("scope"):
        if x > 0:
            return x * 10
    return -x


@case([(i32(1),), (i32(-1),)])
def return_inside_try(x):
    try:
        if x > 0:
            return x * 10
        else:
            return x
    finally:
        x = 0


@case([(i32(12),), (i32(-4),)], superset="return in a tensor loop")
def return_as_the_last_statement_of_a_loop(x):
    while x > 0:
        x -= 3
        return x * 10
    return x
