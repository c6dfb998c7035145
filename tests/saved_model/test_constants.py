"""The words of SavedModels, under their public names."""

from __future__ import annotations

import pytest

import millrace as tf

# what the namespaces of TensorFlow 2.21 hold
WORDS = {
    "ASSETS_DIRECTORY": "assets",
    "ASSETS_KEY": "saved_model_assets",
    "CLASSIFY_INPUTS": "inputs",
    "CLASSIFY_METHOD_NAME": "tensorflow/serving/classify",
    "CLASSIFY_OUTPUT_CLASSES": "classes",
    "CLASSIFY_OUTPUT_SCORES": "scores",
    "DEBUG_DIRECTORY": "debug",
    "DEBUG_INFO_FILENAME_PB": "saved_model_debug_info.pb",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY": "serving_default",
    "GPU": "gpu",
    "PREDICT_INPUTS": "inputs",
    "PREDICT_METHOD_NAME": "tensorflow/serving/predict",
    "PREDICT_OUTPUTS": "outputs",
    "REGRESS_INPUTS": "inputs",
    "REGRESS_METHOD_NAME": "tensorflow/serving/regress",
    "REGRESS_OUTPUTS": "outputs",
    "SAVED_MODEL_FILENAME_PB": "saved_model.pb",
    "SAVED_MODEL_FILENAME_PBTXT": "saved_model.pbtxt",
    "SAVED_MODEL_SCHEMA_VERSION": 1,
    "SERVING": "serve",
    "TPU": "tpu",
    "TRAINING": "train",
    "VARIABLES_DIRECTORY": "variables",
    "VARIABLES_FILENAME": "variables",
}


@pytest.mark.parametrize("name", WORDS)
def test_a_constant_has_the_value_of_tensorflow_in_both_namespaces(name: str) -> None:
    assert getattr(tf.saved_model, name) == WORDS[name]
    assert getattr(tf.compat.v1.saved_model, name) == WORDS[name]


def test_the_keys_of_v1_collections_stand_in_v1_alone() -> None:
    assert tf.compat.v1.saved_model.MAIN_OP_KEY == "saved_model_main_op"
    assert tf.compat.v1.saved_model.LEGACY_INIT_OP_KEY == "legacy_init_op"
    assert not hasattr(tf.saved_model, "MAIN_OP_KEY")


@pytest.mark.parametrize("group", ["constants", "tag_constants", "signature_constants"])
def test_v1_has_the_constants_in_three_groups_too(group: str) -> None:
    names = [name for name in dir(getattr(tf.compat.v1.saved_model, group)) if name in WORDS]
    assert names
    assert all(getattr(getattr(tf.compat.v1.saved_model, group), name) == WORDS[name] for name in names)
