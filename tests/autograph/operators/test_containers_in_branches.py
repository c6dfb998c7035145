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


REFUSED = [extends_in_both, appends_until_a_tensor_breaks, sets_a_computed_item, swaps]


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_a_change_in_place_is_refused_with_the_name_and_the_cure(function):
    with pytest.raises(TypeError, match=r"'(x|found)' is a list that a branch changes in place.*Make a new list"):
        tf.function(function)(tf.constant(-3))


def test_a_dictionary_is_told_apart():
    with pytest.raises(TypeError, match="'d' is a dict that a branch changes in place"):
        tf.function(updates)(tf.constant(-3))


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
