"""tf.test: the assertions of TestCase, what they accept and what they say."""

from __future__ import annotations

import collections
import os
import re

from tests.oracle.support import Raised, attempt


def case(tf):
    """A test case that no runner runs."""

    class Case(tf.test.TestCase):
        def runTest(self):
            pass

    found = Case()
    found.setUp()
    return found


def told(call, *args, **kwargs):
    """What an assertion says: `passes`, or the class and the words of its failure."""
    try:
        result = call(*args, **kwargs)
    except AssertionError as error:
        text = re.sub(r"[ \t]+(?=\n|$)", "", str(error)).partition("\nMismatched elements")[0]  # NumPy's own words
        text = text.partition("\nnan location")[0].partition("\ninf values")[0]
        return [type(error).__name__, re.sub(r"np\.(?:float\d+|int\d+|str_|bytes_|bool)\((.*?)\)", r"\1", text)]
    except Exception as error:
        return Raised(error, 6)
    return "passes" if result is None else result


Point = collections.namedtuple("Point", "x y")


def prog_all_close(tf, np):
    """Values, tolerances and messages."""
    t = case(tf)
    check = t.assertAllClose
    return [
        told(check, [1.0, 2.0], [1.0, 2.0 + 1e-7]),
        told(check, 1.0, 1.1),
        told(check, [1.0, 2.0, 3.0], [1.0, 2.5, 3.0]),
        told(check, tf.constant([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.0], [3.0, 5.0]])),
        told(check, [1.0, 2.0], [1.0, 2.1], rtol=0.1),
        told(check, [1.0, 2.0], [1.0, 2.1], atol=0.2),
        told(check, [1.0, 2.0], [1.0, 2.1], rtol=1e-3, atol=1e-2, msg="about heights"),
        told(check, [1.0, 2.0], [1.0, 2.0, 3.0]),
        told(check, [[1.0, 2.0]], [1.0, 2.0], msg="shapes"),
        told(check, [float("nan")], [float("nan")]),
        told(check, [float("inf"), 1.0], [float("inf"), 2.0]),
        told(check, [float("inf")], [-float("inf")]),
        told(check, [1, 2], [1, 3]),
        told(check, tf.constant([1, 2]), [1.0, 2.0]),
        told(check, np.float16([1.0]), np.float32([1.0001])),
        told(check, [1 + 2j], [1 + 2.5j]),
        told(check, [], []),
        told(check, tf.Variable([1.0]), [1.0]),
    ]


def prog_all_close_of_structures(tf, np):
    """Dictionaries, lists, named tuples, with the path in the message."""
    check = case(tf).assertAllClose
    return [
        told(check, {"a": 1.0, "b": [1.0, 2.0]}, {"a": 1.0, "b": [1.0, 2.0]}),
        told(check, {"a": 1.0, "b": [1.0, 2.0]}, {"a": 1.0, "b": [1.0, 3.0]}),
        told(check, {"a": 1.0}, {"b": 1.0}),
        told(check, {"a": 1.0}, [1.0]),
        told(check, {"a": {"b": {"c": 1.0}}}, {"a": {"b": {"c": 2.0}}}),
        told(check, Point(1.0, 2.0), Point(1.0, 2.0)),
        told(check, Point(1.0, 2.0), Point(1.0, 3.0)),
        told(check, Point(1.0, 2.0), {"x": 1.0, "y": 2.0}),
        told(check, [[1.0], [1.0, 2.0]], [[1.0], [1.0, 2.0]]),
        told(check, [[1.0], [1.0, 2.0]], [[1.0], [1.0, 3.0]]),
        told(check, [tf.constant([1.0]), tf.constant([1.0, 2.0])], [np.array([1.0]), np.array([1.0, 2.5])]),
        told(check, (tf.constant(1.0), tf.constant([2.0])), (1.0, [2.0])),
        told(check, [{"a": 1.0}, {"a": 2.0}], [{"a": 1.0}, {"a": 3.0}], msg="list"),
        told(check, [1.0, [2.0, 3.0]], [1.0, [2.0]]),
        told(check, {"a": [tf.constant([1.0]), {"b": tf.constant([1.0, 2.0])}]}, {"a": [[1.0], {"b": [1.0, 9.0]}]}),
    ]


