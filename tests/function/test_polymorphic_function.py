from __future__ import annotations

import copy
import gc
import inspect
import pickle
import threading
import time
import weakref
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf

TS = tf.TensorSpec
Point = namedtuple("Point", "x y")


class Counter:
    """A traced function that counts its traces."""

    def __init__(self, **options: Any) -> None:
        self.traces: list[Any] = []
        self.f = tf.function(self._body, **options)

    def _body(self, *args: Any, **kwargs: Any) -> int:
        self.traces.append((args, kwargs))
        return 1

    def __call__(self, *args: Any, **kwargs: Any) -> int:
        before = len(self.traces)
        self.f(*args, **kwargs)
        return len(self.traces) - before


# --- tracing and dispatch -----------------------------------------------------------------------------------------


def test_python_runs_only_while_tracing() -> None:
    lines = []

    @tf.function
    def f(x: Any) -> Any:
        lines.append(str(x))
        return x + x

    assert [int(f(tf.constant(i))) for i in range(3)] == [0, 2, 4]
    assert lines == ['Tensor("x:0", shape=(), dtype=int32)']


def test_tensors_share_a_trace_by_dtype_and_shape() -> None:
    count = Counter()
    calls = [
        tf.constant(1),
        tf.constant(2),
        tf.constant(1.0),
        tf.ones([2]),
        tf.ones([3]),
        np.ones(3, np.float32),
        np.float32(7),
    ]
    assert [count(x) for x in calls] == [1, 0, 1, 1, 1, 0, 0]


def test_literals_are_keyed_by_type_and_value() -> None:
    count = Counter()
    values = [1, 1.0, True, 1, 0.0, -0.0, 0, float("nan"), float("nan"), "1", b"1", None, 1j, False]
    assert [count(v) for v in values] == [1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1]


def test_a_literal_keeps_its_type_in_the_graph() -> None:
    f = tf.function(lambda x: tf.constant(x))
    assert [f(v).dtype for v in (1, 1.0, True)] == [tf.int32, tf.float32, tf.bool]


def test_one_trace_however_arguments_are_passed() -> None:
    traces = []

    @tf.function
    def f(a: Any, b: Any = 2, c: Any = 3) -> Any:
        traces.append(1)
        return a

    x = tf.constant(1)
    for args, kwargs in [((x,), {}), ((), {"a": x}), ((x, 2), {}), ((x,), {"c": 3}), ((), {"c": 3, "a": x, "b": 2})]:
        for _ in range(2):
            assert int(f(*args, **kwargs)) == 1
    assert len(traces) == 1


@given(st.permutations(["a", "b", "c"]), st.integers(0, 3), st.randoms())
def test_keywords_reach_their_parameters_in_any_order(names: list[str], positional: int, random: Any) -> None:
    f = tf.function(lambda a, b, c: (a, b, c))
    for _ in range(2):
        values = {name: tf.constant(float(random.randint(0, 99))) for name in "abc"}
        args = [values[name] for name in "abc"[:positional]]
        kwargs = {name: values[name] for name in names if name not in "abc"[:positional]}
        assert [float(t) for t in f(*args, **kwargs)] == [float(values[name]) for name in "abc"]


@given(
    st.recursive(
        st.sampled_from([0, 1]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.tuples(inner, inner)
            | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
            | st.builds(Point, inner, inner)
        ),
        max_leaves=8,
    )
)
def test_nested_tensors_come_back_in_their_structure(shape: Any) -> None:
    counter = iter(range(1000))
    number = lambda _: tf.constant(next(counter))  # noqa: E731
    f = tf.function(lambda structure: structure)
    for _ in range(2):
        structure = tf.nest.map_structure(number, shape)
        result = f(structure)
        tf.nest.assert_same_structure(structure, result)
        assert [int(t) for t in tf.nest.flatten(result)] == [int(t) for t in tf.nest.flatten(structure)]
    assert f.experimental_get_tracing_count() == 1


