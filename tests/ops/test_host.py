"""numpy_function and py_func; what py_function shares with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops import host
from tests.contracts.sample import Sample

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
