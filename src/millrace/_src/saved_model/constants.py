"""Names that all SavedModels share: of files and folders, of tags, of signatures and of collections.

Readers and writers of SavedModels outside of Millrace look for these words, so none of them may change. A constant
without a public name is one that TensorFlow writes, too, but does not export.
"""

from __future__ import annotations

from millrace._src.checkpoint.checkpoint_loading import CHECKPOINT_OF_MODEL, MODEL_FILES
from millrace._src.util.export import export_all

# --- files and folders -------------------------------------------------------------------------------------------

ASSETS_DIRECTORY = "assets"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
FINGERPRINT_FILENAME = "fingerprint.pb"
SAVED_MODEL_FILENAME_CPB = "saved_model.cpb"
SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT = MODEL_FILES
VARIABLES_DIRECTORY, VARIABLES_FILENAME = CHECKPOINT_OF_MODEL

# --- the message in the file -------------------------------------------------------------------------------------

SAVED_MODEL_SCHEMA_VERSION = 1

ASSETS_KEY = "saved_model_assets"
"""The collection of the assets, as `AssetFileDef` messages."""
LEGACY_INIT_OP_KEY = "legacy_init_op"
MAIN_OP_KEY = "saved_model_main_op"

export_all(
    __name__,
    ("saved_model", "compat.v1.saved_model.constants"),
    [
        "ASSETS_DIRECTORY",
        "ASSETS_KEY",
        "DEBUG_DIRECTORY",
        "DEBUG_INFO_FILENAME_PB",
        "SAVED_MODEL_FILENAME_PB",
        "SAVED_MODEL_FILENAME_PBTXT",
        "SAVED_MODEL_SCHEMA_VERSION",
        "VARIABLES_DIRECTORY",
        "VARIABLES_FILENAME",
    ],
)

# --- tags --------------------------------------------------------------------------------------------------------

GPU = "gpu"
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"

export_all(__name__, ("saved_model", "compat.v1.saved_model.tag_constants"), ["GPU", "SERVING", "TPU", "TRAINING"])

# --- signatures --------------------------------------------------------------------------------------------------

DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
INIT_OP_SIGNATURE_KEY = "__saved_model_init_op"
TRAIN_OP_SIGNATURE_KEY = "__saved_model_train_op"

CLASSIFY_INPUTS = "inputs"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
PREDICT_INPUTS = "inputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
PREDICT_OUTPUTS = "outputs"
REGRESS_INPUTS = "inputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
REGRESS_OUTPUTS = "outputs"

export_all(
    __name__,
    ("saved_model", "compat.v1.saved_model.signature_constants"),
    [
        "CLASSIFY_INPUTS",
        "CLASSIFY_METHOD_NAME",
        "CLASSIFY_OUTPUT_CLASSES",
        "CLASSIFY_OUTPUT_SCORES",
        "DEFAULT_SERVING_SIGNATURE_DEF_KEY",
        "PREDICT_INPUTS",
        "PREDICT_METHOD_NAME",
        "PREDICT_OUTPUTS",
        "REGRESS_INPUTS",
        "REGRESS_METHOD_NAME",
        "REGRESS_OUTPUTS",
    ],
)
