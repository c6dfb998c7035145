"""Graphs of TensorFlow 1 saved as checkpoints of objects, and back; a mirrored strategy of one device."""

from __future__ import annotations

import os
import tempfile
from typing import Any


def _variables(tf: Any) -> tuple[Any, Any]:
    return tf.compat.v1.get_variable("v", initializer=[1.0, 2.0]), tf.Variable(3.0, name="w")


def _saved(tf: Any, path: str) -> str:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v, w = _variables(tf)
        session.run([v.initializer, w.initializer])
        session.run(v.assign([5.0, 6.0]))
        return tf.train.Checkpoint(v=v, w=w).save(os.path.join(path, "objects"))


def prog_saved_in_a_session(tf: Any, np: Any) -> Any:
    with tempfile.TemporaryDirectory() as path, tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v, w = _variables(tf)
        session.run(tf.compat.v1.global_variables_initializer())
        checkpoint = tf.train.Checkpoint(v=v, w=w)
        paths = [os.path.relpath(checkpoint.save(os.path.join(path, "c")), path) for _ in range(3)]
        count = session.run(checkpoint.save_counter)
        listed = tf.train.list_variables(os.path.join(path, "c-3"))
        return paths, int(count), [list(entry) for entry in listed]


def prog_restored_in_a_session(tf: Any, np: Any) -> Any:
    with tempfile.TemporaryDirectory() as path:
        saved = _saved(tf, path)
        with tf.Graph().as_default():
            v, w = _variables(tf)
            extra = tf.Variable(9.0)
            checkpoint = tf.train.Checkpoint(v=v, w=w, extra=extra)
            status = checkpoint.restore(saved)
            with tf.compat.v1.Session() as session:
                status.initialize_or_restore()
                first = session.run([v, w, extra, checkpoint.save_counter])
            with tf.compat.v1.Session() as session:
                status.run_restore_ops(session)
                second = session.run([v, w])
        eager_v, eager_w = tf.Variable([0.0, 0.0]), tf.Variable(0.0)
        tf.train.Checkpoint(v=eager_v, w=eager_w).restore(saved).assert_consumed().initialize_or_restore()
        return first, second, eager_v.numpy(), eager_w.numpy()


def prog_objects_made_later(tf: Any, np: Any) -> Any:
    with tempfile.TemporaryDirectory() as path:
        saved = _saved(tf, path)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            checkpoint = tf.train.Checkpoint()
            status = checkpoint.restore(saved)
            checkpoint.v = tf.Variable([0.0, 0.0])
            status.initialize_or_restore(session)
            first = session.run(checkpoint.v)
            checkpoint.w = tf.Variable(0.0)
            status.assert_consumed().run_restore_ops(session)
            return first, session.run([checkpoint.v, checkpoint.w])


def prog_nothing_to_restore(tf: Any, np: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v, w = _variables(tf)
        tf.train.Checkpoint(v=v, w=w).restore(None).initialize_or_restore(session)
        return session.run([v, w])


def prog_savers_and_objects(tf: Any, np: Any) -> Any:
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as path:
        saved = _saved(tf, path)
        with tf.Graph().as_default(), v1.Session() as session:
            v, w = _variables(tf)
            v1.train.Saver().restore(session, saved)
            from_objects = session.run([v, w])
            session.run(w.assign(7.0))
            named = v1.train.Saver().save(session, os.path.join(path, "names"))
        with tf.Graph().as_default(), v1.Session() as session:
            v, w = _variables(tf)
            tf.train.Checkpoint(first=v, second=w).read(named).initialize_or_restore(session)
            return from_objects, session.run([v, w])


def prog_a_training_of_version_1_goes_on_in_version_2(tf: Any, np: Any) -> Any:
    with tempfile.TemporaryDirectory() as path:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            w, step = tf.Variable(0.0, name="w"), tf.compat.v1.train.get_or_create_global_step()
            optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.25)
            train = optimizer.minimize((w - 3.0) ** 2, global_step=step)
            session.run(tf.compat.v1.global_variables_initializer())
            manager = tf.train.CheckpointManager(tf.train.Checkpoint(w=w, step=step), path, 2)
            for _ in range(3):
                session.run(train)
                manager.save()
            kept = [os.path.relpath(name, path) for name in manager.checkpoints]
        w, step = tf.Variable(0.0), tf.Variable(0, dtype=tf.int64)
        tf.train.Checkpoint(w=w, step=step).restore(tf.train.latest_checkpoint(path)).assert_consumed()
        with tf.GradientTape() as tape:
            loss = (w - 3.0) ** 2
        w.assign_sub(0.25 * tape.gradient(loss, w))
        return kept, w.numpy(), step.numpy()


def prog_version_1_takes_the_session(tf: Any, np: Any) -> Any:
    with tempfile.TemporaryDirectory() as path, tf.Graph().as_default():
        v, _ = _variables(tf)
        checkpoint = tf.compat.v1.train.Checkpoint(v=v)
        with tf.compat.v1.Session() as session:
            session.run(v.initializer)
            saved = checkpoint.save(os.path.join(path, "c"), session=session)
            session.run(v.assign([0.0, 0.0]))
            checkpoint.restore(saved).initialize_or_restore(session)
            return os.path.relpath(saved, path), session.run(v)


def prog_mirrored_training(tf: Any, np: Any) -> Any:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"], tf.distribute.HierarchicalCopyAllReduce())
    with strategy.scope():
        w = tf.Variable([[0.0], [0.0]])
    rows, labels = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], [[1.0], [2.0], [3.0], [4.0]]
    dataset = tf.data.Dataset.from_tensor_slices((rows, labels)).batch(2)

    @tf.function
    def step(inputs: Any) -> Any:
        def replica(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ w - y) ** 2)
            w.assign_sub(0.01 * tape.gradient(loss, w))
            return loss

        return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(replica, args=inputs), axis=None)

    losses = [step(batch) for _ in range(3) for batch in strategy.experimental_distribute_dataset(dataset)]
    return strategy.num_replicas_in_sync, [loss.numpy() for loss in losses], w.numpy()


def prog_mirrored_facts(tf: Any, np: Any) -> Any:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    context = tf.distribute.get_replica_context
    with strategy.scope():
        inside = tf.distribute.get_strategy() is strategy, tf.distribute.in_cross_replica_context(), context() is None
    return (
        inside,
        strategy.extended.worker_devices,
        strategy.extended.parameter_devices,
        strategy.run(lambda x: (x * 2, context().num_replicas_in_sync), args=(tf.constant(3.0),)),
        strategy.experimental_local_results(tf.constant(1.0)),
        strategy.reduce("MEAN", tf.constant([1.0, 3.0]), axis=0),
        strategy.gather(tf.constant([1.0]), axis=0),
        [element.numpy() for element in strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(3))],
    )