def prog_all_close_by_type(tf, np):
    """Half precision has tolerances of its own."""
    check = case(tf).assertAllCloseAccordingToType
    half, brain = tf.constant([1.0, 2.0], tf.float16), tf.constant([1.0, 2.0], tf.bfloat16)
    return [
        told(check, half, np.float32([1.0005, 2.0])),
        told(check, np.float32([1.0005, 2.0]), np.float32([1.0, 2.0])),
        told(check, np.float32([1.0005, 2.0]), np.float64([1.0, 2.0]), float_rtol=1e-3),
        told(check, brain, np.float32([1.005, 2.0])),
        told(check, brain, np.float32([1.05, 2.0])),
        told(check, half, np.float32([1.05, 2.0]), msg="half"),
        told(check, half, np.float32([1.05, 2.0]), half_rtol=0.1),
        told(check, np.float64([1.0]), np.float64([1.0 + 1e-5])),
        told(check, [1, 2], [1, 2]),
        told(check, [1, 2], [1, 3]),
    ]


def prog_not_all_close(tf, np):
    """The opposite assertions."""
    t = case(tf)
    return [
        told(t.assertNotAllClose, [1.0], [2.0]),
        told(t.assertNotAllClose, [1.0], [1.0]),
        told(t.assertNotAllClose, [1.0], [1.0 + 1e-8], msg="same"),
        told(t.assertNotAllClose, [1.0], [1.5], rtol=0.5),
        told(t.assertNotAllClose, [1.0], [1.0, 2.0]),
        told(t.assertNotAllEqual, [1], [2]),
        told(t.assertNotAllEqual, [1], [1]),
        told(t.assertNotAllEqual, tf.constant([1]), [1], msg="same"),
        told(t.assertNotAllEqual, [1], [1, 2]),
    ]


def prog_all_equal(tf, np):
    """Values, dtypes, text, and what a failure says."""
    check = case(tf).assertAllEqual
    return [
        told(check, [1, 2], tf.constant([1, 2])),
        told(check, [1, 2, 3], [1, 5, 3]),
        told(check, tf.constant([[1, 2], [3, 4]]), [[1, 2], [3, 5]], msg="matrix"),
        told(check, [1, 2], [1, 2, 3]),
        told(check, 1, 2),
        told(check, [1.0, float("nan")], [1.0, float("nan")]),
        told(check, [1.0, float("nan")], [1.0, 2.0]),
        told(check, ["a", "b"], tf.constant(["a", "b"])),
        told(check, [b"a", b"b"], [b"a", b"c"]),
        told(check, tf.constant(["a"]), ["b"]),
        told(check, [True], [False]),
        told(check, [1.0], [1]),
        told(check, [1 + 1j], [1 - 1j]),
        told(check, np.zeros([3, 4], np.int32), np.ones([3, 4], np.int32)),
        told(check, np.zeros([0]), []),
        told(check, (1, 2), [1, 2]),
        told(check, None, None),
        told(check, tf.constant([1, 2]), tf.constant([1, 2], tf.int64)),
    ]


def prog_near(tf, np):
    """assertNear, assertArrayNear and assertNDArrayNear."""
    t = case(tf)
    return [
        told(t.assertNear, 1.0, 1.05, 0.1),
        told(t.assertNear, 1.0, 1.2, 0.1),
        told(t.assertNear, 1.0, 1.2, 0.1, "why"),
        told(t.assertNear, float("nan"), 1.0, 0.1),
        told(t.assertNear, float("nan"), float("nan"), 0.1),
        told(t.assertArrayNear, [1.0, 2.0], [1.0, 2.05], 0.1),
        told(t.assertArrayNear, [1.0, 2.0], [1.0, 2.5], 0.1),
        told(t.assertArrayNear, [1.0, 2.0], [1.0, 2.5], 0.1, "why"),
        told(t.assertArrayNear, [1.0], [1.0, 2.5], 0.1),
        told(t.assertNDArrayNear, np.array([1.0]), np.array([1.05]), 0.1),
        told(t.assertNDArrayNear, np.array([1.0]), np.array([2.0]), 0.1),
        told(t.assertNDArrayNear, np.array([1.0]), np.array([2.0]), 0.1, "why"),
    ]


