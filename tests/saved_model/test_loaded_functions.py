from __future__ import annotations

import collections
import inspect
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf

SCALAR = tf.TensorSpec([], tf.float32)
Pair = collections.namedtuple("Pair", "p q")


@pytest.fixture
def load(tmp_path: pathlib.Path) -> Callable[[Any], Any]:
    """Saves a function that has traces, and loads it again."""

    def saved_and_loaded(function: Any, *variables: Any) -> Any:
        module = tf.Module()
        module.f, module.variables_of_f = function, list(variables)
        tf.saved_model.save(module, str(tmp_path / "model"))
        return tf.saved_model.load(str(tmp_path / "model")).f

    return saved_and_loaded


def test_arguments_are_bound_as_by_the_python_function(load: Any) -> None:
    @tf.function
    def f(x: Any, training: bool = False, *, k: str = "a") -> Any:
        return x * 2.0 if training else x + (1.0 if k == "a" else 5.0)

    x = tf.constant(3.0)
    for args, kwargs in (((x,), {}), ((x, True), {}), ((x,), {"k": "b"})):
        f(*args, **kwargs)
    loaded = load(f)
    assert [loaded(x).numpy(), loaded(x, True).numpy(), loaded(training=True, x=x).numpy()] == [4.0, 6.0, 6.0]
    assert loaded(x, k="b").numpy() == 8.0 and loaded(3).numpy() == 4.0
    assert str(inspect.signature(loaded)) == str(loaded.function_type)
    assert len(loaded.concrete_functions) == 3 and loaded.name == "f"
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        loaded()
    with pytest.raises(ValueError, match=r"Could not find matching(.|\n)*`k` should be 'a', but is 'c'"):
        loaded(x, k="c")


def test_any_number_of_arguments_and_keywords_fit_as_they_were_traced(load: Any) -> None:
    f = tf.function(lambda *args, **more: args[0] + (more["z"] if more else 0.0))
    x = tf.constant(1.0)
    f(x), f(x, 2, z=x, name="n")
    loaded = load(f)
    assert loaded(x).numpy() == 1.0 and loaded(x, 2, name="n", z=x).numpy() == 2.0
    with pytest.raises(ValueError, match=r"Nearest is option .: `another` should be left out, but is given"):
        loaded(x, 2, z=x, another="n")


def test_a_named_tuple_comes_in_and_goes_out_by_name(load: Any) -> None:
    f = tf.function(lambda pair: Pair(pair.p + pair.q, [pair.p]))
    f(Pair(tf.constant(1.0), tf.constant(2.0)))
    result = load(f)(Pair(4.0, tf.constant(3.0)))
    assert type(result).__name__ == "Pair" and result.p.numpy() == 7.0 and result.q[0].numpy() == 4.0


def test_composites_come_in_and_go_out(load: Any) -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    f = tf.function(lambda r: {"r": r + 1, "rows": r.row_splits}, input_signature=[spec])
    result = load(f)(tf.ragged.constant([[1], [2, 3]]))
    assert result["r"].to_list() == [[2], [3, 4]] and result["rows"].numpy().tolist() == [0, 1, 3]


def test_an_input_signature_casts_and_refuses(load: Any) -> None:
    f = tf.function(lambda a, b=3.0: a * b, input_signature=[tf.TensorSpec([None], name="inp"), SCALAR])
    loaded = load(f)
    assert loaded.input_signature == (tf.TensorSpec([None], name="inp"), SCALAR)
    assert loaded([1.0]).numpy().tolist() == [3.0] and loaded(b=2.0, a=np.float32([4])).numpy().tolist() == [8.0]
    assert loaded.get_concrete_function().inputs[0].shape.as_list() == [None]
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        loaded(tf.constant([1]))


def test_concrete_functions_are_found_by_specs_and_by_values(load: Any) -> None:
    f = tf.function(lambda x, n: x * n)
    f(tf.constant(1.0), 2), f(tf.constant([1.0]), 2)
    loaded = load(f)
    assert loaded.get_concrete_function(SCALAR, 2) is loaded.concrete_functions[0]
    assert loaded.get_concrete_function(tf.constant([1.0]), 2) is loaded.concrete_functions[1]
    with pytest.raises(ValueError, match="Could not find matching"):
        loaded.get_concrete_function(tf.TensorSpec([2, 2]), 2)


