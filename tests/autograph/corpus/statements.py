"""try, with, assert, match, del, unpacking, starred and augmented assignment, raise, pass, global state."""

# ruff: noqa: E701, E702, PIE800, PLE0643, RET504  (programs as users write them)

import contextlib

from tests.autograph.corpus import case, f32, i32
from tests.autograph.framework import tf

SIGNS = [(i32(3),), (i32(0),), (i32(-3),)]
PAIRS = [(i32(1), i32(2)), (i32(2), i32(1))]
history = []


@case(SIGNS)
def try_without_error(x):
    try:
        if x > 0:
            y = x * 2
        else:
            y = -x
    except ValueError:
        y = x * 0
    return y


@case(SIGNS)
def python_error_is_caught(x):
    try:
        {}["missing"]
        y = x
    except KeyError:
        y = x + 1
    return y


@case(SIGNS)
def first_matching_handler(x):
    try:
        [][3]
    except KeyError:
        y = x
    except (IndexError, TypeError) as error:
        y = x + len(error.args)
    return y


@case(SIGNS)
def try_else_finally(x):
    steps = []
    try:
        y = x + 1
    except ValueError:
        steps.append("except")
    else:
        steps.append("else")
        if y > 0:
            y = y * 2
    finally:
        steps.append("finally")
    return y + len(steps)


@case(SIGNS)
def finally_after_return(x):
    seen = []

    def inner():
        try:
            return x + 1
        finally:
            seen.append("finally")

    return inner() + len(seen)


@case(SIGNS)
def nested_try(x):
    try:
        try:
            raise ValueError("inner")
        except KeyError:
            y = x
    except ValueError as error:
        y = x + len(str(error))
    return y


@case(SIGNS)
def handler_with_tensor_conditional(x):
    try:
        int("no number")
    except ValueError:
        if x > 0:
            return x
        else:
            return x - 1
    return x * 100


@case([(i32(3), "7"), (i32(3), "no")])
def try_depends_on_python_value(x, text):
    try:
        k = int(text)
    except ValueError:
        k = -1
    return x * k


@case([(i32(4),), (i32(0),)])
def try_inside_a_tensor_loop(n):
    total = 0
    while n > 0:
        try:
            total += n
        finally:
            n -= 1
    return total


@case([(i32(4),)])
def tensor_loop_inside_try(n):
    total = 0
    try:
        for i in tf.range(n):
            if i == 2:
                continue
            total += i
    finally:
        total = total + 100
    return total


@case([(i32(4), 3), (i32(4), 9)])
def user_error_raised_by_python_condition(x, k):
    class TooLarge(Exception):
        def __init__(self, value, limit):
            super().__init__(value, limit)
            self.excess = value - limit

    try:
        if k > 5:
            raise TooLarge(k, 5)
        y = x
    except TooLarge as error:
        y = x + error.excess
    return y


@case(SIGNS)
def suppressed_error(x):
    with contextlib.suppress(KeyError):
        {}["missing"]
    return x + 1


@case(SIGNS)
def user_context_manager(x):
    class Doubling:
        def __enter__(self):
            return 2

        def __exit__(self, *details):
            return False

    with Doubling() as factor:
        if x > 0:
            y = x * factor
        else:
            y = x
    return y


@case(SIGNS, superset="a generator function inside")
def two_context_managers(x):
    @contextlib.contextmanager
    def offset(k):
        yield k

    with offset(1) as a, offset(10) as b:
        y = x + a
        if y > 0:
            y = y + b
    return y


@case(SIGNS)
def name_scope(x):
    with tf.name_scope("block"):
        if x > 0:
            y = x + 1
        else:
            y = x - 1
    return y


@case([(i32(3),)])
def loop_in_with(n):
    total = 0
    with tf.name_scope("loop"):
        while n > 0:
            total += n
            n -= 1
    return total


@case([(i32(3),)])
def with_in_loop(n):
    total = 0
    for i in tf.range(n):
        with tf.name_scope("step"):
            if i > 0:
                total += i
    return total


@case(SIGNS)
def return_as_the_only_statement_of_with(x):
    with tf.name_scope("block"):
        return x * 3


@case(SIGNS)
def python_assert(x):
    assert len("ab") == 2, "two letters"
    assert x is not None
    return x


@case([(i32(3),), (i32(4),)], superset="assert of a tensor", no_xla="assertions are host operations")
def assert_of_a_tensor(x):
    assert x > 0, "x must be positive"
    return x * 2


@case([(i32(3),)], superset="assert of a tensor", no_xla="assertions are host operations")
def assert_in_a_tensor_loop(n):
    total = 0
    while n > 0:
        assert total < 100
        total += n
        n -= 1
    return total


@case(SIGNS)
def deletes_a_name(x):
    y = x + 1
    z = y * 2
    del y
    return z


@case(SIGNS)
def deletes_and_sets_again(x):
    y = x + 1
    del y
    if x > 0:
        y = x
    else:
        y = -x
    return y


@case(SIGNS)
def deletes_an_element_and_an_entry(x):
    values = [1, x, 3]
    table = {"a": x, "b": 2}
    del values[0]
    del table["b"]
    return values, table


@case(SIGNS)
def unpacks_tuples(x):
    (a, b), c = (x, x + 1), 5
    if a < b:
        a, b = b, a
    return a, b, c


@case(SIGNS)
def starred_in_the_middle(x):
    first, *middle, last = [x, 1, 2, x + 1]
    return first + last, middle


@case(SIGNS)
def starred_at_the_front(x):
    *init, last = (x, x * 2, x * 3)
    if last > 0:
        return init[0]
    return init[1]


