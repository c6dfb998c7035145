"""TensorFlow 1's input by queues: producers, batches, readers, queue runners."""

from __future__ import annotations

import os
import tempfile

from tests.oracle.programs._composite_helpers import outcome


def _text(thing):
    return thing.decode() if isinstance(thing, bytes) else thing


def _pull(tf, fetches, runs, words=5):
    """Runs fetches with the graph's queue runners; the error that ends the data closes the list."""
    v1, found = tf.compat.v1, []
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        try:
            for _ in range(runs):
                found.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            found.append("the end")
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
        coordinator.request_stop()
        try:
            coordinator.join(threads)
        except tf.errors.OpError as error:
            found.append(["a thread", type(error).__name__])
    return found


def _graph(call):
    def prog(tf, np):
        with tf.Graph().as_default():
            return outcome(lambda: call(tf, tf.compat.v1.train), 0)

    return prog


def _nodes(tf):
    return [[op.name, op.type] for op in tf.compat.v1.get_default_graph().get_operations() if not op.type.startswith(("Const", "Var", "Assign", "Read", "Count"))]


def _row(tf, train):
    return train.slice_input_producer([tf.constant([1, 2, 3, 4, 5]), tf.constant(["a", "b", "c", "d", "e"])], num_epochs=1, shuffle=False)


def _ragged_row(tf, train):
    (n,) = train.slice_input_producer([tf.constant([1, 3, 2, 5])], num_epochs=1, shuffle=False)
    return tf.range(n)


def _sparse_row(tf, train):
    (n,) = train.slice_input_producer([tf.constant([1, 3, 2], tf.int64)], num_epochs=1, shuffle=False)
    return tf.SparseTensor([[n]], [n * 10], [5])


def _two_sources(tf, train):
    (x,) = train.slice_input_producer([tf.constant([1, 2, 3])], num_epochs=1, shuffle=False)
    (y,) = train.slice_input_producer([tf.constant([11, 12, 13])], num_epochs=1, shuffle=False)
    return [[x], [y]]


def _sums(tf, train, batches):
    """The sum of all that comes out, whatever the order."""
    found = _pull(tf, batches, 9)
    return [len(found), sum(int(batch.sum()) for batch in found[:-1]), found[-1]]


def _shapes(tensors):
    items = list(tensors.values()) if isinstance(tensors, dict) else tensors if isinstance(tensors, list) else [tensors]
    return [item.shape.as_list() for item in items]


def _runner_facts(tf, train):
    queue = tf.queue.FIFOQueue(5, tf.float32)
    runner = train.QueueRunner(queue, [queue.enqueue(1.0)] * 2)
    copy = train.QueueRunner.from_proto(runner.to_proto())
    return [runner.name, [op.name for op in runner.enqueue_ops], runner.close_op.name, runner.cancel_op.name, str(runner.to_proto()), copy.name, [e.__name__ for e in copy.queue_closed_exception_types], runner.exceptions_raised]


def _runner_threads(tf, train):
    queue = tf.queue.FIFOQueue(5, tf.float32)
    runner = train.QueueRunner(queue, [queue.enqueue(1.0)] * 2)
    with tf.compat.v1.Session() as session:
        first = runner.create_threads(session, tf.train.Coordinator(), daemon=True)
        return [[[t.name, t.daemon, t.is_alive()] for t in first], runner.create_threads(session)]


def _scoped_runner(tf, train):
    with tf.name_scope("scope"):
        queue = tf.queue.FIFOQueue(5, tf.float32)
        runner = train.QueueRunner(queue, [queue.enqueue(1.0)])
    return [runner.name, str(runner.to_proto("scope")), runner.to_proto("other")]


def _failing_runner(tf, train):
    queue = tf.queue.FIFOQueue(5, tf.float32)
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(tf.compat.v1.placeholder(tf.float32, []))]))
    return _pull(tf, tf.constant(1), 1)


def _counting_runner(tf, train):
    queue = tf.queue.FIFOQueue(5, tf.int32)
    counter = tf.compat.v1.get_variable("n", initializer=0, use_resource=True)
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(tf.compat.v1.count_up_to(counter, 3))]))
    return _pull(tf, queue.dequeue(), 9)


def _kept(tf, train, **options):
    x, _ = _row(tf, train)
    return train.maybe_batch([x], tf.not_equal(x % 2, 0), 2, allow_smaller_final_batch=True, **options)


