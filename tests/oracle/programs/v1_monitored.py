"""Monitored sessions, hooks, session managers, supervisors of TensorFlow 1."""

from __future__ import annotations

import os
import tempfile

from tests.oracle.programs._composite_helpers import outcome


def _graph(call):
    def prog(tf, np):
        with tf.Graph().as_default():
            return outcome(lambda: call(tf, tf.compat.v1.train), 0)

    return prog


def _step(tf):
    step = tf.compat.v1.train.get_or_create_global_step()
    return step.assign_add(1).op


def _files(folder):
    return sorted(name for name in os.listdir(folder) if not name.startswith("events"))


def _hook(tf, calls, **methods):
    """A hook that notes what is called, besides what it is told to do."""

    class Noting(tf.compat.v1.train.SessionRunHook):
        def begin(self):
            calls.append("begin")

        def after_create_session(self, session, coord):
            calls.append(f"create {type(session).__name__} {type(coord).__name__}")

        def end(self, session):
            calls.append(f"end {type(session).__name__}")

    for name, method in methods.items():
        setattr(Noting, name, method)
    return Noting()


def _life(tf, train):
    x, calls = tf.constant(1.0), []
    asks = lambda self, context: train.SessionRunArgs({"twice": x * 2})
    hears = lambda self, context, values: calls.append([values.results["twice"], context.original_args.fetches is x, context.stop_requested])
    doubled = x * 2
    asks = lambda self, context: train.SessionRunArgs({"twice": doubled})
    with train.MonitoredSession(hooks=[_hook(tf, calls, before_run=asks, after_run=hears)]) as session:
        found = [session.run(x), session.should_stop(), session.graph is x.graph, x.graph.finalized]
    return [found, calls, session.should_stop(), x.graph.finalized]


def _stop(tf, train, **options):
    train_op, runs = _step(tf), 0
    with train.MonitoredSession(hooks=[train.StopAtStepHook(**options)]) as session:
        while not session.should_stop():
            session.run(train_op)
            runs += 1
    return runs


def _asked_to_stop(tf, train):
    x, calls = tf.constant(1), []
    stops = lambda self, context, values: context.request_stop()
    with train.MonitoredSession(hooks=[_hook(tf, calls, after_run=stops)]) as session:
        found = [session.should_stop(), session.run(x), session.should_stop()]
    return [found, calls]


def _recovered(tf, train):
    train_op, calls, runs = _step(tf), [], []

    def fails(self, context):
        runs.append(1)
        if len(runs) in (3, 5):
            raise (tf.errors.AbortedError if len(runs) == 3 else tf.errors.UnavailableError)(None, None, "gone")

    folder = tempfile.mkdtemp()
    hooks = [_hook(tf, calls, before_run=fails)]
    with train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=1, log_step_count_steps=None) as session:
        for _ in range(4):
            session.run(train_op)
        value = session.run(train.get_global_step())
    return [value, calls, _files(folder)]


def _not_recovered(tf, train):
    x, calls = tf.constant(1), []

    def fails(self, context):
        raise tf.errors.AbortedError(None, None, "gone")

    found = outcome(lambda: train.SingularMonitoredSession(hooks=[_hook(tf, calls, before_run=fails)]).run(x), 0)
    return [found, calls]


def _leaves(make):
    def call(tf, train):
        x = tf.constant(1)
        with train.MonitoredSession() as session:
            session.run(x)
            raise make(tf)
        return ["left", session.should_stop()]

    return call


def _fails_in_a_hook(tf, train):
    x, calls = tf.constant(1), []

    def fails(self, context, values):
        raise ValueError("of the hook")

    try:
        with train.MonitoredSession(hooks=[_hook(tf, calls, after_run=fails)]) as session:
            session.run(x)
    except ValueError as error:
        return [str(error), calls]


def _feeds(tf, train):
    x = tf.compat.v1.placeholder(tf.float32, [])
    y, found = x * 2, []
    feeding = lambda value: _hook(tf, [], before_run=lambda self, context: train.SessionRunArgs(None, {x: value}))
    for hooks, fed in (([feeding(3.0)], None), ([train.FeedFnHook(lambda: {x: 4.0})], None), ([feeding(1.0), feeding(2.0)], None), ([feeding(1.0)], {x: 1.0})):
        with train.MonitoredSession(hooks=hooks) as session:
            found.append(outcome(lambda: session.run(y, fed), 6))
    return found


