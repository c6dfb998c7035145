"""Dicts that checkpoints can walk; what TensorFlow answers is in the oracle programs `trackable_objects`."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.trackable.dict_wrapper import Mapping, _DictWrapper
from millrace._src.trackable.list_wrapper import ListWrapper
from millrace._src.trackable.tuple_wrapper import _TupleWrapper


def test_json_and_calls_read_a_wrapper_as_a_dict() -> None:
    wrapper = _DictWrapper({"a": 1, "b": {"c": [2]}})
    assert json.dumps(wrapper) == '{"a": 1, "b": {"c": [2]}}'
    assert json.loads(json.dumps(wrapper, indent=1)) == wrapper
    assert dict(**wrapper) == {**wrapper} == dict(wrapper) == wrapper
    assert "{a}".format_map(wrapper) == "1"


def test_the_users_dict_and_the_wrapper_are_one() -> None:
    users: dict[str, Any] = {"a": 1}
    wrapper = _DictWrapper(users)
    users["b"] = 2
    wrapper["c"] = 3
    assert users == wrapper == {"a": 1, "b": 2, "c": 3} and wrapper.__wrapped__ is users
    assert list(wrapper) == list(wrapper.keys()) == ["a", "b", "c"] and list(reversed(wrapper)) == ["c", "b", "a"]
    assert {**wrapper} == users and (wrapper | {}) == ({} | wrapper) == users


CHANGES = [
    lambda x, k, n: x.__setitem__(k, n),
    lambda x, k, n: x.__delitem__(k),
    lambda x, k, n: x.pop(k),
    lambda x, k, n: x.pop(k, n),
    lambda x, k, n: x.popitem(),
    lambda x, k, n: x.clear(),
    lambda x, k, n: x.update({k: n, "z": n}),
    lambda x, k, n: x.update([(k, n)], y=n),
    lambda x, k, n: x.setdefault(k, n),
    lambda x, k, n: x.__ior__({k: n}),
    lambda x, k, n: x | {k: n},
    lambda x, k, n: {k: n} | x,
    lambda x, k, n: x[k],
    lambda x, k, n: x.get(k, n),
    lambda x, k, n: list(x.items()),
]


def outcome(change: Any, target: Any, key: str, number: int) -> Any:
    try:
        return repr(change(target, key, number)).removeprefix("DictWrapper(").removesuffix(")")
    except KeyError as error:
        return repr(error).removesuffix(")")


@given(st.lists(st.tuples(st.integers(0, len(CHANGES) - 1), st.sampled_from("ab"), st.integers(-3, 3)), max_size=12))
def test_any_changes_do_what_they_do_to_a_dict(steps: list[tuple[int, str, int]]) -> None:
    plain, wrapper = {"a": 1, "b": 2}, _DictWrapper({"a": 1, "b": 2})
    for which, key, number in steps:
        assert outcome(CHANGES[which], wrapper, key, number) == outcome(CHANGES[which], plain, key, number)
        assert (
            wrapper == plain and list(wrapper) == list(plain) and json.loads(json.dumps({"w": wrapper})) == {"w": plain}
        )


def test_dataclasses_rebuild_wrappers_as_they_do_dicts_and_lists() -> None:
    @dataclasses.dataclass
    class Settings:
        table: Any
        sizes: Any
        pair: Any

    settings = Settings(_DictWrapper({"a": [1]}), ListWrapper([1, 2]), _TupleWrapper((1, [2])))
    plain = {"table": {"a": [1]}, "sizes": [1, 2], "pair": (1, [2])}
    assert dataclasses.asdict(settings) == plain and dataclasses.replace(settings) == settings


def test_two_wrappers_are_compared_by_what_the_users_dicts_hold() -> None:
    first: dict[str, Any] = {}
    wrapper = _DictWrapper(first)
    first["a"] = 1
    assert wrapper == _DictWrapper({"a": 1}) and wrapper != _DictWrapper({})


def test_a_change_behind_the_back_is_told_with_both_values() -> None:
    users = {"a": 1}
    wrapper = _DictWrapper(users)
    del users["a"]
    with pytest.raises(
        ValueError, match=r"modified outside the wrapper \(its final value was \{\}, .* was \{'a': 1\}\)"
    ):
        wrapper._trackable_children()


def test_copies_and_pickles_are_wrappers_that_track() -> None:
    for start in ({"a": tf.Variable(1.0), "b": [2]}, OrderedDict(a=tf.Variable(1.0), b=[2])):
        wrapper = _DictWrapper(start)
        for same in (copy.copy(wrapper), copy.deepcopy(wrapper), pickle.loads(pickle.dumps(wrapper)), wrapper.copy()):
            assert type(same) is _DictWrapper and same.__class__ is start.__class__
            assert list(same._trackable_children()) == ["a", "b"] and same._storage is not wrapper._storage
        assert copy.copy(wrapper)["a"] is wrapper["a"] and copy.deepcopy(wrapper)["a"] is not wrapper["a"]


def test_a_dict_that_holds_itself_can_be_copied_and_pickled() -> None:
    wrapper = _DictWrapper({"a": 1})
    wrapper["me"] = wrapper
    for same in (copy.deepcopy(wrapper), pickle.loads(pickle.dumps(wrapper))):
        assert same["me"] is same and same["a"] == 1


def test_a_wrapper_has_the_methods_of_the_users_dict_and_no_others() -> None:
    wrapper = _DictWrapper(OrderedDict(a=1, b=2))
    wrapper.move_to_end("a")
    assert list(wrapper) == ["b", "a"]
    with pytest.raises(AttributeError, match=r"'collections.OrderedDict' object has no attribute 'append'"):
        wrapper.append(1)
    with pytest.raises(AttributeError, match=r"'_DictWrapper' object has no attribute '_nothing'"):
        wrapper._nothing
    with pytest.raises(TypeError, match=r"unhashable"):
        hash(wrapper)


def test_a_mapping_of_trackables_is_append_only() -> None:
    chosen = Mapping(a=tf.Module(), b=[1])
    assert list(chosen._trackable_children()) == ["a", "b"] and type(chosen["b"]) is ListWrapper
    for key, value, error, message in (
        ("a", tf.Module(), ValueError, r"append-only data structure. Tried to overwrite the key 'a'"),
        (3, tf.Module(), TypeError, r"Mapping accepts only string keys, but got a key 3."),
        ("c", 3, ValueError, r"Only trackable objects"),
    ):
        with pytest.raises(error, match=message):
            chosen[key] = value  # type: ignore[index]  # what it refuses
    assert len(chosen) == 2 and repr(chosen).startswith("Mapping({'a': ")
    assert list(copy.deepcopy(chosen)) == ["a", "b"] and len({chosen}) == 1


def test_c_code_sees_a_dict_that_was_emptied_and_filled_again() -> None:
    wrapper = _DictWrapper({"a": 1})
    del wrapper["a"]
    wrapper.setdefault("b", 2)
    assert json.dumps(wrapper) == '{"b": 2}'
