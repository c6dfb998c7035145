"""Containers that a branch of the graph changes in place: refused, never silently wrong."""

from __future__ import annotations

import collections

import pytest

import millrace as tf


def extends_in_both(n):
    x = [1, 2]
    if n > 0:
        x += [3]
    else:
        x += [4]
    return x


def appends_until_a_tensor_breaks(n):
    found = []
    for i in range(5):
        if i > n:
            break
        found.append(i)
    return found


def sets_a_computed_item(n):
    x, i = [1, 2, 3], 0
    if n > 0:
        x[i + 1] = 5
    return x


def swaps(n):
    x = [n, n + 1]
    for j in range(1):
        if x[j] < x[j + 1]:
            x[j], x[j + 1] = x[j + 1], x[j]
    return x


def updates(n):
    d = {"a": 1}
    if n > 0:
        d.update(a=2)
        d = d
    return d["a"]


def nested(n):
    d = {"a": [n, n + 1], "b": (7,)}
    if n > 0:
        d["a"].append(n * 2)
        d["a"].reverse()
    else:
        d["a"].insert(0, n * 3)
    return d


def extends(n):
    x = [1]
    if n > 0:
        x.extend([2, n])
    else:
        x.extend((n, 3))
    x.append(4)
    return x


def pops(n):
    x = [n, 5, 6]
    if n > 0:
        last = x.pop()
    else:
        last = x.pop(0)
    return last, x


def orders(n):
    x = [3, 1, 2]
    if n > 0:
        x.sort()
    else:
        x.reverse()
    return x


def deletes(n):
    d = {"a": n, "b": 2}
    if n > 0:
        del d["a"]
        d["c"] = 5
    else:
        d.pop("a")
        d.setdefault("c", n)
    return d["b"], d["c"]


def under_another_name(n):
    x = [1, 2]
    y = x
    if n > 0:
        x.append(n)
    else:
        x.append(-n)
    return y


def in_a_python_loop(n):
    x = [0, 0, 0]
    for i in range(3):
        if n > i:
            x[i] += n
    return x


MERGED = [
    extends_in_both,
    sets_a_computed_item,
    swaps,
    updates,
    nested,
    extends,
    pops,
    orders,
    deletes,
    under_another_name,
    in_a_python_loop,
]


@pytest.mark.parametrize("function", MERGED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.xla)])
def test_what_both_branches_leave_in_a_container_is_merged_element_by_element(function, jit):
    for n in (2, -3):
        answer = tf.function(function, jit_compile=jit)(tf.constant(n))
        assert _plain(answer) == function(n)


def _plain(value):
    return tf.nest.map_structure(int, value)


def test_an_element_that_no_branch_changes_stays_what_it_is():
    seen = []

    @tf.function
    def f(n):
        x = [1, "word", object]
        if n > 0:
            x[0] = n
        seen.append(x[1:])
        return x[0]

    assert int(f(tf.constant(5))) == 5
    assert seen == [["word", object]]


def test_a_container_of_another_length_in_one_branch_is_refused_with_the_name_and_the_cure():
    with pytest.raises(TypeError, match=r"'found' is a list that a branch changes in place.*Make a new list"):
        tf.function(appends_until_a_tensor_breaks)(tf.constant(-3))


def test_other_keys_in_one_branch_are_refused():
    def f(n):
        d = {"a": 1}
        if n > 0:
            d.update(b=2)
        return d["a"]

    with pytest.raises(TypeError, match="'d' is a dict that a branch changes in place"):
        tf.function(f)(tf.constant(-3))


def test_a_set_is_refused():
    def f(n):
        s = {1, 2}
        if n > 0:
            s.add(3)
        return len(s)

    with pytest.raises(TypeError, match="'s' is a set that a branch changes in place"):
        tf.function(f)(tf.constant(-3))


