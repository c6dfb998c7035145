"""py_function, numpy_function and py_func."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops import host
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.array.answers import check_refusal

_TOKEN = host._token(lambda *arrays: [a + a.dtype.type(1) for a in arrays])
SAMPLES = [
    Sample(
        "PyFuncStateless",
        inputs=([np.arange(3.0), np.array([[1, 2]])],),
        attrs={"token": _TOKEN, "Tout": ("float64", "int64")},
    )
]

py, npf = tf.py_function, tf.numpy_function


def graph_call(*args: Any, **kwargs: Any) -> Any:
    """The call inside a function of its own, which runs it in a graph."""
    call, *rest = args
    return tf.function(lambda: call(*rest, **kwargs), autograph=False)()


# --- py_function -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [lambda f, *a: f(*a), graph_call], ids=["eager", "graph"])
def test_the_function_gets_eager_tensors(mode: Any) -> None:
    seen: list[Any] = []

    def look(*tensors):
        seen.extend((type(t).__name__, t.dtype, t.shape.as_list()) for t in tensors)
        assert tf.executing_eagerly()
        return tensors[0]

    result = mode(py, look, [1, [2.5], "s"], tf.int32)
    assert result.numpy() == 1
    assert seen == [("EagerTensor", tf.int32, []), ("EagerTensor", tf.float32, [1]), ("EagerTensor", tf.string, [])]


@pytest.mark.parametrize("mode", [lambda f, *a: f(*a), graph_call], ids=["eager", "graph"])
@pytest.mark.parametrize(
    ("returned", "dtypes", "expected"),
    [
        (7, tf.int32, 7),
        (np.float64(1.5), tf.float32, 1.5),
        (np.arange(3), tf.int32, [0, 1, 2]),
        ("s", tf.string, b"s"),
        ([1, 2, 3], tf.int32, 1),
        (1, [tf.int32], [1]),
        ((1, 2.0), (tf.int32, tf.float32), [1, 2.0]),
        ([np.arange(2), np.arange(3)], [tf.int64, tf.int64], [[0, 1], [0, 1, 2]]),
        (True, tf.TensorSpec([], tf.bool), True),
    ],
)
def test_results_are_converted_to_the_dtypes_promised(mode: Any, returned: Any, dtypes: Any, expected: Any) -> None:
    result = mode(py, lambda: returned, [], dtypes)
    if isinstance(dtypes, (list, tuple)):
        assert [t.dtype for t in result] == list(dtypes)
        assert [t.numpy().tolist() for t in result] == expected
    else:
        assert np.array_equal(result.numpy(), expected)


def test_a_function_may_return_nothing() -> None:
    assert py(lambda: None, [], []) == []
    with tf.Graph().as_default():
        assert isinstance(py(lambda: None, [], []), tf.Operation)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("v"), tf.errors.InvalidArgumentError),
        (TypeError("t"), tf.errors.InvalidArgumentError),
        (StopIteration("s"), tf.errors.OutOfRangeError),
        (MemoryError("m"), tf.errors.ResourceExhaustedError),
        (NotImplementedError("n"), tf.errors.UnimplementedError),
        (KeyError("k"), tf.errors.UnknownError),
        (tf.errors.NotFoundError(None, None, "nf"), tf.errors.UnknownError),
    ],
)
def test_exceptions_become_errors_that_tell_the_line(error: Exception, kind: Any) -> None:
    def fail():
        raise error

    with pytest.raises(kind) as caught:
        py(fail, [], tf.int32)
    text = caught.value.message
    assert text.startswith(f"{type(error).__name__}: {error}\nTraceback (most recent call last):\n")
    assert ", in fail\n    raise error\n" in text
    with pytest.raises(kind, match=type(error).__name__):
        graph_call(py, fail, [], tf.int32)


@pytest.mark.parametrize(
    ("function", "dtypes", "words"),
    [
        (lambda: None, tf.int32, "returns 0 values, but expects to see 1 values."),
        (lambda: 1, [tf.int32, tf.int32], "returns 1 values, but expects to see 2 values."),
        (lambda: 1.5, tf.int32, "TypeError: Cannot convert 1.5 to EagerTensor of dtype int32"),
        (
            lambda: tf.constant(1.5),
            tf.int32,
            "ValueError: Tensor conversion requested dtype int32 for Tensor with dtype",
        ),
        (lambda x: x, tf.int32, "missing 1 required positional argument: 'x'"),
    ],
)
def test_wrong_results_are_refused(function: Any, dtypes: Any, words: str) -> None:
    for mode in (lambda f, *a: f(*a), graph_call):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            mode(py, function, [], dtypes)
        assert words in caught.value.message


def test_a_variable_cannot_be_returned() -> None:
    v = tf.Variable(1.0)
    with pytest.raises(
        tf.errors.UnknownError, match="Attempting to return a variable from an eagerly executed py_func"
    ):
        py(lambda: v, [], tf.float32)


def test_wrong_arguments_are_refused() -> None:
    check_refusal(
        lambda: py(5, [], tf.int32), ValueError, "Expected func to be callable. Received func=5 of type <class 'int'>."
    )
    check_refusal(
        lambda: py(len, None, tf.int32), TypeError, "Missing argument `inp`:\n  You must set the `inp` argument"
    )
    check_refusal(
        lambda: npf(len, []), TypeError, "Missing required argument: 'Tout'\n  If using tf.numpy_function as a"
    )
    check_refusal(
        lambda: py(None, [1], tf.int32), TypeError, "Don't set the `inp` argument when using tf.py_function as"
    )
    check_refusal(lambda: py(len, [], {"a": tf.int32}), TypeError, "Cannot convert the argument `type_value`")


def test_the_decorator_form() -> None:
    @tf.py_function(Tout=tf.float32)
    def double(x):
        return x * 2

    @tf.numpy_function(Tout=tf.float32)
    def half(x):
        return x / np.float32(2)

    assert double(1.5).numpy() == 3.0
    assert half(np.float32(3)).numpy() == 1.5
    assert double.__name__ == "double"
    assert tf.function(lambda x: double(half(x)), autograph=False)(tf.constant(4.0)).numpy() == 4.0


def test_the_function_runs_in_every_call_and_in_program_order() -> None:
    calls: list[float] = []

    @tf.function(autograph=False)
    def f(x):
        py(lambda v: calls.append(float(v)), [x], [])
        py(lambda v: calls.append(-float(v)), [x * 2.0], [])
        return x

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert calls == [1.0, -2.0, 2.0, -4.0]


# --- gradients -------------------------------------------------------------------------------------------------------


def test_the_gradient_in_eager_mode() -> None:
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = py(lambda a, b: a * a * b, [x, y], tf.float32) * 2.0
    dx, dy = tape.gradient(z, [x, y])
    assert dx.numpy().tolist() == [12.0, 24.0]
    assert dy.numpy() == 10.0


def test_the_gradient_in_a_graph_does_not_run_the_function_again() -> None:
    calls: list[int] = []

    def square(a, b):
        calls.append(1)
        return a * a, a + b, 3

    @tf.function(autograph=False)
    def f(x):
        y = py(square, [x, 5.0], [tf.float32, tf.float32, tf.int32])
        return tf.gradients(y[0] * 2.0 + y[1], x)[0]

    assert f(tf.constant(3.0)).numpy() == 13.0
    assert f(tf.constant(4.0)).numpy() == 17.0
    assert len(calls) == 2


def test_the_gradient_through_a_function_call() -> None:
    f = tf.function(lambda x: py(lambda a: tf.sin(a), [x], tf.float32) * 2.0, autograph=False)
    x = tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 2 * np.cos(0.5), rtol=1e-6)


def test_a_result_that_does_not_depend_on_the_argument_has_a_zero_gradient() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = py(lambda a: tf.constant(5.0), [x], tf.float32)
    assert tape.gradient(y, x).numpy() == 0.0


def test_the_tape_of_a_call_goes_with_its_result() -> None:
    x = tf.constant([1.0])
    for _ in range(3):
        py(lambda a: tf.exp(a), [x], tf.float32)
    gc.collect()
    before = len(host._taped._kept)
    kept = py(lambda a: tf.exp(a), [x], tf.float32)
    assert len(host._taped._kept) == before + 1
    del kept
    gc.collect()
    assert len(host._taped._kept) == before


def test_a_function_goes_with_its_last_user() -> None:
    class Callable:
        def __call__(self, x):
            return x

    function = Callable()
    alive = weakref.ref(function)
    py(function, [1.0], tf.float32)
    graph = tf.Graph()
    with graph.as_default():
        py(function, [1.0], tf.float32)
    del function
    gc.collect()
    assert alive() is not None
    del graph
    gc.collect()
    assert alive() is None


# --- numpy_function --------------------------------------------------------------------------------------------------


def test_numpy_function_in_eager_mode_is_a_plain_call() -> None:
    seen: list[Any] = []
    result = npf(lambda *a: seen.extend(a) or np.float64(1.5), [1, tf.constant([2.0])], tf.float32)
    assert result.dtype is tf.float64
    assert [(type(a), a.dtype.name) for a in seen] == [(np.ndarray, "int64"), (np.ndarray, "float32")]
    assert npf(lambda: None, [], []) is None
    assert [t.numpy() for t in npf(lambda: {"b": 2.0, "a": 1}, [], tf.int32)] == [1, 2.0]
    with pytest.raises(KeyError):
        npf(lambda: {}["k"], [], tf.int32)


def test_numpy_function_in_a_graph_gets_arrays_and_scalars() -> None:
    seen: list[Any] = []

    def look(*values):
        seen.extend(type(v) for v in values)
        return np.float32(1)

    graph_call(npf, look, [1.0, [1, 2], "s", ["a"], True], tf.float32)
    assert seen == [np.float32, np.ndarray, bytes, np.ndarray, np.bool_]


@pytest.mark.parametrize(
    ("returned", "dtypes", "expected"),
    [
        (1.0, tf.float64, 1.0),
        ("é", tf.string, b"\xc3\xa9"),
        (np.array(["a", "é"]), tf.string, [b"a", b"\xc3\xa9"]),
        (np.arange(4).reshape(2, 2).T, tf.int64, [[0, 2], [1, 3]]),
        (tf.constant(1), tf.int32, 1),
        ((np.float32(1),), tf.float32, 1.0),
    ],
)
def test_numpy_function_in_a_graph_returns_arrays(returned: Any, dtypes: Any, expected: Any) -> None:
    result = graph_call(npf, lambda: returned, [], dtypes)
    assert result.dtype is dtypes
    value = result.numpy()
    assert (value.tolist() if hasattr(value, "tolist") else value) == expected


@pytest.mark.parametrize(
    ("returned", "dtypes", "error", "words"),
    [
        (1.0, tf.float32, tf.errors.InvalidArgumentError, "is double, but expects float"),
        (["a", "b"], tf.string, tf.errors.InvalidArgumentError, "returns 2 values, but expects to see 1 values."),
        (None, tf.float32, tf.errors.InvalidArgumentError, "returns 0 values, but expects to see 1 values."),
        ({"a": 1}, tf.int64, tf.errors.InternalError, "Unsupported object type dict"),
    ],
)
def test_numpy_function_in_a_graph_refuses_other_results(returned: Any, dtypes: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        graph_call(npf, lambda: returned, [], dtypes)


def test_arguments_and_results_may_be_changed_without_harm() -> None:
    kept: list[Any] = []

    def change(a):
        a += 1
        kept.append(a)
        return a

    f = tf.function(lambda x: (npf(change, [x], tf.float32), x), autograph=False)
    x = tf.constant([1.0, 2.0])
    y, same = f(x)
    kept[0][:] = 99.0
    assert (x.numpy().tolist(), same.numpy().tolist(), y.numpy().tolist()) == ([1.0, 2.0], [1.0, 2.0], [2.0, 3.0])


def test_the_nodes_of_host_functions() -> None:
    with tf.Graph().as_default() as graph:
        npf(len, [[1.0]], tf.float32)
        npf(len, [[1.0]], tf.float32, stateful=False)
        tf.compat.v1.py_func(len, [[1.0]], [tf.float32], name="old")
        result = py(len, [[1.0]], tf.TensorSpec([2], tf.float32))
    types = {o.name: o.type for o in graph.get_operations() if o.type != "Const"}
    assert types == {
        "PyFunc": "PyFunc",
        "PyFuncStateless": "PyFuncStateless",
        "old": "PyFunc",
        "EagerPyFunc": "EagerPyFunc",
    }
    assert result.shape.rank is None
    assert "EagerPyFunc/input_0" in {o.name for o in graph.get_operations()}


def test_a_token_of_another_process_is_refused() -> None:
    with pytest.raises(tf.errors.InternalError, match="Its Python function is not in this process"):
        tf.raw_ops.PyFunc(input=[1.0], token="pyfunc_from_elsewhere", Tout=[tf.float32])


# XLA cannot call Python.
GRADIENT_PROGRAMS = [
    GradientProgram(
        "EagerPyFunc", lambda x: py(lambda a: tf.sin(a) * a, [x], tf.float64), [np.array([1.0, -2.0])], xla=False
    ),
    GradientProgram(
        "EagerPyFunc",
        lambda x, y: py(lambda a, b: (a * b, a / b), [x, y], [tf.float64, tf.float64]),
        [np.array([1.0, -2.0]), np.array([0.5])],
        xla=False,
    ),
]
