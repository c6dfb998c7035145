"""Random object graphs: saved, and restored into equal objects that exist, or that are made later in any order."""

from __future__ import annotations

import random
import tempfile
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import millrace as tf
from millrace._src.checkpoint.bundle.writer import BundleWriter
from millrace._src.proto.trackable_object_graph_pb2 import TrackableObjectGraph

# A graph of objects as data: for each object its kind, and its children by name. Children have larger or smaller
# numbers, so objects are shared and lead back to each other.
KINDS = ("module", "module", "module", "variable", "variable", "table", "list", "dict")


@st.composite
def plans(draw: Any) -> list[tuple[str, list[tuple[str, int]]]]:
    count = draw(st.integers(1, 14))
    kinds = ["module", *draw(st.lists(st.sampled_from(KINDS), min_size=count - 1, max_size=count - 1))]
    names = st.text("ab/._é1", min_size=1, max_size=3).filter(lambda name: not name.startswith("_"))
    plan: list[tuple[str, list[tuple[str, int]]]] = []
    for index, kind in enumerate(kinds):
        if kind == "module":
            children = draw(st.dictionaries(names, st.integers(0, count - 1), max_size=4))
        elif kind in ("list", "dict"):  # what is in a container exists before the container
            children = (
                draw(st.dictionaries(names, st.integers(index + 1, count - 1), max_size=3)) if index + 1 < count else {}
            )
        else:
            children = {}
        plan.append((kind, list(children.items())))
    return plan


class Graph:
    """The objects of a plan; modules get their children one at a time."""

    def __init__(self, plan: Any, fill: int) -> None:
        self.plan = plan
        self.objects: dict[int, Any] = {}
        self.fill = fill
        for index in reversed(range(len(plan))):
            self.objects[index] = self._made(index)

    def _made(self, index: int) -> Any:
        kind, children = self.plan[index]
        if kind == "variable":
            return tf.Variable(float(self.fill * (index + 1)))
        if kind == "table":
            table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
            table.insert([index], [self.fill * (index + 1)])
            return table
        if kind == "list":
            return tf.__internal__.tracking.wrap([self.objects[child] for _, child in children])
        if kind == "dict":
            return tf.__internal__.tracking.wrap({name: self.objects[child] for name, child in children})
        return tf.Module()

    def edges(self) -> list[tuple[int, str, int]]:
        """The children of the modules."""
        return [
            (index, name, child)
            for index, (kind, children) in enumerate(self.plan)
            if kind == "module"
            for name, child in children
        ]

    def connect(self, edges: Any) -> None:
        for parent, name, child in edges:
            setattr(self.objects[parent], name, self.objects[child])

    def reachable(self) -> list[Any]:
        return tf.train.TrackableView(self.objects[0]).descendants()

    def values(self) -> list[Any]:
        return [value_of(one) for one in self.reachable()]

    def values_by_number(self) -> dict[int, Any]:
        numbers = {id(one): index for index, one in self.objects.items()}
        return {numbers[id(one)]: value_of(one) for one in self.reachable()}


def value_of(thing: Any) -> Any:
    if isinstance(thing, tf.Variable):
        return float(thing.numpy())
    if isinstance(thing, tf.lookup.experimental.MutableHashTable):
        return [part.numpy().tolist() for part in thing.export()]
    return None


@hypothesis.given(plans(), st.randoms(use_true_random=False), st.integers(0, 20))
@hypothesis.settings(max_examples=120, deadline=None)
def test_random_graphs_come_back(plan: Any, shuffler: random.Random, early: int) -> None:
    saved = Graph(plan, 1)
    saved.connect(saved.edges())
    expected = saved.values()
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(saved.objects[0]).write(f"{folder}/c")
        whole = Graph(plan, 0)
        whole.connect(whole.edges())
        status = tf.train.Checkpoint(whole.objects[0]).read(path).assert_consumed()
        assert whole.values() == expected and not status.report().missing and not status.report().unused

        partial = Graph(plan, 0)
        edges = partial.edges()
        shuffler.shuffle(edges)
        partial.connect(edges[:early])
        status = tf.train.Checkpoint(partial.objects[0]).read(path)
        partial.connect(edges[early:])
        status.assert_consumed()
        assert partial.values_by_number() == saved.values_by_number()


def test_an_object_saved_twice_takes_the_value_of_the_first() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(f"{folder}/c")
        both = tf.Variable(0.0)
        tf.train.Checkpoint(a=both, b=both).read(path).assert_consumed()
    assert both.numpy() == 1.0


def test_a_variable_made_while_a_function_is_traced_takes_its_value() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(v=tf.Variable(5.0)).write(f"{folder}/c")
        model = tf.Module()
        tf.train.Checkpoint(model).read(path)

        @tf.function
        def call() -> Any:
            if not hasattr(model, "v"):
                model.v = tf.Variable(0.0)
            return model.v * 2.0

        assert call().numpy() == 10.0 and call().numpy() == 10.0


def test_a_damaged_message_of_objects_is_told() -> None:
    proto = TrackableObjectGraph()
    proto.nodes.add().children.add(node_id=7, local_name="x")
    for content in (b"\xff\xff", proto.SerializeToString()):
        with tempfile.TemporaryDirectory() as folder:
            with BundleWriter(f"{folder}/c") as writer:
                writer.add("_CHECKPOINTABLE_OBJECT_GRAPH", np.array(content, object), tf.string)
            with pytest.raises(tf.errors.DataLossError, match="The objects of the checkpoint"):
                tf.train.Checkpoint().read(f"{folder}/c")