def _step_functions(tf, train):
    x, seen = tf.constant(1), []
    hook = _hook(tf, [], after_run=lambda self, context, values: seen.append(1))
    with train.MonitoredSession(hooks=[hook]) as session:
        found = [
            session.run_step_fn(lambda step_context: step_context.run_with_hooks(x)),
            session.run_step_fn(lambda step_context: step_context.session.run(x)),
            len(seen),
            outcome(lambda: session.run_step_fn(lambda other: 1), 6),
            outcome(lambda: session.run_step_fn(lambda: 1), 6),
        ]
        session.run_step_fn(lambda step_context: step_context.request_stop())
        found.append("not reached")
    return [found, session.should_stop()]


def _closed(tf, train):
    with train.MonitoredSession() as session:
        pass
    return outcome(session.close, 0)


def _initialized(tf, train):
    v = tf.compat.v1.get_variable("v", [2], initializer=tf.compat.v1.ones_initializer())
    local = tf.compat.v1.get_variable("local", [], collections=["local_variables"], initializer=tf.compat.v1.zeros_initializer())
    scaffold = train.Scaffold(init_fn=lambda scaffold, session: session.run(v.initializer))
    with train.SingularMonitoredSession(scaffold=scaffold) as session:
        return [session.run([v, local]), session.raw_session().run(v), [scaffold.init_op.name, scaffold.local_init_op.name, scaffold.ready_op.name, scaffold.ready_for_local_init_op.name, scaffold.summary_op]]


def _fed_initializer(tf, train):
    start = tf.compat.v1.placeholder(tf.float32, [])
    v = tf.compat.v1.get_variable("v", initializer=lambda: start * 2, dtype=tf.float32, use_resource=True)
    scaffold = train.Scaffold(init_feed_dict={start: 3.0})
    with train.MonitoredSession(train.ChiefSessionCreator(scaffold)) as session:
        return session.run(v)


def _scaffold_nodes(tf, train):
    tf.compat.v1.get_variable("v", [2], use_resource=True)
    graph = tf.compat.v1.get_default_graph()
    before = len(graph.get_operations())
    train.Scaffold().finalize()
    return [[op.name, op.type] for op in graph.get_operations()[before:] if "/" not in op.name] + [sorted(graph.get_all_collection_keys())]


def _scaffold_of_two(tf, train):
    for number in (1, 2):
        tf.compat.v1.add_to_collection("init_op", number)
    return train.Scaffold().finalize()


def _scaffold_copied(tf, train):
    first = train.Scaffold(init_op="init", init_feed_dict={"a": 1}, ready_op="ready")
    second = train.Scaffold(ready_op="other", copy_from_scaffold=first)
    return [second.init_op, second.init_feed_dict, second.ready_op, second.saver, outcome(lambda: train.Scaffold(copy_from_scaffold=3), 0)]


def _not_ready(tf, train):
    tf.compat.v1.get_variable("v", [])
    return train.MonitoredSession(train.ChiefSessionCreator(train.Scaffold(init_op=tf.no_op())))


def _restored(tf, train):
    train_op, folder = _step(tf), tempfile.mkdtemp()
    found = []
    for _ in range(2):
        hooks = [train.StopAtStepHook(num_steps=3)]
        with train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=2, log_step_count_steps=None) as session:
            found.append(session.run(train.get_global_step()))
            while not session.should_stop():
                session.run(train_op)
    return [found, _files(folder)]


def _events(tf, train):
    v = tf.compat.v1.get_variable("v", [], initializer=tf.compat.v1.zeros_initializer())
    train_op, folder = tf.group(_step(tf), v.assign_add(1.0).op), tempfile.mkdtemp()
    tf.compat.v1.summary.scalar("value", v)
    with train.MonitoredTrainingSession(checkpoint_dir=folder, save_summaries_steps=2, log_step_count_steps=2) as session:
        for _ in range(5):
            session.run(train_op)
    (events,) = (name for name in os.listdir(folder) if name.startswith("events"))
    found = []
    for event in train.summary_iterator(os.path.join(folder, events)):
        kind = event.WhichOneof("what")
        if kind in ("summary", "session_log"):
            found.append([event.step, [value.tag for value in event.summary.value], event.session_log.status])
    return [found, _files(folder)]


