"""Crossings: composite symbols x loops x early exits x dtypes, one function for each kind of meeting."""

# ruff: noqa: RET504, RET508, SIM201  (programs as users write them)

from tests.autograph.corpus import boolean, case, f32, f64, i32, i64
from tests.autograph.framework import tf

COUNTS = [(i32(6),), (i32(2),), (i32(0),)]


class Meter:
    """An object with a reading and a list of totals."""

    def __init__(self, reading, totals=None):
        self.reading = reading
        self.totals = totals
        self.limit = 10

    def over(self):
        return self.reading > self.limit

    def advance(self, amount):
        if self.over():
            return self.reading
        return self.reading + amount


@case([(i64(6),), (i64(0),)])
def attribute_while_break_int64(n):
    meter = Meter(n * 0)
    while n > 0:
        meter.reading += n
        if meter.reading > 12:
            break
        n -= 1
    return meter.reading, n


@case([(f32(0.5), i32(6)), (f32(4.0), i32(6))])
def attribute_for_break_float32(step, n):
    meter = Meter(step * 0.0)
    for _ in tf.range(n):
        meter.reading = meter.reading + step
        if meter.over():
            break
    return meter.reading


@case([(f64(0.5), i32(6)), (f64(4.0), i32(6))])
def entry_for_continue_float64(step, n):
    table = {"sum": step * 0.0, "skipped": 0}
    for i in tf.range(n):
        if i % 3 == 1:
            table["skipped"] += 1
            continue
        table["sum"] += step
    return table


@case(COUNTS)
def element_while_continue_and_break(n):
    totals = [0, 0, 0]
    while n > 0:
        n -= 1
        if n == 4:
            totals[2] += 1
            continue
        totals[0] += n
        if totals[0] > 7:
            totals[1] = n
            break
    return totals


@case([(boolean([True, False, True]),), (boolean([False, False, False]),)])
def bool_attribute_in_for_with_break(flags):
    meter = Meter(False)
    count = 0
    for flag in flags:
        meter.reading = flag or meter.reading
        count += 1
        if meter.reading:
            break
    return meter.reading, count


@case(COUNTS)
def method_with_return_in_a_tensor_loop(n):
    meter = Meter(0)
    for i in tf.range(n):
        meter.reading = meter.advance(i * 2)
    return meter.reading


@case(COUNTS)
def method_with_condition_as_loop_test(n):
    meter = Meter(n)
    steps = 0
    while not meter.over():
        meter.reading = meter.reading + 3
        steps += 1
    return meter.reading, steps


@case(COUNTS)
def object_in_a_dict_with_early_return(n):
    meters = {"a": Meter(n), "b": Meter(0)}
    if meters["a"].reading > 3:
        meters["b"].reading = meters["a"].reading * 2
        return meters["b"].reading
    meters["a"].reading += 1
    return meters["a"].reading


@case(COUNTS)
def list_of_objects_updated_in_python_loop(n):
    meters = [Meter(n), Meter(n + 1), Meter(-n)]
    for meter in meters:
        if meter.reading > 2:
            meter.reading = meter.reading * 10
    return [meter.reading for meter in meters]


@case(COUNTS)
def totals_list_of_an_object_in_nested_loops(n):
    meter = Meter(0, [0, 0])
    for i in tf.range(n):
        j = i
        while j > 0:
            if j % 2 == 0:
                meter.totals[0] += j
            else:
                meter.totals[1] += j
            j -= 1
    return meter.totals


@case(COUNTS)
def inner_break_sets_an_attribute(n):
    meter = Meter(0)
    for i in tf.range(n):
        for j in tf.range(4):
            if i * j > 5:
                meter.reading += 1
                break
    return meter.reading


@case(COUNTS)
def outer_break_decided_by_an_entry(n):
    state = {"stop": False, "count": 0}
    for i in tf.range(n):
        for _ in (1, 2):
            state["count"] += 1
        if i == 3:
            state["stop"] = True
        if state["stop"]:
            break
    return state["count"], state["stop"]


