"""SavedModels saved or loaded with options."""

from __future__ import annotations

from typing import Any

from tests.formats.saved_models.model import Models, Saved

OPTIONS = Models("options")


def _adder(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable([1.0, 2.0], name="weights")
    root.f = tf.function(lambda x: x + root.v, input_signature=[tf.TensorSpec([2], name="x")])
    return root


@OPTIONS(value=lambda tf, m: m.f(tf.zeros([2])))
def function_aliases(tf: Any) -> Any:
    root = _adder(tf)
    options = tf.saved_model.SaveOptions(function_aliases={"add_weights": root.f})
    return Saved(root, root.f, options)


@OPTIONS(value=lambda tf, m: m.f(tf.zeros([2])), device=lambda tf, m: m.v.device.rsplit("/", 1)[-1])
def variable_devices(tf: Any) -> Any:
    policy = tf.saved_model.experimental.VariablePolicy.SAVE_VARIABLE_DEVICES
    return Saved(_adder(tf), options=tf.saved_model.SaveOptions(experimental_variable_policy=policy))


@OPTIONS(value=lambda tf, m: m.f(tf.zeros([2])))
def no_variable_policy(tf: Any) -> Any:
    return Saved(
        _adder(tf), options=tf.saved_model.SaveOptions(experimental_variable_policy=None, save_debug_info=False)
    )


@OPTIONS(value=lambda tf, m: m.f(tf.zeros([2])))
def debug_info(tf: Any) -> Any:
    root = _adder(tf)
    return Saved(root, root.f, tf.saved_model.SaveOptions(save_debug_info=True))


@OPTIONS(value=lambda tf, m: m.f(tf.zeros([2])))
def namespaces_and_devices(tf: Any) -> Any:
    options = tf.saved_model.SaveOptions(namespace_whitelist=["Custom"], experimental_io_device="/job:localhost")
    return Saved(_adder(tf), options=options)


def _load_anyway(tf: Any) -> Any:
    return tf.saved_model.LoadOptions(allow_partial_checkpoint=True, experimental_io_device="/job:localhost")


@OPTIONS(value=lambda tf, m: m.f(tf.zeros([2])), tags=["serve"], load_options=_load_anyway)
def loaded_with_options(tf: Any) -> Any:
    return Saved(_adder(tf))


def _skip(tf: Any) -> Any:
    return tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)


@OPTIONS(shape=lambda tf, m: m.v.shape, value=lambda tf, m: m.v.assign([5.0, 5.0]), load_options=_skip)
def loaded_without_values(tf: Any) -> Any:
    return Saved(_adder(tf))


@OPTIONS(value=lambda tf, m: m.f(tf.zeros([2])), variables=lambda tf, m: [m.v, m.w])
def image_format(tf: Any) -> Any:
    root = _adder(tf)
    root.w = tf.Variable(tf.range(100, dtype=tf.float32))
    options = tf.saved_model.SaveOptions(experimental_image_format=False)
    return Saved(root, options=options)


@OPTIONS(value=lambda tf, m: m.f(tf.zeros([2])), all=lambda tf, m: m.w)
def sharded_variables(tf: Any) -> Any:
    root = _adder(tf)
    root.w = [tf.Variable(tf.fill([50], float(index))) for index in range(6)]
    sharding = tf.train.experimental.MaxShardSizePolicy(max_shard_size=450)
    return Saved(root, options=tf.saved_model.SaveOptions(experimental_sharding_callback=sharding))