_CALLS = {
    "string_producer": lambda tf, train: _pull(tf, train.string_input_producer(["a", "b"], num_epochs=2, shuffle=False).dequeue(), 9),
    "string_producer_without_end": lambda tf, train: _pull(tf, train.string_input_producer(["a", "b"], shuffle=False).dequeue(), 5),
    "string_producer_shuffled": lambda tf, train: sorted(map(_text, _pull(tf, train.string_input_producer(list("abcd"), num_epochs=1).dequeue(), 9))),
    "string_producer_empty": lambda tf, train: train.string_input_producer([]),
    "string_producer_of_nothing_fed": lambda tf, train: _pull(tf, train.string_input_producer(tf.constant([], tf.string, [0])).dequeue(), 1),
    "string_producer_of_numbers": lambda tf, train: train.string_input_producer([1]),
    "string_producer_nodes": lambda tf, train: [train.string_input_producer(["a"], num_epochs=1, name="names").name, _nodes(tf)],
    "range_producer": lambda tf, train: _pull(tf, train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue(), 9),
    "range_producer_nodes": lambda tf, train: [train.range_input_producer(3, seed=3).name, _nodes(tf)],
    "input_producer": lambda tf, train: _pull(tf, train.input_producer([[1, 2], [3, 4]], num_epochs=1, shuffle=False).dequeue(), 9),
    "input_producer_nodes": lambda tf, train: [train.input_producer([[1, 2]], summary_name="part").name, _nodes(tf)],
    "input_producer_without_shape": lambda tf, train: train.input_producer(tf.compat.v1.placeholder(tf.int32, None)),
    "input_producer_with_shape": lambda tf, train: train.input_producer(tf.compat.v1.placeholder(tf.int32, None), element_shape=[2]).shapes[0].as_list(),
    "slices": lambda tf, train: _pull(tf, _row(tf, train), 9),
    "slices_nodes": lambda tf, train: [[t.name for t in _row(tf, train)], _nodes(tf)],
    "slices_of_nothing": lambda tf, train: train.slice_input_producer([]),
    "limited": lambda tf, train: _pull(tf, train.limit_epochs(tf.constant(3.0), 2), 5),
    "not_limited": lambda tf, train: train.limit_epochs("anything"),
    "limited_to_none": lambda tf, train: train.limit_epochs(3.0, 0),
    "batch": lambda tf, train: _pull(tf, train.batch(_row(tf, train), 2), 9),
    "batch_smaller_at_the_end": lambda tf, train: _pull(tf, train.batch(_row(tf, train), 2, allow_smaller_final_batch=True), 9),
    "batch_of_dicts": lambda tf, train: _pull(tf, train.batch(dict(zip("yx", _row(tf, train))), 3, allow_smaller_final_batch=True), 9),
    "batch_of_one": lambda tf, train: _pull(tf, train.batch(_row(tf, train)[:1], 3), 9),
    "batch_many": lambda tf, train: _pull(tf, train.batch([tf.constant([1, 2, 3])], 2, enqueue_many=True), 4),
    "batch_padded": lambda tf, train: _pull(tf, train.batch([_ragged_row(tf, train)], 2, dynamic_pad=True), 9),
    "batch_of_unknown_shape": lambda tf, train: train.batch([_ragged_row(tf, train)], 2),
    "batch_of_declared_shape": lambda tf, train: _shapes(train.batch([tf.compat.v1.placeholder(tf.int32, None)], 4, shapes=[[3]])),
    "batch_of_wrong_shape": lambda tf, train: train.batch([tf.compat.v1.placeholder(tf.int32, [2])], 4, shapes=[[3]]),
    "batch_of_nothing": lambda tf, train: train.batch([], 2),
    "batch_sparse": lambda tf, train: [list(map(list, each)) if len(each) == 3 else each for each in _pull(tf, train.batch([_sparse_row(tf, train)], 2, allow_smaller_final_batch=True), 9)],
    "batch_sparse_and_dense": lambda tf, train: [_shapes(train.batch([_sparse_row(tf, train), tf.constant(2)], 3)[1:]), _nodes(tf)],
    "batch_sparse_many": lambda tf, train: [list(map(list, each)) for each in _pull(tf, train.batch([tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])], 3, enqueue_many=True), 1)],
    "batch_nodes": lambda tf, train: [_shapes(train.batch({"b": tf.constant(1.0), "a": tf.constant([1, 2])}, 4, num_threads=2, allow_smaller_final_batch=True)), _nodes(tf)],
    "batch_names": lambda tf, train: [t.name for t in train.batch(_row(tf, train), 2, name="pairs", shared_name="shared")],
    "batch_threads": lambda tf, train: [(train.batch([tf.constant(1)], 2, num_threads=3), len(tf.compat.v1.get_collection("queue_runners")[0].enqueue_ops))[1], [s.name for s in tf.compat.v1.get_collection("summaries")]],
    "joined": lambda tf, train: _sums(tf, train, train.batch_join(_two_sources(tf, train), 2)),
    "joined_of_other_dtypes": lambda tf, train: train.batch_join([[tf.constant(1.0)], [tf.constant(2)]], 4),
    "joined_of_other_shapes": lambda tf, train: train.batch_join([[tf.constant([1.0, 2])], [tf.constant([2.0])]], 4),
    "joined_padded": lambda tf, train: _shapes(train.batch_join([[tf.constant([1.0, 2])], [tf.constant([2.0])]], 4, dynamic_pad=True)),
    "joined_of_nothing": lambda tf, train: train.batch_join([], 4),
    "kept": lambda tf, train: _pull(tf, _kept(tf, train), 9),
    "kept_by_a_vector": lambda tf, train: _pull(tf, train.maybe_batch([tf.constant([1, 2, 3])], tf.constant([True, False, True]), 2, enqueue_many=True), 3),
    "kept_by_a_vector_of_one": lambda tf, train: train.maybe_batch([tf.constant(1.0)], tf.constant([True]), 4),
    "kept_of_two": lambda tf, train: _sums(tf, train, train.maybe_batch_join(_two_sources(tf, train), True, 2)),
    "shuffled": lambda tf, train: _sums(tf, train, train.shuffle_batch(_row(tf, train)[:1], 2, 10, 3, seed=1, allow_smaller_final_batch=True)),
    "shuffled_nodes": lambda tf, train: [_shapes(train.shuffle_batch([tf.constant(1.0), tf.constant([1, 2])], 4, 50, 10, seed=7, num_threads=2)), _nodes(tf)],
    "shuffled_of_two": lambda tf, train: _sums(tf, train, train.shuffle_batch_join(_two_sources(tf, train), 2, 10, 3)),
    "shuffled_kept": lambda tf, train: _sums(tf, train, train.maybe_shuffle_batch(_row(tf, train)[:1], 2, 10, 3, True, allow_smaller_final_batch=True)),
    "shuffled_kept_of_two": lambda tf, train: _shapes(train.maybe_shuffle_batch_join(_two_sources(tf, train), 2, 10, 3, tf.compat.v1.placeholder(tf.bool, []))),
    "shuffled_capacity": lambda tf, train: _pull(tf, train.shuffle_batch(_row(tf, train)[:1], 2, 3, 3), 1),
    "runner": _runner_facts,
    "runner_threads": _runner_threads,
    "runner_in_a_scope": _scoped_runner,
    "runner_that_fails": _failing_runner,
    "runner_that_counts": _counting_runner,
    "runner_of_nothing": lambda tf, train: train.QueueRunner(),
    "runner_without_operations": lambda tf, train: train.QueueRunner(tf.queue.FIFOQueue(5, tf.float32), []),
    "runner_of_wrong_errors": lambda tf, train: train.QueueRunner(tf.queue.FIFOQueue(5, tf.float32), ["x"], queue_closed_exception_types=tf.errors.OutOfRangeError),
    "runners_without_a_session": lambda tf, train: train.start_queue_runners(),
    "runners_of_no_session": lambda tf, train: train.start_queue_runners("session"),
}