@case([(f32([1, -2, 3]),), (f32([-1, -2, -3]),)])
def vector_state_changed_in_branches_of_a_loop(x):
    positive, negative = tf.zeros([3]), tf.zeros([3])
    for v in x:
        if v > 0:
            positive = positive + v
        else:
            negative = negative + v
    return positive, negative


@case([(i32(5), f32(2.0)), (i32(0), f32(2.0))])
def tuple_state_of_mixed_dtypes_with_break(n, x):
    state = (n, x, True)
    while state[0] > 0:
        state = (state[0] - 1, state[1] * 1.5, not state[2])
        if state[1] > 6.0:
            break
    return state


@case([(i32(5), i64(2)), (i32(1), i64(2))])
def nested_dict_state_of_mixed_dtypes(n, x):
    state = {"count": n, "inner": {"value": x, "even": True}}
    while state["count"] > 0:
        state["inner"]["value"] = state["inner"]["value"] * 3
        state["inner"]["even"] = not state["inner"]["even"]
        state["count"] = state["count"] - 1
    return state["inner"]["value"], state["inner"]["even"]


@case([(i32(7), True), (i32(7), False), (i32(1), True)])
def python_flag_selects_the_kind_of_exit(n, stop):
    total = 0
    while n > 0:
        n -= 1
        if n % 2 == 0:
            if stop:
                break
            else:
                continue
        total += n
    return total, n


@case([(i32(4), [1, 2, 3]), (i32(4), [])])
def python_list_of_steps_with_tensor_loops(n, steps):
    total = 0
    for step in steps:
        if step == 2:
            continue
        i = 0 * n
        while i < n:
            total += step
            i += step
    return total


@case(COUNTS)
def ternary_and_logic_in_loop_state(n):
    low, high = 0, 0
    for i in tf.range(n):
        low = i if i < 2 or i == 4 else low
        high = high + 1 if i > 1 and not i == 3 else high
    return low, high


@case(COUNTS)
def closure_called_in_loop_with_break(n):
    scale = 3

    def grown(value, i):
        if i % 2 == 0:
            return value + scale
        return value - 1

    value = 0
    for i in tf.range(n):
        value = grown(value, i)
        if value > 6:
            break
    return value


@case(COUNTS)
def lambda_chosen_in_loop(n):
    value = 1
    for i in tf.range(n):
        for step in (lambda v: v + 1, lambda w: w * 2):
            value = step(value)
        if i > 2:
            continue
        value -= 1
    return value


@case([(i32(6),), (i32(1),)])
def try_finally_with_continue_in_loop(n):
    total, entered = 0, 0
    while n > 0:
        n -= 1
        try:
            entered += 1
            if n == 3:
                total += 100
            else:
                total += n
        finally:
            total += 1
    return total, entered


@case(COUNTS)
def with_block_and_break(n):
    total = 0
    for i in tf.range(n):
        with tf.name_scope("step"):
            total += i
            if total > 5:
                total += 100
        if total > 50:
            break
    return total


@case([(i32([3, 0, 2]), f32([0.5, 1.5, 2.5])), (i32([0, 0, 0]), f32([0.5, 1.5, 2.5]))])
def two_vectors_of_different_dtypes(counts, weights):
    total = 0.0
    used = 0
    for i in tf.range(3):
        if counts[i] == 0:
            continue
        k = counts[i]
        while k > 0:
            total += weights[i]
            k -= 1
        used += 1
    return total, used


@case([(i32([[1, 2], [3, 4]]), i32(5)), (i32([[1, 2], [3, 4]]), i32(100))])
def matrix_scan_with_flag_and_two_breaks(m, limit):
    total = 0
    stopped = False
    for row in m:
        for v in row:
            total += v
            if total > limit:
                stopped = True
                break
        if stopped:
            break
    return total, stopped


@case([(f32([[1, 2], [3, 4]]),), (f32([[-1, 2], [3, 4]]),)])
def row_state_and_conditional_over_rows(m):
    last = m[0]
    changes = 0
    for row in m:
        if row[0] > last[0]:
            last = row
            changes += 1
        elif row[0] < 0.0:
            last = -row
    return last, changes


