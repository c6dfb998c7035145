"""Checkpoints of `tf.train.Checkpoint` in the hands of a `Saver`: keys by the names that the variables had.

Tests: tests/compat_v1/train/test_saver.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.checkpoint.checkpoint_loading import saved_objects
from millrace._src.checkpoint.value_reading import ValueReader
from millrace._src.compat_v1.train.saveables import saveables_of
from millrace._src.core.errors import NotFoundError
from millrace._src.trackable.base import OBJECT_GRAPH_PROTO_KEY


def keys_of_names(prefix: str) -> dict[str, str] | None:
    """Returns the keys of a checkpoint of objects by the names of the variables; None for other checkpoints."""
    reader = ValueReader(prefix)
    if OBJECT_GRAPH_PROTO_KEY not in reader:
        return None
    attributes = [attribute for node in saved_objects(reader).nodes for attribute in node.attributes]
    return {attribute.full_name: attribute.checkpoint_key for attribute in attributes}


def keys_of_objects(prefix: str, var_list: object) -> dict[str, Any] | None:
    """Returns variables by the keys that they have in a checkpoint of objects; None for other checkpoints.

    Args:
      prefix: What the names of the files begin with.
      var_list: As that of a `Saver`.

    Raises: NotFoundError: if the checkpoint lacks a variable.
    """
    keys = keys_of_names(prefix)
    if keys is None:
        return None
    wanted = {saveable.name: saveable.op for saveable in saveables_of(var_list)}
    missing = sorted(wanted.keys() - keys.keys())
    if missing:
        raise NotFoundError(None, None, _mismatch(missing, sorted(keys.keys() - wanted.keys()), len(wanted)))
    return {keys[name]: variable for name, variable in wanted.items()}


def _mismatch(missing: list[str], unused: list[str], wanted_count: int) -> str:
    text = f"\n\nExisting variables not in the checkpoint: {', '.join(missing)}\n\n"
    if unused:
        text += f"Variables names when this checkpoint was written which don't exist now: {', '.join(unused)}\n\n"
    return (
        f"{text}({wanted_count - len(missing)} variable name(s) did match)\n\n"
        "Could not find some variables in the checkpoint (see names above). The checkpoint is one of objects, written "
        "by tf.train.Checkpoint or Keras, and a Saver looks for the names of variables in it. Names that were made in "
        "eager mode may lack an ending such as '_1'. A Saver(var_list=...) of the variables that the checkpoint has "
        "restores those."
    )
