"""SavedModels of signatures: from functions, methods and dicts, their names, outputs, defaults and aliases."""

from __future__ import annotations

import collections
from typing import Any

from tests.formats.saved_models.model import Models, Saved

SIGNATURES = Models("signatures")

Result = collections.namedtuple("Result", "low high")


def _outline(tf: Any, m: Any) -> Any:
    """Returns the signatures' inputs and outputs."""
    return {
        key: [_specs(f.structured_input_signature[1]), _specs(f.structured_outputs)]
        for key, f in sorted(m.signatures.items())
    }


def _specs(specs: Any) -> list[Any]:
    return [[name, spec.dtype, spec.shape] for name, spec in sorted(specs.items())]


@SIGNATURES(
    outline=_outline,
    called=lambda tf, m: m.signatures["serving_default"](tf.constant([1.0])),
    by_name=lambda tf, m: m.signatures["serving_default"](x=tf.constant([1.0])),
)
def of_a_function(tf: Any) -> Any:
    root = tf.Module()
    f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([None])])
    return Saved(root, signatures=f)


@SIGNATURES(outline=_outline, called=lambda tf, m: m.signatures["serving_default"](inputs=tf.constant([1.0, 2.0])))
def of_a_concrete_function(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(2.0)
    root.f = tf.function(lambda x: {"outputs": x * root.v})
    return Saved(root, signatures=root.f.get_concrete_function(tf.TensorSpec([None], name="inputs")))


@SIGNATURES(
    outline=_outline,
    a=lambda tf, m: m.signatures["a"](tf.constant(2.0)),
    b=lambda tf, m: m.signatures["b"](x=tf.constant(2.0), y=tf.constant(3.0)),
    missing=lambda tf, m: m.signatures["c"],
    wrong_name=lambda tf, m: m.signatures["a"](wrong=tf.constant(2.0)),
    too_many=lambda tf, m: m.signatures["b"](tf.constant(2.0), tf.constant(3.0)),
)
def several(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(10.0)
    spec = tf.TensorSpec([])
    root.f = tf.function(lambda x: {"result": x * root.v}, input_signature=[spec])
    root.g = tf.function(lambda x, y: {"sum": x + y, "product": x * y}, input_signature=[spec, spec])
    return Saved(root, signatures={"a": root.f, "b": root.g})


@SIGNATURES(outline=_outline, called=lambda tf, m: m.signatures["serving_default"](x=tf.constant(1.0)))
def of_a_method(tf: Any) -> Any:
    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([], name="x")])
        def __call__(self, x):
            return {"scaled": self.scale * x}

    root = Scaled()
    return Saved(root, signatures=root.__call__)


@SIGNATURES(outline=_outline)
def found_on_the_root(tf: Any) -> Any:
    """The only function of the root with one trace is the signature without a name of the user's."""
    root = tf.Module()
    root.f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([])])
    return root


@SIGNATURES(
    outline=_outline,
    as_tuple=lambda tf, m: m.signatures["as_tuple"](tf.constant(1.0)),
    as_list=lambda tf, m: m.signatures["as_list"](tf.constant(1.0)),
    as_named=lambda tf, m: m.signatures["as_named"](tf.constant(1.0)),
    as_tensor=lambda tf, m: m.signatures["as_tensor"](tf.constant(1.0)),
)
def outputs_of_all_kinds(tf: Any) -> Any:
    root = tf.Module()

    def of_number(f):
        return tf.function(f, input_signature=[tf.TensorSpec([])])

    return Saved(
        root,
        signatures={
            "as_tuple": of_number(lambda x: (x, x + 1.0)),
            "as_list": of_number(lambda x: [x, x + 2.0]),
            "as_named": of_number(lambda x: Result(x, x + 3.0)),
            "as_tensor": of_number(lambda x: x),
        },
    )


@SIGNATURES(
    outline=_outline,
    nested=lambda tf, m: m.signatures["serving_default"](tree=tf.constant(1.0), tree_1=tf.constant(2.0)),
)
def nested_inputs(tf: Any) -> Any:
    root = tf.Module()
    spec = tf.TensorSpec([])
    f = tf.function(lambda tree: {"r": tree["a"] - tree["b"][0]}, input_signature=[{"a": spec, "b": [spec]}])
    return Saved(root, signatures=f)


@SIGNATURES(
    outline=_outline,
    default=lambda tf, m: m.signatures["serving_default"](x=tf.constant(2.0)),
    given=lambda tf, m: m.signatures["serving_default"](x=tf.constant(2.0), scale=tf.constant(10.0)),
)
def default_values(tf: Any) -> Any:
    root = tf.Module()

    three = tf.constant(3.0)

    @tf.function(input_signature=[tf.TensorSpec([], name="x"), tf.TensorSpec([], name="scale")])
    def f(x, scale=three):
        return {"y": x * scale}

    root.f = f
    return Saved(root, signatures=f)


@SIGNATURES(outline=_outline, called=lambda tf, m: m.signatures["serving_default"]())
def no_inputs(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable([1, 2, 3])
    return Saved(root, signatures=tf.function(lambda: {"v": root.v.read_value()}, input_signature=[]))


@SIGNATURES(
    outline=_outline,
    called=lambda tf, m: m.signatures["train"](step=tf.constant(2.0)),
    state=lambda tf, m: m.v,
)
def with_effects(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(1.0)

    @tf.function(input_signature=[tf.TensorSpec([], name="step")])
    def train(step):
        root.v.assign_add(step)
        return {"loss": root.v * 2.0}

    root.train = train
    return Saved(root, signatures={"train": train, "again": train})


@SIGNATURES(
    outline=_outline,
    names=lambda tf, m: sorted(m.signatures),
    called=lambda tf, m: m.signatures["serving_default"](input_value=tf.constant(1.0)),
)
def unusual_names(tf: Any) -> Any:
    root = tf.Module()
    spec = tf.TensorSpec([], name="input_value")
    f = tf.function(lambda x: {"output/value": x, "b c": x + 1.0}, input_signature=[spec])
    return Saved(root, signatures={"serving_default": f, "a/b": f})


@SIGNATURES(
    outline=_outline,
    dtypes=lambda tf, m: m.signatures["serving_default"](
        a=tf.constant([True]), b=tf.constant(["x"]), c=tf.constant([1, 2], tf.int64), d=tf.constant([1.0], tf.float64)
    ),
)
def dtypes(tf: Any) -> Any:
    root = tf.Module()
    specs = [
        tf.TensorSpec([None], tf.bool, "a"),
        tf.TensorSpec([1], tf.string, "b"),
        tf.TensorSpec([2], tf.int64, "c"),
        tf.TensorSpec(None, tf.float64, "d"),
    ]
    f = tf.function(lambda a, b, c, d: {"a": ~a, "b": b + "!", "c": c * 2, "d": d / 2}, input_signature=specs)
    return Saved(root, signatures=f)


@SIGNATURES(outline=_outline, keys=lambda tf, m: sorted(m.signatures), loaded_tags=lambda tf, m: m.f(tf.constant(1.0)))
def saved_again(tf: Any) -> Any:
    """What was loaded is saved once more."""
    import tempfile

    first = tf.Module()
    first.v = tf.Variable(5.0)
    first.f = tf.function(lambda x: x * first.v, input_signature=[tf.TensorSpec([])])
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(first, folder, signatures=first.f)
        loaded = tf.saved_model.load(folder)
    return Saved(loaded, signatures=loaded.signatures)
