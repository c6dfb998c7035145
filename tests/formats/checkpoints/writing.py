"""Checkpoints written in other ways: saved with numbers, managed, in shards, in slices, by name, over others."""

from __future__ import annotations

import os
from typing import Any

from tests.formats.checkpoints.case import Cases, Objects, restored, saved

WRITING = Cases()


def _two(tf: Any) -> Objects:
    return {"v": tf.Variable([0.0, 0.0]), "w": tf.Variable(0, dtype=tf.int64)}


def _fill(tf: Any, objects: Objects) -> None:
    objects["v"].assign([1.0, 2.0])
    objects["w"].assign(3)


def _values(tf: Any, objects: Objects) -> Any:
    return {name: tf.identity(value) for name, value in objects.items()}


def _save_twice(tf: Any, objects: Objects, prefix: str) -> str:
    checkpoint = tf.train.Checkpoint(**objects)
    checkpoint.save(prefix)
    objects["w"].assign_add(10)
    path: str = checkpoint.save(prefix)
    return path


def _restore_with_counter(tf: Any, objects: Objects, path: str) -> Any:
    checkpoint = tf.train.Checkpoint(**objects)
    checkpoint.restore(path).assert_consumed()
    folder = os.path.dirname(path)
    state = tf.train.get_checkpoint_state(folder)
    latest = os.path.basename(tf.train.latest_checkpoint(folder))
    paths = [os.path.basename(each) for each in (state.model_checkpoint_path, *state.all_model_checkpoint_paths)]
    return [checkpoint.save_counter.numpy(), latest, *paths]


@WRITING(fill=_fill, read=_values, write=_save_twice, restore=_restore_with_counter)
def saved_twice(tf: Any) -> Objects:
    return _two(tf)


def _manage(tf: Any, objects: Objects, prefix: str) -> str:
    checkpoint = tf.train.Checkpoint(**objects)
    manager = tf.train.CheckpointManager(checkpoint, os.path.dirname(prefix), max_to_keep=2, checkpoint_name="managed")
    for _ in range(4):
        objects["w"].assign_add(1)
        path: str = manager.save()
    return path


def _restore_managed(tf: Any, objects: Objects, path: str) -> Any:
    checkpoint = tf.train.Checkpoint(**objects)
    manager = tf.train.CheckpointManager(checkpoint, os.path.dirname(path), max_to_keep=2, checkpoint_name="managed")
    found = os.path.basename(manager.restore_or_initialize())
    files = sorted(os.listdir(os.path.dirname(path)))
    return [found, [os.path.basename(path) for path in manager.checkpoints], files]


@WRITING(fill=_fill, read=_values, write=_manage, restore=_restore_managed)
def managed(tf: Any) -> Objects:
    return _two(tf)


def _write_shards(size: int) -> Any:
    def write(tf: Any, objects: Objects, prefix: str) -> str:
        policy = tf.train.experimental.MaxShardSizePolicy(max_shard_size=size)
        options = tf.train.CheckpointOptions(experimental_sharding_callback=policy)
        path: str = tf.train.Checkpoint(**objects).write(prefix, options)
        return path

    return write


def _fill_list(tf: Any, objects: Objects) -> None:
    for index, variable in enumerate(objects["variables"]):
        variable.assign(tf.range(30.0) + 100.0 * index)


def _list_values(tf: Any, objects: Objects) -> Any:
    return [tf.identity(variable) for variable in objects["variables"]]


@WRITING(fill=_fill_list, read=_list_values, write=_write_shards(300))
def in_shards(tf: Any) -> Objects:
    return {"variables": [tf.Variable(tf.zeros([30])) for _ in range(5)]}


@WRITING(fill=_fill_list, read=_list_values, write=_write_shards(64))
def in_shards_smaller_than_variables(tf: Any) -> Objects:
    """A variable is cut into slices where it does not fit into one shard."""
    return {"variables": [tf.Variable(tf.zeros([30])) for _ in range(2)]}


def _write_by_task(tf: Any, objects: Objects, prefix: str) -> str:
    options = tf.train.CheckpointOptions(
        experimental_sharding_callback=tf.train.experimental.ShardByTaskPolicy(),
        experimental_io_device="/job:localhost",
    )
    path: str = tf.train.Checkpoint(**objects).write(prefix, options)
    return path


@WRITING(fill=_fill, read=_values, write=_write_by_task)
def sharded_by_task(tf: Any) -> Objects:
    return _two(tf)


def _write_asynchronously(tf: Any, objects: Objects, prefix: str) -> str:
    checkpoint = tf.train.Checkpoint(**objects)
    path: str = checkpoint.write(prefix, tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True))
    checkpoint.sync()
    return path


def _restore_counted(tf: Any, objects: Objects, path: str) -> Any:
    checkpoint = tf.train.Checkpoint(**objects)
    checkpoint.restore(path).assert_consumed()
    return checkpoint.save_counter


