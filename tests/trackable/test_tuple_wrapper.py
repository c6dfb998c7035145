"""Tuples that checkpoints can walk; what TensorFlow answers is in the oracle programs `trackable_objects`."""

from __future__ import annotations

import copy
import json
import pickle
from collections import namedtuple

import millrace as tf
from millrace._src.trackable.tuple_wrapper import _TupleWrapper

Pair = namedtuple("Pair", "a b")


class Positive(namedtuple("Positive", "x")):
    """A namedtuple with a constructor and a method of its own."""

    def __new__(cls, x: int) -> Positive:
        return super().__new__(cls, abs(x))

    def double(self) -> int:
        return 2 * self.x


def test_json_and_formatting_read_a_wrapper_as_a_tuple() -> None:
    wrapper = _TupleWrapper((1, [2]))
    assert json.dumps(wrapper) == "[1, [2]]"
    assert "{} {}".format(*wrapper) == "1 ListWrapper([2])"
    assert hash(_TupleWrapper((1, 2))) == hash((1, 2)) and {_TupleWrapper((1, 2)): 3}[1, 2] == 3


def test_copies_and_pickles_are_wrappers_that_track() -> None:
    for start in ((1, [2]), Pair(1, [2])):
        wrapper = _TupleWrapper(start)
        for same in (copy.copy(wrapper), copy.deepcopy(wrapper), pickle.loads(pickle.dumps(wrapper))):
            assert type(same).__name__ == "_TupleWrapper" and same.__class__ is start.__class__ and same == wrapper
            assert list(same._trackable_children()) == list(wrapper._trackable_children())
        assert copy.copy(wrapper)[1] is wrapper[1] and copy.deepcopy(wrapper)[1] is not wrapper[1]


def test_a_wrapper_of_a_wrapper_keeps_the_fields() -> None:
    again = _TupleWrapper(_TupleWrapper(Pair(1, [2])))
    assert again.a == 1 and again.__class__ is Pair and repr(again) == "_TupleWrapper(Pair(a=1, b=ListWrapper([2])))"


def test_a_namedtuple_with_methods_keeps_them() -> None:
    wrapper = _TupleWrapper(Positive(-3))
    assert wrapper.double() == 6 and isinstance(wrapper, Positive) and type(wrapper.__wrapped__) is Positive
    assert tf.nest.map_structure(lambda x: -x, wrapper) == Positive(3)


def test_one_class_of_wrappers_serves_all_tuples_of_a_class() -> None:
    assert type(_TupleWrapper(Pair(1, 2))) is type(_TupleWrapper(Pair(3, 4)))
    assert issubclass(type(_TupleWrapper(Pair(1, 2))), Pair)
