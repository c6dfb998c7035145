"""The functions of ops: plain functions of Python, with the parameters of the op and the source of the kernel."""

from __future__ import annotations

import copy
import inspect
import pickle
import types
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.op_functions import RuleDecorators, _template
from millrace._src.core.op_homes import OP_HOMES
from millrace._src.core.op_registry import get_op
from millrace._src.ops.array.one_hot import one_hot_op
from millrace._src.ops.math.trigonometry import tanh


def test_a_public_function_states_its_public_name() -> None:
    assert type(tanh) is types.FunctionType and tanh is tf.tanh
    assert (tanh.__name__, tanh.__qualname__, tanh.__module__) == ("tanh", "tanh", "millrace.math")
    assert "hyperbolic tangent" in (tanh.__doc__ or "")
    assert pickle.loads(pickle.dumps(tanh)) is tanh is copy.copy(tanh) is copy.deepcopy(tanh)


def test_a_private_function_is_pickled_by_its_home() -> None:
    assert one_hot_op.__module__ == "millrace._src.ops.array.one_hot"
    assert pickle.loads(pickle.dumps(one_hot_op)) is one_hot_op


def test_the_source_of_a_function_is_that_of_the_kernel() -> None:
    assert inspect.getsource(tanh).startswith('@export("math.tanh"')
    assert inspect.getsourcefile(tanh) == tanh.op_def.kernel.__code__.co_filename


def test_parameters_are_inputs_then_required_attributes_then_optional_ones() -> None:
    assert str(inspect.signature(tanh)) == "(x, name=None)"
    assert str(inspect.signature(one_hot_op)) == "(indices, depth, on_value, off_value, axis=-1, name=None)"
    convolution = inspect.signature(_function_of("Conv2D"))
    assert list(convolution.parameters)[:4] == ["input", "filter", "strides", "padding"]
    assert convolution.parameters["padding"].default is inspect.Parameter.empty


def test_a_dtype_that_follows_from_the_inputs_is_not_a_parameter() -> None:
    assert list(inspect.signature(_function_of("AsString")).parameters)[:2] == ["input", "precision"]


def _function_of(op_name: str) -> Any:
    """Returns the function of an op that is declared in the op's home."""
    op = get_op(op_name)
    home = __import__(op.kernel.__module__, fromlist=["_"])
    return next(value for value in vars(home).values() if getattr(value, "op_def", None) is op)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.tanh(), r"tanh\(\) missing 1 required positional argument: 'x'"),
        (lambda: tf.tanh(1.0, y=2), r"tanh\(\) got an unexpected keyword argument 'y'"),
        (lambda: tf.tanh(1.0, "n", 3), r"tanh\(\) takes from 1 to 2 positional arguments but 3 were given"),
        (lambda: tf.tanh(1.0, x=2.0), r"tanh\(\) got multiple values for argument 'x'"),
    ],
)
def test_python_refuses_arguments_that_do_not_fit(call: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()


def test_an_attribute_with_its_default_shares_the_kernel_with_a_call_without() -> None:
    indices = tf.constant([0, 1])
    arguments = indices, tf.constant(2), tf.constant(1.0), tf.constant(0.0)
    one_hot_op(*arguments)
    kernels = len(one_hot_op.op_def.calls)
    np.testing.assert_array_equal(one_hot_op(*arguments, axis=-1), np.eye(2))
    assert len(one_hot_op.op_def.calls) == kernels


def test_a_template_serves_all_ops_of_a_form() -> None:
    for name in OP_HOMES:
        get_op(name)
    entries = _template.cache_info()
    assert entries.currsize == entries.misses < 300  # nothing was evicted and made again


def test_the_decorators_of_rules_are_attributes_of_the_function() -> None:
    names = {name for name in vars(RuleDecorators) if not name.startswith("_")}
    assert names == {*vars(tanh)}


def test_a_traceback_shows_no_generated_file() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.raw_ops.Reshape(tensor=[1, 2], shape=[3])
    entry = caught.tb
    while entry is not None:
        assert not entry.tb_frame.f_code.co_filename.startswith("<")
        entry = entry.tb_next