def _summaries(tf, train):
    v = tf.compat.v1.get_variable("v", [], initializer=tf.compat.v1.zeros_initializer())
    train_op, folder = _step(tf), tempfile.mkdtemp()
    summary = tf.compat.v1.summary.scalar("value", v)
    hook = train.SummarySaverHook(save_steps=2, output_dir=folder, summary_op=summary)
    with train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(4):
            session.run(train_op)
    (events,) = os.listdir(folder)
    return [event.step for event in train.summary_iterator(os.path.join(folder, events)) if event.WhichOneof("what") == "summary"]


def _listened(tf, train):
    train_op, folder, calls = _step(tf), tempfile.mkdtemp(), []

    class Listener(train.CheckpointSaverListener):
        def begin(self):
            calls.append("begin")

        def before_save(self, session, step):
            calls.append(["before", step])

        def after_save(self, session, step):
            calls.append(["after", step])
            return step >= 4

        def end(self, session, step):
            calls.append(["end", step])

    hook = train.CheckpointSaverHook(folder, save_steps=2, scaffold=(scaffold := train.Scaffold()), listeners=[Listener()], save_graph_def=False)
    runs = 0
    with train.MonitoredSession(train.ChiefSessionCreator(scaffold), hooks=[hook]) as session:
        while not session.should_stop() and runs < 9:
            session.run(train_op)
            runs += 1
    return [runs, calls, _files(folder)]


def _nan(fails):
    def call(tf, train):
        x = tf.compat.v1.placeholder(tf.float32, [])
        with train.MonitoredSession(hooks=[train.NanTensorHook(x, fail_on_nan_loss=fails)]) as session:
            found = [session.run(x, {x: 1.0}), session.should_stop()]
            found += [outcome(lambda: session.run(x, {x: float("nan")}), 4), session.should_stop()]
        return found

    return call


def _final(tf, train):
    x = tf.compat.v1.placeholder(tf.float32, [])
    hook = train.FinalOpsHook({"double": x * 2}, {x: 4.0})
    with train.MonitoredSession(hooks=[hook]):
        before = hook.final_ops_values
    return [before, hook.final_ops_values]


def _logged(tf, train, **options):
    import logging

    lines = []

    class Lines(logging.Handler):
        def emit(self, record):
            lines.append(record.getMessage().partition(" (")[0])

    logger, handler = tf.get_logger(), Lines()
    level, propagates = logger.level, logger.propagate
    x = tf.compat.v1.get_variable("x", [], initializer=tf.compat.v1.zeros_initializer())
    train_op = x.assign_add(1.5).op
    hook = train.LoggingTensorHook(options.pop("tensors", lambda x: {"value": x})(x.read_value()), **options)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    others = [each for each in logger.handlers if each is not handler]
    for each in others:
        logger.removeHandler(each)
    try:
        with train.MonitoredSession(hooks=[hook]) as session:
            lines.clear()
            for _ in range(4):
                session.run(train_op)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagates
        for each in others:
            logger.addHandler(each)
    return len([line for line in lines if "=" in line or "line" in line])


def _timer(tf, train):
    timer = train.SecondOrStepTimer(every_steps=3)
    first = [timer.should_trigger_for_step(1), timer.update_last_triggered_step(1), timer.last_triggered_step()]
    then = [timer.should_trigger_for_step(step) for step in (1, 2, 3, 4, 5)]
    steps = timer.update_last_triggered_step(4)[1]
    timer.reset()
    return [first, then, steps, timer.last_triggered_step(), timer.should_trigger_for_step(4)]


def _managed(**options):
    """A session manager of one variable, and what it makes ready."""

    def call(tf, train):
        v1 = tf.compat.v1
        v = v1.get_variable("v", [2], initializer=v1.ones_initializer())
        ready = v1.report_uninitialized_variables()
        given = {"local_init_op": tf.no_op, "ready_op": lambda: ready, "ready_for_local_init_op": lambda: ready}
        manager = train.SessionManager(**{name: make() for name, make in given.items() if options.get(name)})
        init_op = v1.global_variables_initializer() if options.get("init_op") else tf.no_op() if options.get("no_op") else None
        init_fn = (lambda session: session.run(v.initializer)) if options.get("init_fn") else None
        return manager.prepare_session("", init_op=init_op, init_fn=init_fn).run(v)

    return call


