import threading

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
train = v1.train


@pytest.mark.parametrize("is_sparse", [False, True])
def test_steps_take_the_mean_of_the_workers_gradients(is_sparse):
    with tf.Graph().as_default(), v1.Session() as session:
        v, x = v1.get_variable("v", initializer=[1.0, 2.0]), v1.placeholder(tf.float32, [])
        step = train.get_or_create_global_step()
        optimizer = train.SyncReplicasOptimizer(train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2)
        worker = optimizer.minimize(tf.reduce_sum((tf.gather(v, [0, 1]) if is_sparse else v) * x), global_step=step)
        hook = optimizer.make_session_run_hook(is_chief=True)
        hook.begin()
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        hook.after_create_session(session, coordinator)
        workers = [threading.Thread(target=session.run, args=(worker, {x: value})) for value in (1.0, 3.0)]
        for thread in workers:
            thread.start()
        for thread in workers:
            thread.join(60)
        token = optimizer._token_queue.dequeue()
        assert session.run(token) == 1  # the chief has made the step
        assert session.run(step) == 1
        assert np.allclose(session.run(v), [0.8, 1.8])
        coordinator.request_stop()
        session.run(optimizer._token_queue.close(cancel_pending_enqueues=True))


def test_what_is_missing_is_said():
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=1.0)
        optimizer = train.SyncReplicasOptimizer(train.AdamOptimizer(), 2, total_num_replicas=1)
        with pytest.raises(ValueError, match="Global step is required to check staleness"):
            optimizer.minimize(v * v)
        with pytest.raises(ValueError, match="Must supply at least one variable"):
            optimizer.apply_gradients([])
        for early in (optimizer.get_init_tokens_op, optimizer.get_chief_queue_runner):
            with pytest.raises(ValueError, match="called after apply_gradients"):
                early()
        with pytest.raises(ValueError, match="should be called before using the hook"):
            optimizer.make_session_run_hook(True).begin()
        optimizer.minimize(v * v, global_step=train.get_or_create_global_step())
        with pytest.raises(ValueError, match=r"Too few tokens to finish the first step: 0 \(given\) vs 1 \(needed\)"):
            optimizer.get_init_tokens_op(0)
        assert optimizer.get_slot_names() == ["m", "v"]
        assert optimizer.get_slot(v, "m").name == "v/Adam:0"
        hook = optimizer.make_session_run_hook(is_chief=False)
        hook.begin()
        with v1.Session() as session, pytest.raises(RuntimeError, match="Variables not initialized: v, global_step"):
            hook.after_create_session(session, None)
        with pytest.raises(ValueError, match="go together"):
            train.SyncReplicasOptimizer(train.AdamOptimizer(), 1, variables_to_average=[v])
    with pytest.raises(RuntimeError, match="works in graphs only"):
        train.SyncReplicasOptimizer(train.AdamOptimizer(), 1)