@case([(i32(3), i32(4)), (i32(0), i32(4)), (i32(3), i32(0))])
def three_loops_of_three_kinds(n, m):
    total = 0
    for factor in [1, 10]:
        for i in tf.range(n):
            k = m
            while k > 1:
                k -= 2
                if i == k:
                    continue
                total += factor * i
    return total


@case([(i32(10),), (i32(3),)])
def sequence_of_loops_sharing_state(n):
    box = Meter(0)
    for i in tf.range(n):
        if i > 4:
            break
        box.reading += i
    while box.reading > 3:
        box.reading -= 2
    for i in range(n):
        box.reading += i % 2
    return box.reading


@case([(i32(5),), (i32(2),)])
def name_set_in_both_branches_of_a_loop_only(n):
    total = 0
    while n > 0:
        if n > 3:
            weight = n * 2
        else:
            weight = 1
        total += weight
        n -= 1
    return total


@case([(i32(5),), (i32(2),)])
def name_of_the_loop_shadowed_after_it(n):
    i = 100
    total = i
    for i in tf.range(n):
        total += i
    i = total + n
    return i


@case([(i32(5),), (i32(-5),)])
def argument_attribute_and_local_share_a_name(value):
    meter = Meter(value)
    if value > 0:
        meter.value = value + 1
        value = meter.value * 2
    else:
        meter.value = value
    return value, meter.value


@case([({"a": i32(2), "b": [f32(1.0), f32([1, 2])]},), ({"a": i32(0), "b": [f32(1.0), f32([1, 2])]},)])
def structured_argument_through_loop_and_branch(tree):
    n, (x, v) = tree["a"], tree["b"]
    while n > 0:
        if x > 1.5:
            v = v * x
        else:
            x = x + 1.0
        n -= 1
    return {"x": x, "v": [v, n]}


@case([(i32(4), i32(2)), (i32(4), i32(9))], superset="return in a tensor loop")
def return_of_an_attribute_from_a_loop(n, wanted):
    meter = Meter(0)
    for i in tf.range(n):
        meter.reading += i
        if i == wanted:
            return meter.reading * 100
    return meter.reading


@case([(i32(4),), (i32(40),)], superset="return in a tensor loop")
def return_from_two_levels_with_continue(n):
    total = 0
    for i in tf.range(n):
        if i % 2 == 0:
            continue
        for j in tf.range(i):
            if i * j > 30:
                return total, j
            total += j
    return total, -1


@case([(i32([4, 8, 15]), i32(8)), (i32([4, 8, 15]), i32(3))], superset="for-else with a return in a tensor loop")
def for_else_with_return(values, wanted):
    for v in values:
        if v == wanted:
            return v * 10
        if v > 10:
            break
    else:
        return -2
    return -1


@case([(i32(3),), (i32(8),)], superset="list.append in a tensor loop with break", no_xla="the length is dynamic")
def list_append_with_break(n):
    values = []
    for i in tf.range(n):
        if i > 4:
            break
        values.append(i * i)
    return tf.stack(values)


@case([(i32([1, 2, 3, 4]), i32(3)), (i32([1, 2, 3, 4]), i32(9))], superset="walrus in a tensor loop")
def walrus_in_the_body_with_break(values, limit):
    total = 0
    for v in values:
        if (total := total + v) > limit:
            break
    return total


@case([(i32([1, 2, 3]), i32([2, 3]))], superset="in over a tensor")
def membership_counted_in_a_loop(values, wanted):
    count = 0
    for v in values:
        if v in wanted:
            count += 1
    return count


@case([(i32([5, 1, 4]),)], superset="enumerate over a tensor with break")
def enumerate_with_break(values):
    where = -1
    for i, v in enumerate(values):
        if v < 3:
            where = i
            break
    return where


@case([(i32([5, 1, 4]), i32([1, 1, 9]))], superset="zip over tensors with continue")
def zip_with_continue(a, b):
    total = 0
    for u, v in zip(a, b):
        if u == v:
            continue
        total += u * v
    return total
