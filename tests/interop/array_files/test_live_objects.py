"""The variables of objects in use are written to files of named arrays, and get values from them."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf

FILES = ("weights.safetensors", "weights.npz", "checkpoint")


def model(value: float) -> Any:
    root = tf.Module()
    root.layer = tf.Module()
    root.layer.kernel = tf.Variable(tf.fill([2, 3], value))
    root.layer.half = tf.Variable(tf.fill([2], tf.cast(value, tf.bfloat16)))
    root.parts = [tf.Variable(value), {"count": tf.Variable(int(value), dtype=tf.int64)}]
    return root


def values(root: Any) -> list[Any]:
    return [variable.numpy().tolist() for variable in root.variables]


@pytest.mark.parametrize("name", FILES)
def test_an_object_gets_back_what_was_written(name: str, tmp_path: Path) -> None:
    tf.interop.save_arrays(model(2.0), tmp_path / name)
    root = model(0.0)
    tf.interop.restore_arrays(root, tmp_path / name).assert_consumed()
    assert values(root) == values(model(2.0))


def test_variables_are_named_by_the_way_from_the_root(tmp_path: Path) -> None:
    tf.interop.save_arrays(model(1.0), tmp_path / "a.npz")
    names = {"layer.kernel", "layer.half", "parts.0", "parts.1.count"}
    assert set(tf.interop.load_arrays(tmp_path / "a.npz")) == names


def test_named_values_of_all_kinds_are_written(tmp_path: Path) -> None:
    named = {"tensor": tf.constant([1, 2]), "variable": tf.Variable(3.0), "array": np.ones(2), "list": [4.0]}
    tf.interop.save_arrays(named, tmp_path / "a.npz")
    read = tf.interop.load_arrays(tmp_path / "a.npz")
    assert {name: (array.dtype.name, array.tolist()) for name, array in read.items()} == {
        "tensor": ("int32", [1, 2]),
        "variable": ("float32", 3.0),
        "array": ("float64", [1.0, 1.0]),
        "list": ("float32", [4.0]),
    }


def test_a_report_says_what_did_not_fit(tmp_path: Path) -> None:
    tf.interop.save_arrays({"layer.kernel": np.ones([2, 3], np.float32), "layer.extra": [1.0]}, tmp_path / "a.npz")
    root = tf.Module()
    root.layer = tf.Module()
    root.layer.kernel, root.layer.extras = tf.Variable(tf.zeros([2, 3])), tf.Variable([0.0])
    status = tf.interop.restore_arrays(root, tmp_path / "a.npz")
    report = status.report()
    assert [row.name for row in report.loaded] == ["layer/kernel"]
    assert [(row.name, row.nearest_name) for row in report.missing] == [("layer/extras", "layer/extra")]
    with pytest.raises(AssertionError, match="did you mean layer/extra"):
        status.assert_consumed()


def test_a_wrong_shape_changes_nothing(tmp_path: Path) -> None:
    tf.interop.save_arrays({"layer.kernel": np.ones([4], np.float32)}, tmp_path / "a.safetensors")
    root = model(0.0)
    with pytest.raises(ValueError, match="layer/kernel"):
        tf.interop.restore_arrays(root, tmp_path / "a.safetensors")
    assert values(root) == values(model(0.0))


def test_variables_that_are_created_later_get_values_while_the_status_lives(tmp_path: Path) -> None:
    tf.interop.save_arrays({"late": [7.0]}, tmp_path / "a.npz")
    root = tf.Module()
    status = tf.interop.restore_arrays(root, tmp_path / "a.npz")
    root.late = tf.Variable([0.0])
    assert root.late.numpy().tolist() == [7.0]
    status.assert_consumed()


def test_nothing_stays_in_memory_when_the_status_is_gone(tmp_path: Path) -> None:
    tf.interop.save_arrays(model(1.0), tmp_path / "a.npz")
    status = tf.interop.restore_arrays(model(0.0), tmp_path / "a.npz")
    assert tf.io.gfile.listdir("ram://millrace-arrays")
    del status
    gc.collect()
    assert not tf.io.gfile.listdir("ram://millrace-arrays")


def test_what_is_neither_object_nor_dict_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="values must be a trackable object or a dict; received"):
        tf.interop.save_arrays(tf.constant(1.0), tmp_path / "a.npz")


def test_tensors_of_a_graph_are_refused(tmp_path: Path) -> None:
    @tf.function
    def save(x: Any) -> Any:
        tf.interop.save_arrays({"x": x}, tmp_path / "a.npz")
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="'x' is a tensor of a graph, which has no value"):
        save(tf.constant(1.0))
