"""The inline form is the function as it was, with sites where the graph can take over."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from millrace._src.autograph.transform.control_flow_inline import has_sites
from millrace._src.autograph.transform.function_conversion import Conversion
from millrace._src.autograph.transform.source import function_node


def _branches(x):
    if x > 0 and not x > 5:
        x = 1
    elif x is None:
        x = 2
    while x < 3:
        x += 1
    for i in x:
        x = i
    assert x
    return x


def _straight(x):
    """Docs."""
    y = x[0] + 1
    return [y, x.z]


def _sites(function: Any) -> Conversion:
    return Conversion(function_node(function), function.__code__, lambda _: None)


def test_every_condition_and_iterable_is_a_site_but_certain_python_is_none() -> None:
    sites = _sites(_branches).sites
    first = [ast.unparse(site.statements()[0]).partition("\n")[0] for site in sites]
    assert len(sites) == 5
    assert first[0].startswith("if ag_t and (not x > 5):")
    assert first[1].startswith("if not ag_t")
    assert first[3].startswith("for i in ag_t")
    assert first[4].startswith("assert ag_t")


def test_a_site_knows_the_rest_of_the_function() -> None:
    for site, count in zip(_sites(_branches).sites, (5, 5, 4, 3, 2), strict=True):
        assert len(site.statements()) == count


def test_code_without_branches_has_no_sites_and_no_transfer_of_control() -> None:
    conversion = _sites(_straight)
    assert conversion.sites == []
    assert conversion.inline.co_consts[0] == "Docs."
    assert "resume" not in conversion.inline.co_names


def test_continuations_are_made_when_they_are_needed_and_once() -> None:
    conversion = _sites(_branches)
    before = len(conversion.codes)
    first = conversion.continuation(2)
    assert len(conversion.codes) > before
    assert conversion.continuation(2) is first
    assert "x" in first.parameters


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1", False),
        ("with a:\n    if b:\n        pass", True),
        ("for i in a:\n    pass", True),
        ("def f():\n    if a:\n        pass", False),
        ("x = lambda: [1 for i in a]", False),
    ],
)
def test_blocks_where_the_graph_may_take_over_are_known(source: str, expected: bool) -> None:
    assert has_sites(ast.parse(source).body) is expected