def test_a_namedtuple_fits_an_input_signature_by_its_fields(load: Any) -> None:
    loaded = load(tf.function(lambda pair: pair.p - pair.q, input_signature=[Pair(SCALAR, SCALAR)]))
    assert loaded(Pair(tf.constant(3.0), tf.constant(1.0))).numpy() == 2.0
    assert loaded(Pair(3.0, 2.0)).numpy() == 1.0
    for other in (collections.namedtuple("Pair", "q p")(1.0, 2.0), (1.0, 2.0)):
        with pytest.raises(TypeError, match="Binding inputs to"):
            loaded(other)


def test_a_function_without_traces_says_what_to_do_before_saving(load: Any) -> None:
    loaded = load(tf.function(lambda x: x))
    with pytest.raises(ValueError, match="Found zero restored functions for caller function") as caught:
        loaded(1.0)
    assert "This function had not been called when the SavedModel was made: call it once" in str(caught.value)
    assert "restored_function" not in str(caught.value)  # a name that no user gave


def test_the_second_call_of_a_kind_takes_the_fast_path(load: Any) -> None:
    f = tf.function(lambda x: x + 1.0, input_signature=[SCALAR])
    loaded = load(f)
    x = tf.constant(1.0)
    assert [loaded(x).numpy() for _ in range(3)] == [2.0, 2.0, 2.0]
    assert len(loaded._plans) == 1


def test_functions_run_eagerly_use_the_graph_all_the_same(load: Any) -> None:
    loaded = load(tf.function(lambda x: x + 1.0, input_signature=[SCALAR]))
    tf.config.run_functions_eagerly(True)
    try:
        assert loaded(1.0).numpy() == 2.0
    finally:
        tf.config.run_functions_eagerly(False)
    assert loaded.python_function(2.0).numpy() == 3.0


def test_jit_compile_is_kept(load: Any) -> None:
    f = tf.function(lambda x: x + 1.0, input_signature=[SCALAR], jit_compile=False)
    loaded = load(f)
    assert loaded.jit_compile is False and loaded.concrete_functions[0].graph_function.jit_compile is False


def test_a_loaded_function_creates_no_variables(load: Any) -> None:
    loaded = load(tf.function(lambda x: x + 1.0, input_signature=[SCALAR]))
    with pytest.raises(RuntimeError, match="creates no variables"):
        loaded.get_initialization_function()


def test_graphs_are_made_when_they_are_first_used(load: Any) -> None:
    v = tf.Variable(2.0)
    f = tf.function(lambda x, n: x * v * n)
    f(tf.constant(1.0), 2), f(tf.constant(1.0), 3)
    first, second = load(f, v).concrete_functions
    assert first.structured_input_signature == ((tf.TensorSpec([], name="x"), 2), {})
    assert first.function_type.output == SCALAR or first.function_type.output.shape == []
    assert "graph" not in vars(first) and "graph" not in vars(second)
    assert first(tf.constant(5.0)).numpy() == 20.0
    assert "graph" in vars(first) and "graph" not in vars(second)
    assert [variable.numpy() for variable in first.variables] == [2.0] and first.graph.name == "<lambda>"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        second.nothing


def test_a_signature_takes_keywords_and_no_more_positions_than_it_says(load: Any, tmp_path: pathlib.Path) -> None:
    load(tf.function(lambda a, b: {"sum": a + b}, input_signature=[SCALAR, SCALAR]))
    module = tf.Module()
    module.f = tf.function(lambda a, b: {"sum": a + b}, input_signature=[SCALAR, SCALAR])
    tf.saved_model.save(module, str(tmp_path / "signed"), signatures=module.f)
    signature = tf.saved_model.load(str(tmp_path / "signed")).signatures["serving_default"]
    assert signature(a=tf.constant(1.0), b=2.0)["sum"].numpy() == 3.0
    assert signature.structured_outputs == {"sum": tf.TensorSpec([], name="sum")}
    with pytest.raises(TypeError, match="takes 0 positional arguments, got 2"):
        signature(tf.constant(1.0), tf.constant(2.0))
    with pytest.raises(TypeError, match="missing required arguments: b"):
        signature(a=tf.constant(1.0))
