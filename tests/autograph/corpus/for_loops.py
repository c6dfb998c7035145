"""`for` over tensors, `tf.range`, `range` of a tensor, Python lists and other iterables."""

# ruff: noqa: B007, SIM113  (programs as users write them)

from tests.autograph.corpus import case, f32, i32, i64
from tests.autograph.framework import tf

COUNTS = [(i32(4),), (i32(1),), (i32(0),)]
VECTORS = [(i32([3, 1, 2]),), (i32([5]),)]


@case(COUNTS)
def sums_tf_range(n):
    total = 0
    for i in tf.range(n):
        total += i
    return total


@case([(i32(2), i32(6)), (i32(6), i32(7))])
def tf_range_with_start(start, stop):
    total = 0
    for i in tf.range(start, stop):
        total = total * 2 + i
    return total


@case([(i32(1), i32(10), i32(3)), (i32(10), i32(1), i32(-4))])
def tf_range_with_step(start, stop, step):
    total = 0
    count = 0
    for i in tf.range(start, stop, step):
        total += i
        count += 1
    return total, count


@case([(i32(3),)])
def tf_range_counting_down(n):
    digits = 0
    for i in tf.range(n, 0, -1):
        digits = digits * 10 + i
    return digits


@case([(i64(4),)])
def tf_range_of_int64(n):
    total = n * 0
    for i in tf.range(n):
        total += i
    return total


@case([(f32(1.0),)])
def tf_range_of_floats(stop):
    total = 0.0
    for v in tf.range(0.0, stop, 0.25):
        total += v
    return total


@case(COUNTS)
def range_of_a_tensor(n):
    total = 0
    for i in range(n):
        total += i
    return total


@case([(i32(2), i32(9))])
def range_of_tensors_with_step(a, b):
    total = 0
    for i in range(a, b, 2):
        total = total + i * i
    return total


@case([(i32(3),)])
def range_from_python_to_tensor(n):
    total = 0
    for i in range(1, n + 1):
        total += i
    return total


@case([(i32(3), 4), (i32(3), 0)])
def range_of_a_python_number(x, times):
    for _ in range(times):
        x = x + x
    return x


@case(VECTORS)
def sums_a_vector(values):
    total = 0
    for v in values:
        total += v
    return total


@case([(f32([1.5, 2.5]),), (f32([-1, 0, 1]),)])
def product_of_a_vector(values):
    product = 1.0
    for v in values:
        product = product * v
    return product


@case([(f32([[1, 2], [3, 4], [5, 6]]),)])
def sums_rows_of_a_matrix(matrix):
    total = tf.zeros([2])
    for row in matrix:
        total = total + row
    return total


@case([(i32([[1, 2], [3, 4]]),)])
def rows_and_elements(matrix):
    total = 0
    for row in matrix:
        for v in row:
            total = total * 3 + v
    return total


@case([(i32([[[1, 2]], [[3, 4]]]),)])
def three_dimensions(cube):
    total = 0
    for plane in cube:
        for row in plane:
            total += row[0] * row[1]
    return total


@case(VECTORS)
def largest_element(values):
    largest = values[0]
    for v in values:
        if v > largest:
            largest = v
    return largest


@case([(i32([3, 1, 2, 5]),), (i32([1]),)])
def position_of_the_smallest(values):
    best = values[0]
    where = 0
    i = 0
    for v in values:
        if v < best:
            best = v
            where = i
        i += 1
    return where


@case([(i32([1, 2, 3, 4, 5]),)])
def counts_even_elements(values):
    count = 0
    for v in values:
        if v % 2 == 0:
            count += 1
    return count


@case([(i32([1, 2, 3, 4, 5]),)])
def sums_even_and_odd(values):
    even, odd = 0, 0
    for v in values:
        if v % 2 == 0:
            even += v
        else:
            odd += v
    return even, odd


@case([(f32([1, 2, 3]), f32(2.0))])
def evaluates_a_polynomial(coefficients, x):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


@case([(f32([1, 2, 3]), f32([4, 5, 6]))])
def dot_product_by_index(a, b):
    total = 0.0
    for i in tf.range(3):
        total += a[i] * b[i]
    return total


@case([(f32([1, 2, 3]),)])
def range_of_len(values):
    total = 0.0
    for i in range(len(values)):
        total = total + values[i] * 2.0
    return total


@case([(f32([1, 2, 3, 4]),)])
def tf_range_of_len(values):
    total = 0.0
    for i in tf.range(len(values) - 1):
        total += tf.abs(values[i + 1] - values[i])
    return total


@case([(f32([1, 2, 3, 4]),)])
def range_of_static_shape(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i] * i
    return total


@case([(i32([1, 2, 3]),)])
def loop_variable_read_after_tensor_loop(values):
    v = 0
    for v in values:
        pass
    return v


@case([(i32(4),)])
def loop_variable_of_tf_range_read_after(n):
    i = -1
    for i in tf.range(n):
        pass
    return i


@case([(i32(3),), (i32(0),)])
def loop_that_ignores_its_variable(n):
    x = 1
    for _ in tf.range(n):
        x = x * 2
    return x


@case([(i32([1, 2, 3]),)])
def loop_variable_changed_in_the_body(values):
    total = 0
    for v in values:
        v = v * v
        total += v
    return total


@case([(i32([1, 2, 3, 4]),)])
def remembers_the_previous_element(values):
    previous = 0
    total = 0
    for v in values:
        total += v * previous
        previous = v
    return total


