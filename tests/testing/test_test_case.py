"""`tf.test.TestCase`: what a test starts with, errors, devices, streams, threads, sessions."""

from __future__ import annotations

import io
import os
import random
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf


class Case(tf.test.TestCase):
    """A case that no runner runs."""

    __test__ = False

    def runTest(self) -> None:
        pass


@pytest.fixture
def case() -> Iterator[Any]:
    found = Case()
    found.setUp()
    yield found
    found.tearDown()
    found.doCleanups()


def _result(body: Any, name: str = "test_it") -> unittest.TestResult:
    suite = type("Suite", (tf.test.TestCase,), {name: body})
    result = unittest.TestResult()
    suite(name).run(result)
    return result


def test_every_test_starts_with_the_same_seeds() -> None:
    drawn = []

    def body(self: Any) -> None:
        drawn.append((random.random(), np.random.rand(), float(tf.random.uniform([]))))

    assert _result(body).wasSuccessful() and _result(body).wasSuccessful()
    assert drawn[0] == drawn[1]


def test_a_failed_assertion_fails_the_test() -> None:
    result = _result(lambda self: self.assertAllEqual(tf.constant([1, 2]), [1, 3]))
    assert len(result.failures) == 1 and "not equal where = (array([1]),)" in result.failures[0][1]


def test_the_session_method_is_no_test_to_a_runner() -> None:
    result = unittest.TestResult()
    Case("test_session").run(result)
    assert [reason for _, reason in result.skipped] == ["Not a test."]


def test_pytest_collects_subclasses_and_not_the_base() -> None:
    class Some(tf.test.TestCase):
        pass

    class Quiet(tf.test.TestCase):
        __test__ = False

    assert (tf.test.TestCase.__test__, Some.__test__, Quiet.__test__) == (False, True, False)


# --- errors ----------------------------------------------------------------------------------------------------------


def test_an_error_of_an_op_must_fit(case: Any) -> None:
    with case.assertRaisesOpError("is not in"):
        tf.gather([1, 2], [5])
    with case.assertRaisesOpError(lambda error: error.error_code == 3):
        tf.gather([1, 2], [5])
    with pytest.raises(AssertionError, match=r"Exception of type <class .*InvalidArgumentError"):
        with case.assertRaisesOpError("something else"):
            tf.gather([1, 2], [5])


def test_an_error_that_does_not_come_fails(case: Any) -> None:
    kinds = (ValueError, KeyError)
    with pytest.raises(AssertionError, match="OpError not raised"), case.assertRaisesOpError("any"):
        pass
    with (
        pytest.raises(AssertionError, match="not raised"),
        case.assertRaisesWithPredicateMatch(kinds, ""),
    ):
        pass


def test_the_error_is_the_cause_of_the_failure(case: Any) -> None:
    with pytest.raises(AssertionError) as caught, case.assertRaisesWithPredicateMatch(ValueError, "x"):
        raise KeyError("x")
    assert isinstance(caught.value.__cause__, KeyError)


def test_shapes_that_do_not_fit_are_told_by_many_words(case: Any) -> None:
    with case.assertRaisesIncompatibleShapesError():
        tf.constant([1, 2]) + tf.constant([1, 2, 3])
    with case.assertRaisesIncompatibleShapesError(ValueError):
        tf.function(lambda x, y: x + y)(tf.constant([1, 2]), tf.constant([1, 2, 3]))


# --- files, streams, threads -----------------------------------------------------------------------------------------