@WRITING(fill=_fill, read=_values, write=_write_asynchronously, restore=_restore_counted)
def asynchronous(tf: Any) -> Objects:
    return _two(tf)


def _write_over(tf: Any, objects: Objects, prefix: str) -> str:
    saved(tf, {"other": tf.Variable([5.0] * 10)}, prefix)
    return saved(tf, objects, prefix)


@WRITING(fill=_fill, read=_values, write=_write_over)
def written_over_another(tf: Any) -> Objects:
    return _two(tf)


def _write_in_a_function(tf: Any, objects: Objects, prefix: str) -> str:
    checkpoint = tf.train.Checkpoint(**objects)
    checkpoint.write(prefix)

    @tf.function
    def write():
        objects["w"].assign_add(5)
        return checkpoint.write(prefix)

    path: str = write().numpy().decode()
    return path


@WRITING(fill=_fill, read=_values, write=_write_in_a_function)
def written_in_a_function(tf: Any) -> Objects:
    return _two(tf)


def _read_tensors(tf: Any, objects: Objects, path: str) -> Any:
    """Reports all tensors of a checkpoint that no objects represent."""
    reader = tf.train.load_checkpoint(path)
    keys = sorted(reader.get_variable_to_shape_map())
    return [[key, reader.get_tensor(key)] for key in keys if key != "_CHECKPOINTABLE_OBJECT_GRAPH"]


def _nothing(tf: Any, objects: Objects) -> None:
    return None


def _no_objects(tf: Any) -> Objects:
    return {}


def _save_raw(tf: Any, objects: Objects, prefix: str) -> str:
    tensors = [tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(["x", "yy"]), tf.constant(7, tf.int64)]
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["m", "t/é", "n"], shape_and_slices=[""] * 3, tensors=tensors)
    return prefix


def _restore_raw(tf: Any, objects: Objects, path: str) -> Any:
    dtypes = [tf.int64, tf.float32, tf.float32]
    names, slices = ["n", "m", "m"], ["", "", "2 2 0,1:1,1"]
    return [*tf.raw_ops.RestoreV2(prefix=path, tensor_names=names, shape_and_slices=slices, dtypes=dtypes)]


@WRITING(fill=_nothing, read=_nothing, write=_save_raw, restore=_restore_raw)
def raw_ops(tf: Any) -> Objects:
    return _no_objects(tf)


def _save_slices(tf: Any, objects: Objects, prefix: str) -> str:
    """Writes a matrix as three slices in two files, which are merged."""
    whole = tf.reshape(tf.range(12.0), [4, 3])
    parts = [f"{prefix}_temp/part-0000{index}-of-00002" for index in range(2)]
    tf.raw_ops.SaveV2(
        prefix=parts[0], tensor_names=["m"] * 2, shape_and_slices=["4 3 0,2:0,1", "4 3 0,2:1,2"],
        tensors=[whole[:2, :1], whole[:2, 1:]],
    )  # fmt: skip
    tf.raw_ops.SaveV2(
        prefix=parts[1],
        tensor_names=["m", "n"],
        shape_and_slices=["4 3 2,2:-", ""],
        tensors=[whole[2:], tf.constant(5)],
    )
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=prefix, delete_old_dirs=True)
    return prefix


def _restore_slices(tf: Any, objects: Objects, path: str) -> Any:
    slices = ["", "4 3 1,2:-", "4 3 1,2:0,2"]
    parts = tf.raw_ops.RestoreV2(prefix=path, tensor_names=["m"] * 3, shape_and_slices=slices, dtypes=[tf.float32] * 3)
    return [*parts, _read_tensors(tf, objects, path)]


@WRITING(fill=_nothing, read=_nothing, write=_save_slices, restore=_restore_slices)
def slices(tf: Any) -> Objects:
    return _no_objects(tf)


def _save_first_format(tf: Any, objects: Objects, prefix: str) -> str:
    tensors = [tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1, 2, 3]), tf.constant(["x", "yy"])]
    tf.raw_ops.Save(filename=prefix, tensor_names=["m", "n", "t"], data=tensors)
    return prefix


@WRITING(fill=_nothing, read=_nothing, write=_save_first_format, restore=_read_tensors)
def first_format(tf: Any) -> Objects:
    return _no_objects(tf)


def _save_slices_of_first_format(tf: Any, objects: Objects, prefix: str) -> str:
    whole = tf.reshape(tf.range(12.0), [4, 3])
    tf.raw_ops.SaveSlices(
        filename=prefix,
        tensor_names=["m", "m"],
        shapes_and_slices=["4 3 0,2:-", "4 3 2,2:-"],
        data=[whole[:2], whole[2:]],
    )
    return prefix


def _restore_slices_of_first_format(tf: Any, objects: Objects, path: str) -> Any:
    part = tf.raw_ops.RestoreSlice(
        file_pattern=path, tensor_name="m", shape_and_slice="4 3 1,2:-", dt=tf.float32, preferred_shard=-1
    )
    return [part, tf.train.list_variables(path)]


