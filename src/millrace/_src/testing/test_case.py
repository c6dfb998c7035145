"""`tf.test.TestCase`: a unit test with assertions about tensors.

Each test starts with the same seeds. The assertions come from three bases: about arrays, about protocol buffers, and
absl-py's own. What is left is here: errors of ops, sessions, threads, what reaches a stream.
"""

from __future__ import annotations

import atexit
import contextlib
import difflib
import os
import random
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.device_spec import DeviceSpec
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.graph.graph import Graph
from millrace._src.graph.scopes import executing_eagerly
from millrace._src.ops.random.seeds import set_seed
from millrace._src.testing.array_assertions import ArrayAssertions
from millrace._src.testing.base_case import base_case
from millrace._src.testing.evaluation import evaluate
from millrace._src.testing.proto_comparison import ProtoAssertions
from millrace._src.testing.sessions import session_of_a_test
from millrace._src.testing.temporary_files import remove_folder
from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.testing.plain_case import PlainTestCase as BaseCase
else:
    BaseCase = base_case()

_SEED = 87654321
_NO_SHAPE_FITS = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"


class CheckedThread:
    """A thread whose failure fails the test that joins it; made by `TestCase.checkedThread`."""

    def __init__(self, case: TestCase, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._case = case
        self._target = target
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=args or (), kwargs=kwargs or {}, daemon=True)
        self._is_joined = False

    def _run(self, *args: object, **kwargs: object) -> None:
        try:
            self._target(*args, **kwargs)
        except BaseException as failure:  # every failure is told by `join`
            self._failure = failure

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits until the thread ends, and fails the test if the thread raised."""
        self._is_joined = True
        self._thread.join()
        if self._failure is not None:
            self._case.fail(f"Error in checkedThread: {self._failure}")

    def is_alive(self) -> bool:
        """Returns whether the thread is running."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fails the test if the thread was not joined, or is running still."""
        if not self._is_joined:
            self._case.fail("A checked thread was not joined.")
        if self.is_alive():
            self._case.fail("A checked thread was not terminated.")


class CapturedWrites:
    """What reached a stream while it was captured; made by `TestCase.captureWritesToStream`."""

    def __init__(self, path: str) -> None:
        self._path = path

    def contents(self) -> str:
        """Returns the text."""
        with open(self._path, encoding="utf8", errors="replace") as file:
            return file.read()