def prog_bounds(tf, np):
    """assertAllGreater and its kind, assertAllInRange, assertAllInSet."""
    t = case(tf)
    values = [[1.0, 2.0], [3.0, 4.0]]
    return [
        told(t.assertAllGreater, values, 0),
        told(t.assertAllGreater, values, 1),
        told(t.assertAllGreaterEqual, values, 1),
        told(t.assertAllGreaterEqual, tf.constant(values), 2),
        told(t.assertAllLess, values, 5),
        told(t.assertAllLess, values, 4),
        told(t.assertAllLessEqual, values, 4),
        told(t.assertAllLessEqual, tf.constant(values), 3),
        told(t.assertAllInRange, values, 1, 4),
        told(t.assertAllInRange, values, 2, 3),
        told(t.assertAllInRange, values, 1, 4, open_lower_bound=True),
        told(t.assertAllInRange, values, 1, 4, open_upper_bound=True),
        told(t.assertAllInRange, tf.constant([1.0, float("nan")]), 0, 4),
        told(t.assertAllInRange, ["a"], 0, 1),
        told(t.assertAllInRange, tf.range(30), 30, 40),
        told(t.assertAllInRange, [1.0], 3, 2),
        told(t.assertAllInSet, [1, 2, 1], {1, 2}),
        told(t.assertAllInSet, [1, 2, 3, 4], [1, 2]),
        told(t.assertAllInSet, tf.constant([1.0, 2.0]), (1.0, 2.0)),
    ]


def prog_shapes_and_dtypes(tf, np):
    """assertShapeEqual, assertDTypeEqual, assertDeviceEqual."""
    t = case(tf)
    return [
        told(t.assertShapeEqual, np.zeros([2, 3]), tf.zeros([2, 3])),
        told(t.assertShapeEqual, np.zeros([2, 3]), tf.zeros([3, 2])),
        told(t.assertShapeEqual, tf.zeros([2, 3]), tf.zeros([3, 2]), "why"),
        told(t.assertShapeEqual, tf.zeros([2, 3]), np.zeros([2, 3])),
        told(t.assertShapeEqual, [1, 2], np.zeros([2])),
        told(t.assertShapeEqual, np.zeros([2]), [1, 2]),
        told(t.assertDTypeEqual, tf.zeros([2]), tf.float32),
        told(t.assertDTypeEqual, tf.zeros([2]), np.float64),
        told(t.assertDTypeEqual, np.zeros([2]), np.float64),
        told(t.assertDTypeEqual, np.zeros([2]), "float64"),
        told(t.assertDTypeEqual, np.zeros([2], np.int32), tf.int64),
        told(t.assertDTypeEqual, [1, 2], tf.int64),
        told(t.assertDTypeEqual, tf.constant("a"), tf.string),
        told(t.assertDeviceEqual, "/cpu:0", "/device:CPU:0"),
        told(t.assertDeviceEqual, "/cpu:0", "/cpu:1"),
        told(t.assertDeviceEqual, "/job:a/task:1/cpu:0", "/task:1/job:a/device:CPU:0"),
        told(t.assertDeviceEqual, "/cpu:0", "/gpu:0", "why"),
        told(t.assertDeviceEqual, "/cpu:0", None),
    ]


def _raising(context, error=None):
    def run():
        with context:
            if error is not None:
                raise error

    return run


