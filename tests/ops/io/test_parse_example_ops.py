"""ParseExample, ParseExampleV2, ParseSingleExample: both readers behind one op, shapes, validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.oracle.programs._messages import example, floats, ints, texts

_DATA = [example(a=ints(n, 300 * n), b=floats(*range(n % 3)), c=texts(b"x" * n)) for n in range(20)]
_NONE = np.array([], np.int64)


def _strings(*values: bytes) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _scalar(value: bytes) -> Any:
    array = np.empty((), dtype=object)
    array[()] = value
    return array


def _v2(serialized: Any, sparse: bool = True, names: Any = None, padded: bool = False) -> Sample:
    """A call for all layouts, or for dense features of one size only."""
    attrs = {
        "num_sparse": int(sparse),
        "sparse_types": [tf.float32] * sparse,
        "ragged_value_types": [tf.string] * sparse,
        "ragged_split_types": [tf.int32] * sparse,
        "dense_shapes": [[None] if padded else [2], []],
    }
    keys = _strings(b"b") if sparse else _strings(), _strings(b"a", b"c"), _strings(b"c") if sparse else _strings()
    if sparse:
        attrs["dense_shapes"] = [[2]]
        keys = keys[0], _strings(b"a"), keys[2]
    defaults = [np.int64(7) if padded else _NONE, _scalar(b"missing")][: 1 if sparse else 2]
    inputs = (serialized, _strings() if names is None else names, *keys, defaults)
    return Sample("ParseExampleV2", inputs=inputs, attrs=attrs)


def _single(serialized: Any, sparse: bool) -> Sample:
    attrs = {
        "num_sparse": int(sparse), "sparse_keys": ["b"] * sparse, "sparse_types": [tf.float32] * sparse,
        "dense_keys": ["a"], "dense_shapes": [[2]],
    }  # fmt: skip
    return Sample("ParseSingleExample", inputs=(serialized, [np.array([1, 2])]), attrs=attrs)


def _v1(serialized: Any, sparse: bool) -> Sample:
    attrs = {"sparse_types": [tf.float32] * sparse, "dense_shapes": [[2]]}
    inputs = serialized, _strings(), [_scalar(b"b")] * sparse, [_scalar(b"a")], [np.array([1, 2])]
    return Sample("ParseExample", inputs=inputs, attrs=attrs)


SAMPLES = [
    _v2(_strings(*_DATA), sparse=False),
    _v2(_strings(*_DATA[:2]), sparse=False, names=_strings(b"p", b"q")),
    _v2(_scalar(_DATA[4]), sparse=False),
    _v2(_strings(*_DATA)),
    _v2(_strings(*_DATA[:3])),
    _v2(_scalar(_DATA[4])),
    _v2(_strings()),
    _v2(_strings(*_DATA[:3]), sparse=False, padded=True),
    _v1(_strings(*_DATA[:2], b""), sparse=False),
    _v1(_strings(*_DATA), sparse=True),
    _single(_scalar(b""), sparse=False),
    _single(_scalar(_DATA[1]), sparse=True),
]


def _parsed(serialized: Any) -> Any:
    described = {
        "a": tf.io.FixedLenFeature([2], tf.int64, [0, 0]),
        "c": tf.io.FixedLenFeature([], tf.string),
        "b": tf.io.FixedLenSequenceFeature([], tf.float32, True, -1),
    }
    return tf.io.parse_example(serialized, described)


def test_large_and_small_batches_give_the_same() -> None:
    at_once = _parsed(_DATA)
    for start in range(0, 20, 5):
        few = _parsed(_DATA[start : start + 5])
        for key in ("a", "c"):
            np.testing.assert_array_equal(at_once[key][start : start + 5], few[key])
    np.testing.assert_array_equal(at_once["b"][5:8], [[0, 1], [-1, -1], [0, -1]])


def test_large_and_small_batches_give_the_same_errors() -> None:
    for bad in (b"", example(c=ints(1)), example(c=texts(b"", b"")), b"hello", example(a=ints(1), c=texts(b""))):
        messages = []
        for batch in ([_DATA[0], _DATA[1], bad], [_DATA[0], _DATA[1], bad, *_DATA]):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                _parsed(batch)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


def test_a_batch_in_an_unusual_form_is_read_all_the_same() -> None:
    unusual = example(c=texts(b"u"), a=ints(5, 6, packed=False))
    parsed = _parsed([*_DATA, unusual])
    assert parsed["a"][-1].numpy().tolist() == [5, 6]
    np.testing.assert_array_equal(parsed["a"][:-1], _parsed(_DATA)["a"])


def test_other_dtypes_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'Tdense' of int32 is not in the list"):
        tf.io.parse_example(_DATA, {"a": tf.io.FixedLenFeature([2], tf.int32)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'sparse_types' of int32 is not in the"):
        tf.io.parse_example(_DATA, {"a": tf.io.VarLenFeature(tf.int32)})


@pytest.mark.xla
def test_xla_refuses_to_compile_the_op() -> None:
    read = tf.function(lambda s: tf.io.parse_example(s, {"a": tf.io.FixedLenFeature([2], tf.int64)}), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="ParseExampleV2"):
        read(tf.constant(_DATA))
