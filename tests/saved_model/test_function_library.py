"""Names of functions in the file of a SavedModel."""

from __future__ import annotations

import re
from typing import Any

import millrace as tf
from millrace._src.saved_model.function_library import SavedFunctions


def concrete(body: Any, *specs: Any) -> Any:
    return tf.function(body, autograph=False).get_concrete_function(*specs)


def library_of(*functions: Any) -> SavedFunctions:
    library = SavedFunctions()
    library.add(function.graph_function for function in functions)
    return library


def test_functions_are_numbered_in_the_order_of_the_file() -> None:
    spec = tf.TensorSpec([], tf.float32)

    def double(x: Any) -> Any:
        return x + x

    first, second = concrete(double, spec), concrete(double, tf.TensorSpec([2], tf.float32))
    library = library_of(second, first)
    assert library.name_of(second.graph_function) == "__inference_double_1"
    assert library.name_of(first.graph_function) == "__inference_double_2"


def test_the_functions_that_a_function_calls_come_with_it() -> None:
    inner = tf.function(lambda x: x * 2.0, autograph=False)
    outer = concrete(lambda x: tf.cond(x > 0.0, lambda: inner(x), lambda: x), tf.TensorSpec([], tf.float32))
    library = library_of(outer)
    assert len(library.functions()) == 4  # the function, its branches, and what a branch calls
    graph_def = library.graph_def(tf.Graph())
    names = {function.signature.name for function in graph_def.library.function}
    called = {
        attribute.func.name
        for function in graph_def.library.function
        for node in function.node_def
        for attribute in node.attr.values()
        if attribute.HasField("func")
    }
    assert called < names
    assert all(re.search(r"_\d+$", name) for name in names)


def test_attributes_that_have_their_default_are_left_out() -> None:
    library = library_of(concrete(lambda x: tf.matmul(x, x), tf.TensorSpec([2, 2], tf.float32)))
    (function,) = library.graph_def(tf.Graph()).library.function
    (matmul,) = (node for node in function.node_def if node.op == "MatMul")
    assert sorted(matmul.attr) == ["T", "_output_shapes"]


def test_a_function_that_is_not_in_the_file_keeps_its_name() -> None:
    function = concrete(lambda: tf.constant(1.0))
    assert SavedFunctions().name_of(function.graph_function) == function.name.decode()
