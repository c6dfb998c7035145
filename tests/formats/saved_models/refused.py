"""Programs that no SavedModel can be made of: what is refused, and with which words."""

from __future__ import annotations

from typing import Any

from tests.formats.saved_models.model import Models, Saved

REFUSED = Models("refused")


@REFUSED()
def variable_that_is_not_attached(tf: Any) -> Any:
    root, variable = tf.Module(), tf.Variable(5.0)
    root.f = tf.function(lambda x: x * variable, input_signature=[tf.TensorSpec([])])
    return root


@REFUSED()
def table_that_is_not_attached(tf: Any) -> Any:
    root = tf.Module()
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], ["b"]), "")
    root.f = tf.function(table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    return root


@REFUSED()
def default_that_is_a_function(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(lambda x, call=abs: call(x))
    root.f(tf.constant(1.0))
    return root


@REFUSED()
def default_that_is_too_large(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(lambda x, n=10**30: x)
    root.f(tf.constant(1.0))
    return root


@REFUSED()
def signature_that_is_no_function(tf: Any) -> Any:
    return Saved(tf.Module(), signatures=lambda x: x)


@REFUSED()
def signature_without_input_signature(tf: Any) -> Any:
    return Saved(tf.Module(), signatures=tf.function(lambda x: x))


@REFUSED()
def signature_of_several_traces(tf: Any) -> Any:
    f = tf.function(lambda x: x)
    f(tf.constant(1.0))
    f(tf.constant(1))
    return Saved(tf.Module(), signatures=f)


@REFUSED()
def signature_of_nested_outputs(tf: Any) -> Any:
    f = tf.function(lambda x: {"a": [x, x]}, input_signature=[tf.TensorSpec([])])
    return Saved(tf.Module(), signatures=f)


@REFUSED()
def signature_of_numbers(tf: Any) -> Any:
    f = tf.function(lambda x: {"a": x, "b": None}, input_signature=[tf.TensorSpec([])])
    return Saved(tf.Module(), signatures=f)


@REFUSED()
def signature_of_numbered_outputs(tf: Any) -> Any:
    f = tf.function(lambda x: {1: x}, input_signature=[tf.TensorSpec([])])
    return Saved(tf.Module(), signatures=f)


@REFUSED()
def inputs_of_one_name(tf: Any) -> Any:
    specs = [tf.TensorSpec([], name="same"), tf.TensorSpec([], name="same")]
    return Saved(tf.Module(), signatures=tf.function(lambda x, y: x + y, input_signature=specs))


@REFUSED()
def signature_with_an_extra_variable(tf: Any) -> Any:
    variable = tf.Variable(1.0)
    f = tf.function(lambda x: x * variable, input_signature=[tf.TensorSpec([])])
    return Saved(tf.Module(), signatures=f)


@REFUSED()
def root_that_is_no_object(tf: Any) -> Any:
    return Saved({"v": 3})


@REFUSED()
def signatures_of_the_wrong_kind(tf: Any) -> Any:
    return Saved(tf.Module(), signatures=[1, 2])


@REFUSED()
def root_with_signatures_of_its_own(tf: Any) -> Any:
    root = tf.Module()
    root.signatures = [tf.Variable(1.0)]
    return root


@REFUSED()
def mutated_dict(tf: Any) -> Any:
    root = tf.Module()
    root.d = {"a": tf.Variable(1.0)}
    root.d[1] = tf.Variable(2.0)
    return root


@REFUSED()
def mutated_list(tf: Any) -> Any:
    root = tf.Module()
    root.l = [tf.Variable(1.0), tf.Variable(2.0)]
    root.l.reverse()
    return root


@REFUSED(writes_files=True)
def inside_a_function(tf: Any, folder: str) -> None:
    root = tf.Module()

    @tf.function
    def save():
        tf.saved_model.save(root, folder)

    save()
