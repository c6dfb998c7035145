"""Containers that a branch of the graph changes in place: refused, never silently wrong."""

from __future__ import annotations

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
