"""What the oracle's `saved_model_cli` printed: the SavedModels, the command lines, and the recorded answers.

python -m tests.command_line.corpus          (from the project's root, with tensorflow-cpu==2.21.0 installed)
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.command_line.canonical import canonical
from tests.command_line.models import MODELS

RECORDED = Path(__file__).resolve().parents[1] / "formats" / "recorded"
ARCHIVES = RECORDED / "saved_model_cli"
SHOWN = ARCHIVES / "show.json.gz"
CORPUS = RECORDED / "saved_models"
"""The SavedModels that loading and saving are tested with."""

RUNS: dict[str, list[str]] = {
    "array": ["--inputs", "x={files}/ones.npy"],
    "array of an archive": ["--inputs", "x={files}/several.npz[b]"],
    "only array of an archive": ["--inputs", "x={files}/single.npz"],
    "another dtype": ["--inputs", "x={files}/doubles.npy"],
    "literal": ["--input_exprs", "x=[[1,2],[3,4]]"],
    "expression wins over file": ["--inputs", "x={files}/ones.npy", "--input_exprs", "x=[[1,2]]"],
    "two expressions": ["--signature_def", "two", "--input_exprs", "a=1.5;b=-2"],
    "file and expression": ["--signature_def", "two", "--inputs", "a={files}/scalar.npy", "--input_exprs", "b=True"],
    "texts": ["--signature_def", "examples", "--input_exprs", 'examples=["one", "three"]'],
    "examples": [
        "--signature_def",
        "examples",
        "--input_examples",
        'examples=[{"i": [1, 2]}, {"f": [0.5]}, {"s": ["x"]}]',
    ],
}
"""Arguments of `run` on the model `runs`."""


@contextlib.contextmanager
def unpacked(archive: Path) -> Iterator[str]:
    """The folder of a SavedModel, whose files are in an archive."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(archive) as file:
        file.extractall(folder)
        yield folder


def archives() -> dict[str, Path]:
    """The archives of all SavedModels by name."""
    return {path.stem: path for folder in (ARCHIVES, CORPUS) for path in sorted(folder.glob("*.zip"))}


def shown_by_tensorflow() -> dict[str, list[str]]:
    """The lines that TensorFlow's tool printed of each SavedModel, in the form of `canonical`."""
    lines: dict[str, list[str]] = json.loads(gzip.decompress(SHOWN.read_bytes()))
    return lines


def write_arrays(folder: Path) -> None:
    """Writes the files that `RUNS` names."""
    import numpy as np

    np.save(folder / "ones.npy", np.ones([3, 2], np.float32))
    np.save(folder / "doubles.npy", np.ones([3, 2]))
    np.save(folder / "scalar.npy", np.float32(0.5))
    np.savez(folder / "several.npz", a=np.ones([1, 2], np.float32), b=np.zeros([2, 2], np.float32))
    np.savez(folder / "single.npz", only=np.ones([1, 2], np.float32))


def run_arguments(model: str, files: str, extra: list[str]) -> list[str]:
    """The command line of `run`."""
    signature = [] if "--signature_def" in extra else ["--signature_def", "serving_default"]
    return [
        "run",
        "--dir",
        model,
        "--tag_set",
        "serve",
        *signature,
        *(text.replace("{files}", files) for text in extra),
    ]


# --- recording -------------------------------------------------------------------------------------------------------


def _oracle(arguments: list[str]) -> str:
    """What the oracle's tool prints: in a process of its own, for the order of functions counts what ran before."""
    tool = Path(sys.executable).with_name("saved_model_cli")
    result = subprocess.run([str(tool), *arguments], capture_output=True, text=True, check=False)
    if result.returncode:
        print(arguments, result.stderr[-300:], file=sys.stderr)
    return result.stdout


def _record_models() -> None:
    import tensorflow as tf

    from tests.formats.saved_models.archive import pack

    for name, save in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            save(tf, Path(folder) / name)
            pack(Path(folder) / name, ARCHIVES / f"{name}.zip")


def _record_runs() -> None:
    answers = {}
    with unpacked(ARCHIVES / "runs.zip") as folder, tempfile.TemporaryDirectory() as files:
        write_arrays(Path(files))
        for name, extra in RUNS.items():
            answers[name] = _oracle(run_arguments(folder, files, extra)).splitlines()
    (ARCHIVES / "run.json").write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    if "--models" in sys.argv:
        _record_models()
    _record_runs()
    shown = {}
    for name, archive in archives().items():
        with unpacked(archive) as folder:
            shown[name] = canonical(_oracle(["show", "--dir", folder, "--all"])).splitlines()
    SHOWN.write_bytes(gzip.compress(json.dumps(shown, indent=1).encode("utf-8"), mtime=0))


if __name__ == "__main__":
    main()