def test_a_dictionary_that_a_loop_changes_in_place_is_refused():
    def f(n):
        d = {1: object()}
        for _ in tf.range(n):
            d.update({2: object()})
        return len(d)

    with pytest.raises(TypeError, match="'d' is a dict that the body of a loop changes in place"):
        tf.function(f)(tf.constant(3))


def test_items_at_constant_keys_are_variables():
    @tf.function
    def f(n):
        x, d = [1, 2, 3], {"a": 1}
        if n > 0:
            x[1] = 5
            d["a"] = 7
        return x, d["a"]

    assert [int(v) for v in tf.nest.flatten(f(tf.constant(1)))] == [1, 5, 3, 7]
    assert [int(v) for v in tf.nest.flatten(f(tf.constant(-1)))] == [1, 2, 3, 1]


def test_another_name_of_a_list_that_the_graph_took_over_says_so():
    @tf.function
    def f(n):
        x = []
        y = x
        for i in tf.range(n):
            x.append(i)
        return tf.stack(y)

    with pytest.raises(TypeError):
        f(tf.constant(3))


def _helper(n):
    def add(items, value):
        items.append(value)

    h = [3, 4]
    if n > 0:
        add(h, 1)
    else:
        add(h, 2)
    return h


def _closure(n):
    h = [3, 4]

    def put(value):
        h[0] = value
        h.append(value)

    put_more = lambda value: h.append(value)  # noqa: E731  (a function of one line)
    if n > 0:
        put(n)
        put_more(1)
    else:
        put_more(7)
        put(8)
    return h


def _bound_method(n):
    h = [3]
    add = h.append
    if n > 0:
        add(9)
    else:
        add(8)
    return h


def _lists_in_a_tuple(n):
    t = ([1], [2])
    if n > 0:
        t[0].append(5)
    else:
        t[0].append(6)
    return t


def _in_a_ternary(n):
    h = [3, 4]
    a = h.pop() if n > 0 else h.pop(0)
    h.append(1) if n > 0 else h.append(2)
    return a, h


def _default_dictionary(n):
    d = collections.defaultdict(list)
    if n > 0:
        d["a"].append(1)
    else:
        d["a"].append(n)
    return d["a"]


def _counter(n):
    c = collections.Counter(a=1)
    if n > 0:
        c.update(a=2)
    else:
        c.update(a=5)
    return c["a"]


def _nested_alias(n):
    a = [1]
    x = [a, [2]]
    if n > 0:
        x[0].append(5)
    else:
        x[0].append(6)
    a.append(9)
    return x, a


def _item_and_update(n):
    d = {"a": 1, "b": 2}
    if n > 0:
        d["a"] = n
        d.update(b=d["a"])
    return d["a"], d["b"]


def _two_names_of_a_list_in_a_loop(n):
    x = [5]
    y = x
    for i in tf.range(n * n):
        x.append(i)
        y.append(-i)
    return x, y


def _two_names_that_part_in_a_loop(n):
    old = new = [0, 1]
    i = 0
    while i < n:
        old = new
        new = [old[1], old[0] + old[1]]
        i += 1
    return old, new


@pytest.mark.parametrize(
    "function",
    [
        _helper,
        _closure,
        _bound_method,
        _lists_in_a_tuple,
        _in_a_ternary,
        _default_dictionary,
        _counter,
        _nested_alias,
        _item_and_update,
        _two_names_of_a_list_in_a_loop,
        _two_names_that_part_in_a_loop,
    ],
    ids=lambda f: f.__name__,
)
def test_changes_are_seen_through_calls_other_names_and_other_containers(function):
    for n in (2, -3):
        expected = tf.nest.flatten(_as_lists(function(n)))
        found = [v for part in tf.nest.flatten(_as_lists(tf.function(function)(tf.constant(n)))) for v in _flat(part)]
        assert found == expected


def _as_lists(value):
    return tf.nest.map_structure(lambda leaf: leaf.numpy().tolist() if hasattr(leaf, "numpy") else leaf, value)


