"""Which name of the other side a name is most like."""

from __future__ import annotations

import time

from millrace._src.checkpoint.nearest_names import beginnings, nearest_names


def test_values_of_the_same_kind_come_first() -> None:
    assert nearest_names({"layer_2/w": "f"}, {"layer_21/w": "g", "layer_3/w": "f"}) == {"layer_2/w": "layer_3/w"}


def test_each_name_is_given_away_once() -> None:
    assert nearest_names({"a_1": 0, "a_2": 0}, {"a_3": 0}) == {"a_1": "a_3"}


def test_what_one_pair_shows_is_used_for_the_others() -> None:
    wanted = {f"encoder/x/{name}": 0 for name in ("kernel", "bias", "gamma")}
    offered = {f"encoder/stack/{name}": 0 for name in ("gamma", "bias", "kernel")}
    assert nearest_names(wanted, offered) == {
        f"encoder/x/{name}": f"encoder/stack/{name}" for name in ("kernel", "bias", "gamma")
    }


def test_names_that_have_nothing_in_common_are_left_alone() -> None:
    assert nearest_names({"abc": 0}, {"xyz": 0}) == {}


def test_beginnings_are_at_least_one_part() -> None:
    assert beginnings("a/w", "b/w") == ("a", "b", "w")
    assert beginnings("w", "v") == ("w", "v", "")
    assert beginnings("x/w", "w") == ("x/w", "w", "")


def test_ten_thousand_renamed_values_take_less_than_seconds() -> None:
    wanted = {f"model/new/block_{i}/part_{j}/kernel": 0 for i in range(100) for j in range(100)}
    offered = {f"model/old/block_{i}/part_{j}/kernel": 0 for i in range(100) for j in range(100)}
    begin = time.process_time()
    nearest_names(wanted, offered)
    assert time.process_time() - begin < 5.0