def test_variables_share_a_trace_by_spec_and_alias_pattern() -> None:
    count, v, w = Counter(), tf.Variable(1.0), tf.Variable(2.0)
    calls = [(v,), (w,), (v, v), (v, w), (w, v), (w, w), (tf.constant(1.0),), (tf.Variable([1.0]),)]
    assert [count(*call) for call in calls] == [1, 0, 1, 1, 0, 0, 1, 1]


def test_a_variable_argument_is_the_variable_itself() -> None:
    seen = []

    @tf.function
    def f(v: Any) -> Any:
        seen.append(v)
        return v.assign_add(1.0)

    v, w = tf.Variable(1.0), tf.Variable(10.0)
    for _ in range(2):
        f(v), f(w)
    assert seen[0] is v and (float(v), float(w)) == (3.0, 12.0)


def test_objects_are_keyed_by_identity() -> None:
    class Thing:
        pass

    count, one, two = Counter(), Thing(), Thing()
    assert [count(x) for x in (one, two, one, two)] == [1, 1, 0, 0]


def test_dispatch_prefers_the_most_specific_trace() -> None:
    f = tf.function(lambda x: x)
    wide = f.get_concrete_function(TS([None, None]))
    middle = f.get_concrete_function(TS([1, None]))
    assert middle is wide  # served by the wider one already
    g = tf.function(lambda x: x)
    middle, wide, unknown = (g.get_concrete_function(TS(s)) for s in ([1, None], [None, None], None))
    assert g.get_concrete_function(TS([1, 2])) is middle
    assert g.get_concrete_function(TS([2, 2])) is wide
    assert g.get_concrete_function(TS([2])) is unknown
    g(tf.ones([1, 5])), g(tf.ones([2, 5])), g(tf.ones([]))
    assert g.experimental_get_tracing_count() == 3


def test_names_of_specs_take_part() -> None:
    f = tf.function(lambda x: x)
    a, b = f.get_concrete_function(TS([], name="a")), f.get_concrete_function(TS([], name="b"))
    assert a is not b and f.get_concrete_function(TS([])) is a
    f(tf.constant(1.0))
    assert f.experimental_get_tracing_count() == 2


def test_a_new_plain_graph_retraces_and_a_device_does_not() -> None:
    count = Counter()
    assert count(tf.constant(1)) == 1
    with tf.device("/cpu:0"):
        assert count(tf.constant(1)) == 0
    for _ in range(2):
        with tf.Graph().as_default():
            assert (count(tf.constant(1)), count(tf.constant(1))) == (1, 0)


def test_functions_called_while_tracing_share_their_trace() -> None:
    inner = Counter()

    @tf.function
    def outer(x: Any) -> Any:
        inner(x)
        return x

    x = tf.constant(1)
    inner(x)
    outer(x)
    with tf.GradientTape():
        assert inner(x) == 0
    with tf.init_scope():
        assert inner(x) == 0
    assert len(inner.traces) == 1


def test_reduce_retracing_generalizes_shapes_on_the_second_miss() -> None:
    count = Counter(reduce_retracing=True)
    assert [count(tf.ones([n])) for n in (1, 2, 3, 4)] == [1, 1, 0, 0]
    assert count.traces[-1][0][0].shape.as_list() == [None]
    assert [count(tf.ones(s)) for s in ([2, 2], [3, 3, 3], [])] == [1, 0, 0]
    assert count.traces[-1][0][0].shape.rank is None


def test_reduce_retracing_never_generalizes_literals() -> None:
    count = Counter(reduce_retracing=True)
    assert [count(n) for n in (1, 2, 3, 4)] == [1, 1, 1, 1]
    assert [count(tf.ones([n]), k) for n, k in ((1, 1), (2, 2), (3, 2), (4, 1), (5, 2))] == [1, 1, 1, 1, 0]


def test_reduce_retracing_sees_into_structures() -> None:
    count = Counter(reduce_retracing=True)
    sizes = [(1, 2), (2, 2), (3, 2), (3, 3), (4, 4)]
    assert [count({"a": tf.ones([n]), "b": tf.ones([m])}) for n, m in sizes] == [1, 1, 0, 1, 0]


