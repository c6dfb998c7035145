"""The assertions that absl-py adds to `unittest`, for programs where absl-py is not installed.

`tf.test.TestCase` is absl's `TestCase` where there is one, and tests written for TensorFlow use its methods as if they
were TensorFlow's. So the ones that need nothing but Python are here too, with the same parameters and first words.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import subprocess
import tempfile
import unittest
import unittest.util
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from millrace._src.testing.temporary_files import TemporaryFile, TemporaryFolder, remove_folder

_Entered = TypeVar("_Entered")


class PlainTestCase(unittest.TestCase):
    """A test case with absl's assertions, on `unittest` alone."""

    maxDiff = None
    longMessage = True

    # --- contexts and files -------------------------------------------------------------------------------------------

    def enter_context(self, manager: AbstractContextManager[_Entered]) -> _Entered:
        """Enters a context until the test ends, and returns what the context gives."""
        entered = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return entered

    def create_tempdir(self, name: str | None = None, cleanup: object = None) -> TemporaryFolder:
        """Makes a folder that goes away with the test.

        Args:
          name: Its path below the test's own folder; a new one if there is none given.
          cleanup: Whether the folder is removed: always, unless this says `OFF`, as absl's `TempFileCleanup` does.
        """
        return self._folder_of_the_test(cleanup).mkdir(name)

    def create_tempfile(
        self,
        file_path: str | None = None,
        content: str | bytes | None = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
        cleanup: object = None,
    ) -> TemporaryFile:
        """Makes a file that goes away with the test.

        Args:
          file_path: Its path below the test's own folder; a new one if there is none given.
          content: What the file holds.
          mode: How text is written.
          encoding: How text becomes bytes.
          errors: What to do about text that has no such bytes.
          cleanup: As for `create_tempdir`.
        """
        return self._folder_of_the_test(cleanup).create_file(file_path, content, mode, encoding, errors)

    def _folder_of_the_test(self, cleanup: object) -> TemporaryFolder:
        folder: TemporaryFolder | None = self.__dict__.get("_temporary_folder")
        if folder is None:
            path = tempfile.mkdtemp(prefix=f"{type(self).__name__}.{self._testMethodName}.")
            folder = self.__dict__["_temporary_folder"] = TemporaryFolder(Path(path))
            if getattr(cleanup, "value", cleanup) != "off":
                self.addCleanup(remove_folder, path)
        return folder

    # --- collections --------------------------------------------------------------------------------------------------

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        """Fails unless a container is empty."""
        self._require_sized(container, msg)
        if len(container):
            self.fail(self._formatMessage(msg, f"{container!r} has length of {len(container)}."))

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        """Fails if a container is empty."""
        self._require_sized(container, msg)
        if not len(container):
            self.fail(self._formatMessage(msg, f"{container!r} has length of 0."))

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        """Fails unless a container has a length."""
        self._require_sized(container, msg)
        if len(container) != expected_len:
            found = f"{unittest.util.safe_repr(container)} has length of {len(container)}, expected {expected_len}."
            self.fail(self._formatMessage(msg, found))

    def _require_sized(self, container: Any, msg: Any) -> None:
        if not isinstance(container, Sized):
            self.fail(self._formatMessage(msg, f"Expected a Sized object, got: {type(container).__name__!r}"))

    def assertItemsEqual(self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: object = None) -> None:
        """Fails unless two sequences have the same elements, each as often, in any order."""
        self.assertCountEqual(expected_seq, actual_seq, msg)

    def assertSameElements(self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: Any = None) -> None:
        """Fails unless two sequences have the same elements, however often, in any order."""
        expected, actual = list(expected_seq), list(actual_seq)
        missing = [item for item in expected if item not in actual]
        unexpected = [item for item in actual if item not in expected]
        told = [f"Expected, but missing:\n  {missing!r}\n"] if missing else []
        told += [f"Unexpected, but present:\n  {unexpected!r}\n"] if unexpected else []
        if told:
            self.fail(self._formatMessage(msg, "\n".join(told)))

    def assertContainsSubset(self, expected_subset: Iterable[Any], actual_set: Iterable[Any], msg: Any = None) -> None:
        """Fails unless all elements of one collection are in another."""
        missing = {*expected_subset} - {*actual_set}
        if missing:
            found = f"Missing elements {missing}\nExpected: {expected_subset}\nActual: {actual_set}"
            self.fail(self._formatMessage(msg, found))

    def assertNoCommonElements(self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: Any = None) -> None:
        """Fails if two collections have an element in common."""
        common = {*expected_seq} & {*actual_seq}
        if common:
            found = f"Common elements {common}\nExpected: {expected_seq}\nActual: {actual_seq}"
            self.fail(self._formatMessage(msg, found))

    def assertSequenceStartsWith(self, prefix: Any, whole: Any, msg: Any = None) -> None:
        """Fails unless a sequence starts with the elements of another, or with one element."""
        start = list(prefix) if isinstance(prefix, Sequence) else [prefix]
        if not start:
            self.fail(self._formatMessage(msg, "Expected: a non-empty prefix. Got an empty one."))
        found = list(whole)[: len(start)]
        if found != start:
            self.fail(self._formatMessage(msg, f"prefix: {start} not found at start of whole: {whole}."))

    def assertSequenceAlmostEqual(
        self, expected_seq: Any, actual_seq: Any, places: int | None = None, msg: Any = None, delta: float | None = None
    ) -> None:
        """Fails unless two sequences have numbers that are almost equal, as `assertAlmostEqual` says."""
        if len(expected_seq) != len(actual_seq):
            self.fail(self._formatMessage(msg, f"Sequence size mismatch: {len(expected_seq)} vs {len(actual_seq)}"))
        told = [
            f"At index {index}: {text}"
            for index, (expected, actual) in enumerate(zip(expected_seq, actual_seq))
            if (text := self._far_apart(expected, actual, places, delta))
        ]
        if told:
            self.fail(self._formatMessage(msg, "\n".join(told)))

    def _far_apart(self, expected: Any, actual: Any, places: int | None, delta: float | None) -> str:
        """Returns what `assertAlmostEqual` says about two numbers; nothing if they are almost equal."""
        try:
            self.assertAlmostEqual(expected, actual, places, None, delta)  # type: ignore[arg-type]  # one is None
        except self.failureException as failure:
            return str(failure)
        return ""

    def assertDictAlmostEqual(
        self,
        a: Mapping[Any, Any],
        b: Mapping[Any, Any],
        places: int | None = None,
        msg: Any = None,
        delta: float | None = None,
    ) -> None:
        """Fails unless two dictionaries have the same keys, and values that are almost equal."""
        self.assertSameElements(a.keys(), b.keys(), msg)
        told = [f"[{key!r}]: {text}" for key in a if (text := self._far_apart(a[key], b[key], places, delta))]
        if told:
            self.fail(self._formatMessage(msg, "\n".join(told)))

    def assertMappingEqual(
        self,
        a: Mapping[Any, Any],
        b: Mapping[Any, Any],
        msg: Any = None,
        mapping_type: type = Mapping,
        check_values_equality: Callable[[Any, Any], bool] = lambda a, b: a == b,
    ) -> None:
        """Fails unless two mappings have the same keys and values.

        Args:
          a: The first mapping.
          b: The second mapping.
          msg: What to say besides.
          mapping_type: The class that both must have.
          check_values_equality: Whether two values count as equal.
        """
        self.assertIsInstance(a, mapping_type, f"{a!r} should be a {mapping_type.__name__}")
        self.assertIsInstance(b, mapping_type, f"{b!r} should be a {mapping_type.__name__}")
        told = [f"Missing key {key!r}" for key in a if key not in b]
        told += [f"Unexpected key {key!r}" for key in b if key not in a]
        told += [f"{k!r}: {a[k]!r} != {b[k]!r}" for k in a if k in b and not check_values_equality(a[k], b[k])]
        if told:
            self.fail(self._formatMessage(msg, f"{a!r} != {b!r}\n" + "\n".join(told)))

    def assertSameStructure(self, a: object, b: object, aname: str = "a", bname: str = "b", msg: Any = None) -> None:
        """Fails unless two nested lists and dictionaries are equal, and says where they are not."""
        told = list(itertools.islice(_structure_differences(a, b, aname, bname), 15))
        if told:
            self.fail(self._formatMessage(msg, "; ".join(told)))

    def assertTotallyOrdered(self, *groups: Sequence[Any], **kwargs: Any) -> None:
        """Fails unless all comparisons of values agree with the order of their groups; values of a group are equal."""
        placed = [(number, value) for number, group in enumerate(groups) for value in group]
        for (left, a), (right, b) in itertools.product(placed, placed):
            expected = [(a < b, left < right), (a <= b, left <= right), (a == b, left == right), (a > b, left > right)]
            if any(bool(found) != wanted for found, wanted in expected):
                self.fail(self._formatMessage(kwargs.get("msg"), f"{a!r} and {b!r} are not ordered as their groups"))

    # --- text ---------------------------------------------------------------------------------------------------------

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Any = None) -> None:
        """Fails unless a text starts with another."""
        if not actual.startswith(expected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does not start with {expected_start!r}"))

    def assertNotStartsWith(self, actual: Any, unexpected_start: Any, msg: Any = None) -> None:
        """Fails if a text starts with another."""
        if actual.startswith(unexpected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does start with {unexpected_start!r}"))

    def assertEndsWith(self, actual: Any, expected_end: Any, msg: Any = None) -> None:
        """Fails unless a text ends with another."""
        if not actual.endswith(expected_end):
            self.fail(self._formatMessage(msg, f"{actual!r} does not end with {expected_end!r}"))

    def assertNotEndsWith(self, actual: Any, unexpected_end: Any, msg: Any = None) -> None:
        """Fails if a text ends with another."""
        if actual.endswith(unexpected_end):
            self.fail(self._formatMessage(msg, f"{actual!r} does end with {unexpected_end!r}"))

    def assertContainsInOrder(self, strings: Any, target: str, msg: Any = None) -> None:
        """Fails unless texts stand in another text, one behind the other."""
        wanted = [strings] if isinstance(strings, str) else list(strings)
        index = 0
        for number, text in enumerate(wanted):
            index = target.find(text, index)
            if index < 0:
                after = f" after '{wanted[number - 1]}'" if number else ""
                self.fail(self._formatMessage(msg, f"Did not find '{text}'{after} in '{target}'"))
            index += len(text)

    def assertContainsSubsequence(self, container: Any, subsequence: Any, msg: Any = None) -> None:
        """Fails unless elements are in a container in the order given, maybe with others between."""
        rest = iter(container)
        missing = [item for item in subsequence if item not in rest]
        if missing:
            self.fail(
                self._formatMessage(msg, f"{subsequence!r} not a subsequence of {container!r}. First: {missing[0]!r}")
            )

    def assertContainsExactSubsequence(self, container: Any, subsequence: Any, msg: Any = None) -> None:
        """Fails unless elements are in a container one directly behind the other."""
        items, wanted = list(container), list(subsequence)
        if not any(items[i : i + len(wanted)] == wanted for i in range(len(items) - len(wanted) + 1)):
            self.fail(self._formatMessage(msg, f"{subsequence!r} not an exact subsequence of {container!r}"))

    def assertRegexMatch(self, actual_str: Any, regexes: Any, message: Any = None) -> None:
        """Fails unless one of some regular expressions is found in a text."""
        if isinstance(regexes, (str, bytes)):
            self.fail("regexes is string or bytes; use assertRegex instead.")
        if not any(re.search(regex, actual_str, re.MULTILINE) for regex in regexes):
            text = f"None of the regexes matched: {regexes}. String: {actual_str!r}"
            self.fail(self._formatMessage(message, text))

    def assertJsonEqual(self, first: str, second: str, msg: object = None) -> None:
        """Fails unless two texts of JSON mean the same."""
        self.assertSameStructure(json.loads(first), json.loads(second), "first", "second", msg)

    def assertUrlEqual(self, a: str, b: str, msg: object = None) -> None:
        """Fails unless two addresses are equal, whatever the order of their parameters."""
        left, right = (urllib.parse.urlparse(url) for url in (a, b))
        self.assertEqual(left[:4], right[:4], msg)
        self.assertEqual(sorted(left.params.split(";")), sorted(right.params.split(";")), msg)
        self.assertEqual(urllib.parse.parse_qs(left.query), urllib.parse.parse_qs(right.query), msg)
        self.assertEqual(left.fragment, right.fragment, msg)

    # --- numbers and classes ------------------------------------------------------------------------------------------

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """Fails unless a value is between two others, which count."""
        text = self._formatMessage(msg, f'"{value}" unexpectedly not between "{minv}" and "{maxv}"')
        self.assertLessEqual(minv, value, text)
        self.assertGreaterEqual(maxv, value, text)

    def assertIsSubclass(self, cls: Any, superclass: Any, msg: Any = None) -> None:
        """Fails unless a class derives from another."""
        if not issubclass(cls, superclass):
            self.fail(self._formatMessage(msg, f"{cls!r} is not a subclass of {superclass!r}"))

    def assertNotIsSubclass(self, cls: Any, superclass: Any, msg: Any = None) -> None:
        """Fails if a class derives from another."""
        if issubclass(cls, superclass):
            self.fail(self._formatMessage(msg, f"{cls!r} is a subclass of {superclass!r}"))

    # --- errors and commands ------------------------------------------------------------------------------------------

    def assertRaisesWithLiteralMatch(
        self,
        expected_exception: object,
        expected_exception_message: str,
        callable_obj: Callable[..., Any] | None = None,
        *args: object,
        **kwargs: object,
    ) -> Any:
        """Fails unless an error is raised with exactly this message; without a callable, a context manager."""
        context = self._raises_with_message(expected_exception, expected_exception_message)
        if callable_obj is None:
            return context
        with context:
            callable_obj(*args, **kwargs)
        return None

    @contextlib.contextmanager
    def _raises_with_message(self, kind: Any, message: str) -> Iterator[Any]:
        with self.assertRaises(kind) as raised:
            yield raised
        if str(raised.exception) != message:
            self.fail(f"Exception message does not match.\nExpected: {message!r}\nActual: {str(raised.exception)!r}")

    def assertCommandSucceeds(
        self, command: Any, regexes: object = (b"",), env: object = None, close_fds: bool = True, msg: Any = None
    ) -> None:
        """Fails unless a command ends with status 0 and prints what one of the expressions matches."""
        status, output = _run(command, env, close_fds)
        if status != 0:
            self.fail(
                self._formatMessage(msg, f"Running command {command} failed with error code {status}: {output!r}")
            )
        self.assertRegexMatch(output, _as_bytes(regexes), msg)

    def assertCommandFails(
        self, command: Any, regexes: object, env: object = None, close_fds: bool = True, msg: Any = None
    ) -> None:
        """Fails unless a command ends with another status than 0 and prints what one of the expressions matches."""
        status, output = _run(command, env, close_fds)
        if status == 0:
            self.fail(self._formatMessage(msg, f"The following command succeeded while expected to fail: {command}"))
        self.assertRegexMatch(output, _as_bytes(regexes), msg)


def _run(command: Any, env: Any, close_fds: bool) -> tuple[int, bytes]:
    """Returns the status of a command, and what it printed."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ.copy() if env is None else env,
        shell=isinstance(command, str),
        close_fds=close_fds,
        check=False,
    )
    return done.returncode, done.stdout


def _as_bytes(regexes: Any) -> list[bytes]:
    given = [regexes] if isinstance(regexes, (str, bytes)) else regexes
    return [regex.encode() if isinstance(regex, str) else regex for regex in given]


def _structure_differences(a: Any, b: Any, aname: str, bname: str) -> Iterator[str]:
    """Yields a sentence for each path where two structures differ."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        yield from (
            f"{aname} has [{key!r}] with value {a[key]!r} but it's missing in {bname}" for key in a if key not in b
        )
        yield from (f"{aname} lacks [{key!r}] but {bname} has it with value {b[key]!r}" for key in b if key not in a)
        for key in a:
            if key in b:
                yield from _structure_differences(a[key], b[key], f"{aname}[{key!r}]", f"{bname}[{key!r}]")
    elif _is_sequence(a) and _is_sequence(b):
        if len(a) != len(b):
            yield f"{aname} has {len(a)} elements but {bname} has {len(b)}"
        for index, (left, right) in enumerate(zip(a, b)):
            yield from _structure_differences(left, right, f"{aname}[{index}]", f"{bname}[{index}]")
    elif isinstance(a, (set, frozenset)) and isinstance(b, (set, frozenset)):
        if a != b:
            counts = Counter(a) - Counter(b), Counter(b) - Counter(a)
            yield f"{aname} and {bname} differ in {[*counts[0], *counts[1]]!r}"
    elif a != b:
        yield f"{aname} is {a!r} but {bname} is {b!r}"


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
