"""`locals`, `vars`, `dir`, `eval` and `exec` see the user's variables, before and after the graph takes over."""

from __future__ import annotations

import pytest

import millrace as tf


def _names(n):
    x = 1
    if n > 0:
        x = 2
        later = 3
    return sorted(locals()), sorted(vars()), dir()


def _only_defined(n):
    first = [*locals()]
    y = n
    return first, [*locals()]


def _in_a_loop(n):
    total = 0
    for i in range(3):
        if n > i:
            total += eval("i + n")
    return total


def _with_given_namespaces(n):
    x = 5
    if n > 0:
        x += 1
    return eval("x", {"x": 1}), eval("x + y", {}, {"x": x, "y": 2})


def _run(n):
    found = {}
    if n > 0:
        found["a"] = n
    else:
        found["a"] = -n
    exec("found['b'] = found['a'] + 1")
    return found["b"]


def _shadowed(n):
    def locals():
        return 7

    if n > 0:
        n += 1
    return locals()


def _in_comprehension(n):
    x = n
    if n > 0:
        x += 1
    return [name for name in locals() if name == "x"], [(lambda k: eval("k + 1"))(i) for i in range(2)]


@pytest.mark.parametrize(
    "function",
    [_only_defined, _in_a_loop, _with_given_namespaces, _run, _shadowed, _in_comprehension],
    ids=lambda f: f.__name__,
)
def test_the_users_variables_are_seen(function):
    for n in (3, -2):
        expected = function(n)
        assert _plain(tf.function(function)(tf.constant(n))) == expected
        assert _plain(tf.autograph.to_graph(function)(n)) == expected


def test_a_variable_that_only_one_branch_assigns_is_named():
    with pytest.raises(ValueError, match="'later' must also be initialized in the else branch"):
        tf.function(_names)(tf.constant(3))


def _plain(value):
    def one(leaf):
        leaf = leaf.numpy() if isinstance(leaf, tf.Tensor) else leaf
        return leaf.decode() if isinstance(leaf, bytes) else leaf

    return tf.nest.map_structure(one, value)
