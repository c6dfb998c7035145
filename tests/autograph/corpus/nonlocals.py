"""Variables of a function around, rebound by a function that is converted alone: it was made before the conversion."""

from tests.autograph.corpus import case, f32, i32
from tests.autograph.framework import tf

SIGNS = [(i32(3),), (i32(0),), (i32(-3),)]
VECTORS = [(f32([1.0, 5.0, 2.0]),), (f32([-1.0, 7.0, 0.5]),)]


def _counted():
    """Functions that share the variables of this one."""
    count = 0
    total = 0
    best = None
    __hidden = 1

    @case(SIGNS)
    def rebound_in_python(x):
        nonlocal count
        count = 1
        count += 2
        if x > 0:
            x = x + count
        return x, count

    @case(SIGNS)
    def rebound_under_a_tensor_condition(x):
        nonlocal total
        total = x
        if x > 0:
            total = total + 100
        else:
            total = total - 1
        return total

    @case([(i32(3),), (i32(0),), (i32(6),)])
    def rebound_in_a_tensor_loop(n):
        nonlocal total
        total = 0
        for i in tf.range(n):
            total = total + i
        return total

    @case(VECTORS)
    def rebound_over_the_rows_of_a_tensor(values):
        nonlocal best
        best = tf.constant(0.0) * values[0]
        for value in values:
            if value > best:
                best = value
        return best

    @case([(i32(5),), (i32(0),)])
    def rebound_in_a_tensor_while(n):
        nonlocal count, total
        count = total = n * 0
        while count < n:
            total += count
            count += 1
        return total, count

    @case(SIGNS)
    def rebound_by_a_call(x):
        nonlocal count
        count = 5
        kept = adds_one(x)
        return kept, count

    def adds_one(x):
        nonlocal count
        count = count + 1
        if x > 0:
            return x + 1
        return x - 1

    @case(SIGNS)
    def rebound_two_levels_in(x):
        def middle(y):
            def inner(z):
                nonlocal total
                total = total + 1
                if z > 1:
                    z = z * 2
                return z

            return inner(y) + inner(y + 1)

        nonlocal total
        total = 10
        return middle(x) + total

    @case(SIGNS)
    def rebound_by_an_inner_function_alone(x):
        def inner(y):
            nonlocal count
            count = 7
            return y + count

        if x > 0:
            x = inner(x)
        return x

    @case(SIGNS)
    def read_by_a_lambda(x):
        nonlocal count
        count = 4
        add = lambda y: y + count if y > 0 else y - count  # noqa: E731
        return add(x)

    @case(SIGNS, superset="a walrus in a condition")
    def rebound_by_a_walrus(x):
        nonlocal count
        if (count := 3) > 2 and x > 0:
            x = x + count
        return x + count

    @case([(i32(3),), (i32(1),)])
    def rebound_as_the_target_of_a_loop(n):
        nonlocal count
        for count in range(4):
            if count > n:
                n = n + count
        return n, count

    @case([(i32(3),), (i32(8),)])
    def read_in_a_comprehension(x):
        nonlocal count
        count = 3
        values = [x + i * count for i in range(3)]
        if x > 5:
            values = [value * count for value in values]
        return values[0] + values[1] + values[2]

    @case(SIGNS, superset="a generator in a function")
    def rebound_with_a_generator_beside(x):
        nonlocal total
        total = 0

        def numbers():
            nonlocal total
            for i in range(3):
                total += 1
                yield i

        kept = sum(numbers())
        if x > 0:
            x = x + kept
        return x + total

    @case(SIGNS)
    def rebound_with_an_early_return(x):
        nonlocal count
        count = 1
        if x > 0:
            return x + count
        count = 2
        return x - count

    @case(SIGNS)
    def rebound_inside_try(x):
        nonlocal count
        try:
            count = int("no number")
        except ValueError as error:
            count = len(error.args)
        finally:
            count += 1
        if x > 0:
            x = x * count
        return x

    @case(SIGNS)
    def rebound_name_that_looks_private(x):
        nonlocal __hidden
        __hidden = 6
        if x > 0:
            return x + __hidden
        return x


_counted()


class _Machine:
    """Methods made in a method: the class around gives private names their prefix, and `__class__` its cell."""

    def __init__(self):
        self.__start = 2
        __steps = 0

        @case(SIGNS, superset="a private name of a class")
        def rebound_private_name(x):
            nonlocal __steps
            __steps = self.__start + 1
            if x > 0:
                x = x + __steps
            return x, __steps

        @case(SIGNS, superset="a private name of a class")
        def rebound_beside_the_class_cell(x):
            nonlocal __steps
            __steps = len(__class__.__name__)
            if x > 0:
                return x + __steps
            return x


_Machine()