def prog_raised_errors(tf, np):
    """assertRaisesOpError, assertRaisesWithPredicateMatch, assertRaisesIncompatibleShapesError, assertRaisesRegexp."""
    t = case(tf)
    bad = tf.errors.InvalidArgumentError(None, None, "indices[0] = 5 is not in [0, 3)")
    return [
        told(_raising(t.assertRaisesOpError("is not in"), bad)),
        told(_raising(t.assertRaisesOpError("other words"), bad)),
        told(_raising(t.assertRaisesOpError("anything"), ValueError("anything"))),
        told(_raising(t.assertRaisesOpError(lambda e: "5" in e.message), bad)),
        told(_raising(t.assertRaisesWithPredicateMatch(ValueError, "wor[dk]"), ValueError("a word"))),
        told(_raising(t.assertRaisesWithPredicateMatch(ValueError, "wor[dk]"), ValueError("a sentence"))),
        told(_raising(t.assertRaisesWithPredicateMatch(ValueError, "word"), TypeError("a word"))),
        told(_raising(t.assertRaisesWithPredicateMatch(ValueError, lambda e: len(str(e)) > 3), ValueError("abcd"))),
        told(_raising(t.assertRaisesWithPredicateMatch(ValueError, lambda e: False), ValueError("abcd"))),
        told(_raising(t.assertRaisesWithPredicateMatch((ValueError, KeyError), "x"), KeyError("x"))),
        told(_raising(t.assertRaisesIncompatibleShapesError(), tf.errors.InvalidArgumentError(None, None, "Incompatible shapes"))),
        told(_raising(t.assertRaisesIncompatibleShapesError(ValueError), ValueError("Dimensions must be equal"))),
        told(_raising(t.assertRaisesIncompatibleShapesError(ValueError), ValueError("other"))),
        told(_raising(t.assertRaisesRegex(ValueError, "wor[dk]"), ValueError("a word"))),
        told(_raising(t.assertRaisesRegexp(ValueError, "wor[dk]"), ValueError("a word"))),
        told(lambda: t.assertRaisesRegexp(ValueError, "wor[dk]", int, "no")),
        told(lambda: t.assertRaises(tf.errors.InvalidArgumentError, lambda: tf.gather([1], [3]))),
        told(lambda: t.assertRaisesWithPredicateMatch(ValueError, "invalid literal")),
    ]


def prog_protocol_buffers(tf, np):
    """assertProtoEquals compares messages, or a message with its text; this release says little when they differ."""
    t = case(tf)
    node = tf.compat.v1.NodeDef(name="a", op="Const")
    other = tf.compat.v1.NodeDef(name="b", op="Const")
    graph = tf.compat.v1.GraphDef(node=[node, other])
    return [
        told(t.assertProtoEquals, node, tf.compat.v1.NodeDef(name="a", op="Const")),
        told(t.assertProtoEquals, 'name: "a" op: "Const"', node),
        told(t.assertProtoEquals, 'op: "Const" name: "a"', node),
        told(t.assertProtoEquals, 'node { name: "a" op: "Const" } node { name: "b" op: "Const" }', graph),
        told(t.assertProtoEquals, node, graph),
        told(t.assertProtoEquals, 3, node),
        told(t.assertProtoEqualsVersion, 'node { name: "a" }', tf.compat.v1.GraphDef(node=[tf.compat.v1.NodeDef(name="a")], versions={"producer": 2474})),
    ]


