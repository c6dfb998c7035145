"""Composite symbols as state of branches and loops: attributes, elements, entries, and mixtures of them."""

# ruff: noqa: B009, B010  (programs as users write them)

from tests.autograph.corpus import case, f32, i32
from tests.autograph.framework import tf

SIGNS = [(i32(3),), (i32(0),), (i32(-3),)]
COUNTS = [(i32(4),), (i32(1),), (i32(0),)]


class Box:
    """An object with attributes."""

    def __init__(self, value=0):
        self.value = value

    def add(self, amount):
        self.value = self.value + amount
        return self

    def clamp(self, limit):
        if self.value > limit:
            self.value = limit
        return self.value


class Pair:
    """An object that holds two boxes."""

    def __init__(self, left, right):
        self.left = Box(left)
        self.right = Box(right)


@case(SIGNS)
def attribute_set_in_branch(x):
    box = Box(x)
    if x > 0:
        box.value = x * 10
    return box.value


@case(SIGNS)
def attribute_set_in_both_branches(x):
    box = Box(0)
    if x > 0:
        box.value = x + 1
    else:
        box.value = -x
    return box.value + 5


@case(SIGNS)
def attribute_augmented_in_branch(x):
    box = Box(x)
    if x > 0:
        box.value += 7
    return box.value


@case(COUNTS)
def attribute_as_loop_state(n):
    box = Box(0)
    while n > 0:
        box.value = box.value + n
        n -= 1
    return box.value


@case(COUNTS)
def attribute_as_loop_counter(n):
    box = Box(n)
    steps = 0
    while box.value > 0:
        box.value -= 2
        steps += 1
    return steps, box.value


@case(COUNTS)
def attribute_in_for(n):
    box = Box(1)
    for i in tf.range(n):
        box.value *= i + 1
    return box.value


@case(COUNTS)
def two_attributes(n):
    box = Box(0)
    box.count = 0
    for i in tf.range(n):
        box.value += i * i
        box.count += 1
    return box.value, box.count


@case(SIGNS)
def nested_attribute(x):
    pair = Pair(x, x + 1)
    if x > 0:
        pair.left.value = pair.right.value * 2
    else:
        pair.right.value = pair.left.value - 5
    return pair.left.value, pair.right.value


@case(COUNTS)
def nested_attribute_in_loop(n):
    pair = Pair(0, 1)
    while n > 0:
        pair.left.value, pair.right.value = pair.right.value, pair.left.value + pair.right.value
        n -= 1
    return pair.left.value


@case(SIGNS)
def element_set_in_branch(x):
    values = [x, x, x]
    if x > 0:
        values[1] = x * 2
    return values


@case(SIGNS)
def element_set_in_both_branches(x):
    values = [0, 0]
    if x > 0:
        values[0] = x
    else:
        values[1] = x
    return values[0] * 100 + values[1]


@case(COUNTS)
def element_as_loop_state(n):
    totals = [0, 0]
    for i in tf.range(n):
        if i % 2 == 0:
            totals[0] += i
        else:
            totals[1] += i
    return totals


@case(COUNTS)
def element_as_counter_of_while(n):
    state = [n, 0]
    while state[0] > 0:
        state[0] = state[0] - 1
        state[1] = state[1] + state[0]
    return state[1]


@case([(i32(4), 0), (i32(4), 1)])
def element_at_a_python_index(n, k):
    totals = [0, 100]
    while n > 0:
        totals[k] = totals[k] + n
        n -= 1
    return totals[0], totals[1]


@case(SIGNS)
def entry_set_in_branch(x):
    table = {"a": 1, "b": x}
    if x > 0:
        table["a"] = x
    return table["a"] + table["b"]


@case(SIGNS)
def new_entry_set_in_both_branches(x):
    table = {}
    if x > 0:
        table["k"] = x * 2
    else:
        table["k"] = x * 3
    return table["k"]


@case(COUNTS)
def entry_as_loop_state(n):
    table = {"sum": 0, "count": 0}
    for i in tf.range(n):
        table["sum"] += i
        table["count"] += 1
    return table


@case(COUNTS)
def entry_with_number_key(n):
    table = {0: 0, 1: 1}
    while n > 0:
        table[0], table[1] = table[1], table[0] + table[1]
        n -= 1
    return table[0]


@case([(i32(3), "a"), (i32(3), "b")])
def entry_at_a_python_name(n, key):
    table = {"a": 0, "b": 50}
    while n > 0:
        table[key] = table[key] + n
        n -= 1
    return table["a"], table["b"]


@case(SIGNS)
def nested_dicts(x):
    table = {"outer": {"inner": x}}
    if x > 0:
        table["outer"]["inner"] = x + 100
    return table["outer"]["inner"]


