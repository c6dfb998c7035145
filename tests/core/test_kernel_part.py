"""Tests of parts of kernels with a form for each engine."""

from __future__ import annotations

from types import SimpleNamespace

from millrace._src.core.kernel_part import kernel_part


@kernel_part
def doubled(xp, x, *, times=1):
    """Doubles."""
    return ("common", xp.engine, x * 2 * times)


@doubled.kernel_for("xla")
def _shifted(xp, x, *, times=1):
    return ("shifted", xp.engine, (x << 1) * times)


def test_each_engine_runs_its_own_form_and_others_the_common_one() -> None:
    assert doubled(SimpleNamespace(engine="numpy"), 3) == ("common", "numpy", 6)
    assert doubled(SimpleNamespace(engine="xla"), 3, times=2) == ("shifted", "xla", 12)


def test_a_part_keeps_the_name_and_the_docstring_of_its_function() -> None:
    assert doubled.__name__ == "doubled"
    assert doubled.__doc__ == "Doubles."


def test_a_form_stays_a_function() -> None:
    assert _shifted(SimpleNamespace(engine="any"), 1) == ("shifted", "any", 2)
