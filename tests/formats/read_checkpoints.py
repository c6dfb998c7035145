"""Prints what real TensorFlow reads from checkpoints.

python -m tests.formats.read_checkpoints FOLDER      (with tensorflow-cpu==2.21.0 and keras)

FOLDER holds a folder for each case, and `paths.json`: name of the case -> path of the checkpoint below its folder.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from tests.formats.checkpoints.answers import answers_of
from tests.formats.checkpoints.corpus import CASES


def read(tf: Any, name: str, path: str) -> dict[str, Any]:
    """Returns what a case reads from the checkpoint at `path`."""
    try:
        return answers_of(tf, CASES[name], path)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    folder = Path(sys.argv[1])
    paths = json.loads((folder / "paths.json").read_text(encoding="utf-8"))
    print(json.dumps({name: read(tf, name, f"{folder}/{name}/{path}") for name, path in paths.items()}))


if __name__ == "__main__":
    main()