def test_each_test_has_a_folder_of_its_own(case: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_TMPDIR", str(tmp_path))
    other = Case()
    other.setUp()
    first = case.get_temp_dir()
    assert os.path.isdir(first) and first.startswith(str(tmp_path))
    assert case.get_temp_dir() == first != other.get_temp_dir()


def test_a_stream_is_captured_below_python(case: Any, tmp_path: Path) -> None:
    with open(tmp_path / "stream", "w+") as stream:
        with case.captureWritesToStream(stream) as captured:
            os.write(stream.fileno(), b"below\n")
            stream.write("above\n")
        stream.write("after\n")
        stream.flush()
        stream.seek(0)
        assert (captured.contents(), stream.read()) == ("below\nabove\n", "after\n")


def test_a_failing_thread_fails_where_it_is_joined(case: Any) -> None:
    def fails() -> None:
        raise ValueError("in a thread")

    thread = case.checkedThread(target=fails)
    assert not thread.is_alive()
    thread.start()
    with pytest.raises(AssertionError, match="Error in checkedThread: in a thread"):
        thread.join()
    values: list[int] = []
    good = case.checkedThread(target=lambda a, b: values.append(a + b), args=(1,), kwargs={"b": 2})
    good.start()
    good.join()
    assert values == [3]


def test_a_thread_that_is_not_joined_fails_the_test() -> None:
    def body(self: Any) -> None:
        self.checkedThread(target=lambda: None).start()

    (failure,) = _result(body).failures
    assert "A checked thread was not joined." in failure[1]


# --- values and sessions ---------------------------------------------------------------------------------------------


def test_structures_are_evaluated_in_eager_mode_and_in_a_graph(case: Any) -> None:
    def values() -> Any:
        x = tf.constant([1, 2])
        return case.evaluate({"a": (x, [x * 2, None]), "b": lambda: tf.reduce_sum(x)})

    eager = values()
    with tf.Graph().as_default(), case.session():
        graph = values()
    for found in (eager, graph):
        assert found["a"][0].tolist() == [1, 2] and found["a"][1][0].tolist() == [2, 4] and found["a"][1][1] is None
        assert found["b"] == 3 and isinstance(found["b"], np.int32)


def test_slices_are_evaluated_to_arrays(case: Any) -> None:
    found = case.evaluate(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    assert found == tf.compat.v1.IndexedSlicesValue(np.float32(1.0), 0, None)


def test_ragged_and_sparse_tensors_are_evaluated_to_values_of_arrays(case: Any) -> None:
    def values() -> Any:
        sparse = tf.SparseTensor([[0, 1]], [5], [1, 2])
        return case.evaluate({"x": [tf.ragged.constant([[[1], [2, 3]], []]), sparse]})["x"]

    eager = values()
    with tf.Graph().as_default(), case.session():
        graph = values()
    for ragged, sparse in (eager, graph):
        assert isinstance(ragged, tf.compat.v1.ragged.RaggedTensorValue)
        assert ragged.to_list() == [[[1], [2, 3]], []]
        assert isinstance(sparse, tf.compat.v1.SparseTensorValue)
        assert [part.tolist() for part in sparse] == [[[0, 1]], [5], [1, 2]]


def test_what_is_no_tensor_is_not_evaluated(case: Any) -> None:
    for value in (1.5, "text", np.ones(2), tf.TensorShape([1])):
        with pytest.raises(ValueError, match=f"Unsupported type '{type(value).__name__}'"):
            case.evaluate([tf.constant(1), value])


def test_a_session_of_eager_mode_explains_itself(case: Any) -> None:
    with case.session() as session, pytest.raises(AttributeError, match="while eager execution is enabled"):
        session.run(tf.constant(1))
    with case.cached_session() as session:
        assert session.run([tf.constant(1)]) == [1]
        with pytest.raises(NotImplementedError, match="takes no feeds"):
            session.run(tf.constant(1), {})
        with pytest.raises(AttributeError, match="'graph'"):
            session.graph


def test_a_session_of_a_graph_runs_it(case: Any) -> None:
    graph = tf.Graph()
    with graph.as_default(), case.session(graph=graph) as session:
        x = tf.compat.v1.placeholder(tf.int32, [])
        v = tf.Variable(3)
        session.run(v.initializer)
        assert session.graph is graph
        assert session.run(x + v, {x: 4}) == 7
        assert case.evaluate(v.assign_add(1)) == 4
        assert case.evaluate_if_both_tensors(v, tf.constant(2)) == (4, 2)
        case.assertAllEqual(v, 4)


def test_tensors_of_a_function_can_be_compared_outside(case: Any) -> None:
    case.assertAllClose(tf.function(lambda x: {"a": x / 3})(tf.constant(1.0)), {"a": 1 / 3})
    with pytest.raises(AssertionError, match=r"a\[a\] is different from b\[a\]"):
        case.assertAllClose({"a": tf.constant(1.0)}, {"a": 2.0})


# --- main ------------------------------------------------------------------------------------------------------------


def test_devices_are_equal_whatever_they_are_called(case: Any) -> None:
    case.assertDeviceEqual("/cpu:0", "/device:CPU:0")
    with pytest.raises(AssertionError, match=r"Devices /device:CPU:0 and  are not equal. None:"):
        case.assertDeviceEqual("/cpu:0", None)


def test_output_of_a_text_runner_names_the_test() -> None:
    stream = io.StringIO()

    class Some(tf.test.TestCase):
        def test_one(self) -> None:
            self.assertLen([1], 1)

    unittest.TextTestRunner(stream, verbosity=2).run(Some("test_one"))
    assert "test_one" in stream.getvalue() and "OK" in stream.getvalue()
    assert sys.stdout is not stream
