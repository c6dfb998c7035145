"""Datasets and tf.function: loops, iterators made inside or captured, control flow in the functions of datasets."""

# ruff: noqa: C417, SIM113 (programs write what users write)
from __future__ import annotations

from tests.oracle.programs._data_helpers import about, cases, elements, numbers, order, outcome
from tests.oracle.support import nodes


def _types(function):
    """The op types of a function's graph, sorted, without constants and identities."""
    graph = function.get_concrete_function().graph
    return sorted(op.type for op in graph.get_operations() if op.type not in ("Const", "Identity", "NoOp"))


globals().update(
    cases(
        map_with_python_if=lambda tf: order(numbers(tf).map(_collatz)),
        map_with_while=lambda tf: order(tf.data.Dataset.range(1, 7).map(_steps)),
        map_with_for_range=lambda tf: order(numbers(tf).map(_triangle)),
        map_with_cond=lambda tf: order(numbers(tf).map(lambda x: tf.cond(x > 2, lambda: x * 10, lambda: -x))),
        map_with_while_loop=lambda tf: order(numbers(tf).map(lambda x: tf.while_loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), (tf.constant(0, tf.int64), tf.constant(0, tf.int64)))[1])),
        map_with_switch_case=lambda tf: order(numbers(tf, 3).map(lambda x: tf.switch_case(tf.cast(x, tf.int32), [lambda: 10, lambda: 20, lambda: 30]))),
        map_with_map_fn=lambda tf: order(numbers(tf, 3).map(lambda x: tf.map_fn(lambda i: i * x, tf.range(3, dtype=tf.int64)))),
        map_with_gradient=lambda tf: order(numbers(tf, 4).map(lambda x: _slope(tf, tf.cast(x, tf.float32)))),
        filter_with_python_if=lambda tf: order(numbers(tf, 8).filter(_is_odd_or_large)),
        reduce_in_a_map=lambda tf, np: order(numbers(tf, 4).map(lambda x: tf.data.Dataset.range(x).reduce(np.int64(0), lambda s, y: s + y))),
        dataset_method_in_a_function=lambda tf, np: tf.function(lambda: numbers(tf).batch(2).reduce(np.int64(0), lambda s, b: s + tf.reduce_sum(b)))(),
        cardinality_in_a_function=lambda tf: tf.function(lambda: numbers(tf).batch(2).cardinality())(),
        dataset_argument=lambda tf, np: tf.function(lambda d: d.reduce(np.int64(0), lambda s, x: s + x))(numbers(tf)),
        dataset_returned=lambda tf: [about(tf.function(lambda n: tf.data.Dataset.range(n).map(lambda x: x + 1))(tf.constant(3, tf.int64)))[1:], order(tf.function(lambda n: tf.data.Dataset.range(n))(tf.constant(3, tf.int64)))],
        dataset_captured=lambda tf, np: (lambda d: tf.function(lambda: d.reduce(np.int64(0), lambda s, x: s + x))())(numbers(tf)),
        iterator_argument=lambda tf: (lambda f, i: [int(f(i)), int(f(i)), int(next(i))])(tf.function(lambda i: next(i)), iter(numbers(tf))),
        iterator_captured=lambda tf: (lambda i: (lambda f: [int(f()), int(f()), int(next(i)), int(f())])(tf.function(lambda: next(i))))(iter(numbers(tf))),
        iterator_captured_to_the_end=lambda tf: (lambda i: (lambda f: [outcome(lambda: int(f()), 3) for _ in range(4)])(tf.function(lambda: next(i))))(iter(numbers(tf, 2))),
        iterator_made_inside=lambda tf: (lambda f: [f(), f()])(tf.function(lambda: (lambda i: (next(i), next(i)))(iter(numbers(tf))))),
        get_next_inside=lambda tf: tf.function(lambda i: i.get_next())(iter(tf.data.Dataset.from_tensors({"a": 1, "b": ("x",)}))),
        optional_inside=lambda tf: (lambda f, i: [f(i), f(i)])(tf.function(lambda i: i.get_next_as_optional().has_value()), iter(numbers(tf, 1))),
        reduce_captures_a_variable=lambda tf: (lambda v: tf.function(lambda: numbers(tf).reduce(0.0, lambda s, x: s + v * tf.cast(x, tf.float32)))())(tf.Variable(2.0)),
        map_reads_a_variable=lambda tf: (lambda v, out: [out(v), v.assign(10), out(v)])(tf.Variable(1, dtype=tf.int64), lambda v: order(numbers(tf, 3).map(lambda x: x + v))),
        map_sees_later_assignments=lambda tf: (lambda v: (lambda d: [order(d), v.assign(10), order(d)])(numbers(tf, 3).map(lambda x: x + v)))(tf.Variable(1, dtype=tf.int64)),
        functions_are_traced_once=lambda tf: (lambda seen: [numbers(tf).map(lambda x: (seen.append(type(x).__name__), x)[1]).element_spec, order(numbers(tf).map(lambda x: x)), len(seen)])([]),
        trace_sees_symbolic_tensors=lambda tf: (lambda seen: [order(numbers(tf, 2).map(lambda x: (seen.append((hasattr(x, "numpy"), x.shape, x.dtype)), x)[1])), seen])([]),
        range_bounds_in_a_function=lambda tf: elements(tf.function(lambda a, b: tf.data.Dataset.range(a, b))(tf.constant(2, tf.int64), tf.constant(5, tf.int64))),
        loop_ops=lambda tf: _types(tf.function(lambda: numbers(tf).reduce(tf.constant(0, tf.int64), lambda s, x: s + x))),
        iterator_ops=lambda tf: _types(tf.function(lambda: next(iter(numbers(tf))))),
        optional_ops=lambda tf: _types(tf.function(lambda: iter(numbers(tf)).get_next_as_optional().has_value())),
        shuffle_and_cache_ops=lambda tf: _types(tf.function(lambda: numbers(tf).shuffle(2, 5).cache().cardinality())),
        len_in_a_function=lambda tf: outcome(lambda: tf.function(lambda: len(numbers(tf)), autograph=False)()),
        numpy_iterator_in_a_function=lambda tf: outcome(lambda: tf.function(lambda: numbers(tf).as_numpy_iterator())()),
        boolean_in_a_function=lambda tf: tf.function(lambda: tf.constant(1 if numbers(tf, 0) else 0))(),
        batch_in_a_function_keeps_its_shape=lambda tf: tf.function(lambda: tf.constant(str(numbers(tf).batch(2, drop_remainder=True).element_spec)))(),
        functions_run_in_parallel_maps=lambda tf: order(numbers(tf, 30).map(_collatz, num_parallel_calls=4)),
        py_function_order=lambda tf: (lambda seen: [order(numbers(tf, 4).map(lambda x: tf.py_function(lambda v: (seen.append(int(v)), v)[1], [x], tf.int64))), sorted(seen)])([]),
    )
)