@case([(i32([1, 2, 3]),)])
def loop_over_a_slice(values):
    total = 0
    for v in values[1:]:
        total += v
    return total


@case([(i32([1, 2, 3]),)])
def loop_over_a_reversed_slice(values):
    total = 0
    for v in values[::-1]:
        total = total * 10 + v
    return total


@case([(i32([1, 2, 3]),)])
def loop_over_an_expression(values):
    total = 0
    for v in values * 2 + 1:
        total += v
    return total


@case([(i32(3),)])
def loop_over_the_result_of_a_call(n):
    def numbers(limit):
        return tf.range(limit) * 2

    total = 0
    for v in numbers(n):
        total += v
    return total


@case([(i32(3),)])
def python_list_of_numbers(x):
    for factor in [2, 3, 5]:
        x = x * factor
    return x


@case([(i32(3), i32(4), i32(5))])
def python_list_of_tensors(a, b, c):
    total = 0
    for v in [a, b, c]:
        total = total * 10 + v
    return total


@case([(i32(3),)])
def tuple_of_mixed_values(x):
    total = 0
    for v in (x, 1, x + 1):
        total += v
    return total


@case([(i32(3),)])
def python_list_of_pairs(x):
    for factor, offset in [(2, 1), (3, 0)]:
        x = x * factor + offset
    return x


@case([(i32(3),)])
def dict_items(x):
    table = {"a": 1, "b": x}
    total = 0
    for key, value in table.items():
        if key == "a":
            total += value
        else:
            total += value * 10
    return total


@case([(i32(3),)])
def dict_keys(x):
    table = {"a": x, "b": 2}
    total = 0
    for key in table:
        total = total * 10 + table[key]
    return total


@case([(i32(3),)])
def text_as_iterable(x):
    for letter in "ab":
        if letter == "a":
            x = x + 1
        else:
            x = x * 2
    return x


@case([(i32(3),)])
def empty_python_list(x):
    for _ in []:
        x = x + 1
    return x


@case([(i32(3),)])
def python_generator(x):
    def powers(limit):
        p = 1
        while p < limit:
            yield p
            p *= 2

    for p in powers(10):
        x = x + p
    return x


@case([(i32(3),)])
def user_defined_iterator(x):
    class Countdown:
        def __init__(self, start):
            self.left = start

        def __iter__(self):
            return self

        def __next__(self):
            if self.left == 0:
                raise StopIteration
            self.left -= 1
            return self.left

    total = x
    for k in Countdown(4):
        total = total * 2 + k
    return total


@case([(i32(3),), (i32(0),)])
def tensor_loop_in_python_loop(n):
    total = 0
    for factor in (1, 10):
        for i in tf.range(n):
            total += i * factor
    return total


@case([(i32(3),), (i32(0),)])
def python_loop_in_tensor_loop(n):
    total = 0
    for i in tf.range(n):
        for factor in (1, 10):
            total = total + i * factor
    return total


@case([(i32(4),), (i32(0),)], superset_xla="a range whose limit is known only inside a loop")
def inner_range_depends_on_outer(n):
    total = 0
    for i in tf.range(n):
        for j in tf.range(i):
            total += i * 10 + j
    return total


@case([(i32(4),)])
def while_inside_for(n):
    total = 0
    for i in tf.range(n):
        k = i
        while k > 0:
            total += k
            k -= 1
    return total


@case([(i32(3),)], superset_xla="a range whose limit is known only inside a loop")
def for_inside_while(n):
    total = 0
    while n > 0:
        for i in tf.range(n):
            total += i
        n -= 1
    return total


@case([(i32(6),)])
def fibonacci_in_a_for(n):
    a, b = 0, 1
    for _ in tf.range(n):
        a, b = b, a + b
    return a, b


@case([(f32([1, 2, 3]),)])
def running_mean(values):
    mean = 0.0
    count = 0.0
    for v in values:
        count += 1.0
        mean += (v - mean) / count
    return mean


@case([(f32([3, 1, 2]),)])
def pair_of_states(values):
    low, high = values[0], values[0]
    for v in values:
        low = -tf.maximum(-low, -v)
        high = tf.maximum(high, v)
    return low, high


@case([(i32([1, 2]), i32([3, 4]))])
def loop_over_one_of_two(a, b):
    total = 0
    for v in a if len(a) > 5 else b:
        total += v
    return total


@case([(i32([1, 2, 3]),)], superset="for-else over a tensor")
def for_else_runs_after_a_full_loop(values):
    total = 0
    for v in values:
        total += v
    else:
        total *= 10
    return total


@case([(i32([1, 2, 3]),), (i32([4, 5, 6]),)], superset="for-else over a tensor")
def for_else_is_skipped_by_break(values):
    found = 0
    for v in values:
        if v == 2:
            found = v
            break
    else:
        found = -1
    return found


@case([(i32(1),), (i32(30),)], superset="Python range with a tensor break")
def python_range_left_by_a_tensor(x):
    for i in range(10):
        x += i
        if x > 12:
            break
    return x


@case([(i32(1),), (i32(4),), (i32(9),)], superset="Python list with a tensor return")
def python_list_left_by_a_return(x):
    for i in [2, 5, 7]:
        if x < i:
            return i
    return x


@case([(i32([1, 2, 3]),)])
def starred_rows(values):
    total = 0
    for first, *rest in [(1, 2, 3), (4, 5)]:
        total += first + len(rest)
    return values * total
