"""tf.distribute with one replica: contexts, steps, variables, and what is refused."""

from __future__ import annotations

import threading

from tests.oracle.programs._distribution_helpers import both, doubled_if_positive, facts, matrix
from tests.oracle.support import attempt


def prog_outside_all_strategies(tf, np):
    """The default strategy and its replica."""
    strategy, context = tf.distribute.get_strategy(), tf.distribute.get_replica_context()
    return [facts(tf, strategy), strategy.num_replicas_in_sync, strategy.cluster_resolver, context.replica_id_in_sync_group, context.num_replicas_in_sync, context.devices, type(strategy).__name__]


def prog_contexts_of_scope_run_and_merge_call(tf, np):
    """What is in force in each place."""
    out = []
    for strategy in both(tf):
        with strategy.scope() as entered:
            out.append([entered is strategy, facts(tf, strategy)])
        out.append(strategy.run(lambda s=strategy: facts(tf, s)))
        out.append(strategy.run(lambda s=strategy: tf.distribute.get_replica_context().merge_call(lambda t: [t is s, facts(tf, s)])))
    return out


def prog_merge_call_outside(tf, np):
    """The default replica context leads to the cross-replica context too."""
    context = tf.distribute.get_replica_context()
    return [context.merge_call(lambda s, a, b=1: [a, b, facts(tf, s)], args=(3,), kwargs={"b": 4}), facts(tf, context.strategy)]


def prog_nested_scopes(tf, np):
    """Scopes of the same and of another strategy."""
    default, one = both(tf)
    other = tf.distribute.OneDeviceStrategy("/cpu:0")

    def inside(strategy):
        with strategy.scope():
            return facts(tf, one)

    with one.scope():
        return [inside(one), attempt(lambda: inside(other)), attempt(lambda: inside(default)), facts(tf, one), attempt(lambda: other.run(lambda: 1)), attempt(lambda: default.run(lambda: 1))]


def prog_runs_in_runs(tf, np):
    """A replica may not run replicas."""
    return [attempt(lambda s=s: s.run(lambda: s.run(lambda: 1)), words=9) for s in both(tf)]


def prog_scope_in_run(tf, np):
    """A replica may not enter the scope of its strategy."""
    one = both(tf)[1]

    def enter():
        with one.scope():
            return 1

    return [attempt(lambda: one.run(enter), words=9), facts(tf, one)]


def prog_methods_that_need_no_replica(tf, np):
    """The methods that refuse to be called by a replica."""
    x = matrix(tf)
    out = []
    for s in both(tf):
        for call in (lambda s=s: s.reduce("SUM", x, axis=None), lambda s=s: s.gather(x, axis=0), lambda s=s: s.extended.reduce_to("SUM", x, x), lambda s=s: s.extended.batch_reduce_to("SUM", [(x, x)]), lambda s=s: s.extended.call_for_each_replica(lambda: 1), lambda s=s: s.extended.update_non_slot(x, lambda: 1)):
            out.append(attempt(lambda s=s, call=call: s.run(call), words=5))
    return out


def prog_contexts_of_another_place(tf, np):
    """A replica's context used where the replica does not run."""
    default, one = both(tf)
    other = tf.distribute.OneDeviceStrategy("/cpu:0")
    get = tf.distribute.get_replica_context
    stale, foreign, outer = one.run(get), other.run(get), get()
    return [
        attempt(lambda: stale.merge_call(lambda s: 1), words=3),
        attempt(lambda: one.run(lambda: foreign.merge_call(lambda s: 1)), words=3),
        attempt(lambda: one.run(lambda: outer.all_reduce("SUM", 1.0)), words=3),
        attempt(lambda: default.run(lambda: outer.merge_call(lambda s: 1)), words=2),
        attempt(lambda: one.run(lambda: get().merge_call(lambda s: stale.all_reduce("SUM", 1.0))), words=5),
        attempt(lambda: default.run(get).all_gather(1.0, 0), words=2),
        stale.replica_id_in_sync_group,
    ]


def prog_threads(tf, np):
    """Contexts are the thread's own."""
    one, seen = both(tf)[1], []
    with one.scope():
        thread = threading.Thread(target=lambda: seen.append(facts(tf, one)))
        thread.start()
        thread.join()
    return seen


