"""The inputs of `run`: arrays of files, expressions and examples, by the names of a signature's inputs.

The three arguments have TensorFlow's form: items with semicolons between, `name=value`. Files are those of NumPy, and
pickles are not among them: a pickle can run any program.

Tests: tests/command_line/test_run_signature.py
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.input_expressions import evaluate
from millrace._src.ops.io.file_systems import content_of
from millrace._src.proto import example_pb2

_FILE = re.compile(r"([^=]+)=([^\[\]]+)(?:\[([^\[\]]+)\])?")
_NAMED = re.compile(r"([^=]+)=(.*)", re.DOTALL)


def read_inputs(files: str | None, expressions: str | None, examples: str | None) -> dict[str, Any]:
    """Returns the values of the inputs; an expression wins over a file, an example over both.

    Raises: CommandError: if nothing is given, or a value cannot be read.
    """
    if not (files or expressions or examples):
        raise CommandError("At least one of --inputs, --input_exprs or --input_examples must be required")
    values: dict[str, Any] = {}
    values.update(_of_files(files or ""))
    values.update((name, evaluate(text)) for name, text in _split_expressions(expressions or "", "--input_exprs"))
    for name, text in _split_expressions(examples or "", "--input_examples"):
        values[name] = _serialize(evaluate(text))
    return values


# --- files -----------------------------------------------------------------------------------------------------------


def _of_files(text: str) -> Iterator[tuple[str, Any]]:
    for item in filter(None, (item.strip() for item in text.split(";"))):
        match = _FILE.fullmatch(item)
        if match is None:
            raise CommandError(
                f'--inputs "{item}" format is incorrect. Please follow "<input_key>=<filename>", or '
                '"<input_key>=<filename>[<variable_name>]"'
            )
        name, path, array_name = match.groups()
        yield name.strip(), _array_of_file(path.strip(), array_name)


def _array_of_file(path: str, name: str | None) -> Any:
    import io  # only for this command

    try:
        content = np.load(io.BytesIO(content_of(path)), allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise CommandError(f"{path} is not a .npy or .npz file ({error}); pickles are not read.") from None
    if isinstance(content, np.ndarray):
        if name is not None:
            raise CommandError(f"{path} is one array, which has no name; received [{name}].")
        return content
    return _array_of_archive(path, content, name)


def _array_of_archive(path: str, archive: Any, name: str | None) -> Any:
    names = list(archive.files)
    if name is None and len(names) != 1:
        raise CommandError(
            f"Input file {path} contains more than one ndarrays. Please specify the name of ndarray to use: {names}"
        )
    if name is not None and name not in names:
        raise CommandError(f'Input file {path} does not contain variable with name "{name}", but {names}.')
    try:
        return archive[names[0] if name is None else name]
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None


# --- expressions -----------------------------------------------------------------------------------------------------


def _split_expressions(text: str, flag: str) -> Iterator[tuple[str, str]]:
    """Yields names and texts of expressions; a semicolon inside of quotes is none that separates."""
    item = ""
    for piece in text.split(";"):
        item = f"{item};{piece}" if item else piece
        if item.strip() and _is_whole(item):
            yield _split_item(item, flag)
            item = ""
    if item.strip():
        yield _split_item(item, flag)


def _is_whole(item: str) -> bool:
    """Says whether no quote is open at the end of a text."""
    quote = ""
    for previous, letter in zip(" " + item, item):
        if previous != "\\" and letter in "'\"" and quote in ("", letter):
            quote = "" if quote else letter
    return not quote


def _split_item(item: str, flag: str) -> tuple[str, str]:
    match = _NAMED.fullmatch(item.strip())
    if match is None:
        raise CommandError(f'{flag} "{item}" format is incorrect. Please follow "<input_key>=<python expression>"')
    return match[1].strip(), match[2]


# --- examples --------------------------------------------------------------------------------------------------------


def _serialize(examples: object) -> list[bytes]:
    if not isinstance(examples, list) or not all(isinstance(example, dict) for example in examples):
        raise CommandError(f'tf.Example input must be a list of dictionaries, but "{examples}" is {type(examples)}')
    return [_example(example) for example in examples]


def _example(features: dict[Any, Any]) -> bytes:
    example = example_pb2.Example()
    for name, values in features.items():
        if not isinstance(values, list):
            raise CommandError(f'feature value must be a list, but {name}: "{values}" is {type(values)}')
        feature = example.features.feature[str(name)]
        kinds = {_kind(value) for value in values}
        if len(kinds) > 1:
            raise CommandError(f"The values of feature {name!r} are of several types: {values}.")
        for kind in kinds:
            texts = [value.encode() if isinstance(value, str) else value for value in values]
            getattr(feature, kind).value.extend(texts)
    return example.SerializeToString(deterministic=True)


def _kind(value: object) -> str:
    if isinstance(value, (str, bytes)):
        return "bytes_list"
    if isinstance(value, float):
        return "float_list"
    if type(value) is int:
        return "int64_list"
    raise CommandError(f"Type {type(value)} for value {value} is not supported for tf.train.Feature.")


# --- what a signature takes ------------------------------------------------------------------------------------------


def output_path(folder: str, key: str) -> str:
    """Returns the name of the file of an output.

    Raises: CommandError: if the key, which comes from the model, would lead out of the folder.
    """
    if not key or key in (".", "..") or any(mark in key for mark in ("/", "\\", "\0")):
        raise CommandError(f"The output key {key!r} cannot be the name of a file; run without --outdir.")
    return os.path.join(folder, f"{key}.npy")
