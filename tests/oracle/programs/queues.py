"""Queues, barriers, stacks, `CriticalSection`, `Coordinator` and `ExponentialMovingAverage`."""

from __future__ import annotations

import re
import threading

from tests.oracle.programs._composite_helpers import outcome, plain


def _queue(tf, kind="FIFOQueue", capacity=5, dtypes="int32", shapes=((),), **options):
    dtypes = [tf.as_dtype(d) for d in dtypes.split()]
    return getattr(tf.queue, kind)(capacity, dtypes, list(shapes) if shapes else None, **options)


def _run(*steps):
    """The outcome of each step, in order, without the numbers that queues and threads have as names."""
    return [_unnumbered(outcome(step, 8)) for step in steps]


def _unnumbered(found):
    if isinstance(found, list) and len(found) == 2 and isinstance(found[1], str):
        return [found[0], re.sub(r"'\d+'|Thread-\d+", "N", found[1])]
    return found


def _fifo(tf):
    q = _queue(tf)
    return _run(lambda: q.enqueue(1) and None, lambda: q.enqueue_many([[2, 3, 4]]) and None, q.size, q.dequeue, lambda: q.dequeue_many(2), q.size, q.is_closed, lambda: q.close() and None, q.is_closed, lambda: q.dequeue_up_to(5), q.dequeue, lambda: q.enqueue(1))


def _of_pairs(tf):
    q = _queue(tf, dtypes="int32 string", shapes=((), ()))
    return _run(lambda: q.enqueue((1, "a")) and None, lambda: q.enqueue_many(([2, 3], ["b", "c"])) and None, q.dequeue, lambda: q.dequeue_many(2), q.size)


def _of_names(tf):
    q = tf.queue.FIFOQueue(5, [tf.int32, tf.string], [(), ()], names=["i", "s"])
    return _run(lambda: q.enqueue({"i": 1, "s": "a"}) and None, q.dequeue, lambda: q.enqueue((1, "a")), lambda: q.enqueue({"i": 1}))


def _unshaped(tf):
    q = _queue(tf, shapes=None)
    return _run(lambda: q.enqueue([1, 2]) and None, lambda: q.enqueue(3) and None, q.dequeue, q.dequeue, lambda: q.dequeue_many(1))


def _padding(tf):
    q = _queue(tf, "PaddingFIFOQueue", shapes=((None,),))
    return _run(lambda: q.enqueue([[1]]) and None, lambda: q.enqueue([[1, 2, 3]]) and None, lambda: q.enqueue([[]]) and None, lambda: q.dequeue_many(3), lambda: q.enqueue([[[1]]]))


def _padding_without_shapes(tf):
    return tf.queue.PaddingFIFOQueue(5, [tf.int32], None)


def _priority(tf):
    q = tf.queue.PriorityQueue(5, [tf.string], [()])
    step = lambda p, v: lambda: q.enqueue((tf.constant(p, tf.int64), v)) and None
    return _run(step(3, "c"), step(1, "a"), step(2, "b"), q.dequeue, lambda: q.dequeue_many(2), lambda: q.enqueue((1, "x")))


def _shuffle(tf):
    q = tf.queue.RandomShuffleQueue(5, 0, [tf.int32], [()], seed=3)
    out = _run(lambda: q.enqueue_many([[1, 2, 3]]) and None, q.size)
    return [*out, sorted(int(q.dequeue()) for _ in range(3)), q.size()]


def _bad_values(tf):
    q = _queue(tf)
    return _run(lambda: q.enqueue("a"), lambda: q.enqueue([1, 2]), lambda: q.enqueue((1, 2)), lambda: q.enqueue_many(5), lambda: q.enqueue_many([[1.5]]), lambda: q.dequeue_many(-1), lambda: q.enqueue(tf.constant(1.5)))


def _closed_and_cancelled(tf):
    q = _queue(tf)
    return _run(lambda: q.enqueue(1) and None, lambda: q.close(cancel_pending_enqueues=True) and None, lambda: q.enqueue(2), q.dequeue, q.dequeue, lambda: q.close() and None)


def _closed_dequeue_many(tf):
    q = _queue(tf)
    return _run(lambda: q.enqueue(1) and None, lambda: q.close() and None, lambda: q.dequeue_many(2), lambda: q.size())


