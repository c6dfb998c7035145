"""Names of variables in checkpoints and elsewhere."""

from __future__ import annotations

import pytest

from millrace._src.interop.array_files.names import checkpoint_key, checkpoint_path, dotted_name

PAIRS = {
    "w": "w",
    "layer/kernel": "layer.kernel",
    "layers/0/kernel": "layers.0.kernel",
    "a..b/c": "a..b.c",
    "a.Sb/c": "a/b.c",
    "w/.OPTIMIZER_SLOT/optimizer/momentum": "w..OPTIMIZER_SLOT.optimizer.momentum",
    "a/w/.OPTIMIZER_SLOT/b/optimizer/m": "a.w..OPTIMIZER_SLOT.b.optimizer.m",
}


@pytest.mark.parametrize(("path", "name"), PAIRS.items())
def test_a_path_and_a_name_are_made_of_each_other(path: str, name: str) -> None:
    assert dotted_name(checkpoint_key(path)) == name
    assert checkpoint_path(name) == path


@pytest.mark.parametrize("key", ["_CHECKPOINTABLE_OBJECT_GRAPH", "t/.ATTRIBUTES/table-keys", "global_step", ""])
def test_what_is_no_variable_has_no_name(key: str) -> None:
    assert dotted_name(key) is None