@export("test.TestCase")
class TestCase(ArrayAssertions, ProtoAssertions, BaseCase):
    """Base of tests of TensorFlow programs.

    >>> class SquareTest(tf.test.TestCase):
    ...     def test_square(self):
    ...         self.assertAllClose(tf.square([1.0, 2.0]), [1.0, 4.0])
    >>> SquareTest("test_square").run().wasSuccessful()
    True
    """

    __test__ = False  # to pytest, which finds classes by name: this one holds no tests
    longMessage = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__test__" not in cls.__dict__:
            cls.__test__ = True

    def setUp(self) -> None:
        """Gives the test the seeds that every test has."""
        super().setUp()
        self._threads: list[CheckedThread] = []
        self._folder: str | None = None
        random.seed(_SEED)
        np.random.seed(_SEED)
        set_seed(_SEED)

    def tearDown(self) -> None:
        """Fails the test if it left a thread unjoined."""
        for thread in self._threads:
            thread.check_termination()
        super().tearDown()

    # --- values and sessions ------------------------------------------------------------------------------------------

    def evaluate(self, tensors: object) -> Any:
        """Returns a structure with the values of the tensors of another one, in eager mode and in graphs.

        Args: tensors: Tensors, variables, None, functions that return such, in a nested structure.
        Raises: ValueError: if there is something else in the structure.
        """
        return evaluate(tensors)

    def evaluate_if_both_tensors(self, a: TensorLike, b: TensorLike) -> tuple[Any, Any]:
        """Returns the values of two tensors of a graph; other pairs as they are."""
        if not executing_eagerly() and all(isinstance(value, Tensor) or is_variable(value) for value in (a, b)):
            return evaluate(a), evaluate(b)
        return a, b

    def session(self, graph: Any = None, config: object = None, use_gpu: bool = True, force_gpu: bool = False) -> Any:
        """Returns a context in which a session runs a graph; in eager mode, the ops inside run at once.

        Args:
          graph: The graph to run, the default graph if None.
          config: A `ConfigProto`; devices and threads are not chosen by it.
          use_gpu: Whether ops may run on a GPU.
          force_gpu: Whether ops must run on a GPU.

        Returns: A context manager that gives the session: in a graph, one with `run` and `graph`.
        """
        return session_of_a_test(graph, use_gpu, force_gpu)

    def cached_session(
        self, graph: Any = None, config: object = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Any:
        """Returns a context as `session` does; in eager mode, what the context gives evaluates tensors with `run`."""
        return session_of_a_test(graph, use_gpu, force_gpu, evaluates=True)

    def test_session(
        self,
        graph: Graph | None = None,
        config: object = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Any:
        """Returns a context as `cached_session` does; a runner that takes the name for a test skips it."""
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        return self.cached_session(graph, config, use_gpu, force_gpu)

    # --- errors -------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: str | Callable[[BaseException], Any]
    ) -> Iterator[None]:
        """Fails unless an error of a class is raised whose message fits, in a `with` statement.

        Args:
          exception_type: The class of the error, or a tuple of classes.
          expected_err_re_or_predicate: A regular expression to find in the message, or a function of the error.
        """
        try:
            yield
        except BaseException as error:
            if not isinstance(error, exception_type) or not _fits(error, expected_err_re_or_predicate):
                raise AssertionError(f"Exception of type {type(error)!s}: {error}") from error
            return
        self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: str | Callable[[BaseException], Any]) -> Any:
        """Fails unless an op raises an error whose message fits, as for `assertRaisesWithPredicateMatch`."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type: object = errors.InvalidArgumentError) -> Any:
        """Fails unless an error says that shapes do not fit together, in a `with` statement."""
        return self.assertRaisesWithPredicateMatch(exception_type, _NO_SHAPE_FITS)

    def assertRaisesRegexp(self, expected_exception: Any, expected_regex: Any, *args: Any, **kwargs: Any) -> Any:
        """Does what `assertRaisesRegex` does, whose name this was."""
        return self.assertRaisesRegex(expected_exception, expected_regex, *args, **kwargs)

    # --- text, dictionaries, devices ----------------------------------------------------------------------------------

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: object = None) -> None:
        """Fails unless a text starts with another."""
        if not actual.startswith(expected_start):
            text = f"{actual!r} does not start with {expected_start!r}"
            self.fail(text if msg is None else f"{text} : {msg!r}")

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Fails unless two sequences have the same elements, each as often, in any order."""
        self.assertCountEqual(first, second, msg)

    def assertDictEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fails unless two dictionaries have the same keys, and values that `assertAllEqual` takes for equal."""
        self.assertIsInstance(a, dict, "First argument is not a dictionary")
        self.assertIsInstance(b, dict, "Second argument is not a dictionary")
        self.assertCountEqual(a.keys(), b.keys(), msg)
        for key in a:
            if any(isinstance(value, (Tensor, np.ndarray)) for value in (a[key], b[key])):
                self.assertAllEqual(a[key], b[key], msg)
            else:
                self.assertEqual(a[key], b[key], msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: object = None) -> None:
        """Fails unless two names mean the same device: `/cpu:0` and `/device:CPU:0` do."""
        first, second = (DeviceSpec.from_string(device or "").to_string() for device in (device1, device2))
        if first != second:
            lines = difflib.ndiff([f"{first}\n"] if first else [], [f"{second}\n"] if second else [])
            self.fail(f"Devices {first} and {second} are not equal. {msg}:\n{''.join(lines)}")

    # --- files, streams, threads --------------------------------------------------------------------------------------

    def get_temp_dir(self) -> str:
        """Returns a folder of the test's own, the same each time it asks; it goes away with the process."""
        if self._folder is None:
            root = os.environ.get("TEST_TMPDIR") or tempfile.gettempdir()
            os.makedirs(root, exist_ok=True)
            self._folder = tempfile.mkdtemp(dir=root)
            atexit.register(remove_folder, self._folder)
        return self._folder

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """Captures what is written to a stream, by Python or by another library, in a `with` statement.

        Args: stream: A stream of the operating system: one with a `fileno()`, as `sys.stderr`.
        """
        descriptor, path = stream.fileno(), tempfile.mktemp(dir=self.get_temp_dir())
        stream.flush()
        saved = os.dup(descriptor)
        with open(path, "wb") as file:
            os.dup2(file.fileno(), descriptor)
            try:
                yield CapturedWrites(path)
            finally:
                stream.flush()
                sys.stdout.flush()
                os.dup2(saved, descriptor)
                os.close(saved)

    def checkedThread(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> CheckedThread:
        """Returns a thread that must be joined before the test ends; `join` fails the test if the thread raised.

        Args:
          target: What the thread runs.
          args: Its arguments.
          kwargs: Its keyword arguments.
        """
        thread = CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread


def _fits(error: BaseException, expected: str | Callable[[BaseException], Any]) -> bool:
    """Returns whether an error is what a regular expression or a function of it asks for."""
    if callable(expected):
        return bool(expected(error))
    text = error.message if isinstance(error, errors.OpError) else str(error)
    operation = error.op if isinstance(error, errors.OpError) else None
    if operation is not None:
        text = f"{text}\nCaused by: {operation.name}"
    return re.search(expected, text) is not None
