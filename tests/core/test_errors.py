from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import millrace as tf
from millrace._src.core import errors

CODES = {
    "CANCELLED": 1, "UNKNOWN": 2, "INVALID_ARGUMENT": 3, "DEADLINE_EXCEEDED": 4, "NOT_FOUND": 5, "ALREADY_EXISTS": 6,
    "PERMISSION_DENIED": 7, "RESOURCE_EXHAUSTED": 8, "FAILED_PRECONDITION": 9, "ABORTED": 10, "OUT_OF_RANGE": 11,
    "UNIMPLEMENTED": 12, "INTERNAL": 13, "UNAVAILABLE": 14, "DATA_LOSS": 15, "UNAUTHENTICATED": 16,
}  # fmt: skip


def _class_name(code_name: str) -> str:
    words = "".join(word.capitalize() for word in code_name.split("_"))
    return words + "Error"


@pytest.mark.parametrize("name", CODES)
def test_every_code_has_its_class(name: str) -> None:
    cls = getattr(tf.errors, _class_name(name))
    code = CODES[name]
    assert getattr(tf.errors, name) == code
    assert issubclass(cls, tf.errors.OpError)
    assert cls(None, None, "what happened").error_code == code
    assert errors.exception_type_from_error_code(code) is cls
    assert tf.compat.v1.errors.error_code_from_exception_type(cls) == code


def test_success_has_no_class() -> None:
    assert tf.errors.OK == 0
    with pytest.raises(KeyError):
        errors.exception_type_from_error_code(0)
    assert tf.compat.v1.errors.error_code_from_exception_type(KeyError) == tf.errors.UNKNOWN


def test_an_error_keeps_what_it_was_made_of() -> None:
    error = tf.errors.InvalidArgumentError("node", None, message="boo")
    assert (error.node_def, error.op, error.message, error.error_code) == ("node", None, "boo", 3)
    assert str(error) == "boo"
    assert error.experimental_payloads == {}
    assert tf.errors.AbortedError(None, None, "m", {"a": b"x"}).experimental_payloads == {"a": b"x"}


def test_an_error_can_be_made_anew_with_its_code() -> None:
    error = tf.errors.InvalidArgumentError(None, None, "m", tf.errors.INVALID_ARGUMENT)
    assert (error.message, error.error_code) == ("m", tf.errors.INVALID_ARGUMENT)
    assert error.experimental_payloads == {}


def test_the_base_class_takes_a_code() -> None:
    error = tf.errors.OpError(None, None, "m", 3)
    assert error.error_code == 3
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'error_code'"):
        tf.errors.OpError(None, None, "m")
    with pytest.raises(TypeError, match="missing 2 required positional arguments"):
        tf.errors.InvalidArgumentError("m")


@pytest.mark.parametrize(
    "error", [tf.errors.NotFoundError(None, None, "m", {1: 2}), tf.errors.OpError(None, None, "m", 7)]
)
def test_errors_survive_pickles_and_copies(error: errors.OpError) -> None:
    for copied in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(copied) is type(error)
        assert (copied.message, copied.error_code, copied.experimental_payloads) == (
            "m",
            error.error_code,
            error.experimental_payloads,
        )


FIRST, SECOND = 'File "train.py", line 3, in <module>', 'File "model.py", line 7, in call'


@pytest.mark.parametrize(("frames", "shown"), [(FIRST, [FIRST]), ([FIRST, SECOND], [FIRST, SECOND])])
def test_an_error_in_a_graph_tells_where_its_op_was_made(frames: Any, shown: list[str]) -> None:
    class Operation:
        name = "MatMul_1"
        traceback = frames

    error = tf.errors.InvalidArgumentError(None, Operation(), "boo")
    location = "".join(f"  {frame}\n" for frame in shown)
    assert str(error) == f"boo\n\nOriginal stack trace for 'MatMul_1':\n{location}"
    assert pickle.loads(pickle.dumps(error)).op is None


def test_errors_of_misuse_are_ordinary_python_errors() -> None:
    assert issubclass(tf.errors.OperatorNotAllowedInGraphError, TypeError)
    assert issubclass(errors.InaccessibleTensorError, ValueError)
