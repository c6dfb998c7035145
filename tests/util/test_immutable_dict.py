from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.util.immutable_dict import ImmutableDict


def test_an_immutable_dict_reads_like_a_dict_in_the_order_of_its_keys() -> None:
    items = ImmutableDict({"b": 1}, a=2)
    assert list(items.items()) == [("b", 1), ("a", 2)] and items["a"] == 2 and len(items) == 2
    assert "b" in items and "c" not in items and items == {"a": 2, "b": 1}
    assert repr(items) == "ImmutableDict({'b': 1, 'a': 2})"


def test_an_immutable_dict_cannot_change_and_is_no_key() -> None:
    items = ImmutableDict(a=1)
    with pytest.raises(TypeError, match="does not support item assignment"):
        items["a"] = 2  # type: ignore[index]  # the point
    with pytest.raises(TypeError, match="unhashable"):
        hash(items)


def test_an_immutable_dict_is_structure() -> None:
    doubled = tf.nest.map_structure(lambda x: 2 * x, ImmutableDict(b=1, a=2))
    assert isinstance(doubled, ImmutableDict) and list(doubled.items()) == [("b", 2), ("a", 4)]
