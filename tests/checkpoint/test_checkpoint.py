"""`tf.train.Checkpoint`: writing, saving, reading and restoring objects."""

from __future__ import annotations

import copy
import gc
import os
import pathlib
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.checkpoint import checkpoint as checkpoint_module


def module(**children: Any) -> Any:
    made = tf.Module()
    for name, child in children.items():
        setattr(made, name, child)
    return made


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(model=module(w=tf.Variable([1.0, 2.0]), parts=[tf.Variable("a")])).write(
        str(tmp_path / "c")
    )
    fresh = module(w=tf.Variable([0.0, 0.0]), parts=[tf.Variable("")])
    tf.train.Checkpoint(model=fresh).read(path).assert_consumed()
    assert fresh.w.numpy().tolist() == [1.0, 2.0] and fresh.parts[0].numpy() == b"a"


def test_write_leaves_no_trace_in_the_folder_but_its_files(tmp_path: Path) -> None:
    tf.train.Checkpoint(v=tf.Variable(1)).write(str(tmp_path / "c"))
    assert sorted(os.listdir(tmp_path)) == ["c.data-00000-of-00001", "c.index"]


def test_save_counts_and_notes_the_newest(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))
    assert [checkpoint.save(str(tmp_path / "c")) for _ in range(2)] == [str(tmp_path / "c-1"), str(tmp_path / "c-2")]
    assert (tmp_path / "checkpoint").read_text() == 'model_checkpoint_path: "c-2"\nall_model_checkpoint_paths: "c-2"\n'
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "c-2")
    assert checkpoint.save_counter.numpy() == 2 and checkpoint.save_counter.dtype == tf.int64


def test_the_counter_goes_on_after_restore(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable(1)).save(str(tmp_path / "c"))
    fresh = tf.train.Checkpoint(v=tf.Variable(0))
    fresh.restore(path).assert_consumed()
    assert fresh.save(str(tmp_path / "c")) == str(tmp_path / "c-2")


def test_a_root_shares_its_names_with_what_is_attached(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(module(v=tf.Variable(1.0)), x=tf.Variable(2.0)).save(str(tmp_path / "c"))
    flat = tf.train.Checkpoint(v=tf.Variable(0.0), x=tf.Variable(0.0))
    flat.restore(path).assert_consumed()
    assert (flat.v.numpy(), flat.x.numpy(), flat.save_counter.numpy()) == (1.0, 2.0, 1)
    later, step = tf.Module(), tf.Variable(0.0)
    status = tf.train.Checkpoint(later, x=step).restore(path)
    assert step.numpy() == 2.0
    later.v = tf.Variable(0.0)
    assert later.v.numpy() == 1.0
    status.assert_consumed()


def test_a_name_that_the_root_has_for_another_object_is_refused() -> None:
    root = module(v=tf.Variable(1.0))
    with pytest.raises(ValueError, match=r"Cannot create a Checkpoint with keyword argument v if root\.v already"):
        tf.train.Checkpoint(root, v=tf.Variable(2.0))
    tf.train.Checkpoint(root, v=root.v)


@pytest.mark.parametrize("value", [3, "a", None, 1.5, object()], ids=lambda value: type(value).__name__)
def test_what_cannot_be_tracked_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="`Checkpoint` was expecting x to be a trackable object"):
        tf.train.Checkpoint(x=value)


def test_a_list_as_root_is_refused() -> None:
    with pytest.raises(ValueError, match="`Checkpoint` was expecting root to be a trackable object"):
        tf.train.Checkpoint([tf.Variable(1.0)])


