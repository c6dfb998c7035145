"""Writes `recorded/checkpoints/` anew: what real TensorFlow writes, and what it reads from its own files.

python -m tests.formats.record_checkpoints [NAME ...]      (with tensorflow-cpu==2.21.0 and keras)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from tests.formats.checkpoints.corpus import CASES
from tests.formats.saved_models.archive import pack
from tests.oracle.corpus import write_record

RECORDED = Path(__file__).parent / "recorded" / "checkpoints"


def main() -> None:
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    RECORDED.mkdir(parents=True, exist_ok=True)
    path = RECORDED / "answers.json"
    answers = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, case in CASES.items():
            if not sys.argv[1:] or name in sys.argv[1:]:
                os.mkdir(f"{folder}/{name}")
                paths[name] = os.path.basename(case.written(tf, f"{folder}/{name}/ckpt"))
                pack(Path(folder) / name, RECORDED / f"{name}.zip")
        (Path(folder) / "paths.json").write_text(json.dumps(paths), encoding="utf-8")
        reader = [sys.executable, "-m", "tests.formats.read_checkpoints", folder]
        done = subprocess.run(reader, check=True, stdout=subprocess.PIPE, text=True)
        answers |= json.loads(done.stdout.splitlines()[-1])
    for archive in RECORDED.glob("*.zip"):
        if archive.stem not in CASES:
            archive.unlink()
    write_record(path, {name: answers[name] for name in CASES if name in answers})


if __name__ == "__main__":
    main()
