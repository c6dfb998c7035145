"""Every op that a graph can hold has TensorFlow's arguments, and attributes of TensorFlow's kinds with its defaults.

`recorded/ops.txt` has what TensorFlow declares, an op a line, in the form of `known_ops.txt`. Files leave out
attributes that have their defaults, so a default of our own would change what a file means.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from millrace._src.core.op_homes import OP_HOMES
from millrace._src.core.op_registry import get_op
from millrace._src.graph.op_def_proto import op_def_to_proto
from millrace._src.graph.opaque_ops import OpaqueOp
from tests.formats.record_formats import RECORDED

LINES = {line.partition("\t")[0]: line for line in (RECORDED / "ops.txt").read_text(encoding="utf-8").splitlines()}

OTHER_DEFAULTS = {
    "StatelessRandomPoisson": {"dtype"},
}
"""Types for which TensorFlow declares a default and Millrace none, or the reverse. The list may shrink."""


OF_OPTIMIZER = {name for name in OP_HOMES if get_op(name).traits.is_made_by_optimizer}
"""The ops of which no file has a node."""


def arguments(args: Iterable[Any]) -> list[tuple[Any, ...]]:
    return [(a.name, a.type, a.type_attr, a.number_attr, a.type_list_attr, a.is_ref) for a in args]


def defaults(proto: Any) -> dict[str, bytes | None]:
    return {a.name: a.default_value.SerializeToString() if a.HasField("default_value") else None for a in proto.attr}


def least_lengths(proto: Any) -> dict[str, int]:
    return {a.name: a.minimum for a in proto.attr if a.type == "list(type)"}


@pytest.mark.parametrize("name", sorted(OP_HOMES.keys() - OF_OPTIMIZER))
def test_an_op_has_the_arguments_and_attributes_of_tensorflow(name: str) -> None:
    assert name in LINES, "no op of TensorFlow, or not recorded: run tests.formats.record_formats"
    ours, theirs = op_def_to_proto(get_op(name)), op_def_to_proto(OpaqueOp(LINES[name]))
    assert arguments(ours.input_arg) == arguments(theirs.input_arg)
    assert arguments(ours.output_arg) == arguments(theirs.output_arg)
    assert {a.name: a.type for a in ours.attr} == {a.name: a.type for a in theirs.attr}
    assert least_lengths(ours) == least_lengths(theirs)
    our_defaults, their_defaults = defaults(ours), defaults(theirs)
    different = {attr for attr in our_defaults if our_defaults[attr] != their_defaults[attr]}
    assert different == OTHER_DEFAULTS.get(name, set())
