"""`SignatureDef` messages: what a SavedModel offers, its inputs and outputs by name.

Three kinds of signatures are known to those who serve models: prediction of anything, classification and regression of
examples.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.compat_v1.saved_model.tensor_infos import build_tensor_info
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.dtypes import as_dtype, float32, string
from millrace._src.ops.io.message_files import write_message
from millrace._src.proto import meta_graph_pb2
from millrace._src.saved_model.constants import (
    CLASSIFY_INPUTS,
    CLASSIFY_METHOD_NAME,
    CLASSIFY_OUTPUT_CLASSES,
    CLASSIFY_OUTPUT_SCORES,
    PREDICT_METHOD_NAME,
    REGRESS_INPUTS,
    REGRESS_METHOD_NAME,
    REGRESS_OUTPUTS,
    SAVED_MODEL_FILENAME_PB,
)
from millrace._src.saved_model.folder import folder_name
from millrace._src.saved_model.reading import as_tags, parse_saved_model
from millrace._src.util.export import export


@export(v1=["saved_model.build_signature_def", "saved_model.signature_def_utils.build_signature_def"])
def build_signature_def(
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    method_name: str | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Any:
    """Returns a `SignatureDef`.

    Args:
      inputs: `TensorInfo`s by the names of the inputs.
      outputs: `TensorInfo`s by the names of the outputs.
      method_name: what the signature does, in the words of those who serve models.
      defaults: `TensorProto`s by the names of inputs that may be left out.
    """
    signature = meta_graph_pb2.SignatureDef(method_name=method_name or "")
    for field, infos in (("inputs", inputs), ("outputs", outputs), ("defaults", defaults)):
        for name, info in (infos or {}).items():
            getattr(signature, field)[name].CopyFrom(info)
    return signature


@export(v1=["saved_model.predict_signature_def", "saved_model.signature_def_utils.predict_signature_def"])
def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    """Returns the signature of a prediction.

    Args:
      inputs: Tensors by the names of the inputs.
      outputs: Tensors by the names of the outputs.

    Raises: ValueError: if there are no inputs or no outputs.
    """
    for tensors, what in ((inputs, "inputs"), (outputs, "outputs")):
        if not tensors:
            raise ValueError(f"Prediction `{what}` cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), PREDICT_METHOD_NAME)


@export(v1=["saved_model.classification_signature_def", "saved_model.signature_def_utils.classification_signature_def"])
def classification_signature_def(examples: TensorLike, classes: object, scores: object) -> Any:
    """Returns the signature of a classification.

    Args:
      examples: a string Tensor of serialized `tf.train.Example`s.
      classes: a string Tensor of classes; None if there are scores.
      scores: a float32 Tensor; None if there are classes.

    Raises: ValueError: if a tensor is missing or of another dtype.
    """
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    outputs = {}
    if scores is not None:
        outputs[CLASSIFY_OUTPUT_SCORES] = _validate_dtype(scores, float32, "Classification scores")
    if classes is not None:
        outputs[CLASSIFY_OUTPUT_CLASSES] = _validate_dtype(classes, string, "Classification classes")
    inputs = {CLASSIFY_INPUTS: _validate_dtype(examples, string, "Classification input tensors")}
    return build_signature_def(inputs, outputs, CLASSIFY_METHOD_NAME)


@export(v1=["saved_model.regression_signature_def", "saved_model.signature_def_utils.regression_signature_def"])
def regression_signature_def(examples: TensorLike, predictions: TensorLike) -> Any:
    """Returns the signature of a regression.

    Args:
      examples: a string Tensor of serialized `tf.train.Example`s.
      predictions: a float32 Tensor.

    Raises: ValueError: if a tensor is missing or of another dtype.
    """
    if examples is None:
        raise ValueError("Regression `examples` cannot be None.")
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    inputs = {REGRESS_INPUTS: _validate_dtype(examples, string, "Regression input tensors")}
    outputs = {REGRESS_OUTPUTS: _validate_dtype(predictions, float32, "Regression output tensors")}
    return build_signature_def(inputs, outputs, REGRESS_METHOD_NAME)


def _infos(tensors: Mapping[str, Any]) -> dict[str, Any]:
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


def _validate_dtype(tensor: Any, dtype: Any, what: str) -> Any:
    info = build_tensor_info(tensor)
    if info.dtype != dtype.enum:
        name = "float" if dtype is float32 else dtype.name
        raise ValueError(f"{what} must be of type {name}. Found tensors of type {info.dtype}")
    return info


@export(v1=["saved_model.is_valid_signature", "saved_model.signature_def_utils.is_valid_signature"])
def is_valid_signature(signature_def: Any) -> bool:
    """Returns whether a signature is one of the three kinds that are served, and has what its kind needs."""
    inputs, outputs = signature_def.inputs, signature_def.outputs
    if not inputs or not outputs:
        return False
    method = signature_def.method_name
    if method == PREDICT_METHOD_NAME:
        return True
    if method == CLASSIFY_METHOD_NAME:
        kinds = {CLASSIFY_OUTPUT_CLASSES: string, CLASSIFY_OUTPUT_SCORES: float32}
        return _are(inputs, {CLASSIFY_INPUTS: string}) and _are(outputs, kinds)
    if method == REGRESS_METHOD_NAME:
        return _are(inputs, {REGRESS_INPUTS: string}) and _are(outputs, {REGRESS_OUTPUTS: float32})
    return False


def _are(infos: Mapping[str, Any], kinds: Mapping[str, Any]) -> bool:
    return all(name in kinds and as_dtype(info.dtype) is kinds[name] for name, info in infos.items())


@export(v1=["saved_model.signature_def_utils.MethodNameUpdater"])
class MethodNameUpdater:
    """Changes the method names of signatures of a SavedModel.

    Args: export_dir: the folder of the SavedModel.
    Raises: OSError: if there is no SavedModel.
    """

    def __init__(self, export_dir: object) -> None:
        self._folder = folder_name(export_dir)
        self._message = parse_saved_model(self._folder)

    def replace_method_name(self, signature_key: str, method_name: str, tags: object = None) -> None:
        """Replaces the method name of a signature.

        Args:
          signature_key: the name of the signature.
          method_name: the new method name.
          tags: the tags of the graph; None for all graphs that have the signature.

        Raises: ValueError: if an argument is empty, or there is no such signature.
        """
        if not signature_key:
            raise ValueError("`signature_key` must be defined.")
        if not method_name:
            raise ValueError("`method_name` must be defined.")
        wanted = as_tags(tags)
        graphs = [g for g in self._message.meta_graphs if wanted is None or set(g.meta_info_def.tags) == set(wanted)]
        signatures = [g.signature_def[signature_key] for g in graphs if signature_key in g.signature_def]
        if not signatures:
            raise ValueError(
                f"MetaGraphDef associated with tags {tags} does not have a signature_def with key: '{signature_key}'. "
                "This means either you specified the wrong signature key or forgot to put the signature_def with the "
                "corresponding key in your SavedModel."
            )
        for signature in signatures:
            signature.method_name = method_name

    def save(self, new_export_dir: object = None) -> None:
        """Writes the message, into the folder it came from or into another that is made."""
        folder = self._folder if new_export_dir is None else folder_name(new_export_dir)
        write_message(f"{folder}/{SAVED_MODEL_FILENAME_PB}", self._message)
