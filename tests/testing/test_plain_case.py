"""What absl-py adds to `unittest` is the same without absl-py: each assertion passes and fails alike."""

from __future__ import annotations

import importlib
import os
import unittest
from collections.abc import Callable
from typing import Any

import pytest

from millrace._src.testing.plain_case import PlainTestCase


class Mine(PlainTestCase):
    """A case that no runner runs."""

    def runTest(self) -> None:
        pass


def _absl_case() -> unittest.TestCase:
    base = pytest.importorskip("absl.testing.absltest").TestCase
    importlib.import_module("absl.flags").FLAGS.mark_as_parsed()
    return type("Case", (base,), {"runTest": lambda self: None})()  # type: ignore[no-any-return]


@pytest.fixture(params=["plain", "absl"])
def case(request: pytest.FixtureRequest) -> Any:
    found = Mine() if request.param == "plain" else _absl_case()
    yield found
    found.doCleanups()


class _OnlySized:
    """An object that has a length and nothing else."""

    def __len__(self) -> int:
        return 2


PASSES: list[tuple[str, tuple[Any, ...]]] = [
    ("assertEmpty", ([],)),
    ("assertNotEmpty", ({1},)),
    ("assertLen", ("ab", 2)),
    ("assertLen", (_OnlySized(), 2)),
    ("assertItemsEqual", ([1, 2, 2], [2, 1, 2])),
    ("assertSameElements", ([1, 1, 2], [2, 1])),
    ("assertContainsSubset", ([1], [1, 2])),
    ("assertNoCommonElements", ([1], [2])),
    ("assertSequenceStartsWith", ([1], [1, 2])),
    ("assertSequenceStartsWith", (1, [1, 2])),
    ("assertSequenceAlmostEqual", ([1.0], [1.0 + 1e-9])),
    ("assertDictAlmostEqual", ({"a": 1.0}, {"a": 1.0 + 1e-9})),
    ("assertMappingEqual", ({"a": 1}, {"a": 1})),
    ("assertSameStructure", ({"a": [1, (2,)]}, {"a": [1, (2,)]})),
    ("assertTotallyOrdered", ([1, 1.0], [2], [3])),
    ("assertStartsWith", ("tensor", "ten")),
    ("assertNotStartsWith", ("tensor", "flow")),
    ("assertEndsWith", ("tensor", "sor")),
    ("assertNotEndsWith", ("tensor", "flow")),
    ("assertContainsInOrder", (["a", "c"], "abc")),
    ("assertContainsInOrder", ("b", "abc")),
    ("assertContainsSubsequence", ([1, 2, 3], [1, 3])),
    ("assertContainsExactSubsequence", ([1, 2, 3], [2, 3])),
    ("assertRegexMatch", ("abc", ["x", "b"])),
    ("assertJsonEqual", ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}')),
    ("assertUrlEqual", ("http://a/b?x=1&y=2#f", "http://a/b?y=2&x=1#f")),
    ("assertBetween", (2, 2, 3)),
    ("assertIsSubclass", (bool, int)),
    ("assertNotIsSubclass", (int, bool)),
    ("assertCommandSucceeds", (["echo", "hello"], ["hel+o"])),
    ("assertCommandFails", ("echo sad; exit 3", ["sad"])),
]
FAILS: list[tuple[str, tuple[Any, ...], str]] = [
    ("assertEmpty", ([1],), "[1] has length of 1."),
    ("assertEmpty", (3,), "Expected a Sized object, got: 'int'"),
    ("assertNotEmpty", ((),), "() has length of 0."),
    ("assertLen", ([1, 2], 3), "[1, 2] has length of 2, expected 3."),
    ("assertItemsEqual", ([1, 2], [1, 1]), "Element counts were not equal"),
    ("assertSameElements", ([1, 2], [2, 3]), "Expected, but missing:\n  [1]\n"),
    ("assertContainsSubset", ([1, 3], [1, 2]), "Missing elements {3}"),
    ("assertNoCommonElements", ([1], [1, 2]), "Common elements {1}"),
    ("assertSequenceStartsWith", ([2], [1, 2]), "prefix: [2] not found at start of whole: [1, 2]."),
    ("assertSequenceAlmostEqual", ([1.0], [2.0]), "1.0 != 2.0"),
    ("assertSequenceAlmostEqual", ([1.0], []), "Sequence size mismatch: 1 vs 0"),
    ("assertDictAlmostEqual", ({"a": 1.0}, {"a": 2.0}), "1.0 != 2.0"),
    ("assertMappingEqual", ({"a": 1}, {"a": 2}), "{'a': 1} != {'a': 2}"),
    ("assertSameStructure", ({"a": [1]}, {"a": [2]}), "a['a'][0] is 1 but b['a'][0] is 2"),
    ("assertSameStructure", ({"a": [1]}, {"b": [1]}), "a has ['a'] with value [1] but it's missing in b"),
    ("assertTotallyOrdered", ([2], [1]), ""),
    ("assertStartsWith", ("tensor", "flow"), "'tensor' does not start with 'flow'"),
    ("assertNotStartsWith", ("tensor", "ten"), "'tensor' does start with 'ten'"),
    ("assertEndsWith", ("tensor", "ten"), "'tensor' does not end with 'ten'"),
    ("assertNotEndsWith", ("tensor", "sor"), "'tensor' does end with 'sor'"),
    ("assertContainsInOrder", (["c", "a"], "abc"), "Did not find 'a' after 'c' in 'abc'"),
    ("assertContainsSubsequence", ([1, 2, 3], [3, 1]), "not a subsequence of [1, 2, 3]"),
    ("assertContainsExactSubsequence", ([1, 2, 3], [1, 3]), "not an exact subsequence of [1, 2, 3]"),
    ("assertRegexMatch", ("abc", ["x", "y"]), ""),
    ("assertJsonEqual", ('{"a": 1}', '{"a": 2}'), "first['a'] is 1 but second['a'] is 2"),
    ("assertUrlEqual", ("http://a/b?x=1", "http://a/b?x=2"), ""),
    ("assertBetween", (5, 1, 3), '"5" unexpectedly not between "1" and "3"'),
    ("assertIsSubclass", (int, bool), "is not a subclass of"),
    ("assertNotIsSubclass", (bool, int), "is a subclass of"),
    ("assertCommandSucceeds", (["false"],), ""),
    ("assertCommandSucceeds", (["echo", "hello"], ["bye"]), ""),
    ("assertCommandFails", (["true"], [""]), "The following command succeeded"),
]


