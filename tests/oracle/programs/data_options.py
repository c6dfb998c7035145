"""tf.data.Options: attributes, defaults, merging, what a dataset keeps of them."""

from __future__ import annotations

from tests.oracle.programs._data_helpers import about, cases, errors, numbers, order, outcome

_GROUPS = ("autotune", "experimental_distribute", "experimental_optimization", "threading")


def _values(options):
    """The public attributes of an options object by name; nested objects as dicts."""
    found = {}
    for name in dir(options):
        if not name.startswith("_") and name != "merge":
            value = getattr(options, name)
            found[name] = _values(value) if type(value).__name__.endswith("Options") else str(value)
    return found


def _set(tf, **values):
    """Options with attributes set; a double underscore goes into a group."""
    options = tf.data.Options()
    for name, value in values.items():
        *groups, attribute = name.split("__")
        target = options
        for group in groups:
            target = getattr(target, group)
        setattr(target, attribute, value)
    return options


def _serialized(tf, **values):
    with tf.Graph().as_default() as graph:
        tf.data.Dataset.range(1).with_options(_set(tf, **values))
        return next(op for op in graph.get_operations() if op.type == "OptionsDataset").get_attr("serialized_options")


_SWITCHES = ("apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization", "noop_elimination", "parallel_batch", "seq_interleave_prefetch", "shuffle_and_repeat_fusion")