def _threads(tf):
    """A queue of one place: a thread that waits to put, another that takes."""
    q, out = _queue(tf, capacity=1), []
    taker = threading.Thread(target=lambda: out.extend(int(q.dequeue()) for _ in range(4)))
    taker.start()
    for i in range(4):
        q.enqueue(i)
    taker.join(10)
    return out


def _in_function(tf):
    q = _queue(tf)

    @tf.function
    def step(x):
        q.enqueue(x)
        q.enqueue(x * 2)
        return q.dequeue(), q.size()

    return [step(tf.constant(1)), step(tf.constant(5)), q.dequeue()]


def _from_list(tf):
    a, b = _queue(tf), _queue(tf)
    b.enqueue(7)
    return [outcome(lambda: tf.queue.QueueBase.from_list(i, [a, b]).dequeue(), 6) for i in (1,)]


def _properties(tf):
    q = _queue(tf, dtypes="int32 string", shapes=((2,), ()))
    return [q.dtypes, q.shapes, q.names, type(q).__name__, [issubclass(getattr(tf.queue, k), tf.queue.QueueBase) for k in ("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue")]]


def _barrier(tf):
    b = tf.raw_ops.Barrier(component_types=[tf.int32], shapes=[[]], capacity=-1)
    return outcome(lambda: [tf.raw_ops.BarrierReadySize(handle=b)], 6)


def _barrier_in_session(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        b = tf.raw_ops.Barrier(component_types=[tf.int32, tf.string], shapes=[[], []], capacity=-1, container="", shared_name="", name="b")
        puts = [tf.raw_ops.BarrierInsertMany(handle=b, keys=["x", "y"], values=[1, 2], component_index=0), tf.raw_ops.BarrierInsertMany(handle=b, keys=["y"], values=["two"], component_index=1)]
        sizes = [tf.raw_ops.BarrierReadySize(handle=b), tf.raw_ops.BarrierIncompleteSize(handle=b)]
        take = tf.raw_ops.BarrierTakeMany(handle=b, num_elements=1, component_types=[tf.int32, tf.string])
        return [session.run(step) for step in (*puts, sizes, list(take)[1:], sizes)]


def _stack(tf):
    def body():
        s = tf.raw_ops.StackV2(max_size=10, elem_type=tf.int32, stack_name="s")
        with tf.control_dependencies([tf.raw_ops.StackPushV2(handle=s, elem=tf.constant([1, 2]))]):
            second = tf.raw_ops.StackPushV2(handle=s, elem=tf.constant([3]))
        with tf.control_dependencies([second]):
            first_out = tf.raw_ops.StackPopV2(handle=s, elem_type=tf.int32)
        with tf.control_dependencies([first_out]):
            return first_out, tf.raw_ops.StackPopV2(handle=s, elem_type=tf.int32)

    return tf.function(body)()


def _critical_section(tf):
    section, v = tf.CriticalSection(name="cs"), tf.Variable(0)

    def work():
        v.assign_add(1)
        return v.read_value()

    return _run(lambda: section.execute(work), lambda: section.execute(lambda: tf.constant(5)), tf.function(lambda: section.execute(work)), lambda: section.execute(5))


def _coordinator(tf):
    c, out = tf.train.Coordinator(), []

    def work():
        while not c.should_stop():
            out.append(1)
            if len(out) >= 5:
                c.request_stop()

    threads = [threading.Thread(target=work)]
    for t in threads:
        t.start()
    c.join(threads)
    return [len(out) >= 5, c.should_stop(), c.joined, c.wait_for_stop(0.01)]


def _coordinator_error(tf):
    c = tf.train.Coordinator()

    def work():
        with c.stop_on_exception():
            raise ValueError("from the thread")

    t = threading.Thread(target=work)
    t.start()
    return [outcome(lambda: c.join([t]), 5), c.should_stop()]


def _coordinator_clean_stop(tf):
    c = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
    c.request_stop(KeyError("fine"))
    return [c.join([]), c.should_stop(), outcome(lambda: c.raise_requested_exception(), 3)]


def _coordinator_grace(tf):
    c, release = tf.train.Coordinator(), threading.Event()
    t = threading.Thread(target=release.wait, daemon=True)
    t.start()
    c.request_stop()
    out = _run(lambda: c.join([t], stop_grace_period_secs=0.2), lambda: c.join([t], stop_grace_period_secs=0.1, ignore_live_threads=True))
    release.set()
    t.join(5)
    return out


def _looper(tf):
    c, out = tf.train.Coordinator(), []
    looper = tf.compat.v1.train.LooperThread.loop(c, 0.001, lambda: out.append(1) if len(out) < 3 else c.request_stop())
    c.join([looper])
    return len(out)


def _average(tf):
    v = tf.Variable(1.0)
    e = tf.train.ExponentialMovingAverage(decay=0.9)
    e.apply([v])
    v.assign(5.0)
    e.apply([v])
    return [e.average(v).numpy(), e.average_name(v), e.name]


def _average_with_steps(tf):
    v, step = tf.Variable([1.0, 2.0]), tf.Variable(0)
    e = tf.train.ExponentialMovingAverage(0.99, num_updates=step)
    out = []
    for i in range(3):
        v.assign_add([1.0, 1.0])
        step.assign(i)
        e.apply([v])
        out.append(e.average(v).numpy())
    return out


def _average_debiased(tf):
    v = tf.Variable(10.0)
    e = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)
    out = []
    for _ in range(3):
        e.apply([v])
        out.append(e.average(v).numpy())
    return out