def prog_text_and_dictionaries(tf, np):
    """assertStartsWith, assertItemsEqual, assertDictEqual, assertEmpty and others."""
    t = case(tf)
    return [
        told(t.assertStartsWith, "tensor", "ten"),
        told(t.assertStartsWith, "tensor", "flow"),
        told(t.assertStartsWith, "tensor", "flow", "why"),
        told(t.assertItemsEqual, [1, 2, 2], [2, 1, 2]),
        told(t.assertItemsEqual, [1, 2], [1, 1])[:1],
        told(t.assertDictEqual, {"a": 1}, {"a": 1}),
        told(t.assertDictEqual, {"a": 1}, {"a": 2})[:1],
        told(t.assertDictEqual, {"a": tf.constant([1])}, {"a": tf.constant([1])}),
        told(t.assertEmpty, []),
        told(t.assertEmpty, [1]),
        told(t.assertNotEmpty, [1]),
        told(t.assertNotEmpty, []),
        told(t.assertLen, [1, 2], 2),
        told(t.assertLen, [1, 2], 3),
        told(t.assertBetween, 2, 1, 3),
        told(t.assertBetween, 5, 1, 3),
        told(t.assertEndsWith, "tensor", "sor"),
        told(t.assertEndsWith, "tensor", "ten"),
        told(t.assertContainsSubset, [1], [1, 2]),
        told(t.assertContainsSubset, [1, 3], [1, 2])[:1],
        told(t.assertNoCommonElements, [1], [2]),
        told(t.assertNoCommonElements, [1], [1])[:1],
        told(t.assertSameElements, [1, 1, 2], [2, 1]),
        told(t.assertSameElements, [1], [2])[:1],
        told(t.assertContainsInOrder, ["a", "c"], "abc"),
        told(t.assertContainsInOrder, ["c", "a"], "abc")[:1],
        told(t.assertSequenceStartsWith, [1], [1, 2]),
        told(t.assertSequenceStartsWith, [2], [1, 2])[:1],
        told(t.assertSequenceAlmostEqual, [1.0, 2.0], [1.0, 2.0 + 1e-9]),
        told(t.assertSequenceAlmostEqual, [1.0], [2.0])[:1],
        told(t.assertDictAlmostEqual, {"a": 1.0}, {"a": 1.0}),
        told(t.assertRegexMatch, "abc", ["x", "b"]),
        told(t.assertRegexMatch, "abc", ["x", "y"])[:1],
        told(t.assertSameStructure, {"a": [1]}, {"a": [1]}),
        told(t.assertSameStructure, {"a": [1]}, {"a": [2]})[:1],
        told(t.assertTotallyOrdered, [1], [2], [3]),
        told(t.assertJsonEqual, '{"a": 1}', '{"a": 1}'),
        told(t.assertUrlEqual, "http://a/b?x=1", "http://a/b?x=1"),
        told(t.assertRaisesWithLiteralMatch, ValueError, "x", lambda: _raise(ValueError("x"))),
        told(t.assertRaisesWithLiteralMatch, ValueError, "y", lambda: _raise(ValueError("x")))[:1],
        told(t.assertIsSubclass, bool, int),
        told(t.assertCommandSucceeds, ["true"]),
        told(t.assertCommandFails, ["false"], [""]),
    ]


def _raise(error):
    raise error


def prog_evaluate(tf, np):
    """evaluate gives NumPy values of structures."""
    t = case(tf)
    variable = tf.Variable([1.0, 2.0])

    @tf.function
    def doubled(x):
        return {"a": x * 2, "b": (x, [x + 1])}

    class Holder(tf.Module):
        pass

    return [
        t.evaluate(tf.constant(3)),
        t.evaluate([tf.constant(1), {"a": variable, "b": None}]),
        attempt(lambda: t.evaluate([tf.constant(1), 3.5])),
        t.evaluate(doubled(tf.constant(2))),
        t.evaluate(variable),
        attempt(lambda: t.evaluate("text")),
        attempt(lambda: t.evaluate(lambda: tf.constant(7))),
        t.evaluate(None),
        t.evaluate(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))),
        attempt(lambda: t.evaluate(Holder())),
        [np.asarray(v).tolist() for v in t.evaluate_if_both_tensors(tf.constant(1), tf.constant(2))],
        type(t.evaluate_if_both_tensors(tf.constant(1), 2)[0]).__name__,
    ]


def prog_sessions_in_eager_tests(tf, np):
    """session, cached_session and test_session give None in eager mode."""
    t = case(tf)
    out = []
    for use in (t.session, t.cached_session):
        with use() as session:
            out.append([session is None, tf.executing_eagerly(), t.evaluate(tf.constant(2) + 1)])
    with t.session(use_gpu=True):
        out.append(tf.constant(1).device[-5:])
    with t.cached_session(use_gpu=False) as session:
        out.append([session is None, tf.constant(1).device[-5:]])
    return out


def prog_temporary_files(tf, np):
    """get_temp_dir, create_tempfile, create_tempdir."""
    try:
        from absl import flags

        flags.FLAGS.mark_as_parsed()
    except ImportError:
        pass  # millrace does without
    t = case(tf)
    folder = t.get_temp_dir()
    file = t.create_tempfile(content="some text")
    named = t.create_tempfile("sub/file.txt", content=b"bytes", mode="wb")
    tree = t.create_tempdir("tree")
    inner = tree.create_file("a.txt", content="A")
    below = tree.mkdir("below")
    return [
        os.path.isdir(folder) and folder == t.get_temp_dir(),
        os.path.isfile(file.full_path),
        file.read_text(),
        named.read_bytes(),
        named.full_path.endswith("sub/file.txt"),
        os.fspath(inner) == inner.full_path,
        inner.read_text(),
        sorted(os.listdir(tree)),
        os.path.isdir(below.full_path),
        file.write_text("other"),
        file.read_text(),
    ]


