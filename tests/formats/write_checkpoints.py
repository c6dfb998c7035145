"""Writes the cases of the corpus with Millrace, for TensorFlow to read.

python -m tests.formats.write_checkpoints FOLDER

Each case becomes a folder of its name in FOLDER; `paths.json` says where its checkpoint is. What fails is printed as
JSON: name -> the exception.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import millrace as tf
from tests.formats.checkpoints.corpus import CASES


def main() -> None:
    tf.get_logger().setLevel("ERROR")
    folder, paths, failures = Path(sys.argv[1]), {}, {}
    for name, case in CASES.items():
        if "session" not in case.needs:
            (folder / name).mkdir()
            try:
                paths[name] = os.path.basename(case.written(tf, str(folder / name / "ckpt")))
            except Exception as error:  # the test of this case reports it
                failures[name] = f"{type(error).__name__}: {error}"
    (folder / "paths.json").write_text(json.dumps(paths), encoding="utf-8")
    print(json.dumps(failures))


if __name__ == "__main__":
    main()