@pytest.mark.parametrize(("name", "arguments"), PASSES, ids=[name for name, _ in PASSES])
def test_what_is_so_passes(case: Any, name: str, arguments: tuple[Any, ...]) -> None:
    getattr(case, name)(*arguments)


@pytest.mark.parametrize(("name", "arguments", "words"), FAILS, ids=[name for name, _, _ in FAILS])
def test_what_is_not_so_fails_with_the_same_words(case: Any, name: str, arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(AssertionError) as caught:
        getattr(case, name)(*arguments)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", sorted({name for name, *_ in FAILS} - {"assertTotallyOrdered", "assertRegexMatch"}))
def test_a_message_of_the_user_is_told_too(case: Any, name: str) -> None:
    arguments = next(arguments for other, arguments, _ in FAILS if other == name)
    with pytest.raises(AssertionError, match="about cats"):
        getattr(case, name)(*arguments, msg="about cats")


def _raises(error: Exception) -> Callable[[], None]:
    def run() -> None:
        raise error

    return run


def test_an_error_must_have_the_literal_message(case: Any) -> None:
    case.assertRaisesWithLiteralMatch(ValueError, "a.b", _raises(ValueError("a.b")))
    with case.assertRaisesWithLiteralMatch(ValueError, "a.b"):
        raise ValueError("a.b")
    with pytest.raises(AssertionError, match="Exception message does not match"):
        case.assertRaisesWithLiteralMatch(ValueError, "a.b", _raises(ValueError("axb")))
    with pytest.raises(AssertionError, match="ValueError not raised"):
        case.assertRaisesWithLiteralMatch(ValueError, "a.b", lambda: None)


def test_a_context_is_left_when_the_test_ends(case: Any) -> None:
    events = []

    class Context:
        def __enter__(self) -> str:
            events.append("entered")
            return "value"

        def __exit__(self, *_: object) -> None:
            events.append("left")

    assert case.enter_context(Context()) == "value"
    assert events == ["entered"]
    case.doCleanups()
    assert events == ["entered", "left"]


def test_files_are_made_below_a_folder_of_the_test(case: Any) -> None:
    file = case.create_tempfile("sub/file.txt", content="text")
    other = case.create_tempfile(content=b"bytes", mode="wb")
    folder = case.create_tempdir("tree")
    inner = folder.create_file("a/b.txt", content="inner")
    below = folder.mkdir("below")
    assert file.full_path.endswith(os.path.join("sub", "file.txt"))
    assert (file.read_text(), other.read_bytes(), inner.read_text()) == ("text", b"bytes", "inner")
    assert os.path.isdir(below.full_path) and sorted(os.listdir(folder)) == ["a", "below"]
    with open(file) as stream:
        assert stream.read() == "text"
    assert case.create_tempdir().full_path != case.create_tempdir().full_path


def test_files_go_away_with_the_test() -> None:
    found = Mine()
    path = found.create_tempfile().full_path
    kept = Mine()
    other = kept.create_tempfile(cleanup="off").full_path
    assert os.path.exists(path)
    found.doCleanups()
    kept.doCleanups()
    assert not os.path.exists(path) and os.path.exists(other)
