"""Writes `recorded/saved_models/` anew: what real TensorFlow saves, and what it answers about its own files.

python -m tests.formats.record_saved_models [NAME ...]      (with tensorflow-cpu==2.21.0 and keras)
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from tests.formats.saved_models.answers import refusal
from tests.formats.saved_models.archive import pack
from tests.formats.saved_models.corpus import MODELS, REFUSED
from tests.oracle.corpus import write_record

RECORDED = Path(__file__).parent / "recorded" / "saved_models"


def main() -> None:
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    RECORDED.mkdir(parents=True, exist_ok=True)
    path = RECORDED / "answers.json"
    answers = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    names = [name for name in MODELS if not sys.argv[1:] or name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            MODELS[name].write(tf, f"{folder}/{name}")
        reader = [sys.executable, "-m", "tests.formats.read_saved_models", folder]
        done = subprocess.run(reader, check=True, stdout=subprocess.PIPE, text=True)
        answers |= json.loads(done.stdout.splitlines()[-1])
        for name in names:
            shutil.rmtree(f"{folder}/{name}/debug", ignore_errors=True)  # it names the folders of this machine
            pack(Path(folder) / name, RECORDED / f"{name}.zip")
    write_record(RECORDED / "refused.json", {name: refusal(tf, model) for name, model in REFUSED.items()})
    for archive in RECORDED.glob("*.zip"):
        if archive.stem not in MODELS:
            archive.unlink()
    write_record(path, {name: answers[name] for name in MODELS if name in answers})


if __name__ == "__main__":
    main()
