"""Writes `recorded/checkpoints/` anew: what real TensorFlow writes, and what it reads from its own files.

python -m tests.formats.record_checkpoints [NAME ...]      (with tensorflow-cpu==2.21.0 and keras)
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from tests.formats.checkpoints.answers import answers_of
from tests.formats.checkpoints.case import Case
from tests.formats.checkpoints.corpus import CASES
from tests.formats.saved_models.archive import pack
from tests.oracle.corpus import write_record

RECORDED = Path(__file__).parent / "recorded" / "checkpoints"


def record(tf: Any, name: str, case: Case) -> Any:
    """Writes a checkpoint, keeps the files, and returns the answers."""
    with tempfile.TemporaryDirectory() as folder:
        path = case.written(tf, f"{folder}/ckpt")
        pack(Path(folder), RECORDED / f"{name}.zip")
        return answers_of(tf, case, path)


def main() -> None:
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    RECORDED.mkdir(parents=True, exist_ok=True)
    path = RECORDED / "answers.json"
    answers = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name, case in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        try:
            answers[name] = record(tf, name, case)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:1500]}", file=sys.stderr)
    write_record(path, {name: answers[name] for name in CASES if name in answers})


if __name__ == "__main__":
    main()