def test_values_wait_for_objects_that_are_made_later(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(model=module(w=tf.Variable(5.0), inner=module(b=tf.Variable(6.0)))).write(
        str(tmp_path / "c")
    )
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.read(path)
    checkpoint.model = tf.Module()
    checkpoint.model.inner = tf.Module()
    checkpoint.model.inner.b = tf.Variable(0.0)
    assert checkpoint.model.inner.b.numpy() == 6.0
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.model\.w"):
        status.assert_consumed()
    checkpoint.model.w = tf.Variable(0.0)
    status.assert_consumed()


def test_the_later_of_two_checkpoints_wins_for_objects_that_are_made_later(tmp_path: Path) -> None:
    paths = [tf.train.Checkpoint(v=tf.Variable(value)).write(str(tmp_path / f"c{value}")) for value in (1.0, 2.0)]
    checkpoint = tf.train.Checkpoint()
    for path in paths:
        checkpoint.read(path)
    checkpoint.v = tf.Variable(0.0)
    assert checkpoint.v.numpy() == 2.0


def test_a_value_that_waits_outlives_the_files(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable(7.0)).write(str(tmp_path / "c"))
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(path)
    for name in os.listdir(tmp_path):
        os.remove(tmp_path / name)
    checkpoint.v = tf.Variable(0.0)
    assert checkpoint.v.numpy() == 7.0


@pytest.mark.parametrize("kind", [str, os.fsencode, pathlib.Path, tf.constant], ids=["str", "bytes", "path", "tensor"])
def test_a_prefix_may_be_text_bytes_a_path_or_a_tensor(tmp_path: Path, kind: Any) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert checkpoint.write(kind(str(tmp_path / "c"))) == str(tmp_path / "c")
    assert checkpoint.save(kind(str(tmp_path / "d"))) == str(tmp_path / "d-1")


def test_none_restores_nothing(tmp_path: Path) -> None:
    status = tf.train.Checkpoint(v=tf.Variable(1.0)).restore(None)
    for claim in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError, match=r"No checkpoint specified \(save_path=None\); nothing is being"):
            claim()
    with pytest.raises(AssertionError, match="No checkpoint specified, so no restore ops are available"):
        status.run_restore_ops()
    assert status.expect_partial() is status and not status.report().rows


def test_a_missing_checkpoint_is_not_found(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(tf.errors.NotFoundError, match="Unsuccessful TensorSliceReader constructor: Failed to find any"):
        checkpoint.read(str(tmp_path / "none"))
    with pytest.raises(tf.errors.NotFoundError, match="You may be missing the checkpoint suffix"):
        checkpoint.restore(str(tmp_path / "none"))


def test_a_wrong_shape_changes_nothing_and_shows_the_report(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0])).write(str(tmp_path / "c"))
    a, b = tf.Variable(0.0), tf.Variable([0.0])
    with pytest.raises(ValueError, match=r"Received incompatible tensor with shape \(2,\)") as caught:
        tf.train.Checkpoint(a=a, b=b).read(path)
    assert "wrong shape" in str(caught.value) and "float32 (2,)" in str(caught.value)
    assert a.numpy() == 0.0


def test_a_wrong_dtype_is_an_invalid_argument(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1)).write(str(tmp_path / "c"))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="expected dtype float does not equal original dtype int32"
    ):
        tf.train.Checkpoint(a=tf.Variable(1.0)).read(path)


def test_write_works_in_a_function(tmp_path: Path) -> None:
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)

    @tf.function
    def write(prefix: Any) -> Any:
        v.assign_add(1.0)
        return checkpoint.write(prefix)

    for expected in (2.0, 3.0):
        assert write(tf.constant(str(tmp_path / "c"))).numpy() == str(tmp_path / "c").encode()
        fresh = tf.Variable(0.0)
        tf.train.Checkpoint(v=fresh).read(str(tmp_path / "c")).assert_consumed()
        assert fresh.numpy() == expected


def test_read_in_a_function_is_a_part_of_it(tmp_path: Path) -> None:
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(str(tmp_path / "c"))

    @tf.function
    def read() -> Any:
        checkpoint.read(path)
        return v + 1.0

    for _ in range(2):
        v.assign(9.0)
        assert read().numpy() == 2.0 and v.numpy() == 1.0


