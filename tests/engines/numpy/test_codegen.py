"""The straight-line programs of the NumPy tier: source, freed values, errors, nested functions."""

from __future__ import annotations

import gc
import re
import traceback
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.engines.numpy import codegen
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.passes.pipeline import optimize


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def program(f: Any, *specs: Any) -> Any:
    graph = tf.function(f, autograph=False).get_concrete_function(*specs).graph
    return eager_engine().compile(optimize(graph))


FLOAT = tf.TensorSpec([None], tf.float32)


def test_a_line_for_each_operation_and_values_dropped_at_their_last_use() -> None:
    source = program(lambda x: tf.exp(tf.sin(x)) + x, FLOAT).source
    assert source.startswith("def program(a0):")
    assert len(re.findall(r"= k\d+\(", source)) == 3
    assert len(re.findall(r"^ +del v", source, re.M)) >= 2


def test_what_is_not_needed_is_not_in_the_program() -> None:
    source = program(lambda x: (tf.exp(x), x * 2.0)[1], FLOAT).source
    assert len(re.findall(r"= k\d+\(", source)) == 1


def test_results_are_arrays_even_of_rank_zero() -> None:
    compiled = program(lambda x: (tf.reduce_sum(x), x[0] * 2.0, tf.shape(x), tf.strings.as_string(x[0])), FLOAT)
    results = compiled.run(np.array([1.5, 2.0], np.float32))
    assert all(type(r) is np.ndarray for r in results)
    assert [r.tolist() for r in results] == [3.5, 3.0, [2], b"1.500000"]


def test_an_input_may_be_an_output_twice() -> None:
    g = FuncGraph("f")
    x = g.add_placeholder(tf.float32, [], "x")
    g.inputs.append(x)
    g.outputs = [x, x]
    results = eager_engine().compile(optimize(g)).run(np.float32(2.0) * np.ones(()))
    assert [r.tolist() for r in results] == [2.0, 2.0]


def test_an_output_without_elements_and_a_function_without_outputs() -> None:
    f = tf.function(lambda x: (tf.unstack(x), None), autograph=False)
    assert f(tf.zeros([0, 2])) == ([], None)
    assert tf.function(lambda: None, autograph=False)() is None


def test_an_error_names_the_node_and_the_users_line() -> None:
    @tf.function(autograph=False)
    def f(x, i):
        return tf.gather(x, i, name="picked")  # the culprit

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"node picked") as caught:
        f(tf.constant([1.0]), tf.constant([3]))
    assert __file__ in str(caught.value)
    assert "numpy" not in "".join(traceback.format_tb(caught.value.__traceback__)[-1:])


def test_an_error_in_a_called_function_is_explained_once() -> None:
    inner = tf.function(lambda x, i: tf.gather(x, i), autograph=False)
    outer = tf.function(lambda x, i: inner(x, i) * 2.0, autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        outer(tf.constant([1.0]), tf.constant([3]))
    assert str(caught.value).count("Graph execution error") == 1


def test_a_failed_run_leaves_the_function_usable() -> None:
    f = tf.function(lambda x, i: tf.gather(x, i), autograph=False)
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(tf.constant([1.0]), tf.constant([3]))
        assert value(f(tf.constant([1.0]), tf.constant([0]))) == [1.0]


def test_a_python_error_in_a_py_function_is_what_the_caller_can_catch() -> None:
    def fail(x: Any) -> Any:
        raise ZeroDivisionError("mine")

    f = tf.function(lambda x: tf.py_function(fail, [x], tf.float32), autograph=False)
    with pytest.raises((tf.errors.OpError, ZeroDivisionError), match="mine"):
        f(tf.constant(1.0))


def test_inputs_are_never_changed() -> None:
    x = tf.constant([3.0, 1.0, 2.0])
    f = tf.function(lambda x: (tf.sort(x), tf.tensor_scatter_nd_update(x, [[0]], [9.0]), x + 1.0), autograph=False)
    f(x)
    assert value(x) == [3.0, 1.0, 2.0]


def test_values_of_a_finished_run_are_freed() -> None:
    f = tf.function(lambda x: tf.exp(x) + 1.0, autograph=False)
    result = f(tf.ones([10]))
    seen = weakref.ref(result)
    del result
    gc.collect()
    assert seen() is None


def test_a_long_chain_runs_without_recursion() -> None:
    def f(x):
        for _ in range(1500):
            x = x + 1.0
        return x

    assert value(tf.function(f, autograph=False)(tf.constant(0.0))) == 1500.0


def test_programs_of_the_same_text_are_compiled_once_and_explain_their_own_errors() -> None:
    def traced(scope: str) -> Any:
        @tf.function(autograph=False)
        def program(x: Any) -> Any:
            with tf.name_scope(scope):
                return tf.reshape(x, [2, 3])

        return program.get_concrete_function(tf.TensorSpec([None]))

    before = codegen._cache_code.cache_info().hits
    functions = [traced("first"), traced("second")]
    for function, scope in zip(functions, ("first", "second"), strict=True):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"{scope}/Reshape"):
            function(tf.ones([5]))
        assert function(tf.ones([6])).shape == (2, 3)
    assert codegen._cache_code.cache_info().hits > before