def prog_threads_and_streams(tf, np):
    """checkedThread fails in join; captureWritesToStream reads what is written."""
    import sys

    t = case(tf)
    out = []
    thread = t.checkedThread(target=lambda a, b=0: out.append(a + b), args=(1,), kwargs={"b": 2})
    out.append(thread.is_alive())
    thread.start()
    thread.join()
    failing = t.checkedThread(target=lambda: _raise(ValueError("in a thread")))
    failing.start()
    out.append(told(failing.join))
    with t.captureWritesToStream(sys.__stdout__) as captured:
        os.write(sys.__stdout__.fileno(), b"written\n")
    out.append(captured.contents())
    with t.captureWritesToStream(sys.stderr) as captured:
        tf.print("printed", tf.constant(3))
    out.append(captured.contents())
    return out


def prog_determinism(tf, np):
    """setUp sets the seeds."""
    import random

    t = case(tf)
    first = [random.random(), float(np.random.rand()), tf.random.uniform([2])]
    t.tearDown()
    again = case(tf)
    second = [random.random(), float(np.random.rand()), tf.random.uniform([2])]
    again.tearDown()
    return [first[0] == second[0], first[1] == second[1], bool(tf.reduce_all(first[2] == second[2])), first]


def prog_skipped_test_session(tf, np):
    """The method test_session is no test."""
    t = case(tf)
    return [told(t.test_session), attempt(lambda: type(t).assertAllClose.__name__)]


def prog_running_a_suite(tf, np):
    """A suite of one class, run by unittest."""
    import io
    import unittest

    class Some(tf.test.TestCase):
        def test_passes(self):
            self.assertAllEqual(tf.constant([1, 2]) * 2, [2, 4])

        def test_fails(self):
            self.assertAllEqual(tf.constant([1, 2]) * 2, [2, 5])

        @tf.test.disable_with_predicate(lambda: True, "not here")
        def test_is_skipped(self):
            self.fail("never")

        @tf.test.disable_with_predicate(lambda: False, "not here")
        def test_is_not_skipped(self):
            self.assertLen([1], 1)

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Some)
    result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    return [result.testsRun, len(result.failures), len(result.errors), [reason for _, reason in result.skipped]]


def prog_what_is_built(tf, np):
    """Questions about the machine and the build."""
    return [
        tf.test.is_built_with_cuda(),
        tf.test.is_built_with_rocm(),
        tf.test.is_built_with_gpu_support(),
        tf.test.is_built_with_xla(),
        tf.test.is_gpu_available(),
        tf.test.is_gpu_available(cuda_only=True, min_cuda_compute_capability=(3, 5)),
        tf.test.gpu_device_name(),
        tf.test.is_cpu_target_available("x86"),
        attempt(lambda: tf.test.is_cpu_target_available("no such target")),
    ]


def prog_equal_graph_defs(tf, np):
    """assert_equal_graph_def compares nodes, in any order."""
    def graph_def(value, shuffled=False):
        graph = tf.Graph()
        with graph.as_default():
            tf.constant(value, name="a")
            tf.constant(2.0, name="b")
        found = graph.as_graph_def()
        if shuffled:
            nodes = list(found.node)
            del found.node[:]
            found.node.extend(reversed(nodes))
        return found

    check = tf.test.assert_equal_graph_def
    more = graph_def(1.0)
    more.node.add(name="c", op="NoOp")
    return [
        told(check, graph_def(1.0), graph_def(1.0)),
        told(check, graph_def(1.0), graph_def(1.0, shuffled=True)),
        told(check, graph_def(1.0), graph_def(3.0)),
        told(check, graph_def(1.0), more),
        told(check, more, graph_def(1.0)),
        told(check, graph_def(1.0), tf.Graph()),
        told(check, "text", graph_def(1.0)),
    ]


