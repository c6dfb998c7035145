"""SavedModels of lists, dicts, tuples, named tuples, and objects that other objects hold."""

from __future__ import annotations

import collections
from typing import Any

from tests.formats.saved_models.model import Models, Saved

CONTAINERS = Models("containers")

Pair = collections.namedtuple("Pair", "left right")


@CONTAINERS(
    length=lambda tf, m: len(m.parts),
    kinds=lambda tf, m: isinstance(m.parts, list),
    values=lambda tf, m: [m.parts[0], m.parts[1][0], m.parts[2]["a"]],
    total=lambda tf, m: m.total(),
)
def lists(tf: Any) -> Any:
    root = tf.Module()
    root.parts = [tf.Variable(1.0), [tf.Variable(2.0)], {"a": tf.Variable(3.0)}]
    root.empty = []
    root.total = tf.function(lambda: root.parts[0] + root.parts[1][0] + root.parts[2]["a"], input_signature=[])
    return root


@CONTAINERS(
    keys=lambda tf, m: sorted(m.parts),
    values=lambda tf, m: [m.parts["a"], m.parts["b/c"], m.parts["."]],
    nested=lambda tf, m: m.parts["deep"]["deeper"],
)
def dicts(tf: Any) -> Any:
    root = tf.Module()
    root.parts = {"a": tf.Variable(1), "b/c": tf.Variable(2), ".": tf.Variable(3), "deep": {"deeper": tf.Variable(4)}}
    return root


@CONTAINERS(
    length=lambda tf, m: len(m.pair),
    first=lambda tf, m: m.pair[0],
    inner=lambda tf, m: m.nested[1][0],
    use=lambda tf, m: m.use(),
)
def tuples(tf: Any) -> Any:
    root = tf.Module()
    root.pair = (tf.Variable(1.0), tf.Variable(2.0))
    root.nested = (tf.Variable(3.0), (tf.Variable(4.0),))
    root.named = Pair(tf.Variable(5.0), tf.Variable(6.0))
    root.use = tf.function(lambda: root.pair[0] + root.nested[1][0] + root.named.left, input_signature=[])
    return root


@CONTAINERS(total=lambda tf, m: m.total(tf.constant(1.0)), has_plain=lambda tf, m: hasattr(m, "plain"))
def plain_values_are_left_out(tf: Any) -> Any:
    root = tf.Module()
    root.plain, root.text, root.nothing = 3, "text", None
    root.mixed = {"number": 2.0, "variable": tf.Variable(4.0)}
    root.total = tf.function(lambda x: x * root.mixed["number"] + root.mixed["variable"] + root.plain)
    root.total(tf.constant(1.0))
    return root


@CONTAINERS(
    names=lambda tf, m: sorted(m.functions),
    add=lambda tf, m: m.functions["add"](tf.constant(1.0)),
    listed=lambda tf, m: [f(tf.constant(3.0)).numpy() for f in m.listed],
)
def functions_in_containers(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(2.0)
    spec = [tf.TensorSpec([])]
    add, subtract = tf.function(lambda a: a + root.v, spec), tf.function(lambda s: s - root.v, spec)
    root.functions = {"add": add, "sub": subtract}
    root.listed = [subtract, tf.function(lambda m: m * root.v, spec)]
    return root


@CONTAINERS(
    same_list=lambda tf, m: m.a.items is m.b.items,
    same_item=lambda tf, m: m.a.items[0] is m.first,
)
def shared_list(tf: Any) -> Any:
    root = tf.Module()
    root.a, root.b = tf.Module(), tf.Module()
    root.a.items = [tf.Variable(1.0)]
    root.b.items = root.a.items
    root.first = root.a.items[0]
    return root


@CONTAINERS(keys=lambda tf, m: sorted(m.ordered), value=lambda tf, m: m.ordered["z"])
def ordered_dict(tf: Any) -> Any:
    root = tf.Module()
    root.ordered = collections.OrderedDict([("z", tf.Variable(1)), ("a", tf.Variable(2))])
    return root


@CONTAINERS(
    value=lambda tf, m: m.user.v, call=lambda tf, m: m.user.scale(tf.constant(4.0)), inner=lambda tf, m: m.user.inner.v
)
def checkpoint_objects(tf: Any) -> Any:
    """`tf.train.Checkpoint` is the plainest object that can hold others."""
    root = tf.Module()
    root.user = tf.train.Checkpoint(v=tf.Variable(2.0), inner=tf.train.Checkpoint(v=tf.Variable(3.0)))
    root.user.scale = tf.function(lambda x: x * root.user.v * root.user.inner.v, input_signature=[tf.TensorSpec([])])
    return root


@CONTAINERS(
    callable=lambda tf, m: callable(m),
    called=lambda tf, m: m(tf.constant(1.0)),
    child_called=lambda tf, m: m.child(tf.constant(1.0)),
    child_is_callable=lambda tf, m: [callable(m.child), callable(m.mute)],
)
def callable_objects(tf: Any) -> Any:
    class Adds(tf.Module):
        def __init__(self, amount):
            super().__init__()
            self.amount = tf.Variable(amount)

        @tf.function(input_signature=[tf.TensorSpec([])])
        def __call__(self, x):
            return x + self.amount

    root = Adds(1.0)
    root.child = Adds(2.0)
    root.mute = tf.Module()
    return root


@CONTAINERS(
    attributes=lambda tf, m: [hasattr(m, "_hidden"), hasattr(m, "shown")],
    unicode=lambda tf, m: m.größe,
    words=lambda tf, m: [m.parts["a b"], m.parts["é日"], m.parts["x.y"]],
)
def unusual_names(tf: Any) -> Any:
    root = tf.Module()
    root._hidden = tf.Variable(1)
    root.shown = tf.Variable(2)
    root.größe = tf.Variable(3)
    root.parts = {"a b": tf.Variable(4), "é日": tf.Variable(5), "x.y": tf.Variable(6)}
    return root


@CONTAINERS(nothing=lambda tf, m: m.signatures is not None, keys=lambda tf, m: sorted(m.signatures))
def nothing_at_all(tf: Any) -> Any:
    return Saved(tf.Module())


@CONTAINERS(
    total=lambda tf, m: m.total(),
    values=lambda tf, m: [m.modules["a"][0].v, m.modules["a"][1].v],
)
def modules_in_containers(tf: Any) -> Any:
    def holder(value):
        module = tf.Module()
        module.v = tf.Variable(value)
        return module

    root = tf.Module()
    root.modules = {"a": [holder(1.0), holder(2.0)], "b": (holder(3.0),)}
    root.total = tf.function(
        lambda: root.modules["a"][0].v + root.modules["a"][1].v + root.modules["b"][0].v, input_signature=[]
    )
    return root
