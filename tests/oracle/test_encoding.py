"""The comparison itself: what counts as the same answer, and what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle.encoding import differences
from tests.oracle.support import normalise


def _tensor(dtype: str, data: list[Any]) -> dict[str, Any]:
    return {"tensor": f"{dtype}[{len(data)}]", "data": data}


def test_equal_forms_have_no_differences() -> None:
    form = {"dict": {"a": [1, 2.0, None, "x"], "t": _tensor("int32", [1, 2])}}
    assert not list(differences(form, form))


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, 2),
        (1, 1.0),
        (True, 1),
        (None, False),
        ("a", "b"),
        ([1], [1, 2]),
        ({"tuple": [1]}, [1]),
        ({"dict": {"a": 1, "b": 2}}, {"dict": {"b": 2, "a": 1}}),
        (_tensor("int32", [1]), _tensor("int64", [1])),
        (_tensor("int32", [1]), _tensor("int32", [2])),
        (_tensor("string", ["a"]), _tensor("string", ["b"])),
        (_tensor("float32", [1.0]), _tensor("float32", [1.001])),
        (_tensor("float32", [float("nan")]), _tensor("float32", [1.0])),
        ({"tensor": "int32[1]", "data": [1]}, {"ndarray": "int32[1]", "data": [1]}),
    ],
)
def test_each_of_these_pairs_differs(expected: Any, actual: Any) -> None:
    assert list(differences(expected, actual))


def test_floats_are_compared_within_the_tolerance_of_their_dtype() -> None:
    assert not list(differences(_tensor("float32", [1.0]), _tensor("float32", [1.00001])))
    assert list(differences(_tensor("float64", [1.0]), _tensor("float64", [1.00001])))
    assert not list(differences(_tensor("bfloat16", [1.0]), _tensor("bfloat16", [1.01])))


def test_infinities_and_nans_must_be_at_the_same_indices() -> None:
    row = [float("inf"), float("nan"), -0.0]
    assert not list(differences(_tensor("float32", row), _tensor("float32", row)))
    assert list(differences(_tensor("float32", row), _tensor("float32", [np.inf, np.inf, 0.0])))


def test_exceptions_are_compared_by_class_ancestors_and_leading_words() -> None:
    wanted = {"raised": "ValueError", "mro": ["Exception"], "words": 2, "message": "two words and more"}
    assert not list(differences(wanted, wanted | {"message": "two words then others"}))
    assert list(differences(wanted, wanted | {"message": "three words"}))
    assert list(differences(wanted, wanted | {"raised": "TypeError"}))
    assert list(differences(wanted, wanted | {"mro": ["KeyError"]}))
    assert list(differences(wanted, 5))


def test_op_suffix_of_a_message_does_not_count_as_words() -> None:
    wanted = {"raised": "E", "mro": [], "words": 5, "message": "too short [Op:Neg]"}
    assert not list(differences(wanted, wanted | {"message": "too short [Op:Neg] name: "}))


def test_approx_widens_the_tolerance_for_all_inside() -> None:
    wide = {"approx": [_tensor("float32", [1.0])], "rtol": 0.1, "atol": 0.0}
    assert not list(differences(wide, wide | {"approx": [_tensor("float32", [1.05])]}))
    assert list(differences(wide, wide | {"approx": [_tensor("float32", [1.2])]}))


def test_normal_form_drops_addresses_folders_and_serial_numbers() -> None:
    text = 'File "/a/b/c.py", line 12, <tensorflow.x.y.Function object at 0x7F00ab> __inference_f_123'
    assert normalise(text) == 'File "c.py", line N, <Function object at 0x> __inference_f_N'
