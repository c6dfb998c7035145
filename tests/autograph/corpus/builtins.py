"""Python's builtins over tensors: those that AutoGraph converts, and those that only work here."""

# ruff: noqa: C408, C410, C417, UP003  (programs as users write them)

from tests.autograph.corpus import boolean, case, f32, i32
from tests.autograph.framework import tf

SIGNS = [(i32(3),), (i32(0),), (i32(-3),)]
VECTORS = [(i32([3, 1, 2]),), (i32([7, 7, 0]),)]


@case(SIGNS)
def abs_of_a_scalar(x):
    return abs(x)


@case([(f32([-1.5, 2.0]),)])
def abs_of_a_vector(x):
    return abs(x) + 1.0


@case([(i32([1, 2, 3]),), (i32([[1], [2]]),)])
def len_of_a_tensor(x):
    return len(x)


@case([(i32([1, 2, 3]),)])
def len_in_arithmetic(x):
    return len(x) * 2 - 1


@case([(i32([1, 2, 3]),)])
def len_in_condition(x):
    if len(x) > 2:
        return x[2]
    return x[0]


@case([(i32(3), [1, 2])])
def len_of_a_python_list(x, values):
    return x + len(values)


@case([(f32(2.7),), (f32(-2.7),)])
def int_of_a_float(x):
    return int(x)


@case([(i32(3),)])
def float_of_an_int(x):
    return float(x) / 2.0


@case([(f32(2.5), 1.9, "7")])
def int_of_python_values(x, number, text):
    return x * int(number) + int(text)


@case([(i32(5),)])
def range_in_a_loop_with_conditional(n):
    total = 0
    for i in range(n):
        if i > 2:
            total += i
    return total


@case([(i32(3),)])
def range_of_python_numbers_is_a_range(x):
    r = range(2, 8, 3)
    return x + r[1] + len(r)


@case([(i32([3, 1, 2]),), (i32([5, -5, 0]),)])
def sorted_vector(x):
    return sorted(x)


@case([(i32([3, 1, 2]),)])
def sorted_descending(x):
    return sorted(x, reverse=True)


@case([(i32(3), [3, 1, 2])])
def sorted_python_list(x, values):
    return x * sorted(values)[0]


@case([(i32(1), i32(5), i32(3))])
def sum_of_a_list_of_tensors(a, b, c):
    return sum([a, b, c])


@case([(i32(1), i32(5))])
def sum_with_start(a, b):
    return sum([a, b], 100)


@case([(i32(3),)])
def enumerate_of_a_python_list(x):
    total = 0
    for k, factor in enumerate([5, 6, 7]):
        total += x * k * factor
    return total


@case([(i32(3),)])
def enumerate_with_start(x):
    total = 0
    for k, factor in enumerate([5, 6], start=10):
        total += x * k + factor
    return total


@case([(i32(3), i32(4))])
def enumerate_of_a_list_of_tensors(a, b):
    total = 0
    for k, v in enumerate([a, b]):
        if v > 3:
            total += v * k
    return total


@case([(i32(3), i32(4))])
def zip_of_python_lists(a, b):
    total = 0
    for u, v in zip([a, b], [10, 20]):
        total += u * v
    return total


@case([(i32(3), i32(4))])
def map_over_a_python_list(a, b):
    return list(map(lambda v: v * 2 if v > 3 else v, [a, b]))


@case([(i32(3),)])
def map_with_two_lists(x):
    return list(map(lambda u, v: u * v + x, [1, 2], [3, 4]))


@case([(i32(3),)])
def filter_over_python_numbers(x):
    total = x
    for k in filter(lambda v: v % 2, [1, 2, 3, 4]):
        total = total * k
    return total


@case([(i32(3), [True, False]), (i32(3), [True, True])])
def any_and_all_of_python_lists(x, flags):
    if all(flags):
        return x
    if any(flags):
        return -x
    return x * 0


@case([(i32(3), [3, 1, 2])])
def min_and_max_of_python_numbers(x, values):
    return x * max(values) + min(1, 2, 3) + max(values, key=lambda v: -v)


@case([(i32(3), [1, 2])])
def reversed_python_list(x, values):
    for v in reversed(values):
        x = x * 10 + v
    return x


@case([(i32(3),)])
def next_of_a_python_iterator(x):
    numbers = iter([1, 2, 3])
    a = next(numbers)
    b = next(numbers)
    return x * a + b, next(iter([]), 7)


@case([(i32(3),)])
def isinstance_and_type(x):
    if isinstance(x, str) or type(3) is not int:
        return -x
    return x


@case([(i32(3),)])
def hasattr_and_callable(x):
    if hasattr(x, "dtype") and callable(len) and not hasattr(x, "no_such_attribute"):
        return x * 2
    return x


@case([(i32(3),)])
def containers_from_iterables(x):
    values = list(range(3)) + list((x, x))
    table = dict(a=x, b=len(values))
    return tuple(values), table


@case([(i32(3),)])
def text_builtins(x):
    if str(5) == "5" and repr("a") == "'a'" and ord("a") == 97 and chr(98) == "b":
        return x
    return -x


