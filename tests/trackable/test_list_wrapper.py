"""Lists that checkpoints can walk; what TensorFlow answers is in the oracle programs `trackable_objects`."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.trackable.list_wrapper import List, ListWrapper


def children(wrapper: Any) -> list[str]:
    return list(wrapper._trackable_children())


def test_json_and_numpy_read_a_wrapper_as_a_list() -> None:
    wrapper = ListWrapper([1, [2, {"a": 3}], (4,)])
    assert json.dumps(wrapper) == '[1, [2, {"a": 3}], [4]]'
    assert json.loads(json.dumps(wrapper, indent=1)) == [1, [2, {"a": 3}], [4]]
    assert np.array(ListWrapper([1, 2])).tolist() == [1, 2]
    assert sorted(ListWrapper([2, 1])) == [1, 2] and "".join(ListWrapper(["a", "b"])) == "ab"


def test_the_users_list_and_the_wrapper_are_one() -> None:
    users: list[Any] = [1]
    wrapper = ListWrapper(users)
    users.append(2)
    wrapper.append(3)
    wrapper[0] = 0
    assert users == wrapper == [0, 2, 3]
    assert list(wrapper) == users and len(wrapper) == 3


CHANGES = [
    lambda x, n: x.append(n),
    lambda x, n: x.extend([n, n]),
    lambda x, n: x.insert(n, n),
    lambda x, n: x.pop(),
    lambda x, n: x.pop(n),
    lambda x, n: x.remove(n),
    lambda x, n: x.clear(),
    lambda x, n: x.reverse(),
    lambda x, n: x.sort(),
    lambda x, n: x.sort(key=lambda item: -item, reverse=bool(n % 2)),
    lambda x, n: x.__setitem__(n, -n),
    lambda x, n: x.__setitem__(slice(n, None, 2), [n]),
    lambda x, n: x.__setitem__(slice(1, n), [n, n]),
    lambda x, n: x.__delitem__(n),
    lambda x, n: x.__delitem__(slice(None, n)),
    lambda x, n: x.__iadd__([n]),
    lambda x, n: x.__imul__(n % 3),
    lambda x, n: x.index(n),
    lambda x, n: x.index(n, 1),
    lambda x, n: x[n],
    lambda x, n: x[n:],
]


def outcome(change: Any, target: Any, number: int) -> Any:
    try:
        return repr(change(target, number)).removeprefix("ListWrapper(").removesuffix(")")
    except (IndexError, ValueError) as error:
        return type(error)


@given(st.lists(st.tuples(st.integers(0, len(CHANGES) - 1), st.integers(-3, 4)), max_size=12))
def test_any_changes_do_what_they_do_to_a_list(steps: list[tuple[int, int]]) -> None:
    plain, wrapper = [1, 2, 3], ListWrapper([1, 2, 3])
    for which, number in steps:
        assert outcome(CHANGES[which], wrapper, number) == outcome(CHANGES[which], plain, number)
        assert wrapper == plain and wrapper._known_content() == plain
    assert children(wrapper) == []


def test_elements_that_move_make_a_list_that_cannot_be_saved() -> None:
    wrapper = ListWrapper([tf.Variable(1.0), 2])
    wrapper.sort(key=str)
    with pytest.raises(ValueError, match=r"replaced \(__setitem__.*or moved \(sort\)"):
        children(wrapper)
    for same in (copy.copy(wrapper), copy.deepcopy(wrapper), pickle.loads(pickle.dumps(wrapper))):
        with pytest.raises(ValueError, match=r"append-only"):
            children(same)


@pytest.mark.parametrize("value", [7, [9], tf.Module()])
@pytest.mark.parametrize("index", [0, -2])
def test_a_plain_element_can_be_replaced_in_a_list_that_is_saved(index: int, value: Any) -> None:
    wrapper = ListWrapper([1, tf.Module()])
    wrapper[index] = value
    assert children(wrapper) == (["1"] if value == 7 else ["1", "0"])


@pytest.mark.parametrize("value", [7, [9], tf.Module()])
def test_an_element_that_was_saved_cannot_be_replaced(value: Any) -> None:
    wrapper = ListWrapper([1, tf.Module()])
    wrapper[1] = value
    with pytest.raises(ValueError, match=r"A list element was replaced \(__setitem__"):
        children(wrapper)


def test_a_change_behind_the_back_is_told_with_both_values() -> None:
    users: list[Any] = [1]
    wrapper = ListWrapper(users)
    users.append(2)
    wrapper[0] = 5
    with pytest.raises(ValueError, match=r"\(its final value was \[5, 2\], its value when .* was \[1\]\)"):
        children(wrapper)


def test_a_list_that_holds_itself_can_be_copied_and_pickled() -> None:
    wrapper = ListWrapper([1])
    wrapper.append(wrapper)
    for same in (copy.deepcopy(wrapper), pickle.loads(pickle.dumps(wrapper))):
        assert same[1] is same and same[0] == 1 and children(same) == ["1"]


def test_a_list_of_trackables_takes_nothing_else() -> None:
    chosen = List([tf.Module(), [tf.Module()]])
    assert children(chosen) == ["0", "1"] and type(chosen[1]) is ListWrapper
    with pytest.raises(ValueError, match=r"Only trackable objects .* may be stored in a List object. Got 3"):
        chosen.append(3)
    assert len(chosen) == 2
    assert type(chosen + [1]) is list and chosen == chosen and chosen != List(chosen)
    assert len({chosen, chosen}) == 1
    assert type(copy.deepcopy(chosen)) is List
