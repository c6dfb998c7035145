"""tf.distribute with one replica: reductions, gathers, input and options."""

from __future__ import annotations

from tests.oracle.programs._distribution_helpers import both, matrix
from tests.oracle.support import attempt


def prog_reduce_without_axis(tf, np):
    """One replica's value is the combination."""
    x = matrix(tf)
    R = tf.distribute.ReduceOp
    return [[s.reduce(r, x, axis=None) for r in (R.SUM, R.MEAN, "SUM", "sum", "MEAN", "mean")] + [s.reduce("SUM", x, axis=None) is x] for s in both(tf)]


def prog_reduce_of_structures(tf, np):
    """Anything without axis."""
    x = matrix(tf)
    values = ({"a": x, "b": (x, [x])}, 5.0, [1.0, 2.0], None, "a", (x, x))
    return [[s.reduce("MEAN", v, axis=None) for v in values] for s in both(tf)]


def prog_sum_along_axes(tf, np):
    """Axes of all kinds."""
    x = matrix(tf)
    return [[s.reduce("SUM", x, axis=a) for a in (0, 1, -1, -2, (0, 1), (0,), (), True)] for s in both(tf)]


def prog_mean_along_axes(tf, np):
    """Axes of all kinds."""
    x = matrix(tf)
    return [[s.reduce("MEAN", x, axis=a) for a in (0, 1, -1, -2, (0, 1), (0,), (), True)] for s in both(tf)]


def prog_mean_of_dtypes(tf, np):
    """The mean of integers is a fraction."""
    dtypes = (tf.int8, tf.uint8, tf.int16, tf.int32, tf.int64, tf.float16, tf.bfloat16, tf.float64, tf.complex64)
    return [[s.reduce("MEAN", tf.constant([1, 2], d), axis=0) for d in dtypes] for s in both(tf)]


def prog_sum_of_dtypes(tf, np):
    """The sum has the dtype of the value."""
    dtypes = (tf.int8, tf.uint8, tf.int32, tf.int64, tf.float16, tf.bfloat16, tf.float64, tf.complex64)
    return [[s.reduce("SUM", tf.constant([1, 2], d), axis=0) for d in dtypes] for s in both(tf)]


def prog_reduce_of_empty(tf, np):
    """Nothing to combine."""
    return [[s.reduce(r, tf.zeros(shape), axis=0) for r in ("SUM", "MEAN") for shape in ([0], [0, 2], [2, 0])] + [s.reduce("MEAN", tf.zeros([0], tf.int32), axis=0)] for s in both(tf)]


def prog_reduce_in_functions(tf, np):
    """Known, partly known and unknown shapes."""
    x, out = matrix(tf), []
    for s in both(tf):
        for spec in (tf.TensorSpec([2, 2]), tf.TensorSpec([None, 2]), tf.TensorSpec(None)):

            @tf.function(input_signature=[spec])
            def f(y, s=s):
                return [s.reduce("MEAN", y, axis=0), s.reduce("SUM", y, axis=1), s.reduce("MEAN", y, axis=(0, -1)), s.reduce("MEAN", y, axis=-1)]

            out.append(f(x))
    return out


def prog_wrong_reductions(tf, np):
    """Names and objects that are no reduction."""
    x = matrix(tf)
    return [[attempt(lambda s=s: s.reduce("max", x, axis=None)), attempt(lambda s=s: s.reduce("max", x, axis=0)), attempt(lambda s=s: s.reduce(3, x, axis=0), words=5), attempt(lambda s=s: s.reduce(None, x, axis=None), words=0), attempt(lambda s=s: s.reduce("SUM", x), words=0)] for s in both(tf)]


def prog_wrong_axes(tf, np):
    """Axes out of range, values without axes."""
    x = matrix(tf)
    cases = ((x, 2), (x, -3), (tf.constant(1.0), 0), (tf.constant([True]), 0), (tf.constant(["a"]), 0))
    return [[attempt(lambda s=s, v=v, a=a, r=r: s.reduce(r, v, axis=a), words=0) for v, a in cases for r in ("SUM", "MEAN")] for s in both(tf)]


def prog_gather(tf, np):
    """One replica's value is the whole."""
    x = matrix(tf)
    return [[s.gather(x, axis=0), s.gather(x, axis=1) is x, s.gather([x, {"a": x}], axis=0), s.gather(1.0, axis=0), tf.function(lambda s=s: s.gather(x, axis=0), autograph=False)()] for s in both(tf)]


def prog_gather_of_indexed_slices(tf, np):
    """Refused by both gathers."""
    slices = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 1]))
    return [[attempt(lambda s=s: s.gather(slices, axis=0), words=5), attempt(lambda s=s: s.run(lambda: tf.distribute.get_replica_context().all_gather(slices, axis=0)), words=5)] for s in both(tf)]