def test_experimental_relax_shapes_is_the_old_name() -> None:
    count = Counter(experimental_relax_shapes=True)
    assert [count(tf.ones([n])) for n in (1, 2, 3)] == [1, 1, 0]


def test_input_signature_makes_one_graph() -> None:
    count = Counter(input_signature=[TS([None])])
    assert [count(x) for x in ([1.0], tf.ones([2]), np.ones(3), (1, 2))] == [1, 0, 0, 0]
    assert count.f.input_signature == (TS([None]),)
    f = tf.function(lambda x, y=2: x, input_signature=[TS([None])])
    c = f.get_concrete_function()
    assert c is f.get_concrete_function([1.0]) is f.get_concrete_function(TS([3]))
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        f.get_concrete_function(TS([], tf.float64))


def test_nested_input_signature() -> None:
    f = tf.function(lambda d: d, input_signature=[{"a": TS([]), "b": [TS([]), TS([], tf.int32)]}])
    result = f({"b": [1.0, 2], "a": 2.0})
    assert float(result["a"]) == 2.0 and result["b"][1].dtype is tf.int32


def test_pretty_printed_concrete_signatures() -> None:
    f = tf.function(lambda x: x)
    f([1, -1])
    f(tf.constant(1.0))
    assert f.pretty_printed_concrete_signatures() == (
        "Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): List[Literal[1], Literal[-1]]\nOutput Type:\n"
        "  List[TensorSpec(shape=(), dtype=tf.int32, name=None), TensorSpec(shape=(), dtype=tf.int32, name=None)]\n"
        "Captures:\n  None\n\n"
        "Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.float32, name=None)\nOutput "
        "Type:\n"
        "  TensorSpec(shape=(), dtype=tf.float32, name=None)\nCaptures:\n  None"
    )
    assert f.pretty_printed_concrete_signatures(verbose=False).splitlines()[1] == (
        "(x: TensorSpec(shape=(), dtype=tf.float32, name=None)) -> TensorSpec(shape=(), dtype=tf.float32, name=None)"
    )


def test_what_a_function_says_of_itself() -> None:
    @tf.function
    def f(x: Any) -> Any:
        """Doc."""
        return x

    assert repr(f).startswith("<millrace._src.function.polymorphic_function.Function object at 0x")
    assert (f.__name__, f.__doc__, f.__module__, f.name) == ("f", "Doc.", __name__, "f")
    assert list(inspect.signature(f).parameters) == ["x"] and inspect.getfullargspec(f).args == ["x"]
    assert f.__wrapped__ is f.python_function
    assert isinstance(f, tf.types.experimental.PolymorphicFunction)
    assert isinstance(f, tf.types.experimental.Callable)
    f.note = 5
    assert f.note == 5


# --- run eagerly --------------------------------------------------------------------------------------------------


@pytest.fixture
def eagerly() -> Any:
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.mark.usefixtures("eagerly")
def test_functions_run_eagerly_are_plain_python() -> None:
    count = Counter()
    assert tf.config.functions_run_eagerly()
    assert [count(1), count(1)] == [1, 1]
    assert tf.function(lambda x: x)(1) == 1 and count.f.experimental_get_tracing_count() == 0
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        tf.function(lambda x: x)(1, 2)


@pytest.mark.usefixtures("eagerly")
def test_get_concrete_function_traces_nevertheless() -> None:
    f = tf.function(lambda x: x + 1)
    assert int(f.get_concrete_function(1)()) == 2 and f.experimental_get_tracing_count() == 1


def test_all_threads_run_eagerly() -> None:
    results = []
    tf.config.run_functions_eagerly(True)
    try:
        thread = threading.Thread(target=lambda: results.append(tf.function(lambda x: x)("a")))
        thread.start()
        thread.join()
    finally:
        tf.config.run_functions_eagerly(False)
    assert results == ["a"]


# --- nesting and recursion ----------------------------------------------------------------------------------------


def test_a_function_inside_a_function_is_a_call_node() -> None:
    v = tf.Variable(2.0)
    inner = tf.function(lambda x: x * v)
    c = tf.function(lambda x: inner(x)).get_concrete_function(TS([]))
    types = [op.type for op in c.graph.get_operations()]
    assert "StatefulPartitionedCall" in types
    assert float(c(tf.constant(3.0))) == 6.0 and [x.ref() for x in c.variables] == [v.ref()]


