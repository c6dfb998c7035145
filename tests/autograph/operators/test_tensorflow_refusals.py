"""`Feature.TENSORFLOW_REFUSALS`: what Millrace takes beyond TensorFlow is refused, in TensorFlow's words."""

from __future__ import annotations

import pytest

import millrace as tf


def item_in_tensor(x):
    return 1 in x


def tensor_in_list(x):
    return x[0] in [1, 2]


def asserted_tensor(x):
    assert x[0] > 0
    return x


def assigned_item(x):
    x[0] = 5
    return x


def break_of_while_true(x):
    y = x[0]
    while True:
        y += 1
        if y > 5:
            break
    return y


def break_of_python_for(x):
    y = x[0]
    for _ in range(5):
        if y > 3:
            break
        y += 1
    return y


def return_in_loop(x):
    for v in x:
        if v > 1:
            return v
    return x[0]


def largest(x):
    return max(x)


def pairs(x):
    total = 0
    for a, b in zip(x, x):
        total += a * b
    return total


def comprehended(x):
    return tf.stack([v + 1 for v in x])


def unpacked(x):
    a, b, c = x
    return a + b + c


_ITERATED = (tf.errors.OperatorNotAllowedInGraphError, "Iterating over a symbolic `tf.Tensor` is not allowed")
FORMS = {
    largest: _ITERATED,
    pairs: _ITERATED,
    comprehended: _ITERATED,
    unpacked: _ITERATED,
    item_in_tensor: (TypeError, "argument of type 'SymbolicTensor' is not iterable"),
    tensor_in_list: (tf.errors.OperatorNotAllowedInGraphError, "Using a symbolic `tf.Tensor` as a Python `bool`"),
    asserted_tensor: (tf.errors.OperatorNotAllowedInGraphError, "Using a symbolic `tf.Tensor` as a Python `bool`"),
    assigned_item: (TypeError, "'SymbolicTensor' object does not support item assignment"),
    break_of_while_true: (NotImplementedError, "The condition of while loop started as non-Tensor"),
    break_of_python_for: (NotImplementedError, "break and return statements which depend on a TF condition"),
    return_in_loop: (ValueError, "the else branch must also have a return statement"),
}
_IDS = [form.__name__ for form in FORMS]
STRICT = tf.autograph.experimental.Feature.TENSORFLOW_REFUSALS


@pytest.mark.parametrize("form", FORMS, ids=_IDS)
def test_a_form_is_taken_by_default(form):
    tf.function(form)(tf.constant([1, 2, 3]))


@pytest.mark.parametrize("options", [STRICT, (STRICT, tf.autograph.experimental.Feature.LISTS)], ids=["one", "several"])
@pytest.mark.parametrize("form", FORMS, ids=_IDS)
def test_a_form_is_refused_as_tensorflow_refuses_it(form, options):
    error, words = FORMS[form]
    with pytest.raises(error, match=words):
        tf.function(form, experimental_autograph_options=options)(tf.constant([1, 2, 3]))


def test_a_refusal_ends_with_the_trace():
    with pytest.raises(TypeError, match="not iterable"):
        tf.function(item_in_tensor, experimental_autograph_options=STRICT)(tf.constant([1, 2, 3]))
    assert bool(tf.function(item_in_tensor)(tf.constant([1, 2, 3])))


def test_all_features_are_those_of_tensorflow():
    assert STRICT not in tf.autograph.experimental.Feature.all()