@case(COUNTS)
def list_in_dict(n):
    table = {"values": [0, 1]}
    for i in tf.range(n):
        table["values"][0] += i
    return table["values"]


@case(COUNTS)
def dict_in_list(n):
    rows = [{"v": 0}, {"v": 10}]
    for i in tf.range(n):
        rows[1]["v"] += i
        rows[0]["v"] = rows[1]["v"]
    return rows[0]["v"], rows[1]["v"]


@case(COUNTS)
def attribute_of_element(n):
    boxes = [Box(0), Box(5)]
    while n > 0:
        boxes[0].value += n
        boxes[1].value -= 1
        n -= 1
    return boxes[0].value, boxes[1].value


@case(COUNTS)
def element_of_attribute(n):
    box = Box([1, 2])
    for _ in tf.range(n):
        box.value[0] = box.value[1] * 2
        box.value[1] = box.value[0] + 1
    return box.value[0], box.value[1]


@case(COUNTS)
def entry_of_attribute(n):
    box = Box({"total": 0})
    for i in tf.range(n):
        box.value["total"] = box.value["total"] + i
    return box.value["total"]


@case([(i32(5),), (i32(20),)])
def method_with_a_conditional(x):
    box = Box(x)
    return box.clamp(10)


@case(SIGNS)
def method_called_in_branches(x):
    if x > 0:
        y = Box(x).add(1).value
    else:
        y = Box(x).add(-1).value
    return y


@case(SIGNS)
def attribute_read_only(x):
    box = Box(3)
    if x > box.value - 1:
        y = box.value
    else:
        y = x
    return y


@case([([i32(3), i32(4)],), ([i32(-3), i32(4)],)])
def list_argument(values):
    if values[0] > 0:
        y = values[1]
    else:
        y = values[0]
    return y


@case([({"a": i32(3), "b": i32(4)},), ({"a": i32(-3), "b": i32(4)},)])
def dict_argument(table):
    table = dict(table)
    while table["a"] < 10:
        table["a"] = table["a"] + table["b"]
    return table["a"]


@case([({"w": f32([1, 2]), "steps": i32(2)},), ({"w": f32([1, 2]), "steps": i32(0)},)])
def dict_argument_as_state(state):
    while state["steps"] > 0:
        state = {"w": state["w"] * 2.0, "steps": state["steps"] - 1}
    return state


@case([((i32(3), (i32(4), i32(5))),), ((i32(-3), (i32(4), i32(5))),)])
def nested_tuple_argument(tree):
    first, (second, third) = tree
    if first > 0:
        return second
    return third


@case(SIGNS)
def attribute_of_a_class(x):
    class Counter:
        total = 0

    Counter.total = x
    if x > 0:
        Counter.total = Counter.total + 1
    return Counter.total


@case(COUNTS)
def state_object_made_in_the_function(n):
    class State:
        pass

    state = State()
    state.a, state.b = 0, 1
    for _ in tf.range(n):
        state.a, state.b = state.b, state.a + state.b
    return state.a


@case(SIGNS)
def alias_of_an_object(x):
    box = Box(x)
    alias = box
    if x > 0:
        alias.value = x + 30
    return box.value


@case(SIGNS)
def attribute_deleted_and_set_again(x):
    box = Box(x)
    del box.value
    if x > 0:
        box.value = x
    else:
        box.value = -x
    return box.value


@case(COUNTS)
def attribute_with_break(n):
    box = Box(0)
    for i in tf.range(n):
        if i == 2:
            break
        box.value += 10
    return box.value


@case(COUNTS)
def attribute_with_continue(n):
    box = Box(0)
    while n > 0:
        n -= 1
        if n == 2:
            continue
        box.value += n
    return box.value


@case(SIGNS)
def attribute_and_early_return(x):
    box = Box(x)
    if box.value > 0:
        box.value = box.value * 2
        return box.value
    box.value = box.value - 1
    return box.value


@case([(f32([1, 2, 3]),)])
def vector_attribute(values):
    box = Box(values)
    for v in values:
        box.value = box.value + v
    return box.value


@case([(i32(3),)])
def setattr_and_getattr(x):
    box = Box(0)
    setattr(box, "value", x * 2)
    if getattr(box, "value") > 4:
        y = getattr(box, "missing", x)
    else:
        y = -x
    return y


@case(SIGNS)
def property_with_setter(x):
    class Celsius:
        def __init__(self, degrees):
            self._degrees = degrees

        @property
        def degrees(self):
            return self._degrees

        @degrees.setter
        def degrees(self, value):
            self._degrees = value + 1

    c = Celsius(x)
    if x > 0:
        d = c.degrees * 2
    else:
        d = c.degrees
    return d


@case([(i32([1, 2, 3]),)], no_eager="eager tensors cannot be assigned to", superset="item assignment")
def element_of_a_tensor_assigned(values):
    values[0] = 9
    return values