def _average_in_function(tf):
    v = tf.Variable(1.0)
    e = tf.train.ExponentialMovingAverage(0.5)
    e.apply([v])

    @tf.function
    def step():
        v.assign_add(1.0)
        e.apply([v])

    for _ in range(3):
        step()
    return [v.numpy(), e.average(v).numpy(), e.average(v).trainable]


def _average_of_tensor(tf):
    e = tf.train.ExponentialMovingAverage(0.5)
    return outcome(lambda: e.apply([tf.constant(1.0)]), 6)


def _average_of_integer(tf):
    return tf.train.ExponentialMovingAverage(0.5).apply([tf.Variable(1)])


def _average_to_restore(tf):
    v = tf.Variable(1.0, name="v")
    e = tf.train.ExponentialMovingAverage(0.5)
    e.apply([v])
    return sorted(e.variables_to_restore([v]))


def _average_twice(tf):
    v = tf.Variable(1.0)
    e = tf.train.ExponentialMovingAverage(0.5)
    return [outcome(lambda: e.apply([v]) and None, 6), outcome(lambda: e.apply([v]) and None, 6), e.average(tf.Variable(2.0))]


def _v1_queue_in_session(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        q = tf.compat.v1.FIFOQueue(3, tf.int32)
        return [session.run(step) for step in (q.enqueue(1), q.enqueue_many([[2, 3]]), q.size(), q.dequeue(), q.close())]


globals().update(
    plain(
        limit=8,
        fifo=_fifo,
        fifo_of_pairs=_of_pairs,
        fifo_of_names=_of_names,
        fifo_unshaped=_unshaped,
        padding=_padding,
        padding_without_shapes=_padding_without_shapes,
        priority=_priority,
        shuffle=_shuffle,
        bad_values=_bad_values,
        closed_and_cancelled=_closed_and_cancelled,
        closed_dequeue_many=_closed_dequeue_many,
        threads=_threads,
        in_function=_in_function,
        from_list=_from_list,
        properties=_properties,
        bad_shapes=lambda tf: tf.queue.FIFOQueue(3, [tf.int32, tf.int32], [()]),
        bad_names=lambda tf: tf.queue.FIFOQueue(3, [tf.int32], names=["a", "b"]),
        zero_capacity=lambda tf: outcome(lambda: tf.queue.FIFOQueue(0, [tf.int32]).size(), 6),
        negative_capacity=lambda tf: outcome(lambda: tf.queue.FIFOQueue(-1, [tf.int32]).enqueue(1), 6),
        bad_from_list=lambda tf: tf.queue.QueueBase.from_list(0, [1, 2]),
        barrier_in_eager=_barrier,
        barrier_in_session=_barrier_in_session,
        stack=_stack,
        critical_section=_critical_section,
        coordinator=_coordinator,
        coordinator_error=_coordinator_error,
        coordinator_clean_stop=_coordinator_clean_stop,
        coordinator_grace=_coordinator_grace,
        coordinator_names=lambda tf: sorted(n for n in dir(tf.train.Coordinator) if not n.startswith("_")),
        looper=_looper,
        average=_average,
        average_with_steps=_average_with_steps,
        average_debiased=_average_debiased,
        average_in_function=_average_in_function,
        average_of_tensor=_average_of_tensor,
        average_of_integer=_average_of_integer,
        average_to_restore=_average_to_restore,
        average_twice=_average_twice,
        v1_queue_in_session=_v1_queue_in_session,
    )
)