def prog_graphs(tf, np):
    """A graph of its own sees nothing of the code around."""
    one, graph, out = both(tf)[1], tf.Graph(), []
    with one.scope(), tf.Graph().as_default():
        out.append(facts(tf, one))
    with graph.as_default(), one.scope():
        out.append(facts(tf, one))
        with tf.Graph().as_default():
            out.append(facts(tf, one))
        with tf.init_scope():
            out.append(facts(tf, one))
    with one.scope(), tf.Graph().as_default(), tf.init_scope():
        out.append(facts(tf, one))
    return out


def prog_functions_see_the_strategy_around(tf, np):
    """Traces, branches, functions of datasets and init scopes."""
    one, out = both(tf)[1], []

    @tf.function(autograph=False)
    def traced():
        out.append(facts(tf, one))
        with tf.init_scope():
            out.append(facts(tf, one))
        tf.cond(tf.constant(True), lambda: out.append(facts(tf, one)) or 1, lambda: 2)
        return tf.constant(1)

    with one.scope():
        traced()
    traced()
    one.run(lambda: tf.data.Dataset.range(2).map(lambda x: out.append(facts(tf, one)) or x))
    return out


def prog_traces_between_replicas(tf, np):
    """Functions are traced apart where no replica runs."""
    default, one = both(tf)
    seen = []

    @tf.function
    def f(x):
        seen.append(tf.distribute.in_cross_replica_context())
        return x + 1

    counts = []
    x = tf.constant(1)
    for call in (lambda: f(x), lambda: one.run(f, (x,)), lambda: default.run(f, (x,)), lambda: tf.distribute.get_replica_context().merge_call(lambda s: f(x))):
        call()
        counts.append(len(seen))
    with one.scope():
        f(x)
        counts.append(len(seen))
    return [counts, seen]


def prog_set_strategy(tf, np):
    """A strategy in force without a `with` statement."""
    default, one = both(tf)
    other = tf.distribute.OneDeviceStrategy("/cpu:0")
    put, out, seen = tf.distribute.experimental_set_strategy, [], []

    def in_scope():
        with one.scope():
            put(other)

    for strategy in (one, one, other, None, default, None):
        put(strategy)
        out.append(facts(tf, one, other, default))
    out.append(attempt(in_scope, words=9))
    out.append(attempt(lambda: one.run(lambda: put(other)), words=9))
    put(one)
    with one.scope():
        pass
    thread = threading.Thread(target=lambda: seen.append(facts(tf, one)))
    thread.start()
    thread.join()
    variable = tf.Variable(1.0)
    put(None)
    return [out, seen, one.extended.variable_created_in_scope(variable), facts(tf, default)]


def prog_arguments_of_run(tf, np):
    """Positional and keyword arguments, options."""
    f = lambda a, b=2: [a, b]
    return [[s.run(f, args=(1,), kwargs={"b": 5}), s.run(f, (1, 3)), s.run(f, [1, 3], options=tf.distribute.RunOptions()), s.run(fn=f, args=(4,), options=7)] for s in both(tf)]


def prog_wrong_arguments_of_run(tf, np):
    """What run refuses."""
    return [[attempt(lambda a=a, s=s: s.run(lambda *x: x, args=a), words=9) for a in (5, "ab", None)] + [attempt(lambda s=s: s.run(3)), attempt(lambda s=s: s.run(lambda: 1 / 0))] for s in both(tf)]


def prog_results_of_run(tf, np):
    """Structures come back as they are."""
    return [s.run(lambda: {"a": tf.constant(1), "b": [1, (2.5, None)], "c": "text"}) for s in both(tf)]


def prog_replica_ids(tf, np):
    """The number of the replica inside and outside of functions."""
    number = lambda: tf.distribute.get_replica_context().replica_id_in_sync_group
    return [[s.run(number), s.run(tf.function(lambda: number() + 1)), s.run(lambda: tf.distribute.get_replica_context().devices)] for s in both(tf)]


def prog_replica_contexts_by_hand(tf, np):
    """ReplicaContext as a context manager, and its arguments."""
    out = []
    for s in both(tf):
        with tf.distribute.ReplicaContext(s, 0) as entered:
            out.append([entered, facts(tf, s)])
        made = tf.distribute.ReplicaContext(s, 7)
        out.append([made.replica_id_in_sync_group, made.num_replicas_in_sync, made.strategy is s])
        out.append([attempt(lambda s=s, n=n: tf.distribute.ReplicaContext(s, n), words=8) for n in (1.5, "a")])
        out.append(attempt(lambda s=s: tf.distribute.ReplicaContext(s, None).replica_id_in_sync_group, words=4))
    return out


