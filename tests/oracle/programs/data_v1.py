"""tf.compat.v1.data: datasets in graphs, iterators of sessions, the older forms of functions."""

from __future__ import annotations

from tests.oracle.programs._data_helpers import outcome
from tests.oracle.support import nodes


def _in_session(call):
    """Makes a program of a function of `tf` and a session, run in a graph of its own."""

    def program(tf, np):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            return call(tf, session)

    return program


def _run(session, fetch, count):
    """What `count` runs of a fetch return or raise."""
    return [outcome(lambda: session.run(fetch), 0) for _ in range(count)]


def _one_shot(tf, session, dataset, count):
    return _run(session, tf.compat.v1.data.make_one_shot_iterator(dataset).get_next(), count)


def _initialized(tf, session, dataset, count):
    iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    session.run(iterator.initializer)
    return _run(session, iterator.get_next(), count)


def _types(tf, dataset):
    del dataset
    return [op.type for op in tf.compat.v1.get_default_graph().get_operations() if op.type != "Const"]


def _graph(build):
    """Makes a program that answers with the ops that `build` puts into a graph."""

    def program(tf, np):
        with tf.Graph().as_default():
            return _types(tf, build(tf))

    return program


_SESSIONS = {
    "one_shot": lambda tf, s: _one_shot(tf, s, tf.data.Dataset.range(2), 4),
    "one_shot_of_tuples": lambda tf, s: _one_shot(tf, s, tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])), 2),
    "one_shot_of_dicts": lambda tf, s: _one_shot(tf, s, tf.data.Dataset.from_tensor_slices({"a": [1]}), 1),
    "one_shot_of_a_map": lambda tf, s: _one_shot(tf, s, tf.data.Dataset.range(3).map(lambda x: x * x).batch(2), 3),
    "initializable": lambda tf, s: _initialized(tf, s, tf.data.Dataset.range(2), 4),
    "initializable_of_a_shuffle": lambda tf, s: _initialized(tf, s, tf.data.Dataset.range(8).shuffle(4, 5).repeat(2), 16),
    "initializable_of_a_cache": lambda tf, s: _initialized(tf, s, tf.data.Dataset.range(2).cache().repeat(2), 5),
    "random_op_in_map": lambda tf, s: _initialized(tf, s, tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([], 0, 1000, tf.int32, seed=3)), 3),
    "sample_from_datasets": lambda tf, s: _initialized(tf, s, tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(9), tf.data.Dataset.range(10, 19)], seed=4), 9),
}
_GRAPHS = {
    "range": lambda tf: tf.data.Dataset.range(3),
    "shuffle": lambda tf: tf.data.Dataset.range(3).shuffle(2),
    "shuffle_of_a_seed": lambda tf: tf.data.Dataset.range(3).shuffle(2, 5),
    "cache": lambda tf: tf.data.Dataset.range(3).cache(),
    "random": lambda tf: tf.data.Dataset.random(3),
    "random_anew": lambda tf: tf.data.Dataset.random(3, rerandomize_each_iteration=True),
    "batches": lambda tf: tf.data.Dataset.range(3).batch(2).padded_batch(2).batch(2, num_parallel_calls=2),
    "maps": lambda tf: tf.data.Dataset.range(3).map(lambda x: x).map(lambda x: x, num_parallel_calls=2).filter(lambda x: x > 1),
    "nested": lambda tf: tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x)).interleave(lambda x: tf.data.Dataset.range(x)).interleave(lambda x: tf.data.Dataset.range(x), num_parallel_calls=2),
    "counting": lambda tf: tf.data.Dataset.range(3).repeat().take(2).skip(1).shard(2, 0).enumerate(),
    "states": lambda tf: tf.data.Dataset.range(3).scan(tf.constant(0, tf.int64), lambda s, x: (s, x)).take_while(lambda x: x < 2).unique().prefetch(1),
    "windows": lambda tf: tf.data.Dataset.range(3).window(2).flat_map(lambda w: w).group_by_window(lambda x: x, lambda k, g: g, 2),
    "unbatched": lambda tf: tf.data.Dataset.range(3).batch(2).unbatch(),
    "rebatched": lambda tf: tf.data.Dataset.range(3).batch(2).rebatch(3),
    "zipped": lambda tf: tf.data.Dataset.zip(tf.data.Dataset.range(3), tf.data.Dataset.range(3)).concatenate(tf.data.Dataset.zip(tf.data.Dataset.range(3), tf.data.Dataset.range(3))),
    "options": lambda tf: tf.data.Dataset.range(3).with_options(tf.data.Options()),
    "counter": lambda tf: tf.data.Dataset.counter(),
    "sampled": lambda tf: tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3), tf.data.Dataset.range(3)], [0.5, 0.5], seed=3),
    "chosen": lambda tf: tf.data.Dataset.choose_from_datasets([tf.data.Dataset.range(3), tf.data.Dataset.range(3)], tf.data.Dataset.range(2)),
    "generated": lambda tf: tf.data.Dataset.from_generator(lambda: [1], output_signature=tf.TensorSpec([], tf.int32)),
    "text_files": lambda tf: tf.data.TextLineDataset(["a", "b"]),
    "records_in_parallel": lambda tf: tf.data.TFRecordDataset(["a", "b"], num_parallel_reads=2),
    "listed_files": lambda tf: tf.data.Dataset.list_files("*.py", shuffle=False),
    "single_element": lambda tf: tf.data.Dataset.range(1).get_single_element(),
    "reduced": lambda tf: tf.data.Dataset.range(3).reduce(tf.constant(0, tf.int64), lambda s, x: s + x),
    "asserted": lambda tf: tf.data.Dataset.range(3).apply(tf.data.experimental.assert_cardinality(3)).ignore_errors(),
}

