from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import pytest

from millrace._src.util import nest_paths as paths

Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", "x y")


def test_paths_are_indices_keys_and_fields() -> None:
    structure = {"a": [1, {"b": 2}], "c": Point(3, 4)}
    assert paths.flatten_with_path(structure) == [(("a", 0), 1), (("a", 1, "b"), 2), (("c", "x"), 3), (("c", "y"), 4)]
    assert paths.flatten_with_joined_path(structure) == [("a/0", 1), ("a/1/b", 2), ("c/x", 3), ("c/y", 4)]
    assert paths.flatten_with_path(1) == [((), 1)] and paths.flatten_with_joined_path(1) == [("", 1)]
    assert paths.flatten_with_joined_path({1: 2}, separator=".") == [("1", 2)]
    assert paths.flatten_with_path({1: 2}.items()) == [((0, 0), 1), ((0, 1), 2)]


def test_mapping_with_paths() -> None:
    assert paths.map_structure_with_path(lambda path, x: path, {"a": [1, {"b": 2}]}) == {
        "a": [("a", 0), {"b": ("a", 1, "b")}]
    }
    assert paths.map_structure_with_path(lambda path, x, y: x + y, [1], [2]) == [3]


@pytest.mark.parametrize(
    ("shallow", "tree", "parts"),
    [
        ([0, [0]], [[1, 2], [(3,)]], [[1, 2], (3,)]), (0, [1], [[1]]), ([[0], 0], [[1], 2], [1, 2]),
        ({"a": 0}, OrderedDict(a=3), [3]),
    ],
)  # fmt: skip
def test_flatten_up_to(shallow: Any, tree: Any, parts: list[Any]) -> None:
    assert paths.flatten_up_to(shallow, tree) == parts
    paths.assert_shallow_structure(shallow, tree)


# Recorded from TensorFlow 2.21.
@pytest.mark.parametrize(
    ("shallow", "tree", "error", "message"),
    [
        (
            [0, 0], [1], ValueError,
            "The two structures don't have the same sequence length. Input structure has length 1, while shallow "
            "structure has length 2.",
        ),
        (
            [0, 0], (1, 2), TypeError,
            "The two structures don't have the same sequence type. Input structure has type <class 'tuple'>, while "
            "shallow structure has type <class 'list'>.",
        ),
        (
            [0, 0], 1, TypeError,
            "If shallow structure is a sequence, input must also be a sequence. Input has type: <class 'int'>.",
        ),
        (
            {"a": 0}, {"b": 1}, ValueError,
            "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following "
            "keys that are not in the input_tree: ['a'].",
        ),
        (
            {"a": 0}, {"a": 1, "b": 2}, ValueError,
            "The two structures don't have the same sequence length. Input structure has length 2, while shallow "
            "structure has length 1.",
        ),
    ],
)  # fmt: skip
def test_trees_that_are_no_deeper_version(shallow: Any, tree: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        paths.flatten_up_to(shallow, tree)
    assert str(caught.value) == message


def test_namedtuples_of_different_names_do_not_match() -> None:
    with pytest.raises(TypeError, match="don't have the same sequence type"):
        paths.flatten_up_to(Point(0, 0), Pair(1, 2))
    paths.assert_shallow_structure([0, 0], (1, 2), check_types=False)


def test_mapping_up_to() -> None:
    assert paths.map_structure_up_to([0, 0], lambda x, y: (x, y), [[1], [2]], [3, 4]) == [([1], 3), ([2], 4)]
    assert paths.map_structure_up_to([0, 0], lambda x, y: (x, y), [1, 2], (3, 4), check_types=False) == [(1, 3), (2, 4)]
    assert paths.map_structure_with_path_up_to([0], lambda path, x: (path, x), [[1]]) == [((0,), [1])]
    with pytest.raises(ValueError, match=r"^Cannot map over no sequences$"):
        paths.map_structure_up_to([0, 0], lambda x: x)


def test_choosing_how_deep_to_go() -> None:
    def is_list(part: Any) -> bool:
        return isinstance(part, list)

    assert paths.traverse_shallow_structure(is_list, [1, (2, 3), [4]]) == [False, False, [False]]
    assert paths.traverse_shallow_structure(lambda part: False, [1]) is False
    assert paths.traverse_shallow_structure(
        lambda part: [True, False] if len(part) == 2 else True, [[1, 2, 3], [4]]
    ) == [
        [False, False, False],
        False,
    ]
