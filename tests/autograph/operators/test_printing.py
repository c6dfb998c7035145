"""`print` shows tensors while tracing, or their values at each call for those who ask for it."""

from __future__ import annotations

import pytest

import millrace as tf

Feature = tf.autograph.experimental.Feature


OPTIONS = [Feature.BUILTIN_FUNCTIONS, Feature.ALL, (Feature.LISTS, Feature.BUILTIN_FUNCTIONS)]


def _prints(x):
    print("x is", x, 3, sep="-", end="!\n")
    print("y is", [1])
    return x


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_values_are_printed_at_every_call(options, capsys):
    f = tf.function(_prints, experimental_autograph_options=options)
    for n in (1, 2):
        assert f(tf.constant(n)).numpy() == n
    assert sorted(capsys.readouterr().out.splitlines()) == ["x is-1-3!", "x is-2-3!", "y is [1]"]


def test_values_are_printed_in_each_iteration(capsys):
    @tf.function(experimental_autograph_options=Feature.BUILTIN_FUNCTIONS)
    def f(n):
        for i in tf.range(n):
            if i > 0:
                print(i, flush=True)

    f(tf.constant(3))
    assert capsys.readouterr().out == "1\n2\n"


def test_by_default_the_tensor_is_printed_while_tracing(capsys):
    f = tf.function(_prints)
    f(tf.constant(1))
    f(tf.constant(2))
    assert capsys.readouterr().out == 'x is-Tensor("x:0", shape=(), dtype=int32)-3!\ny is [1]\n'


def test_a_keyword_that_print_has_not_is_refused():
    @tf.function(experimental_autograph_options=Feature.BUILTIN_FUNCTIONS)
    def f(x):
        print(x, foo=1)

    with pytest.raises(ValueError, match=r"invalid keyword arguments: \('foo',\)"):
        f(tf.constant(1))