def test_a_trace_does_not_keep_the_graph_it_was_made_in() -> None:
    inner = tf.function(lambda x: x + 1)
    outer = tf.function(lambda x: inner(x) * 2)
    outer(tf.constant(1))
    graph = weakref.ref(outer.get_concrete_function(tf.constant(1)).graph)
    del outer
    gc.collect()
    assert graph() is None


def test_a_parameter_may_be_called_self() -> None:
    f = tf.function(lambda self, x: x + self)
    assert int(f(self=1, x=2)) == 3 and int(f.get_concrete_function(self=1, x=2)(self=1, x=2)) == 3


def test_closures_over_tensors_of_the_outer_function() -> None:
    @tf.function
    def outer(x: Any) -> Any:
        y = x * 2.0
        inner = tf.function(lambda z: z + y)
        return inner(x) + inner(x)

    assert float(outer(tf.constant(1.0))) == 6.0


def test_python_recursion_traces_each_depth() -> None:
    @tf.function
    def factorial(n: Any) -> Any:
        return tf.constant(1) if n <= 0 else factorial(n - 1) * n

    assert int(factorial(5)) == 120 and factorial.experimental_get_tracing_count() == 6


def test_a_call_in_a_plain_graph_adds_a_node() -> None:
    f = tf.function(lambda x: x + 1)
    with tf.Graph().as_default() as graph:
        y = f(tf.constant(1))
    assert y.graph is graph and y.op.type.endswith("PartitionedCall")


def test_gradients_flow_through_functions() -> None:
    v = tf.Variable(2.0)
    f = tf.function(lambda x: x * x * v)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [float(g) for g in tape.gradient(y, [x, v])] == [12.0, 9.0]


def test_gradients_of_variables_passed_as_arguments() -> None:
    x = tf.Variable(3.0)
    f = tf.function(lambda v: v * v)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = f(x)
        first = tape.gradient(y, x)
    assert (float(first), float(outer.gradient(first, x))) == (6.0, 2.0)
    g = tf.function(lambda: f(x) + f(x))
    with tf.GradientTape() as tape:
        y = g()
    assert float(tape.gradient(y, x)) == 12.0


def test_a_captured_tensor_can_be_watched() -> None:
    k = tf.constant(3.0)
    f = tf.function(lambda x: x * k)
    with tf.GradientTape() as tape:
        tape.watch(k)
        y = f(tf.constant(5.0))
    assert float(tape.gradient(y, k)) == 5.0


# --- effects ------------------------------------------------------------------------------------------------------


def test_variables_are_captured_by_reference_and_tensors_by_value() -> None:
    v, k = tf.Variable(1.0), tf.constant(10.0)

    @tf.function
    def f() -> Any:
        return v + k

    assert float(f()) == 11.0
    v.assign(2.0)
    k = tf.constant(20.0)
    assert float(f()) == 12.0


def test_effects_on_variables_keep_program_order() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def f(x: Any, y: Any) -> Any:
        a.assign(y * b)
        b.assign_add(x * a)
        return a + b

    assert float(f(1.0, 2.0)) == 10.0


# --- threads ------------------------------------------------------------------------------------------------------


