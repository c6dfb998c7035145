"""Dumps for TensorFlow's debugger are refused; arguments are checked first, in TensorFlow's words."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

experimental = tf.debugging.experimental


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dump_root": ""}, "Empty or None dump root"),
        ({"dump_root": None}, "Empty or None dump root"),
        ({"dump_root": "x", "tensor_debug_mode": "NOPE"}, r"Invalid value in tensor_debug_mode \('NOPE'\)"),
        ({"dump_root": "x", "tensor_dtypes": 3}, "If specified, tensor_dtypes is expected to be a list"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        experimental.enable_dump_debug_info(**arguments)


def test_dumps_are_refused_with_what_serves_the_same_ends() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"tf\.debugging\.enable_check_numerics finds the first NaN"):
        experimental.enable_dump_debug_info("dumps", "FULL_HEALTH", op_regex="Mat", tensor_dtypes=[tf.float32])
    assert experimental.disable_dump_debug_info() is None