def _collatz(x):
    if x % 2 == 0:
        return x // 2
    else:
        return 3 * x + 1


def _steps(x):
    count = 0
    while x != 1:
        x = _collatz(x)
        count += 1
    return count


def _triangle(x):
    total = x * 0
    for i in range(4):
        if x > i:
            total += i
    return total


def _is_odd_or_large(x):
    if x > 5:
        return True
    return x % 2 == 1


def _slope(tf, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
    return tape.gradient(y, x)


def prog_for_over_a_dataset(tf, np):
    """A sum over a dataset."""

    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for x in dataset:
            result += x
        return result

    return [total(numbers(tf)), total(numbers(tf, 0))]


def prog_for_with_break(tf, np):
    """The loop stops at the first large element."""

    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for x in dataset:
            if x > 3:
                break
            result += x
        return result

    return total(tf.data.Dataset.range(100))


def prog_for_with_continue(tf, np):
    """Odd elements are left out."""

    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for x in dataset:
            if x % 2 == 1:
                continue
            result += x
        return result

    return total(numbers(tf, 7))


def prog_for_over_tuples(tf, np):
    """A pair is unpacked in the loop's head."""

    @tf.function
    def product(dataset):
        result = tf.constant(0, tf.int64)
        for a, b in dataset:
            result += a * b
        return result

    return product(tf.data.Dataset.zip(numbers(tf), numbers(tf).skip(1)))


def prog_for_over_dicts(tf, np):
    """Elements keep their structure."""

    @tf.function
    def total(dataset):
        result = 0
        for x in dataset:
            result += x["a"] - x["b"]
        return result

    return total(tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [10, 20]}))


