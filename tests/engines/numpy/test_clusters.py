"""Functions with `jit_compile=True` that other functions call: compiled, and otherwise as if they were written out."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.tensor import PendingTensor
from millrace._src.engines import engine_table, tiers
from millrace._src.engines.compilations import compilation_count
from millrace._src.engines.engine_table import ENGINES

pytestmark = pytest.mark.xla

VECTOR = tf.TensorSpec([None], tf.float32)


def compiled(f: Any) -> Any:
    return tf.function(f, autograph=False, jit_compile=True)


def plain(f: Any) -> Any:
    return tf.function(f, autograph=False)


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def numbers(count: int) -> Any:
    return tf.range(count, dtype=tf.float32)


class Compilations:
    """Counts the executables that are compiled from its making on."""

    def __init__(self) -> None:
        self.before = compilation_count()

    @property
    def count(self) -> int:
        return compilation_count() - self.before


@pytest.fixture
def compilations() -> Compilations:
    return Compilations()


# --- when XLA compiles ------------------------------------------------------------------------------------------------


def test_a_compiled_function_is_compiled_where_a_function_calls_it(compilations: Compilations) -> None:
    inner = compiled(lambda x: tf.exp(x) * 2.0)
    outer = plain(lambda x: inner(x + 1.0) - 1.0)
    assert value(outer(tf.constant([-1.0]))) == [1.0]
    assert compilations.count == 1
    outer(tf.constant([3.0]))
    assert compilations.count == 1


def test_a_function_that_is_not_compiled_is_written_out(compilations: Compilations) -> None:
    inner = plain(lambda x: tf.exp(x))
    assert value(plain(lambda x: inner(x))(tf.constant(0.0))) == 1.0
    assert compilations.count == 0


def test_a_compiled_function_in_a_compiled_function_is_part_of_it(compilations: Compilations) -> None:
    inner = compiled(lambda x: tf.exp(x))
    outer = compiled(lambda x: inner(x) + inner(x * 2.0))
    assert value(outer(tf.constant(0.0))) == 2.0
    assert compilations.count == 1


def test_all_callers_of_a_function_share_its_executables(compilations: Compilations) -> None:
    inner = compiled(lambda x: tf.exp(x))
    x = tf.constant([0.0])
    twice, once = plain(lambda x: inner(x) + inner(x - 1.0)), plain(lambda x: inner(x))
    assert value(twice(x)) == pytest.approx([1.0 + np.exp(-1.0)])
    assert value(once(x)) == value(inner(x)) == [1.0]
    assert compilations.count == 1


def test_each_shape_has_an_executable_though_the_trace_knows_none(compilations: Compilations) -> None:
    inner = compiled(lambda x: tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32))
    outer = tf.function(lambda x: inner(x), autograph=False, input_signature=[VECTOR])
    assert [value(outer(numbers(n))) for n in (3, 5, 3, 5)] == [1.0, 2.0, 1.0, 2.0]
    assert compilations.count == 2
    assert inner.experimental_get_tracing_count() == 1


def test_what_runs_function_eagerly_compiles_nothing(compilations: Compilations) -> None:
    inner = compiled(lambda x: tf.exp(x))
    outer = plain(lambda x: inner(x))
    tf.config.run_functions_eagerly(True)
    try:
        assert value(outer(tf.constant(0.0))) == 1.0
    finally:
        tf.config.run_functions_eagerly(False)
    assert compilations.count == 0


def test_a_raw_call_op_compiles_its_function(compilations: Compilations) -> None:
    inner = compiled(lambda x: tf.exp(x)).get_concrete_function(VECTOR)
    (y,) = tf.raw_ops.PartitionedCall(args=[tf.constant([0.0])], Tout=[tf.float32], f=inner.graph_function)
    assert (value(y), compilations.count) == ([1.0], 1)


# --- inside of loops and branches -------------------------------------------------------------------------------------


def test_a_call_in_a_loop_compiles_once(compilations: Compilations) -> None:
    double = compiled(lambda x: x * 2.0)
    outer = plain(lambda x, n: tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, double(x)), [0, x])[1])
    assert value(outer(tf.constant([1.0, 3.0]), tf.constant(4))) == [16.0, 48.0]
    assert compilations.count == 1


def test_only_the_branch_that_is_taken_compiles(compilations: Compilations) -> None:
    double, refused = compiled(lambda x: x * 2.0), compiled(lambda x: (tf.print(x), x)[1])
    outer = plain(lambda p, x: tf.cond(p, lambda: double(x), lambda: refused(x)))
    assert value(outer(tf.constant(True), tf.constant(3.0))) == 6.0
    assert compilations.count == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"unsupported operations.*\n?.*PrintV2"):
        outer(tf.constant(False), tf.constant(3.0))


def test_a_call_in_one_of_several_branches() -> None:
    functions = [compiled(lambda x, k=k: x * k) for k in (1.0, 2.0, 3.0)]
    outer = plain(lambda i, x: tf.switch_case(i, [lambda f=f: f(x) for f in functions]))
    assert [value(outer(tf.constant(i), tf.constant(5.0))) for i in range(3)] == [5.0, 10.0, 15.0]


def test_a_call_in_the_condition_of_a_loop() -> None:
    is_small = compiled(lambda x: tf.reduce_sum(x) < 100.0)
    outer = plain(lambda x: tf.while_loop(is_small, lambda x: (x * 2.0,), [x])[0])
    assert value(outer(tf.constant([1.0, 2.0]))) == [64.0, 128.0]


def test_a_call_in_a_function_of_a_dataset(compilations: Compilations) -> None:
    inner = compiled(lambda x: tf.exp(x))
    dataset = tf.data.Dataset.from_tensor_slices(tf.zeros([6])).map(lambda x: inner(x) + 1.0).batch(3)
    assert [value(batch) for batch in dataset] == [[2.0] * 3] * 2
    assert compilations.count == 1


def test_a_call_in_a_function_that_is_not_written_out(compilations: Compilations) -> None:
    double = compiled(lambda x: x * 2.0)
    middle = plain(lambda x: double(x))
    tf.config.optimizer.set_experimental_options({"function_optimization": False})
    try:
        outer = plain(lambda x: middle(x) + double(middle(x)))
        assert value(outer(tf.constant([3.0]))) == [18.0]
    finally:
        tf.config.optimizer.set_experimental_options({"function_optimization": None})
    assert compilations.count == 1


# --- variables --------------------------------------------------------------------------------------------------------


def test_a_cluster_reads_and_writes_variables_in_the_order_of_the_program() -> None:
    v = tf.Variable([1.0, 2.0])
    add = compiled(lambda x: v.assign_add(x).read_value() * 10.0)

    @plain
    def outer(x: Any) -> Any:
        before = v.read_value()
        first = add(x)
        between = v.read_value()
        v.assign(between * 2.0)
        second = add(x)
        return before, first, between, second, v.read_value()

    for expected in (
        [[1, 2], [20, 30], [2, 3], [50, 70], [5, 7]],
        [[5, 7], [60, 80], [6, 8], [130, 170], [13, 17]],
    ):
        assert [value(t) for t in outer(tf.ones([2]))] == expected
        assert value(v) == expected[-1]


def test_values_read_before_a_donating_call_keep_their_values() -> None:
    v = tf.Variable(tf.zeros([1000]))
    step = compiled(lambda: v.assign_add(tf.ones([1000])).read_value())
    outer = plain(lambda: (v.read_value(), step(), v.read_value()))
    results = [outer() for _ in range(4)]
    assert [[value(t)[7] for t in r] for r in results] == [[n, n + 1.0, n + 1.0] for n in range(4)]


def test_a_variable_that_is_changed_between_steps_is_seen_by_the_next_step() -> None:
    v = tf.Variable([1.0])
    step = compiled(lambda: v.assign(v * 2.0).read_value())
    outer = plain(lambda: step())
    for expected in (2.0, 6.0, 14.0):
        outer()
        assert value(v) == [expected]
        v.assign_add([1.0])


def test_a_variable_passed_as_an_argument_through_two_functions() -> None:
    add = compiled(lambda v, x: v.assign_add(x).read_value())
    outer = plain(lambda v, w: (add(v, 1.0), add(w, 10.0), add(v, 100.0)))
    v, w = tf.Variable(0.0), tf.Variable(0.0)
    assert [value(t) for t in outer(v, w)] == [1.0, 10.0, 101.0]
    assert [value(t) for t in outer(v, v)] == [102.0, 112.0, 212.0]


def test_a_variable_of_changing_shape() -> None:
    v = tf.Variable([1.0], shape=[None])
    read = compiled(lambda: v + 1.0)
    outer = plain(lambda: read())
    assert value(outer()) == [2.0]
    v.assign([1.0, 2.0])
    assert value(outer()) == [2.0, 3.0]


def test_a_cluster_that_creates_its_variable() -> None:
    made: list[Any] = []

    @compiled
    def layer(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(3.0))
        return made[0] * x

    outer = plain(lambda x: layer(x))
    assert [value(outer(tf.constant(x))) for x in (1.0, 2.0)] == [3.0, 6.0]


def test_effects_around_a_cluster_keep_their_order(capfd: pytest.CaptureFixture[str]) -> None:
    v = tf.Variable(0)

    @compiled
    def add() -> None:
        v.assign_add(1)

    @plain
    def outer() -> None:
        tf.print("before", v)
        add()
        tf.print("between", v)
        add()
        tf.print("after", v)

    outer()
    assert capfd.readouterr().err.split() == ["before", "0", "between", "1", "after", "2"]


# --- gradients --------------------------------------------------------------------------------------------------------


def cube(x: Any) -> Any:
    return tf.reduce_sum(x * x * tf.sin(x))


def gradient_of(function: Any, order: int = 1) -> Any:
    def derived(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return derived if order == 1 else gradient_of(derived, order - 1)


@pytest.mark.parametrize("order", [1, 2])
def test_a_tape_in_the_caller_goes_through_a_cluster(order: int, compilations: Compilations) -> None:
    x = tf.constant([0.5, -1.5, 2.0])
    got = plain(gradient_of(compiled(cube), order))(x)
    assert compilations.count >= 2  # forward and backward
    np.testing.assert_allclose(got, gradient_of(cube, order)(x), rtol=1e-5)


@pytest.mark.parametrize("order", [1, 2])
def test_an_eager_tape_goes_through_the_caller_of_a_cluster(order: int, compilations: Compilations) -> None:
    x = tf.constant([0.5, -1.5, 2.0])
    inner = compiled(cube)
    got = gradient_of(plain(lambda x: inner(x * 2.0)), order)(x)
    assert compilations.count >= 2
    np.testing.assert_allclose(got, gradient_of(lambda x: cube(x * 2.0), order)(x), rtol=1e-5)


def test_tf_gradients_goes_through_a_cluster(compilations: Compilations) -> None:
    x = tf.constant([0.5, -1.5, 2.0])
    inner = compiled(cube)
    (got,) = plain(lambda x: tf.gradients(inner(x), x))(x)
    assert compilations.count >= 2
    np.testing.assert_allclose(got, gradient_of(cube)(x), rtol=1e-5)


def test_a_tape_goes_through_a_loop_of_clusters(compilations: Compilations) -> None:
    def steps(function: Any) -> Any:
        return lambda x: tf.reduce_sum(
            tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, function(x)), [0, x], maximum_iterations=3)[1]
        )

    x = tf.constant([0.5, -1.5])
    got = plain(gradient_of(steps(compiled(lambda x: tf.sin(x) * x))))(x)
    assert compilations.count >= 2
    np.testing.assert_allclose(got, gradient_of(steps(lambda x: tf.sin(x) * x))(x), rtol=1e-5)


def test_forward_mode_goes_through_a_cluster(compilations: Compilations) -> None:
    inner = compiled(lambda x: x * tf.sin(x))

    @plain
    def outer(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = inner(x)
        return accumulator.jvp(y)

    x = np.array([0.5, -1.5], np.float32)
    np.testing.assert_allclose(outer(tf.constant(x)), np.sin(x) + x * np.cos(x), rtol=1e-5)
    assert compilations.count >= 1


def test_a_gradient_with_respect_to_variables_of_a_cluster() -> None:
    v = tf.Variable([1.0, 2.0])
    inner = compiled(lambda x: tf.reduce_sum(v * v * x))

    @plain
    def outer(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = inner(x)
        return tape.gradient(loss, v)

    assert value(outer(tf.constant([3.0, 4.0]))) == [6.0, 16.0]


# --- random numbers ---------------------------------------------------------------------------------------------------


def test_random_numbers_are_those_of_the_function_written_out() -> None:
    def draw() -> Any:
        return tf.random.normal([3]), tf.random.uniform([2], seed=4), tf.random.stateless_uniform([2], [1, 2])

    results = []
    for make in (plain, compiled):
        tf.random.set_seed(7)
        inner = make(draw)
        outer = plain(lambda inner=inner: (inner(), inner()))
        results.append([[value(t) for t in tf.nest.flatten(outer())] for _ in range(2)])
    assert results[0] == results[1]
    assert results[1][0] != results[1][1]


def test_a_pass_over_a_dataset_draws_the_numbers_of_the_pass() -> None:
    inner = compiled(lambda: tf.random.uniform([], seed=5))
    tf.random.set_seed(3)
    dataset = tf.data.Dataset.range(3).map(lambda i: inner())
    first, second = ([value(x) for x in dataset] for _ in range(2))
    inlined = plain(lambda: tf.random.uniform([], seed=5))
    tf.random.set_seed(3)
    dataset = tf.data.Dataset.range(3).map(lambda i: inlined())
    assert [first, second] == [[value(x) for x in dataset] for _ in range(2)]


def test_a_generator_goes_on_in_a_cluster() -> None:
    results = []
    for make in (plain, compiled):
        generator = tf.random.Generator.from_seed(1)
        inner = make(lambda g=generator: g.normal([2]))
        outer = plain(lambda inner=inner: inner())
        results.append([value(outer()) for _ in range(3)])
    assert results[0] == results[1]


# --- what XLA cannot take ---------------------------------------------------------------------------------------------

REFUSED = {
    "AsString": lambda x: tf.strings.as_string(x),
    "PrintV2": lambda x: (tf.print(x), x)[1],
    "EagerPyFunc": lambda x: tf.py_function(lambda y: y, [x], tf.float32),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_xla_cannot_do_is_refused_by_name_at_the_first_call(name: str) -> None:
    inner = compiled(REFUSED[name])
    outer = plain(lambda x: inner(x))
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Detected unsupported operations") as caught:
            outer(tf.constant(1.0))
        assert name in str(caught.value)


def test_an_iterator_in_a_cluster_is_refused() -> None:
    inner = compiled(lambda iterator: next(iterator) + 1)
    outer = plain(lambda iterator: inner(iterator))
    with pytest.raises(tf.errors.InvalidArgumentError, match="IteratorGetNext"):
        outer(iter(tf.data.Dataset.range(3)))


def test_sizes_that_depend_on_values_give_the_same_results() -> None:
    inner = compiled(lambda x: tf.where(x > 0.0))
    outer = plain(lambda x: inner(x) + 1)
    assert value(outer(tf.constant([1.0, -1.0, 2.0]))) == [[1], [3]]
    cut = compiled(lambda x, n: x[:n])
    outer = plain(lambda x, n: cut(x, n + 1) * 2.0)
    assert [value(outer(numbers(4), tf.constant(n))) for n in (0, 1, 2)] == [[0], [0, 2], [0, 2, 4]]


def test_an_error_at_a_call_names_the_operation() -> None:
    inner = compiled(lambda x: tf.reshape(x, [3]))
    outer = tf.function(lambda x: inner(x), autograph=False, input_signature=[VECTOR])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="node Reshape"):
        outer(tf.constant([1.0, 2.0]))


# --- results ----------------------------------------------------------------------------------------------------------


def test_results_that_nobody_reads_do_not_wait() -> None:
    first, second = compiled(lambda x: x + 1.0), compiled(lambda x: x * 2.0)
    outer = plain(lambda x: second(first(x)))
    result = outer(tf.zeros([2]))
    assert type(result) is PendingTensor
    assert value(outer(result)) == [6.0, 6.0]


def test_results_that_a_kernel_reads_are_numpy_arrays() -> None:
    inner = compiled(lambda x: (x + 1.0, tf.reduce_sum(x)))
    outer = plain(lambda x: (inner(x), tf.py_function(lambda y: y * 2.0, [inner(x)[0]], tf.float32)))
    (a, b), c = outer(tf.ones([2]))
    assert [value(t) for t in (a, b, c)] == [[2.0, 2.0], 2.0, [4.0, 4.0]]


def test_a_pending_argument_goes_through_a_program_with_clusters() -> None:
    inner = compiled(lambda x: x * 3.0)
    outer = plain(lambda x, y: (x, tf.sin(y) + inner(x), y))
    pending = inner(tf.ones([2]))
    zero = compiled(lambda: tf.zeros([2]))
    for _ in range(3):
        x, y, z = outer(pending, zero())
        assert [value(t) for t in (x, y, z)] == [[3.0, 3.0], [9.0, 9.0], [0.0, 0.0]]
    assert value(tf.exp(z)) == [1.0, 1.0]


def test_lists_go_in_and_out_of_a_cluster() -> None:
    def fill(n: int) -> Any:
        array = tf.TensorArray(tf.float32, size=n)
        for i in range(n):
            array = array.write(i, float(i))
        return array.stack()

    inner = compiled(lambda: fill(3))
    assert value(plain(lambda: inner() * 2.0)()) == [0.0, 2.0, 4.0]


def test_a_list_is_handed_to_a_cluster_and_back() -> None:
    extended = compiled(lambda array: array.write(1, array.read(0) * 3.0))

    @plain
    def outer(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=3, element_shape=[2], clear_after_read=False).write(0, x)
        return extended(array).write(2, x + 1.0).stack()

    assert value(outer(tf.constant([1.0, 2.0]))) == [[1.0, 2.0], [3.0, 6.0], [2.0, 3.0]]


@pytest.mark.parametrize("name", ["int8", "uint64", "int64", "float16", "bfloat16", "float64", "complex128", "bool"])
def test_every_width_goes_in_and_out_unchanged(name: str) -> None:
    x = tf.cast([0, 1, 1], name)
    inner = compiled(lambda x: tf.reverse(x, [0]))
    reversed_x, both = plain(lambda x: (inner(x), tf.concat([inner(x), x], 0)))(x)
    assert reversed_x.dtype == both.dtype == x.dtype
    assert both.numpy().dtype == x.numpy().dtype
    assert tf.cast(both, tf.int32).numpy().tolist() == [1, 1, 0, 0, 1, 1]


def test_the_graph_keeps_the_call_and_its_attribute() -> None:
    inner = compiled(lambda x: tf.exp(x))
    outer = plain(lambda x: inner(x)).get_concrete_function(VECTOR)
    message = outer.graph.as_graph_def()
    (call,) = [node for node in message.node if node.op == "PartitionedCall"]
    assert call.attr["_XlaMustCompile"].b
    (function,) = [f for f in message.library.function if f.signature.name == call.attr["f"].func.name]
    assert function.attr["_XlaMustCompile"].b
    assert function.attr["_noinline"].b


def test_a_call_in_an_imported_graph_compiles(compilations: Compilations) -> None:
    inner = compiled(lambda x: tf.exp(x))
    message = plain(lambda x: inner(x)).get_concrete_function(VECTOR).graph.as_graph_def()
    (name,) = [node.name for node in message.node if node.op == "PartitionedCall"]

    @plain
    def imported(x: Any) -> Any:
        return tf.graph_util.import_graph_def(message, input_map={"x": x}, return_elements=[f"{name}:0"], name="")[0]

    assert value(imported(tf.constant([0.0]))) == [1.0]
    assert compilations.count == 1


def test_the_tiers_of_a_function_name_the_compiled_functions_that_it_calls() -> None:
    @compiled
    def fast(x: Any) -> Any:
        return x * 2.0

    @compiled
    def sized(x: Any) -> Any:
        return tf.boolean_mask(x, x > 0.0)

    @compiled
    def cut(x: Any) -> Any:
        return x[: tf.cast(v, tf.int32)]

    @compiled
    def text(x: Any) -> Any:
        return tf.strings.as_string(x)

    v = tf.Variable(1.0)
    middle = plain(lambda x: tf.cond(x[0] > 5.0, lambda: tf.strings.length(text(x[0])), lambda: 0))
    concrete = plain(lambda x: (fast(x), sized(x), cut(x), middle(x))).get_concrete_function(VECTOR)
    concrete(tf.constant([1.0, -1.0]))
    names = ("fast", "sized", "cut", "text", "lambda")
    tiers = {next(n for n in names if n in name): tier for name, tier in concrete.tiers().items()}
    found = {name: tier.name for name, tier in tiers.items()}
    assert found == {"fast": "xla", "sized": "numpy", "cut": "numpy", "text": "xla", "lambda": "numpy"}
    assert tiers["fast"].reason == "jit_compile is True."
    assert "Where" in tiers["sized"].reason
    assert "StridedSlice" in tiers["cut"].reason
    assert "AsString" in tiers["text"].reason


def test_a_function_that_is_dropped_drops_its_executables() -> None:
    def dropped() -> Any:
        inner = compiled(lambda x: tf.exp(x))
        assert value(plain(lambda x: inner(x))(tf.constant(0.0))) == 1.0
        program = inner.get_concrete_function(tf.constant(0.0)).graph.programs["xla"]
        return weakref.ref(program.run.executables)

    reference = dropped()
    gc.collect()
    assert reference() is None


def test_without_jax_a_called_function_runs_on_the_numpy_tier(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, compilations: Compilations
) -> None:
    def missing() -> Any:
        raise engine_table.MissingCompilerError("It needs JAX.")

    monkeypatch.setitem(ENGINES, "xla", replace(ENGINES["xla"], make=missing))
    tiers._say_once.cache_clear()
    v = tf.Variable(1.0)
    inner = compiled(lambda x: v.assign_add(x).read_value() * 2.0)
    concrete = plain(lambda x: inner(x) + inner(x * 2.0)).get_concrete_function(tf.TensorSpec([]))
    assert [value(concrete(tf.constant(1.0))) for _ in range(2)] == [12.0, 24.0]
    assert (value(v), compilations.count) == (7.0, 0)
    assert sum("It needs JAX." in record.getMessage() for record in caplog.records) == 1
    assert {tier.name for tier in concrete.tiers().values()} == {"numpy"}
    with pytest.raises(ImportError, match="needs JAX"):
        inner(tf.constant(1.0))
