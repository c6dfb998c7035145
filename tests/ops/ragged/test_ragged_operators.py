"""Operators of tf.RaggedTensor as methods; what they compute stands in test_elementwise.py."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.ops.ragged.ragged_operators import RaggedOperators

_BINARY = ("add", "sub", "mul", "truediv", "div", "floordiv", "mod", "pow", "and", "or", "xor")
_ONE_SIDED = ("lt", "le", "gt", "ge", "eq", "ne", "abs", "neg", "invert")


def test_ragged_tensors_have_the_operators_of_tensorflow() -> None:
    wanted = {f"__{name}__" for name in (*_BINARY, *_ONE_SIDED)} | {f"__r{name}__" for name in _BINARY}
    assert wanted <= set(vars(RaggedOperators))


@pytest.mark.parametrize("name", ["matmul", "lshift", "rshift", "divmod", "contains", "len", "iter", "index", "float"])
def test_operators_that_tensorflow_lacks_are_missing(name: str) -> None:
    assert not hasattr(tf.RaggedTensor, f"__{name}__")


def test_subclasses_decide_how_they_hash() -> None:
    with pytest.raises(TypeError, match=r"RaggedTensor is unhashable\."):
        hash(tf.ragged.constant([[1]]))


def test_equality_in_a_plain_graph_is_identity() -> None:
    with tf.Graph().as_default():
        x, y = tf.ragged.constant([[1]]), tf.ragged.constant([[1]])
        assert (x == x, x == y, x != x, x != y, x == 1) == (True, False, False, True, False)
        assert {x: 1}[x] == 1
        assert isinstance(x + 1, tf.RaggedTensor)
