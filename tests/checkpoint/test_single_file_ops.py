"""The ops of checkpoints of TensorFlow's first form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_HERE = "ram://test_single_file_ops"
_FILE = f"{_HERE}/sample"
_VALUES = np.arange(6, dtype=np.float32)
_raw = tf.raw_ops
_e = tf.errors


def _text(text: str) -> Any:
    return np.array(text.encode(), object)


def _texts(*texts: str) -> Any:
    return np.array([text.encode() for text in texts], object)


def _save(name: Any, names: Any, tensors: Any) -> None:
    _raw.Save(filename=name, tensor_names=names, data=tensors)


def _save_slices(name: Any, names: Any, slices: Any, tensors: Any) -> None:
    _raw.SaveSlices(filename=name, tensor_names=names, shapes_and_slices=slices, data=tensors)


def _restore(pattern: Any, name: Any, dtype: Any = tf.float32, **attrs: Any) -> Any:
    return _raw.Restore(file_pattern=pattern, tensor_name=name, dt=dtype, **attrs)


def _restore_slice(pattern: Any, name: Any, text: Any, dtype: Any = tf.float32) -> Any:
    return _raw.RestoreSlice(file_pattern=pattern, tensor_name=name, shape_and_slice=text, dt=dtype)


tf.io.gfile.makedirs(_HERE)
_save_slices(_FILE, ["a", "s", "v"], ["", "", "10 2,6"], [_VALUES, tf.constant(["x", "yy"]), _VALUES])

SAMPLES = [
    Sample("Save", (_text(f"{_HERE}/w"), _texts("a", "s"), [_VALUES, _texts("x")]), {"T": [tf.float32, tf.string]}),
    Sample("SaveSlices", (_text(f"{_HERE}/w"), _texts("a"), _texts("10 2,6"), [_VALUES]), {"T": [tf.float32]}),
    Sample("SaveSlices", (_text(f"{_HERE}/w"), _texts("a"), _texts(""), [np.int32(3)]), {"T": [tf.int32]}),
    Sample("Restore", (_text(_FILE), _text("a")), {"dt": tf.float32}),
    Sample("Restore", (_text(_FILE), _text("s")), {"dt": tf.string, "preferred_shard": 1}),
    Sample("RestoreSlice", (_text(_FILE), _text("v"), _text("10 3,2")), {"dt": tf.float32}),
    Sample("RestoreSlice", (_text(_FILE), _text("a"), _text("")), {"dt": tf.float32}),
]


def test_tensors_are_saved_and_restored(tmp_path: Path) -> None:
    name = f"{tmp_path}/x"
    assert _save([name], [["a", "b"]], [_VALUES, tf.constant(["é"])]) is None
    assert _restore(name, "a").numpy().tolist() == _VALUES.tolist()
    assert _restore(f"{tmp_path}/*", ["b", "a"], tf.string, preferred_shard=7).numpy().tolist() == ["é".encode()]
    assert _restore_slice(name, "a", "6 2,3").numpy().tolist() == [2, 3, 4]
    both = _raw.RestoreV2(
        prefix=name, tensor_names=["a", "b"], shape_and_slices=["6 1,2", ""], dtypes=["float32", "string"]
    )
    assert [tensor.numpy().tolist() for tensor in both] == [[1, 2], ["é".encode()]]


def test_slices_are_saved_and_restored(tmp_path: Path) -> None:
    name = f"{tmp_path}/x"
    _save_slices(name, ["v", "v"], ["10 0,4", "10 4,6"], [_VALUES[:4], _VALUES])
    assert _restore(name, "v").numpy().tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 4, 5]
    assert _restore_slice(name, "v", "10 2,4").numpy().tolist() == [2, 3, 0, 1]


def test_a_graph_saves_before_it_restores(tmp_path: Path) -> None:
    @tf.function
    def save_and_restore(value: Any) -> Any:
        _save(f"{tmp_path}/x", ["a"], [value])
        return _restore(f"{tmp_path}/x", "a")

    for value in (1.0, 2.0):
        assert float(save_and_restore(tf.constant(value))) == value


_REFUSALS: dict[str, tuple[Callable[[], Any], Any, str]] = {
    "two files": (
        lambda: _save(["a", "b"], ["a"], [_VALUES]),
        _e.InvalidArgumentError,
        "Input 0 (filename) must be a string scalar; got a tensor of 2elements",
    ),
    "too many names": (
        lambda: _save("a", ["a", "b"], [_VALUES]),
        _e.InvalidArgumentError,
        "Expected totally 4 inputs as input #1 (which is a string tensor of saved names) contains 2 names, but receiv",
    ),
    "too many slices": (
        lambda: _save_slices("a", ["a"], ["", ""], [_VALUES]),
        _e.InvalidArgumentError,
        "Expected 1 elements for the tensor shapes and slices but got 2",
    ),
    "another shape to save": (
        lambda: _save_slices("a", ["a"], ["10 0,5"], [_VALUES]),
        _e.InvalidArgumentError,
        "Slice in shape_and_slice specification does not match the shape of the tensor to  save: 10 0,5, tensor: [6]",
    ),
    "no slice": (
        lambda: _save_slices("a", ["a"], ["zz"], [_VALUES]),
        _e.InvalidArgumentError,
        "Need least two elements in shape_and_slice specification: zz",
    ),
    "a dtype": (
        lambda: _save("a", ["a"], [tf.constant(1.0, tf.bfloat16)]),
        _e.UnimplementedError,
        "Saving data type bfloat16 not yet supported",
    ),
    "two patterns": (
        lambda: _restore([_FILE, _FILE], "a"),
        _e.InvalidArgumentError,
        "Input 0 (file_pattern) must be a string scalar; got a tensor of 2 elements",
    ),
    "no name": (
        lambda: _restore(_FILE, np.zeros(0, object)),
        _e.InvalidArgumentError,
        "Input 1 (file_pattern) must be a",
    ),
    "another dtype": (
        lambda: _restore(_FILE, "s"),
        _e.InvalidArgumentError,
        "Expected to restore a tensor of type float, got a tensor of type string instead: tensor_name = s",
    ),
    "another dtype of a bundle's op": (
        lambda: _raw.RestoreV2(prefix=_FILE, tensor_names=["s"], shape_and_slices=[""], dtypes=[tf.float32]),
        _e.InvalidArgumentError,
        "Expected to restore a tensor of type float, got a tensor of type string instead: tensor_name = s",
    ),
    "another shape": (
        lambda: _restore_slice(_FILE, "a", "9 2,3"),
        _e.InvalidArgumentError,
        "Shape in shape_and_slice spec does not match the shape in the save file: [9], save file shape: [6]",
    ),
    "a part that is missing": (
        lambda: _restore_slice(_FILE, "v", "10 1,3"),
        _e.InvalidArgumentError,
        "Error copying sli",
    ),
    "a missing tensor": (
        lambda: _restore(_FILE, "q"),
        _e.NotFoundError,
        f'Tensor name "q" not found in checkpoint files {_FILE}',
    ),
    "no file": (
        lambda: _restore(f"{_HERE}/no", "a"),
        _e.NotFoundError,
        "Unsuccessful TensorSliceReader constructor: Fail",
    ),
}


@pytest.mark.parametrize("case", _REFUSALS)
def test_what_cannot_be_done_is_refused(case: str) -> None:
    call, error, words = _REFUSALS[case]
    check_refusal(call, error, words)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: _save(["a"], ["a"], [_VALUES]), ValueError, "Shape must be rank 0 but is rank 1"),
        (lambda: _save("a", "a", [_VALUES]), ValueError, "Shape must be rank 1 but is rank 0"),
        (lambda: _save("a", ["a", "b"], [_VALUES]), ValueError, "Dimension must be 1 but is 2"),
        (lambda: _save_slices("a", ["a"], ["", ""], [_VALUES]), ValueError, "Dimension must be 1 but is 2"),
        (lambda: _save_slices("a", ["a"], [[""]], [_VALUES]), ValueError, "Shape must be rank 1 but is rank 2"),
        (lambda: _restore(["a"], "a"), ValueError, "Shape must be rank 0 but is rank 1"),
        (lambda: _restore("a", ["a"]), ValueError, "Shape must be rank 0 but is rank 1"),
        (lambda: _restore_slice("a", "a", [""]), ValueError, "Shape must be rank 0 but is rank 1"),
        (
            lambda: _restore_slice("a", "a", "zz"),
            ValueError,
            "Need least two elements in shape_and_slice specification",
        ),
        (
            lambda: _restore_slice("a", "a", "5 4,3"),
            _e.InternalError,
            "Extent in dimension 0 out of bounds: shape = [5]",
        ),
    ],
)
def test_graphs_that_cannot_run_are_refused(call: Callable[[], Any], error: Any, words: str) -> None:
    def traced() -> None:
        with tf.Graph().as_default():
            call()

    check_refusal(traced, error, words)


def test_shapes_are_known_from_the_slice() -> None:
    with tf.Graph().as_default():
        assert _restore_slice("a", "a", "10 5 0,2:-").shape == [2, 5]
        assert _restore_slice("a", "a", "").shape.rank is None
        assert _restore_slice("a", "a", tf.compat.v1.placeholder(tf.string)).shape.rank is None
        assert _restore("a", "a").shape.rank is None