globals().update(
    cases(
        defaults=lambda tf: _values(tf.data.Options()),
        defaults_of_groups=lambda tf: [_values(kind()) for kind in (tf.data.ThreadingOptions, tf.data.experimental.AutotuneOptions, tf.data.experimental.DistributeOptions, tf.data.experimental.OptimizationOptions, tf.data.experimental.ThreadingOptions)],
        classes=lambda tf: [type(getattr(tf.data.Options(), name)).__name__ for name in _GROUPS],
        equality=lambda tf: [tf.data.Options() == tf.data.Options(), tf.data.Options() != tf.data.Options(), _set(tf, deterministic=True) == tf.data.Options(), _set(tf, threading__private_threadpool_size=1) == _set(tf, threading__private_threadpool_size=1)],
        text=lambda tf: repr(tf.data.Options()),
        deprecated_names=lambda tf: (lambda o: [o.experimental_threading is o.threading, o.experimental_deterministic])(_set(tf, experimental_deterministic=False, experimental_threading__max_intra_op_parallelism=2)),
        threading_is_one_class=lambda tf: tf.data.ThreadingOptions is tf.data.experimental.ThreadingOptions,
        groups_are_own_objects=lambda tf: [tf.data.Options().threading is tf.data.Options().threading, (lambda o: o.threading is o.threading)(tf.data.Options())],
        groups_can_be_replaced=lambda tf: (lambda t: (setattr(t, "private_threadpool_size", 7), _set(tf, threading=t).threading.private_threadpool_size)[1])(tf.data.ThreadingOptions()),
        switches=lambda tf: [getattr(_set(tf, **{f"experimental_optimization__{name}": True}).experimental_optimization, name) for name in _SWITCHES],
        merge=lambda tf: _values(_set(tf, deterministic=False, threading__private_threadpool_size=3).merge(_set(tf, experimental_slack=True, threading__max_intra_op_parallelism=2))),
        merge_of_conflicts=lambda tf: [_set(tf, deterministic=a).merge(_set(tf, deterministic=b)).deterministic for a in (True, False) for b in (True, False)],
        merge_keeps_both_as_they_are=lambda tf: (lambda a, b: (a.merge(b), [a.experimental_slack, b.deterministic])[1])(_set(tf, deterministic=True), _set(tf, experimental_slack=True)),
        merge_of_groups=lambda tf: _values(_set(tf, autotune__enabled=True, autotune__cpu_budget=2).merge(_set(tf, autotune__enabled=False, autotune__ram_budget=5)).autotune),
        of_a_new_dataset=lambda tf: numbers(tf).options() == tf.data.Options(),
        with_options=lambda tf: [about(numbers(tf).with_options(tf.data.Options())), order(numbers(tf).with_options(_set(tf, deterministic=True)))],
        kept_by_transformations=lambda tf: [d.options().deterministic for d in (lambda d: (d, d.map(lambda x: x), d.batch(2), d.repeat(), d.shuffle(2), d.flat_map(lambda x: numbers(tf)), d.take(1).prefetch(1)))(numbers(tf).with_options(_set(tf, deterministic=False)))],
        later_options_win=lambda tf: _values(numbers(tf).with_options(_set(tf, deterministic=True, experimental_slack=True)).with_options(_set(tf, deterministic=False)).options()),
        zipped_datasets_merge=lambda tf: [tf.data.Dataset.zip(numbers(tf).with_options(_set(tf, deterministic=a)), numbers(tf).with_options(_set(tf, deterministic=b))).options().deterministic for a, b in ((True, False), (False, True))],
        concatenated_datasets_merge=lambda tf: numbers(tf).with_options(_set(tf, deterministic=True)).concatenate(numbers(tf).with_options(_set(tf, experimental_slack=False))).options().experimental_slack,
        of_inner_datasets_stay_inside=lambda tf: (lambda inner: numbers(tf).flat_map(lambda x: inner).options().deterministic)(numbers(tf).with_options(_set(tf, deterministic=False))),
        of_a_dataset_are_a_copy=lambda tf: (lambda o: (lambda d: (setattr(o, "deterministic", True), d.options().deterministic)[1])(numbers(tf).with_options(o)))(_set(tf, deterministic=False)),
        of_a_dataset_are_frozen=lambda tf: [outcome(lambda: setattr(numbers(tf).options(), "deterministic", True)), outcome(lambda: setattr(numbers(tf).options().threading, "private_threadpool_size", 1))],
        do_not_change_elements=lambda tf: [order(numbers(tf, 6).map(lambda x: x + 1, num_parallel_calls=2).filter(lambda x: x % 2 == 0).batch(2).with_options(_set(tf, **{f"experimental_optimization__{name}": value}))) for name in _SWITCHES for value in (True, False)],
        with_threads=lambda tf: order(numbers(tf, 6).map(lambda x: x * 2, num_parallel_calls=4).with_options(_set(tf, threading__private_threadpool_size=2, threading__max_intra_op_parallelism=1))),
        without_autotuning=lambda tf: order(numbers(tf, 6).map(lambda x: x * 2, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE).with_options(_set(tf, autotune__enabled=False))),
        not_deterministic=lambda tf: sorted(order(numbers(tf, 9).map(lambda x: x * 2, num_parallel_calls=3).with_options(_set(tf, deterministic=False)))),
        serialized_defaults=lambda tf: _serialized(tf),
        serialized_flags=lambda tf: [_serialized(tf, **{name: True}) for name in ("deterministic", "experimental_slack", "experimental_symbolic_checkpoint", "experimental_warm_start")],
        serialized_names=lambda tf: [_serialized(tf, dataset_name="name"), _serialized(tf, framework_type=["a", "b"])],
        serialized_threading=lambda tf: [_serialized(tf, threading__max_intra_op_parallelism=2), _serialized(tf, threading__private_threadpool_size=3)],
        serialized_autotune=lambda tf: [_serialized(tf, **{f"autotune__{name}": value}) for name, value in (("enabled", False), ("cpu_budget", 2), ("ram_budget", 3), ("initial_parallelism", 4), ("min_parallelism", 5))],
        serialized_autotune_algorithms=lambda tf: [_serialized(tf, autotune__autotune_algorithm=a) for a in tf.data.experimental.AutotuneAlgorithm],
        serialized_policies=lambda tf: [_serialized(tf, experimental_external_state_policy=p) for p in tf.data.experimental.ExternalStatePolicy] + [_serialized(tf, experimental_distribute__auto_shard_policy=p) for p in tf.data.experimental.AutoShardPolicy],
        serialized_devices=lambda tf: _serialized(tf, experimental_distribute__num_devices=2),
        serialized_switches=lambda tf: {name: _serialized(tf, **{f"experimental_optimization__{name}": False}) for name in _SWITCHES},
        serialized_together=lambda tf: _serialized(tf, deterministic=False, autotune__enabled=True, threading__private_threadpool_size=5, experimental_optimization__map_fusion=True),
        enums=lambda tf: [[(m.name, m.value) for m in kind] for kind in (tf.data.experimental.AutoShardPolicy, tf.data.experimental.AutotuneAlgorithm, tf.data.experimental.ExternalStatePolicy)],
        enum_texts=lambda tf: [repr(tf.data.experimental.AutoShardPolicy.DATA), tf.data.experimental.AutoShardPolicy.DATA + 1, str(tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB), str(tf.data.experimental.ExternalStatePolicy.FAIL)],
    )
)

globals().update(
    errors(
        words=10,
        unknown_attribute=lambda tf: _set(tf, speed=1),
        text_for_a_flag=lambda tf: _set(tf, deterministic="yes"),
        none_for_a_flag=lambda tf: _set(tf, deterministic=None),
        number_for_a_switch=lambda tf: _set(tf, experimental_optimization__map_fusion=1),
        number_for_a_group=lambda tf: _set(tf, threading=3),
        text_for_a_size=lambda tf: _set(tf, threading__private_threadpool_size="a"),
        number_for_a_policy=lambda tf: _set(tf, experimental_distribute__auto_shard_policy=5),
        text_for_a_list=lambda tf: _set(tf, framework_type="x"),
        deleted_attribute=lambda tf: delattr(tf.data.Options(), "deterministic"),
        hash_of_options=lambda tf: hash(tf.data.Options()),
        merge_with_a_number=lambda tf: tf.data.Options().merge(3),
    )
)