@case([(i32(3),)])
def divmod_pow_round_of_python_numbers(x):
    q, r = divmod(17, 5)
    return x * q + r + pow(2, 3) + round(2.6)


@case([(i32(3),)])
def pow_of_a_tensor(x):
    return pow(x, 2)


@case([(i32(3),)])
def slice_object(x):
    window = slice(1, 3)
    return [x * k for k in [1, 2, 3, 4][window]]


@case([(i32(3),)])
def builtin_as_a_value(x):
    f = abs
    return f(x - 10)


@case([(i32(3),)])
def builtin_under_another_name(x):
    size = len
    return size([x, x]) + x


@case([(i32(3),)])
def super_and_vars(x):
    class Base:
        def f(self, v):
            return v + 1

    class Derived(Base):
        def f(self, v):
            if v > 0:
                return super().f(v) * 2
            return v

    return Derived().f(x)


@case([(i32(3),)])
def print_of_python_values(x):
    print("tracing", 1, 2.5, sep="-")
    return x + 1


@case([(i32(1),), (i32(-1),)])
def print_in_branches(x):
    if x > 0:
        print("main")
        y = x
    else:
        print("else")
        y = -x
    return y


@case([(i32(3),)])
def print_in_a_tensor_loop(n):
    while n > 0:
        print("body")
        n -= 1
    return n


@case(VECTORS, superset="max over a tensor")
def max_of_a_tensor(x):
    return max(x)


@case(VECTORS, superset="min over a tensor")
def min_of_a_tensor(x):
    return min(x)


@case([(i32(3), i32(4)), (i32(5), i32(4))], superset="max of two tensors")
def max_of_two_scalars(a, b):
    return max(a, b), min(a, b), max(a, b, 4)


@case([(i32(1), i32(5), i32(3))], superset="max of a list of tensors")
def max_of_a_list_of_tensors(a, b, c):
    return max([a, b, c]) - min([a, b, c])


@case(VECTORS, superset="sum over a tensor")
def sum_of_a_tensor(x):
    return sum(x)


@case([(boolean([True, False]),), (boolean([False, False]),)], superset="any over a tensor")
def any_of_a_tensor(x):
    return any(x)


@case([(boolean([True, False]),), (boolean([True, True]),)], superset="all over a tensor")
def all_of_a_tensor(x):
    return all(x)


@case(VECTORS, superset="any over a tensor")
def any_of_a_comparison_in_condition(x):
    if any(x > 5):
        return x[0]
    return x[1]


@case([(i32(3), i32(-4))], superset="any over a list of tensors")
def any_and_all_of_a_list_of_tensors(a, b):
    return any([a > 0, b > 0]), all([a > 0, b > 0])


@case(VECTORS, superset="zip over tensors")
def zip_of_tensors(x):
    total = 0
    for a, b in zip(x, x * 10):
        total = total * 2 + a + b
    return total


@case(VECTORS, superset="zip over tensors")
def zip_of_a_tensor_and_a_list(x):
    total = 0
    for a, k in zip(x, [1, 2, 3]):
        total += a * k
    return total


@case(VECTORS, superset="enumerate over a tensor")
def enumerate_of_a_tensor(x):
    total = 0
    for i, v in enumerate(x):
        total += i * v
    return total


@case(VECTORS, superset="enumerate over a tensor")
def enumerate_of_a_tensor_from_five(x):
    total = 0
    for i, v in enumerate(x, 5):
        if v > 1:
            total += i
    return total


@case(VECTORS, superset="reversed over a tensor")
def reversed_tensor(x):
    total = 0
    for v in reversed(x):
        total = total * 10 + v
    return total


@case(VECTORS, superset="map over a tensor")
def map_over_a_tensor(x):
    total = 0
    for v in map(lambda u: u * u, x):
        total += v
    return total


@case(VECTORS, superset="list of a tensor")
def list_of_a_tensor(x):
    values = list(x)
    return values[0] - values[-1]


@case(VECTORS, superset="iter of a tensor")
def next_of_a_tensor(x):
    numbers = iter(x)
    return next(numbers) * 10 + next(numbers)


@case([(i32(1),), (i32(0),)], superset="bool of a tensor")
def bool_of_a_tensor(x):
    return bool(x > 0)


@case([(i32(7), i32(2))], superset="divmod of tensors", no_eager="TensorFlow's tensors have no divmod")
def divmod_of_tensors(a, b):
    q, r = divmod(a, b)
    return q * 100 + r


@case([(f32(2.6),), (f32(-1.2),)], superset="round of a tensor", no_eager="TensorFlow's tensors have no round")
def round_of_a_tensor(x):
    return round(x)


@case(VECTORS, superset="unpacking of a tensor")
def unpacks_a_tensor(x):
    a, b, c = x
    return a * 100 + b * 10 + c


@case(VECTORS, superset="starred unpacking of a tensor")
def unpacks_a_tensor_into_a_call(x):
    def inner(a, b, c):
        return a - b - c

    return inner(*x)


@case([(i32(3),)], autograph=True)
def tf_function_inside(x):
    @tf.function
    def inner(v):
        if v > 0:
            return v * 2
        return v

    return inner(x) + 1