def test_save_in_a_function_is_refused(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(NotImplementedError, match=r"Calling tf\.train\.Checkpoint\.save\(\) from a function is not"):
        tf.function(lambda: checkpoint.save(str(tmp_path / "c")))()


def test_a_graph_of_tensorflow_1_needs_a_session(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        for write in (checkpoint.write, checkpoint.save):
            with pytest.raises(RuntimeError, match="in graph mode without a default session"):
                write(str(tmp_path / "c"))


def test_threads_that_save_at_once_share_the_counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly_made(*arguments: Any, **options: Any) -> tf.Variable:
        time.sleep(0.05)
        return tf.Variable(*arguments, **options)

    monkeypatch.setattr(checkpoint_module, "Variable", slowly_made)
    checkpoint = tf.train.Checkpoint(root=module(v=tf.Variable(1.0)))
    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(lambda _: checkpoint.save_counter, range(4))
    assert all(counter is first for counter in others)
    names = [name for name, _ in tf.train.list_variables(checkpoint.write(str(tmp_path / "c")))]
    assert [name for name in names if name.startswith("save_counter/")] == ["save_counter/.ATTRIBUTES/VARIABLE_VALUE"]


# --- copies, weak references -----------------------------------------------------------------------------------------


def test_a_deep_copy_has_variables_and_a_counter_of_its_own(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0), parts=[tf.Variable(2.0)])
    path = checkpoint.save(str(tmp_path / "c"))
    copied = copy.deepcopy(checkpoint)
    copied.v.assign(9.0)
    assert copied.save(str(tmp_path / "d")) == str(tmp_path / "d-2")
    assert checkpoint.v.numpy() == 1.0 and checkpoint.save_counter.numpy() == 1
    copied.restore(path).assert_consumed()
    assert copied.v.numpy() == 1.0


def test_a_deep_copy_has_a_copy_of_the_root(tmp_path: Path) -> None:
    root = tf.Module()
    root.v = tf.Variable(3.0)
    copied = copy.deepcopy(tf.train.Checkpoint(root, step=tf.Variable(1)))
    copied.root.v.assign(8.0)
    path = copied.write(str(tmp_path / "c"))
    assert root.v.numpy() == 3.0
    assert tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE") == 8.0


def test_values_wait_for_a_deep_copy_too(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(3.0)).write(str(tmp_path / "c"))
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.read(path)
    copied = copy.deepcopy(checkpoint)
    copied.a, checkpoint.a = tf.Variable(0.0), tf.Variable(0.0)
    assert copied.a.numpy() == checkpoint.a.numpy() == 3.0
    status.assert_consumed()


def test_an_asynchronous_checkpoint_can_be_copied(tmp_path: Path) -> None:
    options = tf.train.CheckpointOptions(enable_async=True)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.save(str(tmp_path / "c"), options)
    copied = copy.deepcopy(checkpoint)
    copied.save(str(tmp_path / "d"), options)
    checkpoint.sync()
    copied.sync()
    assert tf.train.load_checkpoint(str(tmp_path / "d-2")).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE") == 1.0


def test_a_weak_reference_may_be_the_root(tmp_path: Path) -> None:
    root = tf.Module()
    root.v = tf.Variable(3.0)
    checkpoint = tf.train.Checkpoint(weakref.ref(root), step=tf.Variable(1))
    path = checkpoint.save(str(tmp_path / "c"))
    root.v.assign(0.0)
    checkpoint.restore(path).assert_consumed()
    assert root.v.numpy() == 3.0
    del root
    gc.collect()
    for act in (checkpoint.save, checkpoint.restore):
        with pytest.raises(AssertionError, match="The root of the checkpoint is gone"):
            act(path)


def test_an_object_with_a_checkpoint_of_itself_is_freed_at_once(tmp_path: Path) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.checkpoint = tf.train.Checkpoint(weakref.ref(self))
            self.v = tf.Variable(1.0)

    model = Model()
    reference = weakref.ref(model)
    path = model.checkpoint.write(str(tmp_path / "c"))
    del model
    assert reference() is None
    assert "v/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))


def test_a_child_given_by_a_weak_reference_is_saved(tmp_path: Path) -> None:
    v = tf.Variable(1.0)
    path = tf.train.Checkpoint(v=weakref.ref(v)).write(str(tmp_path / "c"))
    assert tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE") == 1.0


def test_a_weak_reference_to_nothing_is_refused() -> None:
    gone = weakref.ref(tf.Module())
    gc.collect()
    for arguments in ({"root": gone}, {"x": gone}):
        with pytest.raises(ValueError, match="got None"):
            tf.train.Checkpoint(**arguments)
