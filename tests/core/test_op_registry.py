"""The registry: ops by name, found and pickled by it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.core.op_registry import LateRule, all_op_names, find_late_bound, get_op, import_home
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


_LATE = """
import sys
import millrace as tf
from millrace._src.core.op_registry import get_op

home = "millrace._src.control_flow.while_gradient"
x = tf.constant(3.0)
loop = tf.function(lambda x: tf.while_loop(lambda y: y < 9.0, lambda y: [y * y * x], [x])[0], autograph=False)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
assert loop(x) == 27.0 and get_op("While").rules.operation_gradient is not None and home not in sys.modules
with tf.GradientTape() as tape:
    tape.watch(x)
    y = loop(x)
assert tape.gradient(y, x) == 27.0 and home in sys.modules
"""


def test_rule_of_a_higher_layer_is_known_at_once_and_imported_when_it_is_needed() -> None:
    result = subprocess.run([sys.executable, "-c", _LATE], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_rule_of_a_higher_layer_replaces_the_late_one_once_it_is_loaded() -> None:
    rules = get_op("While").rules
    rule = rules.operation_gradient
    rule = rule.load() if isinstance(rule, LateRule) else rule
    assert rule is rules.operation_gradient
    assert rule.__module__ == "millrace._src.control_flow.while_gradient"


def test_late_bound_function_is_found_by_name() -> None:
    assert find_late_bound("matmul") is tf.linalg.matmul
    with pytest.raises(KeyError):
        find_late_bound("nothing")


def test_ctrl_c_waits_until_a_home_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "interrupted_module.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGINT)\nvalue = 3\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        import_home("interrupted_module")
    assert sys.modules["interrupted_module"].value == 3
    del sys.modules["interrupted_module"]
