"""What programs about checkpoints share: objects, and what they ask of files, values and statuses."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from tests.oracle.support import Raised


def module(tf: Any, **children: Any) -> Any:
    made = tf.Module()
    for name, child in children.items():
        setattr(made, name, child)
    return made


def optimizer(tf: Any, variables: Any) -> Any:
    """An object that keeps slot variables for variables, as optimizers of TensorFlow 1 do."""

    class Optimizer(tf.__internal__.tracking.AutoTrackable):
        @tf.__internal__.tracking.no_automatic_dependency_tracking
        def __init__(self) -> None:
            self.slots = {
                (variable.ref(), name): tf.Variable(variable * 2.0, name=f"{variable.name[:-2]}/{name}")
                for variable in variables
                for name in ("m", "v")
            }

        def get_slot_names(self) -> Any:
            return ["v", "m"]

        def get_slot(self, variable: Any, name: str) -> Any:
            return self.slots.get((variable.ref(), name))

        def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str, variable: Any) -> None:
            slot = self.slots.setdefault((variable.ref(), slot_name), tf.Variable(variable * 0.0))
            slot_variable_position.restore(slot)

    return Optimizer()


def two_slots(tf: Any) -> Any:
    w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(3.0, name="b")
    return module(tf, w=w, b=b, optimizer=optimizer(tf, [b, w]))


def own_tensors(tf: Any) -> Any:
    class Own(tf.__internal__.tracking.Trackable):
        def __init__(self) -> None:
            self.values = {"b": tf.constant([1, 2]), "a_x": tf.constant("text")}

        def _serialize_to_tensors(self) -> Any:
            return self.values

        def _restore_from_tensors(self, restored_tensors: Any) -> None:
            self.values = dict(restored_tensors)

    return Own()


def state_object(tf: Any) -> Any:
    class State(tf.train.experimental.PythonState):
        def serialize(self) -> Any:
            return "state"

        def deserialize(self, string_value: Any) -> None:
            self.seen = string_value

    return State()


def cycle(tf: Any) -> Any:
    made = module(tf, v=tf.Variable(1.0))
    made.itself, made.child = made, module(tf, parent=made, w=tf.Variable(2.0))
    return made


def shared_module(tf: Any) -> Any:
    v = tf.Variable(1.0)
    return module(tf, a=v, b=[v, {"c": v}], d=tf.Variable(2.0))


def digests(dir_: Any) -> Any:
    """The files that were written: names, sizes, checksums."""
    found = []
    for name in sorted(os.listdir(dir_.path)):
        if name.startswith("c"):
            data = dir_.read(name)
            found.append([name, len(data), hashlib.sha256(data).hexdigest()])
    return found


def values(tf: Any, thing: Any) -> Any:
    return [
        trackable.read_value()
        for trackable in tf.train.TrackableView(thing).descendants()
        if isinstance(trackable, tf.Variable)
    ]


def claims(status: Any) -> Any:
    found = []
    for claim in ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match", "expect_partial"):
        try:
            found.append([claim, getattr(status, claim)() is status])
        except AssertionError as error:
            found.append([claim, Raised(error, words=7)])
    return found


def attempt(call: Any, words: int = 6) -> Any:
    try:
        return call()
    except Exception as error:
        return Raised(error, words)