def run_threads(count: int, target: Any) -> None:
    threads = [threading.Thread(target=target, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_with_one_new_signature_trace_once() -> None:
    traces, results = [], []

    @tf.function
    def f(x: Any) -> Any:
        traces.append(1)
        time.sleep(0.02)
        return x + 1

    run_threads(8, lambda i: results.append(int(f(tf.constant(i)))))
    assert len(traces) == 1 and sorted(results) == list(range(1, 9))


def test_threads_call_concurrently_and_do_not_mix_results() -> None:
    f = tf.function(lambda x, y: {"sum": x + y, "x": x})
    errors: list[Any] = []

    def work(i: int) -> None:
        for n in range(100):
            result = f(tf.constant(i), tf.constant(n))
            if (int(result["sum"]), int(result["x"])) != (i + n, i):
                errors.append((i, n, result))

    run_threads(8, work)
    assert errors == []


def test_threads_that_create_variables_on_the_first_call() -> None:
    state: list[Any] = []
    results: list[float] = []

    @tf.function
    def f(x: Any) -> Any:
        if not state:
            state.append(tf.Variable(1.0))
        return x + state[0]

    run_threads(6, lambda i: results.append(float(f(tf.constant(1.0)))))
    assert results == [2.0] * 6 and len(state) == 1 and f.experimental_get_tracing_count() == 2


def test_threads_with_different_signatures_and_a_small_cache() -> None:
    f = tf.function(lambda x: x + 1)
    f.set_cache_limits(max_traces=2)
    errors: list[Any] = []

    def work(i: int) -> None:
        for n in range(20):
            size = (i + n) % 5
            if f(tf.zeros([size], tf.int32)).numpy().tolist() != [1] * size:
                errors.append((i, n))

    run_threads(4, work)
    assert errors == []


# --- copies -------------------------------------------------------------------------------------------------------


def test_functions_cannot_be_pickled() -> None:
    with pytest.raises(pickle.PicklingError, match=r"cannot pickle the tf.function '<lambda>'"):
        pickle.dumps(tf.function(lambda: 1))


def test_a_copy_has_no_traces_and_a_traced_function_no_deep_copy() -> None:
    f = tf.function(lambda x: x)
    assert int(copy.deepcopy(f)(1)) == 1
    f(1)
    assert copy.copy(f).experimental_get_tracing_count() == 0
    with pytest.raises(TypeError, match="cannot pickle 'FuncGraph' object"):
        copy.deepcopy(f)


# --- errors -------------------------------------------------------------------------------------------------------


def test_a_failed_trace_leaves_the_function_usable() -> None:
    calls = []

    @tf.function
    def f(x: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise KeyError("boo")
        return x

    with pytest.raises(KeyError, match="boo"):
        f(1)
    assert int(f(1)) == 1 and f.experimental_get_tracing_count() == 1


def test_a_spec_is_not_a_value() -> None:
    with pytest.raises((TypeError, ValueError), match="TensorSpec"):
        tf.function(lambda x: x)(TS([]))


@pytest.mark.parametrize(("thing", "error"), [(5, TypeError), ("a", TypeError), (max, ValueError)])
def test_only_callables_with_a_signature_can_be_traced(thing: Any, error: Any) -> None:
    with pytest.raises(error, match=r"is not a callable object|no signature found"):
        tf.function(thing)


def test_compiler_ir_needs_jit_compile() -> None:
    with pytest.raises(
        ValueError, match="Compiler IR can only be returned for functions marked with 'jit_compile=True'"
    ):
        tf.function(lambda x: x).experimental_get_compiler_ir(1)


def test_functions_decorated_late_are_refused() -> None:
    f = tf.function(lambda x: x)
    f._decorate(lambda inner: lambda x: inner(x) + 1)
    assert int(f(1)) == 2
    with pytest.raises(ValueError, match="cannot be decorated after"):
        f._decorate(lambda inner: inner)


def test_a_recursion_without_end_names_the_function() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def is_even(n):
        return tf.logical_not(is_odd(n - 1))

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def is_odd(n):
        return tf.logical_not(is_even(n - 1))

    with pytest.raises(RecursionError, match=r"the tf.function 'factorial' calls itself without end"):
        factorial(tf.constant(3))
    with pytest.raises(RecursionError, match=r"the tf.function 'is_even' calls itself without end"):
        is_even(tf.constant(3))


def test_a_recursion_that_a_python_value_ends_is_traced() -> None:
    @tf.function
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

    assert float(power(tf.constant(2.0), 5)) == 32.0


def test_a_recursion_of_plain_python_is_not_blamed_on_the_function() -> None:
    def endless(x):
        return endless(x)

    with pytest.raises(RecursionError, match="maximum recursion depth"):
        tf.function(endless, autograph=False)(tf.constant(1.0))
