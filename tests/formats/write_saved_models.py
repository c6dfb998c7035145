"""Saves the programs of the corpus with Millrace, for TensorFlow to read.

python -m tests.formats.write_saved_models FOLDER

Each program becomes a folder of its name in FOLDER. What fails is printed as JSON: name -> the exception.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import millrace as tf
from tests.formats.saved_models.corpus import MODELS


def main() -> None:
    tf.get_logger().setLevel("ERROR")
    folder, failures = Path(sys.argv[1]), {}
    for name, model in MODELS.items():
        if "session" not in model.needs:
            try:
                model.write(tf, str(folder / name))
            except Exception as error:  # the test of this program reports it
                failures[name] = f"{type(error).__name__}: {error}"
                shutil.rmtree(folder / name, ignore_errors=True)
    print(json.dumps(failures))


if __name__ == "__main__":
    main()