def _recovering(tf, train):
    v1 = tf.compat.v1
    v = v1.get_variable("v", [2], initializer=v1.ones_initializer())
    saver, folder, found = train.Saver(), tempfile.mkdtemp(), []
    manager = train.SessionManager(ready_op=v1.report_uninitialized_variables())
    doubled = v.assign(v * 2)
    found.append(manager.recover_session("", saver=saver, checkpoint_dir=folder)[1])
    session = manager.prepare_session("", init_op=v1.global_variables_initializer(), saver=saver, checkpoint_dir=folder)
    session.run(doubled.op)
    saver.save(session, os.path.join(folder, "model"), global_step=3)
    again, is_restored = manager.recover_session("", saver=saver, checkpoint_dir=folder)
    found += [is_restored, again.run(v), manager.recover_session("")[1]]
    found.append(outcome(lambda: manager.recover_session("", saver=saver, checkpoint_dir="a", checkpoint_filename_with_path="b"), 0))
    return found


def _waiting(tf, train):
    v1 = tf.compat.v1
    v1.get_variable("v", [2])
    manager = train.SessionManager(ready_op=v1.report_uninitialized_variables(), recovery_wait_secs=0.01)
    return manager.wait_for_session("", max_wait_secs=0.02)


def _supervised(tf, train):
    v1, folder = tf.compat.v1, tempfile.mkdtemp()
    v1.get_variable("v", [2])
    train_op = _step(tf)
    supervisor = train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0)
    with supervisor.managed_session() as session:
        session.run(train_op)
        found = [session.run(supervisor.global_step), supervisor.should_stop(), session.graph.finalized, v1.get_default_session() is session]
        supervisor.saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
        supervisor.request_stop()
        found.append(supervisor.should_stop())
    again = train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0)
    with again.managed_session() as session:
        found.append(session.run(supervisor.global_step))
    return [found, _files(folder), supervisor.is_chief, supervisor.init_op.name, supervisor.local_init_op.name if hasattr(supervisor, "local_init_op") else None, supervisor.save_path.replace(folder, "")]


def _supervised_without_folder(tf, train):
    supervisor = train.Supervisor()
    found = [supervisor.summary_writer, supervisor.saver, supervisor.summary_op, supervisor.global_step, supervisor.save_path, supervisor.save_summaries_secs, supervisor.save_model_secs]
    with supervisor.managed_session() as session:
        found.append(outcome(lambda: supervisor.summary_computed(session, b""), 0))
        found.append(outcome(lambda: supervisor.start_standard_services(session), 0))
    return found


def _supervised_leaving(make):
    def call(tf, train):
        with train.Supervisor().managed_session():
            raise make(tf)
        return "left"

    return call


def _loop(tf, train):
    train_op, values = _step(tf), []
    supervisor = train.Supervisor()

    def step(session, limit, by=1):
        session.run(train_op)
        values.append(int(session.run(supervisor.global_step)))
        if values[-1] >= limit:
            supervisor.request_stop()

    train.basic_train_loop(supervisor, step, args=(3,), kwargs={"by": 2})
    return values


def _looper(tf, train):
    supervisor, calls = train.Supervisor(), []
    with supervisor.managed_session():
        thread = supervisor.loop(0, lambda: (calls.append(1), len(calls) >= 3 and supervisor.request_stop()))
        thread.join()
    return [type(thread).__name__, len(calls)]


def _summaries_computed(tf, train):
    folder = tempfile.mkdtemp()
    train_op = _step(tf)
    summary = tf.compat.v1.summary.scalar("value", tf.constant(2.0))
    supervisor = train.Supervisor(logdir=folder, summary_op=None, save_model_secs=0)
    with supervisor.managed_session(start_standard_services=False) as session:
        for _ in range(3):
            session.run(train_op)
            supervisor.summary_computed(session, session.run(summary))
    (events,) = (name for name in os.listdir(folder) if name.startswith("events"))
    return [[event.step, [value.simple_value for value in event.summary.value]] for event in train.summary_iterator(os.path.join(folder, events)) if event.WhichOneof("what") == "summary"]