def prog_all_reduce(tf, np):
    """Structures, Python numbers, variables."""
    x = matrix(tf)
    values = (x, {"a": x, "b": [x, (x,)]}, [1.0, 2], [], tf.Variable(1.5), "abc")
    out = []
    for s in both(tf):
        for r in ("SUM", "mean", tf.distribute.ReduceOp.MEAN):
            out.append(s.run(lambda r=r: [tf.distribute.get_replica_context().all_reduce(r, v) for v in values]))
    return out


def prog_all_reduce_of_indexed_slices(tf, np):
    """Indexed slices stay what they are."""
    slices = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 1]), tf.constant([4, 2]))
    out = []
    for s in both(tf):
        found = s.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", slices))
        out.append([isinstance(found, tf.IndexedSlices), found.values, found.indices])
    return out


def prog_wrong_all_reduce(tf, np):
    """What all_reduce refuses."""
    x = matrix(tf)
    cases = (("max", x), (None, x), (3, x), ("SUM", None))
    return [[attempt(lambda s=s, r=r, v=v: s.run(lambda: tf.distribute.get_replica_context().all_reduce(r, v)), words=0) for r, v in cases] for s in both(tf)]


def prog_all_gather(tf, np):
    """Structures and options."""
    x = matrix(tf)
    options = tf.distribute.experimental.CommunicationOptions()
    return [s.run(lambda: [tf.distribute.get_replica_context().all_gather(v, 0, options) for v in (x, {"a": x}, [x, x])]) for s in both(tf)]


def prog_gradients_of_all_reduce(tf, np):
    """Gradients pass through combinations."""
    x, out = matrix(tf), []

    def step():
        context = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context.all_reduce("SUM", x * x) + context.all_gather(x * x * x, 0)
        return tape.gradient(y, x)

    for s in both(tf):
        out += [s.run(step), s.run(tf.function(step)), tf.function(lambda s=s: s.run(step))()]
    return out


def prog_reduce_to(tf, np):
    """Combination with a destination."""
    x = matrix(tf)
    out = []
    for s in both(tf):
        e = s.extended
        out.append([e.reduce_to("SUM", x, x), e.reduce_to("MEAN", 3, "/cpu:0"), e.batch_reduce_to("SUM", [(x, x), (1, x)]), e.batch_reduce_to("sum", []), attempt(lambda e=e: e.reduce_to("max", x, x), words=3), attempt(lambda e=e: e.batch_reduce_to("SUM", 3), words=4)])
    return out


def prog_values_and_results(tf, np):
    """Values made by a function, local results, groups."""
    x = matrix(tf)
    out = []
    for s in both(tf):
        out.append([s.experimental_distribute_values_from_function(lambda c: [str(c), c.num_replicas_in_sync, c.replica_id_in_sync_group]), s.experimental_local_results(5), s.experimental_local_results((1, 2)), s.experimental_local_results([x]), s.group(5), s.group([x]), s.group([x, x]), s.group(x, name="a")])
    return out


def prog_groups_in_graphs(tf, np):
    """Names of grouping operations."""
    out = []
    for s in both(tf):
        with tf.Graph().as_default():
            one = lambda: tf.constant(1)
            out.append([s.group([one(), one()]).name, s.group([one(), one()], name="hi").name, s.group(one(), name="lo").name, s.group([]).name])
    return out


def prog_steps_over_a_dataset(tf, np):
    """The training loop of tutorials, in all places."""
    out = []
    for s in both(tf):
        dataset = s.experimental_distribute_dataset(tf.data.Dataset.range(6).batch(4))
        with s.scope():
            total = tf.Variable(0, dtype=tf.int64)

        def step(batch, total=total):
            total.assign_add(tf.reduce_sum(batch))
            return tf.reduce_sum(batch)

        @tf.function
        def traced_step(batch, s=s, step=step):
            return s.reduce("SUM", s.run(step, args=(batch,)), axis=None)

        @tf.function
        def epoch(data, s=s, step=step):
            seen = tf.constant(0, tf.int64)
            for batch in data:
                seen += s.run(step, args=(batch,))
            return seen

        out.append([[traced_step(batch) for batch in dataset], epoch(dataset), epoch(iter(dataset)), total, dataset.element_spec])
    return out


def prog_iterators_of_distributed_datasets(tf, np):
    """All ways to take elements."""
    out = []
    for s in both(tf):
        iterator = iter(s.experimental_distribute_dataset(tf.data.Dataset.range(4)))

        @tf.function
        def two(it):
            return next(it) + it.get_next()

        out.append([next(iterator), two(iterator), iterator.get_next_as_optional().get_value(), iterator.get_next_as_optional().has_value(), attempt(lambda it=iterator: next(it)), attempt(lambda it=iterator: it.get_next(), words=3), iterator.element_spec])
    return out


def prog_classes_of_distributed_datasets(tf, np):
    """What isinstance says."""
    D = tf.distribute
    dataset = tf.data.Dataset.range(3)
    out = []
    for s in both(tf):
        given = s.experimental_distribute_dataset(dataset)
        out.append([given is dataset, isinstance(given, D.DistributedDataset), isinstance(given, tf.data.Dataset), isinstance(iter(given), D.DistributedIterator), given.reduce(tf.constant(0, tf.int64), lambda a, b: a + b), attempt(lambda g=given: g.map(lambda x: x), words=0) is not None])
    return out