def _files(tf):
    folder = tempfile.mkdtemp()
    for name, data in {"a.txt": b"h\none\ntwo\n\nthree", "b.txt": b"x\r\ny\n"}.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    for name, compression in {"r": "", "rz": "ZLIB"}.items():
        with tf.io.TFRecordWriter(os.path.join(folder, name), compression) as writer:
            writer.write(b"one")
            writer.write(b"two")
    return folder


def _reading(make, names, up_to=None):
    def call(tf, train):
        folder = _files(tf)
        queue = train.string_input_producer([os.path.join(folder, name) for name in names], num_epochs=1, shuffle=False)
        reader = make(tf.compat.v1)
        record = reader.read(queue) if up_to is None else reader.read_up_to(queue, up_to)
        with tf.control_dependencies(list(record)):
            counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        found = _pull(tf, [*record, *counts], 10)
        return [_without(folder, item) for item in found]

    return call


def _without(folder, item):
    if isinstance(item, list):
        return [_without(folder, each) for each in item]
    if isinstance(item, bytes):
        return item.decode().replace(folder, "")
    return [_without(folder, each) for each in item.tolist()] if getattr(item, "ndim", 0) else item


def _identity_states(tf, train):
    v1 = tf.compat.v1
    queue, reader = tf.queue.FIFOQueue(10, [tf.string], [[]]), v1.IdentityReader()
    fill, fed = queue.enqueue_many([["p", "q", "r", "s"]]), v1.placeholder(tf.string, [])
    record, state, restore, reset = reader.read(queue), reader.serialize_state(), reader.restore_state(fed), reader.reset()
    count = reader.num_records_produced()
    with v1.Session() as session:
        session.run(fill)
        found = [session.run(state), list(session.run(record)), session.run(state)]
        saved = found[-1]
        found += [list(session.run(record)), session.run(restore, {fed: saved}), session.run(count), session.run(reset), session.run(count)]
        found += [outcome(lambda: session.run(restore, {fed: b"bad"}), 0), outcome(lambda: session.run(v1.TextLineReader().serialize_state()), 0)]
        return found