@WRITING(fill=_nothing, read=_nothing, write=_save_slices_of_first_format, restore=_restore_slices_of_first_format)
def slices_of_first_format(tf: Any) -> Objects:
    return _no_objects(tf)


def _save_by_name(sharded: bool = False, version: int = 2, partitions: int = 0) -> Any:
    """Returns how a session of TensorFlow 1 saves two variables by their names."""

    def write(tf: Any, objects: Objects, prefix: str) -> str:
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            partitioner = v1.fixed_size_partitioner(partitions) if partitions else None
            v1.get_variable("layer/v", [4, 2], initializer=v1.ones_initializer(), partitioner=partitioner)
            v1.get_variable("w", initializer=tf.constant(8, tf.int64))
            session.run(v1.global_variables_initializer())
            saver = v1.train.Saver(sharded=sharded, write_version=version, save_relative_paths=True)
            path: str = saver.save(session, prefix, write_meta_graph=False)
        return path

    return write


@WRITING(needs="session", fill=_nothing, read=_nothing, write=_save_by_name(), restore=_read_tensors)
def by_name(tf: Any) -> Objects:
    return _no_objects(tf)


@WRITING(needs="session", fill=_nothing, read=_nothing, write=_save_by_name(sharded=True), restore=_read_tensors)
def by_name_in_shards(tf: Any) -> Objects:
    return _no_objects(tf)


@WRITING(needs="session", fill=_nothing, read=_nothing, write=_save_by_name(partitions=2), restore=_read_tensors)
def by_name_in_partitions(tf: Any) -> Objects:
    return _no_objects(tf)


@WRITING(needs="session", fill=_nothing, read=_nothing, write=_save_by_name(version=1), restore=_read_tensors)
def by_name_in_first_format(tf: Any) -> Objects:
    return _no_objects(tf)


def _restore_by_name(tf: Any, objects: Objects, path: str) -> None:
    status = tf.train.Checkpoint(**objects).restore(path)
    status.assert_existing_objects_matched()


@WRITING(
    needs="session",
    fill=_nothing,
    read=lambda tf, o: [tf.identity(o["a"]), tf.identity(o["b"])],
    write=_save_by_name(),
    restore=_restore_by_name,
)
def by_name_into_objects(tf: Any) -> Objects:
    return {
        "a": tf.Variable(tf.zeros([4, 2]), name="layer/v"),
        "b": tf.Variable(0, dtype=tf.int64, name="w"),
    }


def _momentum_in_a_session(tf: Any, objects: Objects, prefix: str) -> str:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=[1.0, 2.0])
        step = v1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(w * w))
        session.run(v1.global_variables_initializer())
        session.run(step)
        path: str = v1.train.Saver(save_relative_paths=True).save(
            session, prefix, global_step=7, write_meta_graph=False
        )
    return path


@WRITING(needs="session", fill=_nothing, read=_nothing, write=_momentum_in_a_session, restore=_read_tensors)
def slots_by_name(tf: Any) -> Objects:
    return _no_objects(tf)


def _slots_of_objects(tf: Any, objects: Objects, prefix: str) -> str:
    """An optimizer of TensorFlow 1 keeps slot variables in the object graph."""
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    w = tf.Variable([1.0, 2.0], name="w")
    optimizer.apply_gradients([(tf.constant([0.5, 0.25]), w)])
    return saved(tf, {"optimizer": optimizer, "w": w}, prefix)


@WRITING(needs="session", fill=_nothing, read=_nothing, write=_slots_of_objects, restore=_read_tensors)
def slot_variables(tf: Any) -> Objects:
    return _no_objects(tf)


def _restore_without_slots(tf: Any, objects: Objects, path: str) -> Any:
    status = tf.train.Checkpoint(w=objects["w"]).read(path)
    status.assert_existing_objects_matched()
    status.expect_partial()


@WRITING(
    needs="session",
    fill=_nothing,
    read=lambda tf, o: tf.identity(o["w"]),
    write=_slots_of_objects,
    restore=_restore_without_slots,
)
def slot_variables_left_out(tf: Any) -> Objects:
    return {"w": tf.Variable([0.0, 0.0])}


def _restore_wrong_shape(tf: Any, objects: Objects, path: str) -> Any:
    try:
        restored(tf, {"v": tf.Variable([0.0, 0.0, 0.0]), "w": objects["w"]}, path)
    except ValueError as error:
        return type(error).__name__
    return "no error"


@WRITING(fill=_fill, read=lambda tf, o: None, restore=_restore_wrong_shape)
def restored_into_another_shape(tf: Any) -> Objects:
    return _two(tf)


def _listed(tf: Any, objects: Objects, path: str) -> Any:
    return [tf.train.list_variables(path), tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")]


@WRITING(fill=_fill, read=lambda tf, o: None, restore=_listed)
def listed(tf: Any) -> Objects:
    return _two(tf)
