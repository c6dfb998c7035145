"""The registry: ops by name, found and pickled by it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from millrace._src.core.op_registry import all_op_names, get_op
from tests.core.test_op_def import declare, registry

__all__ = ["registry"]


def test_two_ops_of_one_name_are_refused(registry: Any) -> None:
    declare()
    with pytest.raises(ValueError, match="Op 'Scaled' is declared twice"):
        declare()


def test_an_op_is_found_by_name_and_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(get_op("MatMul"))) is get_op("MatMul")
    with pytest.raises(KeyError, match="Millrace has no op named 'Nothing'"):
        get_op("Nothing")
    names = all_op_names()
    assert names == sorted(set(names))
    assert {"MatMul", "Const", "While"} <= set(names)