def prog_differences_of_graph_defs(tf, np):
    """What differs in a node is told: op, device, inputs, attributes."""
    from google.protobuf import text_format

    def parsed(text):
        return text_format.Parse(text, tf.compat.v1.GraphDef())

    base = """
        node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
               attr { key: "shape" value { shape { dim { size: 2 } dim { size: -1 } } } } }
        node { name: "b" op: "Identity" input: "a" device: "/cpu:0" attr { key: "T" value { type: DT_FLOAT } } }
    """
    changes = [
        ('op: "Identity"', 'op: "Neg"'),
        ("/cpu:0", "/cpu:1"),
        ('input: "a"', 'input: "c"'),
        ('input: "a"', 'input: "a" input: "^a"'),
        ('input: "a"', ""),
        ('attr { key: "T" value { type: DT_FLOAT } }', ""),
        ('key: "T" value { type: DT_FLOAT }', 'key: "T" value { type: DT_INT32 }'),
        ('attr { key: "T"', 'attr { key: "U" value { i: 3 } } attr { key: "T"'),
        ("size: 2", "size: 3"),
        ("shape { dim { size: 2 } dim { size: -1 } }", "shape { unknown_rank: true }"),
    ]
    values = """
        i: 1|f: 1.5|f: 1e10|b: true|s: "ab\\n"|type: DT_STRING|shape {}|list {}|list { i: 1 i: 2 }|list { s: "a" s: "b" }
        |list { type: DT_FLOAT }|list { shape {} shape { dim { size: 2 } } }|list { f: 0.5 }|list { b: true b: false }
        |func { name: "f" }|func { name: "f" attr { key: "T" value { type: DT_FLOAT } } }|placeholder: "p"
        |list { func { name: "f" } func { name: "g" } }
        |tensor { dtype: DT_INT32 tensor_shape { dim { size: 3 } } int_val: 1 int_val: 2 int_val: 3 }
        |tensor { dtype: DT_INT32 tensor_shape { dim { size: 30 } } int_val: 7 }
        |tensor { dtype: DT_STRING tensor_shape {} string_val: "s" }
        |tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: 1 }
        |tensor { dtype: DT_BOOL tensor_shape { dim { size: 2 } } bool_val: true bool_val: false }
        |tensor { dtype: DT_INT32 tensor_shape { dim { size: 0 } } }
        |tensor { dtype: DT_INT32 tensor_shape { dim { size: 3 } dim { size: 5 } } int_val: 7 }
    """
    values = [*values.split("|"), 's: "' + "x" * 100 + '"']

    def one(value):
        return 'node { name: "a" op: "X" attr { key: "k" value { VALUE } } }'.replace("VALUE", value)

    check = tf.test.assert_equal_graph_def
    node = 'node { name: "q" op: "X" input: "a:1" input: "^b" device: "/cpu:0" attr { key: "b" value { i: 1 } } attr { key: "a" value { s: "z" } } }'
    same = ["tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } " + v + " }" for v in ("float_val: 1", "float_val: 1 float_val: 1")]
    return [
        [told(check, parsed(base), parsed(base.replace(*change))) for change in changes],
        [told(check, parsed(one("i: 77")), parsed(one(value))) for value in values],
        told(check, parsed(node), parsed("")),
        told(check, parsed("versions { producer: 3 }"), parsed("versions { producer: 4 }")),
        told(check, parsed(one(same[0])), parsed(one(same[1]))),
    ]


def prog_eager_op_as_function(tf, np):
    """with_eager_op_as_function leaves a class as it is today."""
    class Some(tf.test.TestCase):
        def test_one(self):
            pass

    same = tf.test.with_eager_op_as_function(Some)
    made = tf.test.with_eager_op_as_function(only_as_function=True)(Some)
    return [same is Some, same.__name__, made.__name__, [n for n in dir(same) if n.startswith("test_") and n != "test_session"]]


def prog_benchmarks(tf, np):
    """A benchmark reports to standard output."""
    from tests.oracle.support import printed

    class Some(tf.test.Benchmark):
        def benchmark_it(self):
            self.report_benchmark(iters=10, wall_time=0.5, name="it")

    class Abstract(tf.test.Benchmark):
        _tf_abstract = True

    found = printed(lambda: Some().benchmark_it())
    return [
        re.sub(r"\s+", " ", found["stdout"] + found["stderr"]),
        Some.is_abstract(),
        attempt(lambda: Some().report_benchmark(extras=3)),
        type(tf.test.benchmark_config()).__name__,
    ]
