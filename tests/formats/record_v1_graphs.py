"""Writes `recorded/v1_graphs/` anew: a graph and checkpoint of a program of TensorFlow 1, and what it computes.

python -m tests.formats.record_v1_graphs      (with tensorflow-cpu==2.21.0)
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from tests.formats.saved_models.archive import pack
from tests.formats.v1_graphs import build, looked_at, train

RECORDED = Path(__file__).parent / "recorded" / "v1_graphs"


def main() -> None:
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    RECORDED.mkdir(parents=True, exist_ok=True)
    saver = build(tf)
    with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
        session.run("init")
        losses = train(session)
        saver.save(session, f"{folder}/model", write_state=False)
        pack(Path(folder), RECORDED / "trained.zip")
        answers = {"losses": losses, "looked_at": looked_at(session)}
    (RECORDED / "answers.json").write_text(json.dumps(answers) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
