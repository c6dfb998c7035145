"""The ops that save and restore tensors: in eager mode, in graphs, and what they refuse."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.reader import BundleReader
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_HERE = "ram://test_save_ops"
_PREFIX = f"{_HERE}/sample"
_VALUES = np.arange(6, dtype=np.float32)


def _texts(*texts: str) -> Any:
    return np.array([text.encode() for text in texts], object)


def _write_sample() -> None:
    tf.io.gfile.makedirs(_HERE)
    names, slices = _texts("a", "b", "c"), _texts("", "", "10 2,6")
    tensors = [_VALUES, tf.constant([[b"x"]]), _VALUES]
    tf.raw_ops.SaveV2(prefix=_PREFIX, tensor_names=names, shape_and_slices=slices, tensors=tensors)


_write_sample()

_NAME = np.array(b"base", object)
_NUMBER = np.int32(3)

SAMPLES = [
    Sample("SaveV2", (_texts(f"{_HERE}/w")[0], _texts("a"), _texts(""), [_VALUES]), {"dtypes": [tf.float32]}),
    Sample(
        "SaveV2",
        (_texts(f"{_HERE}/w")[0], _texts("a", "b"), _texts("4 3 2,2:-", ""), [_VALUES.reshape(2, 3), _texts("x")]),
        {"dtypes": [tf.float32, tf.string]},
    ),
    Sample("RestoreV2", (_texts(_PREFIX)[0], _texts("a"), _texts("")), {"dtypes": [tf.float32]}),
    Sample(
        "RestoreV2",
        (_texts(_PREFIX)[0], _texts("b", "a", "c"), _texts("", "6 1,2", "10 3,4")),
        {"dtypes": [tf.string, tf.float32, tf.float32]},
    ),
    Sample("MergeV2Checkpoints", (_texts(_PREFIX), _texts(_PREFIX)[0])),
    Sample("ShardedFilename", (_NAME, np.int32(1), _NUMBER)),
    Sample("ShardedFilespec", (_NAME, _NUMBER)),
]

_e = tf.errors
_raw = tf.raw_ops


def _save(prefix: Any, names: Any, slices: Any, tensors: Any) -> None:
    _raw.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=tensors)


def _restore(prefix: Any, names: Any, slices: Any, dtypes: Any) -> Any:
    return _raw.RestoreV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, dtypes=dtypes)


def test_tensors_are_saved_and_restored(tmp_path: Path) -> None:
    prefix = f"{tmp_path}/x"
    quantized = tf.quantization.quantize([1.0, 2.0], 0.0, 3.0, tf.quint8).output
    tensors = [tf.constant([[1.5]]), tf.constant(["é", b"\xff"]), tf.constant(True), quantized]
    assert _save(prefix, ["a", "b", "c", "d"], [""] * 4, tensors) is None
    restored = _restore(prefix, ["d", "c", "b", "a"], [""] * 4, [tf.quint8, tf.bool, tf.string, tf.float32])
    assert [tensor.dtype for tensor in restored] == [tf.quint8, tf.bool, tf.string, tf.float32]
    assert [tensor.numpy().tolist() for tensor in restored[1:]] == [True, ["é".encode(), b"\xff"], [[1.5]]]
    assert restored[0].numpy().tolist() == quantized.numpy().tolist()
    _restore([prefix], ["a"], [""], [tf.float32])  # a vector of one element is a name, too


def test_parts_of_a_tensor_are_saved_and_restored(tmp_path: Path) -> None:
    prefix = f"{tmp_path}/x"
    whole = np.arange(50.0).reshape(10, 5)
    _save(prefix, ["v", "v"], ["10 5 0,4:-", "10 5 4,6:0,5"], [whole[:4], whole[4:]])
    for text, index in {"": (), "10 5 3,2:-": np.s_[3:5], "10 5 2,5:1,3": np.s_[2:7, 1:4], "10 5 -:-": ()}.items():
        (restored,) = _restore(prefix, ["v"], [text], [tf.float64])
        assert restored.numpy().tolist() == whole[index].tolist()


def test_a_graph_saves_before_it_restores(tmp_path: Path) -> None:
    @tf.function
    def save_and_restore(value: Any) -> Any:
        _save(f"{tmp_path}/x", ["a"], [""], [value])
        return _restore(f"{tmp_path}/x", ["a"], [""], [tf.float32])[0]

    for value in (1.0, 2.0):
        assert float(save_and_restore(tf.constant(value))) == value


def test_several_devices_save_one_checkpoint(tmp_path: Path) -> None:
    parts = [f"{tmp_path}/temp/part-{shard}" for shard in range(2)]
    os.mkdir(tmp_path / "temp")

    @tf.function
    def save() -> None:
        for shard, part in enumerate(parts):
            _save(part, [f"k{shard}"], [""], [tf.fill([2], shard)])
        _raw.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=f"{tmp_path}/all")

    save()
    assert sorted(os.listdir(tmp_path)) == ["all.data-00000-of-00002", "all.data-00001-of-00002", "all.index"]
    with BundleReader(f"{tmp_path}/all") as reader:
        assert reader.read("k1").tolist() == [1, 1]


def test_names_of_shards() -> None:
    def name(*arguments: Any) -> bytes:
        return bytes(_raw.ShardedFilename(basename=arguments[0], shard=arguments[1], num_shards=arguments[2]).numpy())

    assert name("a/b", 1, 3) == b"a/b-00001-of-00003"
    assert name("", 123456, 1234567) == b"-123456-of-1234567"
    assert name("", -1, -2) == b"--0001-of--0002"
    assert _raw.ShardedFilespec(basename="a/b", num_shards=3).numpy() == b"a/b-?????-of-00003"


# --- refusals --------------------------------------------------------------------------------------------------------

_SAVE_REFUSALS: dict[str, tuple[Any, Any, str]] = {
    "two prefixes": (
        (["x", "y"], ["a"], [""]),
        _e.InvalidArgumentError,
        "Input prefix should have a single element, got 2",
    ),
    "names of rank 2": (
        ("x", [["a"]], [""]),
        _e.InvalidArgumentError,
        "Input tensor_names and shape_and_slices should be an 1-D tensors, got [1,1] and [1] instead.",
    ),
    "too many names": (
        ("x", ["a", "b"], [""]),
        _e.InvalidArgumentError,
        "tensor_names and shape_and_slices have different number of elements: 2 vs. 1",
    ),
    "too few tensors": (("x", ["a", "b"], ["", ""]), _e.InvalidArgumentError, "Got 2 tensor names but 1 tensors."),
    "another shape": (
        ("x", ["a"], ["6 0,3"]),
        _e.InvalidArgumentError,
        "Slice in shape_and_slice specification does not match the shape of the tensor to  save: 6 0,3, tensor: [6]",
    ),
    "no slice": (
        ("x", ["a"], ["zz"]),
        _e.InvalidArgumentError,
        "Need least two elements in shape_and_slice specificati",
    ),
    "outside": (
        ("x", ["a"], ["6 1,6"]),
        _e.InternalError,
        "Extent in dimension 0 out of bounds: shape = [6], slice = 1,6",
    ),
    "no folder": (
        ("no/such/x", ["a"], [""]),
        _e.NotFoundError,
        "FOLDER/no/such; No such file or directory",
    ),
}


@pytest.mark.parametrize("case", _SAVE_REFUSALS)
def test_what_cannot_be_saved_is_refused_and_leaves_nothing(tmp_path: Path, case: str) -> None:
    (prefix, names, slices), error, words = _SAVE_REFUSALS[case]
    there = [f"{tmp_path}/{p}" for p in prefix] if isinstance(prefix, list) else f"{tmp_path}/{prefix}"
    check_refusal(lambda: _save(there, names, slices, [_VALUES]), error, words.replace("FOLDER", str(tmp_path)))
    assert os.listdir(tmp_path) == []


def test_handles_are_refused(tmp_path: Path) -> None:
    variable = tf.Variable(1.0)
    for tensor in (variable.handle, tf.data.Dataset.range(3)._variant_tensor):
        words = f"Cannot save 'a': a tensor of dtype {tensor.dtype.name} refers to an object"
        check_refusal(lambda tensor=tensor: _save(f"{tmp_path}/x", ["a"], [""], [tensor]), _e.UnimplementedError, words)


_RESTORE_REFUSALS: dict[str, tuple[Any, Any, str]] = {
    "two prefixes": (
        ([_PREFIX, "x"], ["a"], [""]),
        _e.InvalidArgumentError,
        "Input prefix should have a single element, g",
    ),
    "names of rank 2": (
        (_PREFIX, [["a"]], [""]),
        _e.InvalidArgumentError,
        "Input tensor_names and shape_and_slices should b",
    ),
    "too many slices": (
        (_PREFIX, ["a"], ["", ""]),
        _e.InvalidArgumentError,
        "tensor_names and shape_and_slices have different number of elements: 1 vs. 2",
    ),
    "too few dtypes": (
        (_PREFIX, ["a", "b"], ["", ""]),
        _e.InvalidArgumentError,
        "Got 2 tensor names, but 1 expected dtypes.",
    ),
    "a missing tensor": ((_PREFIX, ["q"], [""]), _e.NotFoundError, "Key q not found in checkpoint"),
    "another dtype": (
        (_PREFIX, ["b"], [""]),
        _e.InvalidArgumentError,
        "tensor_name = b; expected dtype float does not equal original dtype string",
    ),
    "another shape": (
        (_PREFIX, ["a"], ["7 0,2"]),
        _e.InvalidArgumentError,
        "tensor_name = a; shape in shape_and_slice spec [7] does not match the shape stored in checkpoint: [6]",
    ),
    "slices that are missing": (
        (_PREFIX, ["c"], [""]),
        _e.InvalidArgumentError,
        "Does not have sufficient slices for partitioned tensor c to restore in slice_spec: -",
    ),
    "no checkpoint": (
        (f"{_HERE}/no", ["a"], [""]),
        _e.NotFoundError,
        f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {_HERE}/no",
    ),
}


@pytest.mark.parametrize("case", _RESTORE_REFUSALS)
def test_what_cannot_be_restored_is_refused(case: str) -> None:
    (prefix, names, slices), error, words = _RESTORE_REFUSALS[case]
    check_refusal(lambda: _restore(prefix, names, slices, [tf.float32]), error, words)


def test_prefixes_that_cannot_be_merged() -> None:
    def merge(prefixes: Any, destination: Any) -> None:
        _raw.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=destination)

    words = "Input checkpoint_prefixes should be an 1-D tensor, got [] instead."
    check_refusal(lambda: merge("a", "b"), _e.InvalidArgumentError, words)
    words = "Input destination_prefix should be a scalar tensor, got [1] instead."
    check_refusal(lambda: merge(["a"], ["b"]), _e.InvalidArgumentError, words)
    words = "allow_missing_files was set to false and a did not exist."
    check_refusal(lambda: merge(["a"], "b"), _e.InvalidArgumentError, words)


def test_names_of_shards_that_are_no_scalars_are_refused() -> None:
    words = "basename must be a scalar, got shape [1]"
    call = lambda: _raw.ShardedFilename(basename=["a"], shard=0, num_shards=1)  # noqa: E731  # it is called twice
    check_refusal(call, _e.InvalidArgumentError, words)
    words = "num_shards must be a scalar, got shape [1]"
    check_refusal(lambda: _raw.ShardedFilespec(basename="a", num_shards=[1]), _e.InvalidArgumentError, words)


# --- while tracing ---------------------------------------------------------------------------------------------------


def _traced(call: Callable[[], Any]) -> Any:
    with tf.Graph().as_default():
        return call()


@pytest.mark.parametrize(
    ("slices", "shapes"),
    [
        (["", "4 1,2"], [None, [2]]),
        (["10 5 0,2:-", "10 5 -:-"], [[2, 5], [10, 5]]),
        (None, [None, None]),
    ],
)
def test_shapes_of_what_is_restored_are_known_from_the_slices(slices: Any, shapes: Any) -> None:
    def restore() -> Any:
        texts = tf.compat.v1.placeholder(tf.string) if slices is None else slices
        return _restore("x", ["a", "b"], texts, [tf.float32] * 2)

    assert [tensor.shape.as_list() if tensor.shape.rank is not None else None for tensor in _traced(restore)] == shapes


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: _restore("x", ["a"], ["zz"], [tf.float32]), ValueError, "Need least two elements in shape_and_slice"),
        (
            lambda: _restore("x", ["a"], ["10 8,4"], [tf.float32]),
            _e.InternalError,
            "Extent in dimension 0 out of bounds",
        ),
        (lambda: _restore(["x"], ["a"], [""], [tf.float32]), ValueError, "Shape must be rank 0 but is rank 1"),
        (lambda: _restore("x", "a", [""], [tf.float32]), ValueError, "Shape must be rank 1 but is rank 0"),
        (lambda: _restore("x", ["a"], "", [tf.float32]), ValueError, "Shape must be rank 1 but is rank 0"),
        (
            lambda: _restore("x", ["a", "b"], [""], [tf.float32]),
            ValueError,
            "Dimension 0 in both shapes must be equal, b",
        ),
        (
            lambda: _restore("x", ["a"], [""], [tf.float32] * 2),
            ValueError,
            "The number of shape_and_slice doesn't match",
        ),
        (lambda: _save(["x"], ["a"], [""], [_VALUES]), ValueError, "Shape must be rank 0 but is rank 1"),
        (lambda: _save("x", "a", [""], [_VALUES]), ValueError, "Shape must be rank 1 but is rank 0"),
        (lambda: _save("x", ["a", "b"], [""], [_VALUES]), ValueError, "Dimension must be 1 but is 2"),
        (lambda: _save("x", ["a"], ["", ""], [_VALUES]), ValueError, "Dimension must be 1 but is 2"),
    ],
)
def test_graphs_that_cannot_run_are_refused(call: Callable[[], Any], error: Any, words: str) -> None:
    check_refusal(lambda: _traced(call), error, words)


def test_more_graphs_that_cannot_run_are_refused() -> None:
    words = "Shape must be rank 1 but is rank 0"
    merge = _raw.MergeV2Checkpoints
    check_refusal(lambda: _traced(lambda: merge(checkpoint_prefixes="a", destination_prefix="b")), ValueError, words)
    words = "Shape must be rank 0 but is rank 1"
    check_refusal(
        lambda: _traced(lambda: merge(checkpoint_prefixes=["a"], destination_prefix=["b"])), ValueError, words
    )
    name = _raw.ShardedFilename
    check_refusal(lambda: _traced(lambda: name(basename="a", shard=[1], num_shards=3)), ValueError, words)
    assert _traced(lambda: name(basename="a", shard=1, num_shards=3)).shape == []