def _flat(value):
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("kind", [collections.deque, set])
def test_containers_that_cannot_be_merged_are_refused_also_inside_others(kind):
    def f(n):
        x = [kind([1])]
        if n > 0:
            x[0].clear()
        return len(x[0])

    with pytest.raises(TypeError, match="'x' is a list that a branch changes in place"):
        tf.function(f)(tf.constant(1))


def test_dictionaries_in_another_order_are_refused():
    def f(n):
        d = {}
        if n > 0:
            d.update(a=1, b=2)
        else:
            d.update(b=5, a=4)
        return d["a"]

    with pytest.raises(TypeError, match="'d' is a dict that a branch changes in place"):
        tf.function(f)(tf.constant(1))


def test_a_list_that_a_helper_changes_in_a_loop_is_refused():
    def add(items, value):
        items.append(value)

    def f(n):
        x = [0]
        for i in tf.range(n):
            add(x, i)
        return x

    with pytest.raises(TypeError, match="'x' is a list that the body of a loop changes in place"):
        tf.function(f)(tf.constant(1))


def test_the_trial_run_of_a_loop_leaves_no_trace():
    def f(n):
        items, seen = [], {0: object()}
        for i in tf.range(n):
            items.append(i)
            seen.pop(0, None)
        return items

    with pytest.raises(TypeError, match="'seen' is a dict that the body of a loop changes in place"):
        tf.function(f)(tf.constant(0))


def module_with(**attributes):
    module = tf.Module()
    for name, value in attributes.items():
        setattr(module, name, value)
    return module


def test_a_list_that_is_an_attribute_grows_in_a_loop_of_the_graph():
    module = module_with(seen=[])

    @tf.function
    def count(n):
        seen = module.seen
        for i in tf.range(n):
            seen.append(i)
        return tf.stack(seen)

    assert count(tf.constant(3)).numpy().tolist() == [0, 1, 2]
    assert type(module.seen).__name__ == "ListWrapper" and "the elements are in 'seen'" in repr(module.seen)


def test_containers_that_are_attributes_are_merged_and_stay_the_attributes():
    module = module_with(items=[tf.constant(1.0), tf.constant(2.0)], table={"x": tf.constant(3.0)}, pair=([1.0],))

    @tf.function
    def change(p):
        items, table, pair = module.items, module.table, module.pair
        if p:
            items[0] = items[0] + 10.0
            table["x"] = items[1]
            pair[0][0] = 5.0
        kept = items is module.items and table is module.table and pair[0] is module.pair[0]
        return items[0], table["x"], pair[0][0], kept

    concrete = change.get_concrete_function(tf.TensorSpec([], tf.bool))
    assert [float(x) for x in concrete(tf.constant(True))] == [11.0, 2.0, 5.0, 1.0]
    assert [float(x) for x in concrete(tf.constant(False))] == [1.0, 3.0, 1.0, 1.0]


def test_a_list_that_is_an_attribute_and_grows_in_one_branch_is_refused():
    module = module_with(seen=[])

    @tf.function
    def grow(p):
        seen = module.seen
        if p:
            seen.append(1)
        return len(seen)

    with pytest.raises(TypeError, match=r"'seen' is a list that a branch changes in place"):
        grow(tf.constant(True))
    assert module.seen == []


def test_reading_layers_under_conditions_of_the_graph_leaves_a_list_that_can_be_saved():
    module = module_with(layers=[tf.Module(), tf.Module()], named={"a": tf.Variable(1.0)})

    @tf.function
    def read(p):
        layers, named = module.layers, module.named
        total = 0.0
        for i in tf.range(2):
            if p:
                total += named["a"] * tf.cast(len(layers) + i, tf.float32)
        return total

    assert read(tf.constant(True)).numpy() == 5.0
    assert list(module.layers._trackable_children()) == ["0", "1"]
    assert list(module.named._trackable_children()) == ["a"]