def _end_of_data(tf, train):
    queue = train.string_input_producer(["a", "b"], num_epochs=1, shuffle=False)
    x, found = queue.dequeue(), []
    with train.MonitoredSession() as session:
        while not session.should_stop():
            found.append(session.run(x))
    return found


def _end_of_a_dataset(tf, train):
    x, found = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next(), []
    with train.MonitoredTrainingSession() as session:
        while not session.should_stop():
            found.append(session.run(x))
    return found


def _cluster(tf, train):
    cluster = train.ClusterSpec({"worker": ["w0:1", "w1:2"], "ps": {0: "p0:1", 5: "p5:2"}})
    facts = [cluster.as_dict(), cluster.jobs, cluster.num_tasks("ps"), cluster.task_indices("ps"), cluster.task_address("worker", 1), cluster.job_tasks("ps"), str(cluster.as_cluster_def()), bool(cluster), bool(train.ClusterSpec({})), repr(cluster)]
    same = [cluster == train.ClusterSpec(cluster.as_cluster_def()), cluster == train.ClusterSpec(cluster), cluster != train.ClusterSpec({})]
    calls = (lambda: cluster.num_tasks("x"), lambda: cluster.task_indices("x"), lambda: cluster.task_address("worker", 7), lambda: cluster.task_address("x", 0), lambda: cluster.job_tasks("x"), lambda: train.ClusterSpec(3), lambda: train.ClusterSpec({"w": 3}), lambda: train.ClusterSpec({"w": {"a": "b"}}), lambda: train.ClusterSpec({"w": [3]}))
    return [facts, same, [outcome(call, 0) for call in calls]]


def _replicas(tf, train):
    v1 = tf.compat.v1
    with v1.device(train.replica_device_setter(ps_tasks=2)):
        variables = [v1.get_variable(name, []) for name in "abc"]
        value = variables[0] + 1
    with v1.device(train.replica_device_setter(cluster={"ps": ["a:1", "b:2", "c:3"], "worker": ["w:1"]}, worker_device="/job:worker/task:0")):
        others = [v1.get_variable(name, []) for name in "defg"]
        other = others[0] * 2
    return [[x.device for x in (*variables, value, *others, other)], train.replica_device_setter(), train.replica_device_setter(cluster={"worker": ["a:1"]})]


def _hooks_without_a_step(tf, train):
    x = tf.constant("a")
    hooks = (lambda: train.StopAtStepHook(1), lambda: train.CheckpointSaverHook(tempfile.mkdtemp(), save_steps=1), lambda: train.StepCounterHook(), lambda: train.SummarySaverHook(1, output_dir=tempfile.mkdtemp(), summary_op=x), lambda: train.GlobalStepWaiterHook(1))
    return [outcome(lambda: make().begin(), 0) for make in hooks]


def _imported_runners(tf, train):
    v1 = tf.compat.v1
    tf.identity(train.string_input_producer(["a", "b"], shuffle=False).dequeue(), name="out")
    meta_graph = train.export_meta_graph()
    with tf.Graph().as_default():
        train.import_meta_graph(meta_graph)
        (runner,) = v1.get_collection("queue_runners")
        with v1.Session() as session:
            coordinator = tf.train.Coordinator()
            threads = train.start_queue_runners(session, coordinator)
            found = [session.run("out:0") for _ in range(3)]
            coordinator.request_stop()
            coordinator.join(threads)
    return [runner.name, [op.name for op in runner.enqueue_ops], found]


def _imported_savers(tf, train):
    v1, folder = tf.compat.v1, tempfile.mkdtemp()
    train_op = _step(tf)
    with train.MonitoredTrainingSession(checkpoint_dir=folder, save_checkpoint_steps=2, log_step_count_steps=0) as session:
        for _ in range(3):
            session.run(train_op)
    latest = tf.train.latest_checkpoint(folder)
    with tf.Graph().as_default(), v1.Session() as session:
        train.import_meta_graph(latest + ".meta")
        (saver,) = v1.get_collection("savers")
        saver.restore(session, latest)
        return [session.run(train.get_global_step()), type(saver).__name__, v1.get_collection("init_op")[0].name, v1.get_collection("ready_op")[0].name]