def prog_update(tf, np):
    """A variable is changed where it is."""
    out = []
    for s in both(tf):
        with s.scope():
            v = tf.Variable(1.0)
        e = s.extended
        out.append([e.update(v, lambda u, a: u.assign_add(a).read_value(), args=(2.0,)), e.update(v, lambda u, a, b: a + b, args=[1], kwargs={"b": 3}, group=False), e.update(v, lambda u: {"a": 1, "b": [2]}, group=False), e.update(v, lambda u: None), v])
    return out


def prog_contexts_of_updates(tf, np):
    """What is in force while a variable is changed."""
    out = []
    for s in both(tf):
        v = tf.Variable(1.0)
        update = lambda s=s, v=v: s.extended.update(v, lambda u: facts(tf, s))
        out += [update(), s.run(update), s.run(lambda u=update: tf.distribute.get_replica_context().merge_call(lambda t: u())), s.extended.update_non_slot(v, lambda s=s: facts(tf, s))]
    return out


def prog_variables_of_scopes(tf, np):
    """Whose a variable is, and its traits."""
    default, one = both(tf)
    other = tf.distribute.OneDeviceStrategy("/cpu:0")
    with one.scope():
        v = tf.Variable(1.0, name="v", synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
    w = tf.Variable(2.0)
    in_run = one.run(lambda: tf.Variable(3.0))
    owners = [[s.extended.variable_created_in_scope(x) for x in (v, w)] for s in (default, one, other)]
    return [owners, v.name, v.trainable, v.synchronization.name, v.aggregation.name, v.device, in_run, one.extended.value_container(v) is v]


def prog_one_device_names(tf, np):
    """The device of a strategy by many names."""
    names = ("/gpu:0", "cpu", "", None, "/cpu:7", "/device:CPU:*", "GPU:0", "CPU:0", "/job:worker/device:CPU:0", "/job:a/replica:1/task:2")
    made = [tf.distribute.OneDeviceStrategy(n).extended for n in names]
    return [[[e.worker_devices, e.parameter_devices] for e in made], attempt(lambda: tf.distribute.OneDeviceStrategy("bad"), words=4)]


def prog_one_device_that_is_not_there(tf, np):
    """Soft placement, and a device of another job."""

    def use(name):
        s = tf.distribute.OneDeviceStrategy(name)
        with s.scope():
            v = tf.Variable(1.0)
        return [v.device, s.run(lambda: (tf.constant(1.0) + 1).device)]

    return [use("/gpu:0"), use("/cpu:7"), attempt(lambda: use("/job:worker/device:CPU:0"), words=2)]


def prog_devices_of_the_default_strategy(tf, np):
    """It has none of its own."""
    e = tf.distribute.get_strategy().extended
    return [attempt(lambda: e.worker_devices, words=8), attempt(lambda: e.parameter_devices, words=8), e.experimental_require_static_shapes]


def prog_colocation(tf, np):
    """Variables beside variables."""
    default, one = both(tf)
    v = tf.Variable(1.0)
    with one.scope():
        w = tf.Variable(1.0)

    def beside(s, variable):
        with s.scope(), s.extended.colocate_vars_with(variable):
            return tf.Variable(3.0)

    return [beside(default, v), beside(one, w), attempt(lambda: beside(one, v), words=8), attempt(lambda: one.extended.colocate_vars_with(w), words=5)]


def prog_converted_steps(tf, np):
    """AutoGraph converts what run, merge_call and update call."""
    x, body, out = matrix(tf), doubled_if_positive(tf), []
    for s in both(tf):
        f = tf.function(lambda v, s=s: s.run(body, args=(v,)))
        g = tf.function(lambda v: tf.distribute.get_replica_context().merge_call(lambda t, v: body(v), args=(v,)))
        h = tf.function(lambda v, s=s: s.extended.update(v, body))
        k = tf.function(lambda v, s=s: s.extended.update_non_slot([v], body, args=(v,)))
        m = tf.function(lambda v, s=s: s.experimental_distribute_values_from_function(lambda c: body(v)))
        out.append([[q(x), q(-x)] for q in (f, g, h, k, m)])
    return out


def prog_converted_callables(tf, np):
    """Methods, objects, partial functions and functions of functions as steps."""
    import functools

    x, body = matrix(tf), doubled_if_positive(tf)

    class Step:
        limit = 2.0

        def method(self, v):
            if tf.reduce_sum(v) > self.limit:
                return v
            return -v

        def __call__(self, v):
            return self.method(v)

    out = []
    for s in both(tf):

        @tf.function
        def f(v, s=s):
            return s.run(Step().method, args=(v,)), s.run(Step(), (v,)), s.run(functools.partial(body), (v,)), s.run(tf.function(body), (v,)), s.run(fn=body, args=(v,)), s.run(tf.reduce_sum, (v,))

        out.append(f(x))
    return out


def prog_unconverted_steps(tf, np):
    """Steps that AutoGraph leaves alone."""
    x, body, out = matrix(tf), doubled_if_positive(tf), []
    left_alone = tf.autograph.experimental.do_not_convert(body)
    for s in both(tf):
        out.append(attempt(lambda s=s: tf.function(lambda v: s.run(body, args=(v,)), autograph=False)(x), words=0))
        out.append(attempt(lambda s=s: tf.function(lambda v: s.run(left_alone, args=(v,)))(x), words=0))
    return out


def prog_merge_calls_of_optimizers(tf, np):
    """tf.__internal__.distribute."""
    default, one = both(tf)
    I = tf.__internal__.distribute
    call = lambda s, a, b=1: [s is default, s is one, a, b, tf.distribute.in_cross_replica_context()]
    with I.variable_sync_on_read_context():
        value = tf.Variable(1.0) + 1
    return [I.strategy_supports_no_merge_call(), one.run(I.strategy_supports_no_merge_call), default.run(I.strategy_supports_no_merge_call), I.interim.maybe_merge_call(call, default, 1, b=2), one.run(lambda: I.interim.maybe_merge_call(call, one, 1, b=2)), one.run(lambda: I.interim.maybe_merge_call(call, default, 1)), value]


def prog_strategies_of_ones_own(tf, np):
    """Subclasses of Strategy and StrategyExtended."""
    D = tf.distribute

    class Extended(D.StrategyExtended):
        pass

    made = D.Strategy(Extended(D.OneDeviceStrategy("/cpu:0")))
    names = ("worker_devices", "parameter_devices")
    shared = D.Strategy(D.OneDeviceStrategy("/cpu:0").extended)
    return [[attempt(lambda n=n: getattr(made.extended, n), words=4) for n in names], attempt(lambda: made.num_replicas_in_sync, words=4), made.cluster_resolver, made.experimental_local_results(3), made.extended.experimental_require_static_shapes, shared.num_replicas_in_sync, attempt(lambda: D.Strategy(), words=0)]


def prog_copies_of_strategies(tf, np):
    """Strategies are not copied."""
    import copy

    return [[attempt(lambda s=s: copy.copy(s), words=4) for s in both(tf)], attempt(lambda: copy.deepcopy(tf.distribute.get_strategy()), words=6)]


def prog_classes_that_programs_ask_for(tf, np):
    """isinstance with the classes of strategies of several replicas."""
    D = tf.distribute
    classes = (D.Strategy, D.OneDeviceStrategy, D.MirroredStrategy, D.MultiWorkerMirroredStrategy, D.TPUStrategy, D.ParameterServerStrategy, D.experimental.CentralStorageStrategy)
    return [[[isinstance(s, c) for c in classes] for s in both(tf)], [issubclass(c, D.Strategy) for c in classes], isinstance(5, D.DistributedValues), isinstance(tf.Variable(1.0), D.DistributedValues)]


def prog_training_step(tf, np):
    """A gradient step with aggregated gradients, in both strategies."""
    out = []
    for s in both(tf):
        with s.scope():
            w = tf.Variable([1.0, 2.0])

        def step(x, w=w):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((w * x) ** 2)
            gradient = tf.distribute.get_replica_context().all_reduce("MEAN", tape.gradient(loss, w))
            w.assign_sub(0.1 * gradient)
            return loss

        @tf.function
        def train(x, s=s, step=step):
            return s.reduce("MEAN", s.run(step, args=(x,)), axis=None)

        out.append([train(tf.constant([1.0, -1.0])), train(tf.constant([0.5, 2.0])), w])
    return out