_CALLS |= {
    "read_lines": _reading(lambda v1: v1.TextLineReader(), ["a.txt", "b.txt"]),
    "read_lines_without_headers": _reading(lambda v1: v1.TextLineReader(skip_header_lines=1), ["a.txt", "b.txt"]),
    "read_many_lines": _reading(lambda v1: v1.TextLineReader(), ["a.txt", "b.txt"], 4),
    "read_no_lines": _reading(lambda v1: v1.TextLineReader(), ["a.txt"], 0),
    "read_files": _reading(lambda v1: v1.WholeFileReader(), ["a.txt", "b.txt"]),
    "read_many_files": _reading(lambda v1: v1.WholeFileReader(), ["a.txt", "b.txt"], 3),
    "read_names": _reading(lambda v1: v1.IdentityReader(), ["a.txt", "b.txt"]),
    "read_missing_file": _reading(lambda v1: v1.TextLineReader(), ["none"]),
    "read_missing_whole_file": _reading(lambda v1: v1.WholeFileReader(), ["none"]),
    "read_fixed": _reading(lambda v1: v1.FixedLengthRecordReader(3, 1, 2), ["a.txt", "b.txt"]),
    "read_fixed_hops": _reading(lambda v1: v1.FixedLengthRecordReader(3, hop_bytes=2), ["a.txt"]),
    "read_fixed_wide_hops": _reading(lambda v1: v1.FixedLengthRecordReader(3, hop_bytes=5), ["a.txt"]),
    "read_many_fixed": _reading(lambda v1: v1.FixedLengthRecordReader(3), ["a.txt", "b.txt"], 4),
    "read_fixed_of_negative_length": _reading(lambda v1: v1.FixedLengthRecordReader(-3), ["a.txt"]),
    "read_records": _reading(lambda v1: v1.TFRecordReader(), ["r"]),
    "read_compressed_records": _reading(lambda v1: v1.TFRecordReader(options=v1.python_io.TFRecordOptions(1)), ["rz"]),
    "read_bad_records": _reading(lambda v1: v1.TFRecordReader(), ["a.txt"]),
    "reader_states": _identity_states,
    "readers": lambda tf, train: [[r.reader_ref.name, r.reader_ref.op.type, r.supports_serialize] for r in (tf.compat.v1.WholeFileReader(), tf.compat.v1.TextLineReader(), tf.compat.v1.TFRecordReader("named"), tf.compat.v1.IdentityReader())],
}

globals().update({f"prog_{name}": _graph(call) for name, call in _CALLS.items()})


def prog_in_eager_mode(tf, np):
    """Queues of input need a graph."""
    v1 = tf.compat.v1
    return [outcome(call, 0) for call in (lambda: v1.train.batch([1], 2), lambda: v1.train.string_input_producer(["a"]), lambda: v1.TextLineReader(), lambda: v1.train.start_queue_runners(), lambda: v1.train.QueueRunner())]