globals().update(
    {
        **{f"prog_session_{name}": _in_session(call) for name, call in _SESSIONS.items()},
        **{f"prog_ops_of_{name}": _graph(build) for name, build in _GRAPHS.items()},
    }
)


def prog_initialize_again(tf, np):
    """Initializing anew starts the iteration over."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(3))
        value = iterator.get_next()
        session.run(iterator.initializer)
        first = _run(session, value, 2)
        session.run(iterator.initializer)
        return [first, _run(session, value, 4)]


def prog_initialize_with_a_placeholder(tf, np):
    """The dataset depends on what is fed to the initializer."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        limit = tf.compat.v1.placeholder(tf.int64, [])
        iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(limit))
        value, found = iterator.get_next(), []
        for count in (1, 3):
            session.run(iterator.initializer, {limit: count})
            found.append(_run(session, value, count + 1))
        return found


def prog_not_initialized(tf, np):
    """Reading before the initializer has run."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        value = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(3)).get_next()
        return outcome(lambda: session.run(value), 0)


def prog_reinitializable(tf, np):
    """One iterator serves two datasets of one structure."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        iterator = tf.compat.v1.data.Iterator.from_structure(tf.int64, [])
        value = iterator.get_next()
        first = iterator.make_initializer(tf.data.Dataset.range(2))
        second = iterator.make_initializer(tf.data.Dataset.range(10, 12))
        session.run(first)
        found = [_run(session, value, 1)]
        session.run(second)
        return [*found, _run(session, value, 3)]