def prog_lengths_of_distributed_datasets(tf, np):
    """A number, not a method."""
    one = both(tf)[1]
    datasets = (tf.data.Dataset.range(6).batch(2), tf.data.Dataset.range(3).repeat(), tf.data.Dataset.range(3).filter(lambda x: x > 1))
    return [[int(one.experimental_distribute_dataset(d).cardinality), int(one.distribute_datasets_from_function(lambda c, d=d: d).cardinality)] for d in datasets]


def prog_datasets_from_functions(tf, np):
    """The function of a worker's dataset, and what it is told."""
    told = []

    def make(context):
        told.append([str(context), context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync])
        return tf.data.Dataset.range(4).batch(context.get_per_replica_batch_size(2))

    return [[list(s.distribute_datasets_from_function(make)), list(s.experimental_distribute_datasets_from_function(make))] for s in both(tf)] + [told]


def prog_input_options_refused(tf, np):
    """One device has no dataset a replica."""
    D = tf.distribute
    one = both(tf)[1]
    dataset = tf.data.Dataset.range(3)
    per_replica = D.InputOptions(experimental_replication_mode=D.InputReplicationMode.PER_REPLICA)
    placed = D.InputOptions(experimental_place_dataset_on_device=True)
    return [attempt(lambda: one.experimental_distribute_dataset(dataset, per_replica), words=6), attempt(lambda: one.distribute_datasets_from_function(lambda c: dataset, per_replica), words=6), attempt(lambda: one.distribute_datasets_from_function(lambda c: dataset, placed), words=6)]


def prog_older_iterators(tf, np):
    """experimental_run and its iterators."""
    out = []
    for s in both(tf):
        iterator = s.make_dataset_iterator(tf.data.Dataset.range(5))
        made = s.make_input_fn_iterator(lambda c: tf.data.Dataset.range(5, 8))
        out.append([s.experimental_run(lambda x: x + 1, iterator), s.experimental_run(lambda x: x + 1, iterator), iterator.get_next(), s.experimental_run(lambda: 3), made.get_next(), attempt(lambda s=s: s.make_input_fn_iterator(lambda c: None, 3), words=5)])
    return out


def prog_datasets_of_arrays(tf, np):
    """experimental_make_numpy_dataset."""
    x = np.arange(4.0).reshape(2, 2)
    return [[list(s.extended.experimental_make_numpy_dataset(x)), list(s.extended.experimental_make_numpy_dataset((x, {"a": x})))] for s in both(tf)]


def prog_reductions_and_options(tf, np):
    """Enumerations and named tuples."""
    D = tf.distribute
    aggregations = (tf.VariableAggregation.SUM, tf.VariableAggregation.MEAN)
    return [
        [repr(r) for r in D.ReduceOp],
        repr(D.ReduceOp("SUM")),
        [repr(D.ReduceOp.from_variable_aggregation(a)) for a in aggregations],
        attempt(lambda: D.ReduceOp.from_variable_aggregation(tf.VariableAggregation.NONE), words=4),
        [repr(m) for m in D.InputReplicationMode],
        repr(D.InputOptions()),
        repr(D.InputOptions(False, D.InputReplicationMode.PER_REPLICA, True, 3)),
        repr(D.RunOptions()),
        repr(D.RunOptions(False)._replace(experimental_xla_options=5)),
    ]


def prog_input_contexts(tf, np):
    """Sizes of batches, texts."""
    D = tf.distribute
    context = D.InputContext(2, 1, 4)
    return [str(context), str(D.InputContext()), context.get_per_replica_batch_size(8), attempt(lambda: context.get_per_replica_batch_size(9), words=9), context.get_per_replica_batch_size(tf.constant(8)), context.get_per_replica_batch_size(8.0), str(D.experimental.ValueContext(1, 2)), str(D.experimental.ValueContext())]


def prog_communication_options(tf, np):
    """Hints and their checks."""
    E = tf.distribute.experimental
    fields = lambda o: [o.bytes_per_pack, o.timeout_seconds, o.implementation.name]
    return [
        fields(E.CommunicationOptions()),
        fields(E.CommunicationOptions(3, 4.0, "nccl")),
        fields(E.CollectiveHints(50, 1.0)),
        [repr(i) for i in E.CommunicationImplementation],
        E.CollectiveCommunication is E.CommunicationImplementation,
        attempt(lambda: E.CommunicationOptions(bytes_per_pack=-1), words=6),
        attempt(lambda: E.CommunicationOptions(implementation="x"), words=5),
        attempt(lambda: E.CommunicationOptions(implementation=3), words=6),
        attempt(lambda: E.CollectiveHints(-3), words=6),
        attempt(lambda: E.CommunicationOptions(foo=1), words=0),
    ]