def prog_for_over_an_iterator(tf, np):
    """The iterator is used up by the loop."""

    @tf.function
    def total(iterator):
        result = tf.constant(0, tf.int64)
        for x in iterator:
            result += x
        return result

    iterator = iter(numbers(tf))
    first = next(iterator)
    return [first, total(iterator), outcome(iterator.get_next, 3)]


def prog_for_over_an_iterator_with_break(tf, np):
    """The rest stays in the iterator."""

    @tf.function
    def total(iterator):
        result = tf.constant(0, tf.int64)
        for x in iterator:
            result += x
            if result > 2:
                break
        return result

    iterator = iter(numbers(tf, 6))
    return [total(iterator), [int(x) for x in iterator]]


def prog_for_over_enumerate(tf, np):
    """Python's enumerate becomes the dataset's."""

    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for i, x in enumerate(dataset):
            result += i * x
        return result

    return total(tf.data.Dataset.range(3, 7))


def prog_for_over_zip_of_datasets(tf, np):
    """Python's zip becomes the dataset's."""

    @tf.function
    def total(a, b):
        result = tf.constant(0, tf.int64)
        for x, y in zip(a, b):
            result += x * y
        return result

    return total(numbers(tf), numbers(tf, 3))


def prog_python_map_and_filter_of_datasets(tf, np):
    """Python's map and filter become the dataset's."""

    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for x in filter(lambda x: x > 1, map(lambda x: x * 2, dataset)):
            result += x
        return result

    return total(numbers(tf))


def prog_any_and_all_of_datasets(tf, np):
    """any and all over datasets of booleans."""

    @tf.function
    def both(dataset):
        return any(dataset.map(lambda x: x > 3)), all(dataset.map(lambda x: x > 3))

    return [both(numbers(tf)), both(numbers(tf, 2)), both(numbers(tf).skip(4))]


def prog_for_with_two_state_variables(tf, np):
    """The greatest of the differences between neighbours."""

    @tf.function
    def greatest(dataset):
        last, best = tf.constant(0), tf.constant(0)
        for x in dataset:
            best = tf.maximum(best, tf.abs(x - last))
            last = x
        return last, best

    return greatest(tf.data.Dataset.from_tensor_slices([3, 9, 4]))


def prog_for_assigns_variables(tf, np):
    """Assignments in the loop take place, in order."""
    variable = tf.Variable(1.0)

    @tf.function
    def run(dataset):
        for x in dataset:
            variable.assign(variable * 2.0 + x)

    run(tf.data.Dataset.from_tensor_slices([1.0, 0.0, 3.0]))
    return variable.numpy()


def prog_for_collects_in_a_tensor_array(tf, np):
    """A TensorArray grows along the loop."""

    @tf.function
    def squares(dataset):
        array, i = tf.TensorArray(tf.int64, 0, dynamic_size=True), 0
        for x in dataset:
            array = array.write(i, x * x)
            i += 1
        return array.stack()

    return squares(numbers(tf))


def prog_nested_loops_over_datasets(tf, np):
    """A loop in a loop."""

    @tf.function
    def pairs():
        count = 0
        for x in tf.data.Dataset.range(4):
            for y in tf.data.Dataset.range(4):
                if x < y:
                    count += 1
        return count

    return pairs()


