"""`if` over tensors: both branches are traced, one runs, and the variables they assign are merged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf


def _both(function: Any) -> list[Any]:
    """What a function of a boolean tensor returns for True and for False."""
    traced = tf.function(function)
    return [np.asarray(traced(tf.constant(test))).tolist() for test in (True, False)]


def test_both_branches_are_traced_once_and_one_runs() -> None:
    traced, count = [], tf.Variable([0, 0])

    @tf.function
    def f(test):
        if test:
            traced.append("main")
            count.assign_add([1, 0])
        else:
            traced.append("else")
            count.assign_add([0, 1])

    for test in (True, True, False):
        f(tf.constant(test))
    assert traced == ["main", "else"]
    assert count.numpy().tolist() == [2, 1]


def test_a_python_condition_traces_one_branch() -> None:
    @tf.function
    def f(x, test):
        if test:
            return x + 1
        raise AssertionError("not traced")

    assert f(tf.constant(1), True).numpy() == 2
    assert not [op for op in f.get_concrete_function(tf.constant(1), True).graph.get_operations() if "If" in op.type]


def test_variables_that_a_branch_leaves_alone_keep_their_value() -> None:
    def f(test):
        x, y = 1, 2
        if test:
            x = 10
        else:
            y = 20
        return [x, y]

    assert _both(f) == [[10, 2], [1, 20]]


def test_attributes_and_items_count_as_variables() -> None:
    class Holder:
        pass

    def f(test):
        holder, table, items = Holder(), {"k": 1}, [1, 2]
        holder.x = 1
        if test:
            holder.x = 5
            table["k"] = 6
            items[1] = 7
        return [holder.x, table["k"], items[0], items[1]]

    assert _both(f) == [[5, 6, 1, 7], [1, 1, 1, 2]]


def test_structures_are_merged_leaf_by_leaf() -> None:
    def f(test):
        if test:
            pair = {"a": (1, [2]), "b": 3}
        else:
            pair = {"a": (4, [5]), "b": 6}
        return [pair["a"][0], pair["a"][1][0], pair["b"]]

    assert _both(f) == [[1, 2, 3], [4, 5, 6]]


def test_a_python_value_that_both_branches_share_stays_a_python_value() -> None:
    @tf.function
    def f(test):
        name = "first"
        if test:
            name, x = "second", 1
        else:
            name, x = "second", 2
        assert type(name) is str and name == "second"
        return x

    assert f(tf.constant(True)).numpy() == 1


def test_shapes_that_differ_are_joined() -> None:
    @tf.function
    def f(test):
        if test:
            x = tf.zeros([2, 3])
        else:
            x = tf.zeros([4, 3])
        joined.append(x.shape.as_list())
        return x

    joined: list[Any] = []
    assert [f(tf.constant(test)).shape.as_list() for test in (True, False)] == [[2, 3], [4, 3]]
    assert joined == [[None, 3]]


def test_a_failed_branch_leaves_the_variables_as_they_were() -> None:
    class Holder:
        x = 1

    holder = Holder()

    @tf.function
    def f(test):
        if test:
            holder.x = tf.constant(2)
        else:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        f(tf.constant(True))
    assert holder.x == 1


def test_early_returns_of_any_depth_are_merged() -> None:
    @tf.function
    def f(x):
        if x > 0:
            if x > 10:
                return 2
            if x > 5:
                return 1
        elif x < -5:
            return -1
        return 0

    assert [f(tf.constant(x)).numpy() for x in (20, 7, 3, -3, -9)] == [2, 1, 0, 0, -1]


MISTAKES = {
    "one branch only": (
        ValueError,
        r"'y' must also be initialized in the else branch",
        "if t:\n    y = 1\nreturn y",
    ),
    "none": (
        ValueError,
        r"'y' is None at the end of the else branch",
        "if t:\n    y = 1\nelse:\n    y = None\nreturn y",
    ),
    "dtypes": (
        TypeError,
        r"'y' has dtype int32 in the main branch, but dtype float32 in the else branch.*tf\.cast",
        "if t:\n    y = 1\nelse:\n    y = 1.0\nreturn y",
    ),
    "structures": (
        TypeError,
        r"'y' must have the same nested structure in the main and else branches",
        "if t:\n    y = 1\nelse:\n    y = (1, 2)\nreturn y",
    ),
    "no return": (
        ValueError,
        r"the else branch must also have a return statement",
        "if t:\n    return 1",
    ),
}


@pytest.mark.parametrize("name", list(MISTAKES))
def test_what_cannot_be_merged_is_told_with_the_variable(name: str, tmp_path: Any) -> None:
    error, message, body = MISTAKES[name]
    path = tmp_path / "mistake.py"
    path.write_text("def f(t):\n" + "".join(f"    {line}\n" for line in body.splitlines()))
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    with pytest.raises(error, match=message):
        tf.function(namespace["f"])(tf.constant(True))
