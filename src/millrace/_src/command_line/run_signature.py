"""`run`: calls a signature of a SavedModel on arrays, prints the outputs, and writes them to files if asked to."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from millrace._src.command_line.commands import Command, add_switch
from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.saved_model_files import meta_graph_of, read_saved_model, signature_of
from millrace._src.command_line.signature_inputs import output_path, read_inputs
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.gfile import exists, makedirs
from millrace._src.ops.io.whole_writes import atomic_write
from millrace._src.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY, SERVING
from millrace._src.saved_model.load import load
from millrace._src.saved_model.load_options import LoadOptions

_UNSUPPORTED = {
    "tf_debug": "Millrace has no tfdbg; `breakpoint()` stops in a function that runs eagerly.",
    "worker": "Millrace runs a signature in this process, not on a worker.",
    "init_tpu": "Millrace has no TPU.",
    "use_tfrt": "Millrace has no TFRT.",
}


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Declares what the signature is called on, and what becomes of the outputs."""
    parser.add_argument("--inputs", metavar="KEY=FILE[NAME];...", help="arrays of .npy and .npz files")
    parser.add_argument(
        "--input_exprs", metavar="KEY=EXPR;...", help="arrays as expressions: literals, np.ones(2), ..."
    )
    parser.add_argument(
        "--input_examples", metavar="KEY=[{..}];...", help="tf.train.Examples as lists of dicts of lists"
    )
    parser.add_argument("--outdir", metavar="DIR", help="write each output to a .npy file in this folder")
    add_switch(parser, "overwrite", "replace files that are there")
    for reach in ("file_reads", "file_writes", "python"):
        parser.add_argument(f"--allow_{reach}", action="store_true", help=argparse.SUPPRESS)
    for name in ("tf_debug", "init_tpu", "use_tfrt"):
        parser.add_argument(f"--{name}", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--worker", help=argparse.SUPPRESS)


def output(given: argparse.Namespace) -> str:
    """Runs the signature and returns what is printed."""
    for name, reason in _UNSUPPORTED.items():
        if getattr(given, name):
            raise CommandError(f"--{name} is not supported: {reason}")
    signature = signature_of(meta_graph_of(read_saved_model(given.dir), given.tag_set), given.signature_def)
    values = read_inputs(given.inputs, given.input_exprs, given.input_examples)
    tensors = _feed(signature, values)
    paths = _output_paths(signature, given.outdir, given.overwrite)
    results = _call(given, tensors)
    lines = []
    for key in sorted(results):
        array = results[key].numpy()
        lines += [f"Result for output key {key}:", str(array)]
        if paths:
            _save(paths[key], np.asarray(array))
            lines.append(f"Output {key} is saved to {paths[key]}")
    return "".join(f"{line}\n" for line in lines)


def _call(given: argparse.Namespace, tensors: dict[str, Any]) -> dict[str, Any]:
    options = LoadOptions(
        allow_file_reads=given.allow_file_reads,
        allow_file_writes=given.allow_file_writes,
        allow_python=given.allow_python,
    )
    signature = load_signature(given.dir, given.tag_set, given.signature_def, options)
    try:
        results: dict[str, Any] = signature(**tensors)
    except (TypeError, ValueError) as error:
        raise CommandError(f"the signature refuses the inputs: {error}") from None
    return results


def load_signature(folder: str, tags: str, key: str, options: LoadOptions | None = None) -> Any:
    """Loads a SavedModel and returns one of its signatures, a concrete function.

    Raises:
      CommandError: if the SavedModel is damaged, or has no such MetaGraph or signature.
      OSError: if there is no SavedModel.
    """
    signature_of(meta_graph_of(read_saved_model(folder), tags), key)
    try:
        loaded = load(folder, tags=tags.split(","), options=options)
    except (ValueError, NotImplementedError) as error:
        raise CommandError(f"the SavedModel cannot be loaded: {error}") from None
    if key not in loaded.signatures:
        raise CommandError(f'"{key}" is not a signature that can be run.')
    return loaded.signatures[key]


# --- inputs ----------------------------------------------------------------------------------------------------------


def _feed(signature: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Returns the inputs as tensors of the dtypes that the signature states."""
    known = ", ".join(f'"{key}"' for key in sorted(signature.inputs))
    for key in values:
        if key not in signature.inputs:
            raise CommandError(f'"{key}" is not a valid input key. Please choose from {known}, or use --show option.')
    missing = [key for key in sorted(signature.inputs) if key not in values and key not in signature.defaults]
    if missing:
        raise CommandError(f"The signature also needs the input{'s' * (len(missing) > 1)} {', '.join(missing)}.")
    return {key: _tensor(signature.inputs[key], value) for key, value in values.items()}


def _tensor(info: Any, value: Any) -> Any:
    if not info.dtype or not info.name:
        raise CommandError("Signatures with composite tensors of TensorFlow 1 cannot be run.")
    dtype, shape = as_dtype(info.dtype), TensorShape(info.tensor_shape)
    array = _array(value, dtype)
    if not shape.is_compatible_with(array.shape):
        raise CommandError(f"Cannot feed value of shape {array.shape} for Tensor {info.name}, which has shape {shape}")
    return convert_to_tensor(array, dtype)


def _array(value: object, dtype: DType) -> Any:
    try:
        if dtype.np_dtype.hasobject:
            return _bytes(np.asarray(value))
        return np.asarray(value).astype(dtype.np_dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise CommandError(f"the value cannot become {dtype.name}: {error}") from None


def _bytes(array: Any) -> Any:
    elements = [item.encode() if isinstance(item, str) else item for item in array.reshape(-1).tolist()]
    if not all(isinstance(item, bytes) for item in elements):
        raise ValueError(f"it is {array.dtype}, not text")
    result = np.empty(len(elements), object)
    result[:] = elements
    return result.reshape(array.shape)


# --- outputs ---------------------------------------------------------------------------------------------------------


def _output_paths(signature: Any, folder: str | None, may_overwrite: bool) -> dict[str, str]:
    if not folder:
        return {}
    paths = {key: output_path(folder, key) for key in signature.outputs}
    for path in paths.values():
        if exists(path) and not may_overwrite:
            raise CommandError(
                f'Output file {path} already exists. Add "--overwrite" to overwrite the existing output files.'
            )
    makedirs(folder)
    return paths


def _save(path: str, array: Any) -> None:
    if array.dtype.hasobject:
        array = array.astype("S")
    with atomic_write(path) as file:
        np.lib.format.write_array(_OutputWriter(file), array, allow_pickle=False)


class _OutputWriter:
    """The part of a file that NumPy writes to."""

    def __init__(self, file: Any) -> None:
        self.write = file.write


# --- the two commands ------------------------------------------------------------------------------------------------


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", required=True, help="folder of the SavedModel")
    parser.add_argument("--tag_set", required=True, help="tags of the MetaGraph, with commas between")
    parser.add_argument("--signature_def", required=True, metavar="KEY", help="key of the signature")
    add_inputs(parser)


def _add_own_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", required=True, help="folder of the SavedModel; may stand first without --dir")
    parser.add_argument("--tag_set", default=SERVING, help="tags of the MetaGraph, with commas between")
    parser.add_argument("--signature_def", default=DEFAULT_SERVING_SIGNATURE_DEF_KEY, metavar="KEY", help="its key")
    add_inputs(parser)


RUN = Command("run", "call a signature of a SavedModel", _add_arguments, output)
"""The command of `saved_model_cli`."""
OWN_RUN = Command("run", "call a signature of a SavedModel", _add_own_arguments, output)
"""The command of `python -m millrace`, which knows the usual tags and signature."""