def prog_feedable(tf, np):
    """An iterator chosen by its string handle."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        handle = tf.compat.v1.placeholder(tf.string, [])
        value = tf.compat.v1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
        handles = [session.run(tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(*bounds)).string_handle()) for bounds in ((2,), (10, 13))]
        return [int(session.run(value, {handle: handles[i]})) for i in (0, 1, 0, 1)]


def prog_iterator_attributes(tf, np):
    """What an iterator of a graph says of itself."""
    with tf.Graph().as_default():
        iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.from_tensors((1, "a")))
        return [iterator.output_types, iterator.output_shapes, iterator.element_spec, type(iterator).__name__, iterator.initializer.type]


def prog_dataset_attributes(tf, np):
    """The v1 attributes of v1 datasets."""
    dataset = tf.compat.v1.data.Dataset.from_tensors((1, "a"))
    return [dataset.output_types, dataset.output_shapes, type(dataset).__name__, repr(dataset)]


def prog_attribute_functions(tf, np):
    """get_output_types and its kin."""
    dataset, v1 = tf.data.Dataset.from_tensors({"a": [1.0], "b": "x"}).batch(2), tf.compat.v1.data
    return [v1.get_output_types(dataset), v1.get_output_shapes(dataset), v1.get_output_classes(dataset)]


def prog_one_shot_in_eager_mode(tf, np):
    """A one-shot iterator of eager mode is a plain iterator."""
    iterator = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(2))
    return [type(iterator).__name__, int(next(iterator)), int(iterator.get_next()), outcome(iterator.get_next, 3)]


def prog_initializable_in_eager_mode(tf, np):
    """An initializable iterator needs a graph."""
    return outcome(lambda: tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(2)))


def prog_one_shot_with_captured_state(tf, np):
    """A one-shot iterator may not capture what the graph holds."""
    with tf.Graph().as_default():
        limit = tf.compat.v1.placeholder(tf.int64, [])
        return outcome(lambda: tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(limit)), 6)


def prog_v1_methods(tf, np):
    """Names that only v1's Dataset has."""
    v1, v2 = ({name for name in dir(kind) if not name.startswith("_")} for kind in (tf.compat.v1.data.Dataset, tf.data.Dataset))
    return [sorted(v1 - v2), sorted(v2 - v1)]


def prog_v1_names(tf, np):
    """The names of tf.compat.v1.data."""
    return [[name for name in dir(module) if not name.startswith("_")] for module in (tf.compat.v1.data, tf.compat.v1.data.experimental)]


def prog_filter_with_legacy_function(tf, np):
    """A deprecated form of filter."""
    dataset = tf.compat.v1.data.Dataset.range(5)
    return outcome(lambda: [int(x) for x in dataset.filter_with_legacy_function(lambda x: x > 2)], 3)


def prog_map_with_legacy_function(tf, np):
    """A deprecated form of map."""
    dataset = tf.compat.v1.data.Dataset.range(3)
    return outcome(lambda: [int(x) for x in dataset.map_with_legacy_function(lambda x: x + 1)], 3)


def prog_from_sparse_tensor_slices_of_dense(tf, np):
    """A v1-only source refuses dense tensors."""
    return outcome(lambda: tf.compat.v1.data.Dataset.from_sparse_tensor_slices(tf.zeros([2])))


def prog_v1_dataset_classes(tf, np):
    """The classes of v1's datasets."""
    dataset = tf.compat.v1.data.Dataset.range(5)
    return [type(d).__name__ for d in (dataset, dataset.map(lambda x: x), dataset.batch(2), dataset.shuffle(2))]


def prog_v1_reads(tf, np):
    """v1 datasets iterate in eager mode."""
    return [[int(x) for x in tf.compat.v1.data.Dataset.range(3)], isinstance(tf.compat.v1.data.Dataset.range(3), tf.data.Dataset)]


def prog_nodes_of_a_pipeline(tf, np):
    """Names and inputs of the nodes of a typical input pipeline."""
    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).map(lambda x, y: (x + 1, y)).batch(2).prefetch(1)
        tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
        return nodes(graph)


def prog_nodes_of_an_initializable_iterator(tf, np):
    """Names and inputs of the nodes of an iterator."""
    with tf.Graph().as_default() as graph:
        tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(3), shared_name="shared").get_next("value")
        return nodes(graph)


def prog_metadata_and_shapes(tf, np):
    """The attributes of named datasets."""
    with tf.Graph().as_default() as graph:
        tf.data.Dataset.range(3, name="numbers").map(lambda x: (x, tf.fill([2], x)), name="pairs").batch(4, name="batches")
        found = {}
        for op in graph.get_operations():
            if op.type != "Const":
                found[op.name] = [op.get_attr(name) for name in ("metadata", "output_types", "output_shapes")]
        return {name: [metadata, types, [str(tf.TensorShape(shape)) for shape in shapes]] for name, (metadata, types, shapes) in found.items()}


def prog_optional_of_an_iterator(tf, np):
    """Optionals in a session."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        iterator = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(1))
        optional = tf.data.experimental.get_next_as_optional(iterator)
        fetches = [optional.has_value(), optional.get_value()]
        return [session.run(fetches), outcome(lambda: session.run(fetches), 0), bool(session.run(fetches[0]))]