def prog_for_with_return(tf, np):
    """A return in the loop's middle, which real AutoGraph may refuse."""

    @tf.function
    def first_large(dataset):
        for x in dataset:
            if x > 2:
                return x
        return tf.constant(-1, tf.int64)

    return outcome(lambda: first_large(numbers(tf)), 3)


def prog_for_that_changes_a_shape(tf, np):
    """A state variable that grows is refused without shape invariants."""

    @tf.function
    def collected(dataset):
        result = tf.zeros([0], tf.int64)
        for x in dataset:
            result = tf.concat([result, [x]], 0)
        return result

    return outcome(lambda: collected(numbers(tf, 3)), 3)


def prog_for_with_shape_invariants(tf, np):
    """The same with shape invariants."""

    @tf.function
    def collected(dataset):
        result = tf.zeros([0], tf.int64)
        for x in dataset:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(result, tf.TensorShape([None]))])
            result = tf.concat([result, [x]], 0)
        return result

    return outcome(lambda: collected(numbers(tf, 3)))


def prog_training_loop(tf, np):
    """Gradient steps over batches."""
    weight = tf.Variable(0.0)
    dataset = tf.data.Dataset.from_tensor_slices(([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0])).batch(2)

    @tf.function
    def epoch():
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((weight * x - y) ** 2)
            weight.assign_sub(0.05 * tape.gradient(loss, weight))

    for _ in range(3):
        epoch()
    return weight.numpy()


def prog_nodes_of_a_loop(tf, np):
    """The nodes that a loop over a dataset makes."""

    @tf.function
    def total(start):
        for x in tf.data.Dataset.range(4):
            start += x
        return start

    return nodes(total.get_concrete_function(tf.TensorSpec([], tf.int64)).graph)


def prog_nodes_of_a_loop_with_break(tf, np):
    """The nodes of a loop that may stop early."""

    @tf.function
    def total(start):
        for x in tf.data.Dataset.range(4):
            if x > 2:
                break
            start += x
        return start

    graph = total.get_concrete_function(tf.TensorSpec([], tf.int64)).graph
    return [op.type for op in graph.get_operations() if "Dataset" in op.type]


def prog_spec_of_an_input_signature(tf, np):
    """DatasetSpec in an input signature."""
    spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    total = tf.function(lambda d: d.reduce(np.int64(0), lambda s, x: s + x), input_signature=[spec])
    return [total(numbers(tf)), total(numbers(tf, 2)), outcome(lambda: total(numbers(tf).batch(2)), 3)]


def prog_datasets_of_one_spec_share_a_trace(tf, np):
    """A function is traced once for each element_spec."""
    traces = []

    @tf.function
    def count(dataset):
        traces.append(dataset.element_spec)
        return dataset.reduce(0, lambda n, _: n + 1)

    return [count(numbers(tf)), count(numbers(tf, 2)), count(numbers(tf).map(lambda x: x)), count(numbers(tf).batch(2)), traces]


def prog_iterators_of_one_spec_share_a_trace(tf, np):
    """A function is traced once for the spec of iterators."""
    traces = []

    @tf.function
    def advance(iterator):
        traces.append(1)
        return next(iterator)

    return [advance(iter(numbers(tf))), advance(iter(numbers(tf).skip(2))), len(traces)]


def prog_loop_limited_by_take(tf, np):
    """Steps of an infinite dataset."""

    @tf.function
    def total(dataset, steps):
        result = tf.constant(0, tf.int64)
        for x in dataset.take(steps):
            result += x
        return result

    return [total(tf.data.Dataset.counter(), tf.constant(n, tf.int64)) for n in (0, 3)]


def prog_several_steps_over_one_iterator(tf, np):
    """Steps as Keras runs them: a range loop with next inside."""

    @tf.function
    def steps(iterator):
        result = tf.constant(0, tf.int64)
        for _ in tf.range(2):
            result += next(iterator)
        return result

    iterator = iter(numbers(tf))
    return [steps(iterator), steps(iterator), outcome(lambda: steps(iterator), 0)[0]]