_CALLS = {
    "imported_runners": _imported_runners,
    "imported_savers": _imported_savers,
    "life": _life,
    "stop_after_steps": lambda tf, train: _stop(tf, train, num_steps=3),
    "stop_at_step": lambda tf, train: _stop(tf, train, last_step=2),
    "stop_without_number": lambda tf, train: train.StopAtStepHook(),
    "stop_with_both": lambda tf, train: train.StopAtStepHook(1, 2),
    "asked_to_stop": _asked_to_stop,
    "recovered": _recovered,
    "not_recovered": _not_recovered,
    "left_by_the_end_of_data": _leaves(lambda tf: tf.errors.OutOfRangeError(None, None, "end")),
    "left_by_stop_iteration": _leaves(lambda tf: StopIteration()),
    "left_by_an_error": _leaves(lambda tf: ValueError("an error")),
    "error_in_a_hook": _fails_in_a_hook,
    "feeds": _feeds,
    "step_functions": _step_functions,
    "closed_twice": _closed,
    "initialized": _initialized,
    "initializer_fed": _fed_initializer,
    "scaffold_nodes": _scaffold_nodes,
    "scaffold_of_two_initializers": _scaffold_of_two,
    "scaffold_copied": _scaffold_copied,
    "not_ready": _not_ready,
    "restored": _restored,
    "events": _events,
    "summaries": _summaries,
    "listened": _listened,
    "nan_fails": _nan(True),
    "nan_stops": _nan(False),
    "final": _final,
    "logged": lambda tf, train: _logged(tf, train, every_n_iter=2),
    "logged_at_end": lambda tf, train: _logged(tf, train, at_end=True),
    "logged_by_a_formatter": lambda tf, train: _logged(tf, train, every_n_iter=1, formatter=lambda values: "line"),
    "logged_never": lambda tf, train: train.LoggingTensorHook(["x"]),
    "logged_twice": lambda tf, train: train.LoggingTensorHook(["x"], every_n_iter=1, every_n_secs=1),
    "logged_every_zero": lambda tf, train: train.LoggingTensorHook(["x"], every_n_iter=0),
    "timer": _timer,
    "timer_of_nothing": lambda tf, train: train.SecondOrStepTimer(),
    "timer_of_both": lambda tf, train: train.SecondOrStepTimer(1, 2),
    "saver_and_scaffold": lambda tf, train: train.CheckpointSaverHook("folder", save_steps=1, saver=1, scaffold=2),
    "saver_without_time": lambda tf, train: train.CheckpointSaverHook("folder"),
    "summaries_of_nothing": lambda tf, train: train.SummarySaverHook(1),
    "counter_of_nothing": lambda tf, train: train.StepCounterHook(every_n_steps=None),
    "hooks_without_a_step": _hooks_without_a_step,
    "managed_without_initializer": _managed(),
    "managed_by_an_operation": _managed(init_op=True),
    "managed_by_a_function": _managed(init_fn=True, ready_op=True),
    "managed_by_nothing": _managed(no_op=True, ready_op=True),
    "managed_not_ready_for_local": _managed(no_op=True, ready_op=True, local_init_op=True, ready_for_local_init_op=True),
    "managed_local": _managed(init_op=True, ready_op=True, local_init_op=True, ready_for_local_init_op=True),
    "managed_ready_for_nothing": _managed(ready_for_local_init_op=True),
    "recovering": _recovering,
    "waiting": _waiting,
    "supervised": _supervised,
    "supervised_without_folder": _supervised_without_folder,
    "supervised_left_by_the_end_of_data": _supervised_leaving(lambda tf: tf.errors.OutOfRangeError(None, None, "end")),
    "supervised_left_by_an_error": _supervised_leaving(lambda tf: ValueError("an error")),
    "supervised_loop": _loop,
    "supervised_looper": _looper,
    "summaries_computed": _summaries_computed,
    "end_of_data": _end_of_data,
    "end_of_a_dataset": _end_of_a_dataset,
    "both_times": lambda tf, train: train.MonitoredTrainingSession(save_checkpoint_secs=1, save_checkpoint_steps=2, checkpoint_dir="folder"),
    "cluster": _cluster,
    "replicas": _replicas,
}

globals().update({f"prog_{name}": _graph(call) for name, call in _CALLS.items()})