@case(SIGNS)
def chained_assignment(x):
    a = b = x + 1
    if x > 0:
        b += 5
    return a, b


@case(SIGNS)
def chained_assignment_of_composites(x):
    values = [0, 0]
    values[0] = values[1] = y = x
    if x > 0:
        values[1] = y + 1
    return values


@case(SIGNS)
def swaps_in_a_row(x):
    a, b, c = x, x + 1, x + 2
    a, b, c = c, a, b
    return a, b, c


@case([(i32(7),), (i32(-7),)])
def augmented_assignments(x):
    y = x
    y += 3
    y -= 1
    y *= 2
    y //= 3
    y %= 5
    return y


@case([(f32(7),)])
def augmented_float_assignments(x):
    x /= 2.0
    x **= 2
    x += 1
    return x


@case([(i32(7),), (i32(-7),)])
def augmented_in_both_branches(x):
    y = 10
    if x > 0:
        y += x
    else:
        y -= x
    y *= 2
    return y


@case([(i32(3),)])
def augmented_list(x):
    values = [x]
    values += [x + 1, 5]
    values *= 2
    return values


@case([(f32([[1, 2], [3, 4]]),)])
def augmented_matrix_product(m):
    m @= m
    return m


@case([(i32(3),)])
def spreads_lists_and_dicts(x):
    values = [0, *[x, 1], *(2, x)]
    table = {**{"a": x}, "b": 1, **{"c": x + 1}}
    return values, table


@case([(i32(3),)])
def appends_in_a_python_loop(x):
    values = []
    for k in range(3):
        values.append(x * k)
    return values


@case([(i32(3),)])
def list_methods(x):
    values = [x, 5]
    values.insert(0, 7)
    values.extend([8, 9])
    last = values.pop()
    first = values.pop(0)
    values.reverse()
    return values, last, first


@case([(i32(3),)])
def dict_methods(x):
    table = {"a": x}
    table.update(b=x + 1)
    table.setdefault("c", 9)
    gone = table.pop("a")
    return table, gone, table.get("zz", 4)


@case([(i32(3),)])
def set_of_python_values(x):
    seen = set()
    for k in [1, 2, 1, 3]:
        if k in seen:
            continue
        seen.add(k)
        x = x + k
    return x


@case([(i32(3),)])
def global_list_is_appended_while_tracing(x):
    history.clear()
    history.append("called")
    return x + len(history)


@case(SIGNS)
def pass_and_ellipsis(x):
    if x > 0:
        ...
    else:
        pass
    return x


@case([(i32(3), 1), (i32(3), 2), (i32(3), 5)])
def match_on_a_python_number(x, k):
    match k:
        case 1:
            y = x
        case 2 | 3:
            y = x * 10
        case _:
            y = x * 100
    return y


@case([(i32(3), ("add", 2)), (i32(3), ("negate",)), (i32(3), ("other", 1, 2))])
def match_on_a_python_sequence(x, command):
    match command:
        case ("add", amount):
            return x + amount
        case ("negate",):
            return -x
        case (name, *rest):
            return x + len(name) + len(rest)


@case([(i32(3), {"kind": "scale", "by": 4}), (i32(3), {"kind": "none"})])
def match_on_a_mapping(x, config):
    match config:
        case {"kind": "scale", "by": factor}:
            y = x * factor
        case {"kind": kind}:
            y = x + len(kind)
    return y


@case([(i32(3), 5), (i32(3), -5)])
def match_with_guard(x, k):
    match k:
        case n if n > 0:
            y = x + n
        case n:
            y = x - n
    return y


@case([(i32(3), [1, 2]), (i32(3), "ab"), (i32(3), None)])
def match_on_classes(x, value):
    match value:
        case list():
            return x
        case str() as text:
            return x + len(text)
        case None:
            return -x


@case([(i32(1),), (i32(2),), (i32(9),)], superset="match on a tensor")
def match_on_a_tensor(x):
    match x:
        case 1:
            y = x * 10
        case 2:
            y = x * 100
        case _:
            y = x
    return y


@case([(i32(1),), (i32(7),), (i32(-1),)], superset="match on a tensor")
def match_on_a_tensor_with_guards(x):
    match x:
        case v if v > 5:
            return v
        case v if v > 0:
            return v * 10
        case _:
            return x * 0


@case([(i32(1), i32(2)), (i32(3), i32(3))])
def match_with_tensor_conditional_inside(x, y):
    match "pair":
        case "pair":
            if x == y:
                return x * 2
            return x + y
        case _:
            return x


@case(SIGNS)
def imports_inside(x):
    import math

    if x > 0:
        return x * int(math.sqrt(16))
    return x


@case(SIGNS)
def semicolons_and_one_liners(x):
    y = x; z = y + 1  # fmt: skip
    if z > 1: y = z  # fmt: skip
    return y


@case(SIGNS)
def long_expression_over_lines(x):
    y = (
        x
        + 1
        if x > 0
        else x
        - 1
    )  # fmt: skip
    return y


@case(SIGNS)
def backslash_continuation(x):
    if x > 0 and \
            x < 100:  # fmt: skip
        y = x + \
            1  # fmt: skip
    else:
        y = x
    return y


@case(SIGNS)
def unicode_names_and_texts(größe):
    label = "ä→β"
    if größe > 0:
        größe = größe + len(label)
    return größe


@case(PAIRS)
def local_class_attribute_annotations(a, b):
    class Point:
        x: int = 0
        y: int = 0

    p = Point()
    p.x = a
    if a > b:
        p.x = b
    return p.x
