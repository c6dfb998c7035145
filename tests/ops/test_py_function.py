"""py_function: eager tensors, errors, gradients, and who keeps what alive."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops import py_function
from tests.contracts.sample import GradientProgram
from tests.ops.array.answers import check_refusal

py, npf = tf.py_function, tf.numpy_function


def graph_call(*args: Any, **kwargs: Any) -> Any:
    """The call inside a function of its own, which runs it in a graph."""
    call, *rest = args
    return tf.function(lambda: call(*rest, **kwargs), autograph=False)()


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
    before = len(py_function._taped._kept)
    kept = py(lambda a: tf.exp(a), [x], tf.float32)
    assert len(py_function._taped._kept) == before + 1
    del kept
    gc.collect()
    assert len(py_function._taped._kept) == before


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


def _rows(values: Any) -> Any:
    return tf.RaggedTensor.from_row_lengths(values, [1, 2])


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_composites_go_in_and_come_out(wrap: Any) -> None:
    spec = tf.RaggedTensorSpec([2, None], tf.float32)
    doubled = wrap(lambda x: tf.py_function(lambda r, s: r.with_values(r.values * s), [x, 2.0], spec))
    result = doubled(_rows([1.0, 2.0, 3.0]))
    assert result.to_list() == [[2.0], [4.0, 6.0]] and result.shape == [2, None]
    total = wrap(lambda x: tf.py_function(lambda r: [tf.reduce_sum(r.values), r], [x], [tf.float32, spec]))
    number, same = total(_rows([1.0, 2.0, 3.0]))
    assert number.numpy() == 6.0 and same.to_list() == [[1.0], [2.0, 3.0]]


def test_gradients_pass_through_a_python_function_of_composites() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda r: tf.reduce_sum(r.values * r.values), [_rows(x)], tf.float32)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0, 6.0]


def test_results_that_are_not_as_declared_are_refused() -> None:
    spec = tf.RaggedTensorSpec([2, None], tf.int32)
    for function, wanted in ((lambda r: r, tf.float32), (lambda r: r, spec), (lambda r: [r, r], spec)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="which did not match Tout="):
            tf.py_function(function, [_rows([1.0, 2.0, 3.0])], wanted)


def test_slices_are_passed_whole_and_have_a_gradient() -> None:
    def f(slices: Any) -> Any:
        assert isinstance(slices, tf.IndexedSlices)
        return tf.reduce_sum(tf.convert_to_tensor(slices) ** 3)

    x = tf.constant([3.0, 2.0, -1.0])
    for call in (tf.py_function, tf.function(tf.py_function, autograph=False)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(f, [tf.IndexedSlices(x, tf.constant([0, 2, 0]), tf.constant([3]))], tf.float32)
        assert tape.gradient(y, x).numpy().tolist() == [12.0, 12.0, 12.0]


def test_results_beyond_the_promised_are_left_out_with_composites_too() -> None:
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    assert float(tf.py_function(lambda r: [tf.reduce_sum(r), 7.0], [ragged], tf.float32)) == 6.0
    assert float(tf.py_function(lambda x: [x, 7.0], [tf.constant(6.0)], tf.float32)) == 6.0
