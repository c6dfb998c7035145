from __future__ import annotations

import threading
from typing import Any

import pytest

import millrace as tf
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.function_type import FunctionType, Parameter
from millrace._src.function.signature import ArgumentLayout, CallSignature
from millrace._src.function.tracing import trace
from millrace._src.saved_model.lazy_functions import LazyConcreteFunction, fresh_name, python_name

SCALAR = tf.TensorSpec([], tf.float32)


class Doubling(LazyConcreteFunction):
    """A function that counts how often its graph is made."""

    def __init__(self, error: Exception | None = None) -> None:
        self.times, self.error = 0, error

    @property
    def _origin(self) -> str:
        return "a test"

    def _fill(self) -> None:
        self.times += 1
        if self.error is not None:
            raise self.error
        parameter = Parameter("x", Parameter.POSITIONAL_OR_KEYWORD, False, SCALAR)
        signature = CallSignature(FunctionType([parameter]), {}, is_constrained=True)
        traced = trace(lambda x: x * 2.0, "doubling", signature, ArgumentLayout(0, ()), [SCALAR])
        ConcreteFunction.__init__(self, traced, name=fresh_name("doubling"))


def test_the_graph_is_made_once_and_when_something_asks_for_it() -> None:
    function = Doubling()
    assert function.times == 0 and isinstance(function, tf.types.experimental.ConcreteFunction)
    assert function(tf.constant(2.0)).numpy() == 4.0 and function(x=3.0).numpy() == 6.0
    assert function.times == 1 and function.graph.name == "doubling"


def test_several_threads_make_one_graph() -> None:
    function, results = Doubling(), []
    threads = [threading.Thread(target=lambda: results.append(function(tf.constant(1.0)).numpy())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [2.0] * 4 and function.times == 1


def test_a_question_for_a_protocol_of_python_makes_no_graph() -> None:
    function: Any = Doubling()
    assert not hasattr(function, "__array__") and function.times == 0
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        function.nothing


def test_an_error_says_where_the_function_comes_from_each_time() -> None:
    function = Doubling(ValueError("broken"))
    for _ in range(2):
        with pytest.raises(ValueError, match="broken") as caught:
            function(tf.constant(1.0))
        assert "in a test" in caught.value.__notes__
    assert function.times == 2


def test_names_of_functions_are_new_in_this_process() -> None:
    assert python_name("__inference_f_12") == "f" and python_name("__inference_the_wrapper_3") == "the_wrapper"
    assert python_name("f") == "f" and python_name("12") == "12"
    assert fresh_name("__inference_f_12") != fresh_name("__inference_f_12")
    assert fresh_name("__inference_f_12").startswith("__inference_f_")
