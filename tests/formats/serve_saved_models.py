"""Prints what sessions of real TensorFlow compute from the signatures of SavedModels.

python -m tests.formats.serve_saved_models FOLDER      (with tensorflow-cpu==2.21.0)

A session reads a SavedModel as a server does: graph, checkpoint and assets through the operations that the file names,
without the object graph. Each signature is fed with ones, or with the letter `a`.
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

import numpy as np

from tests.formats.saved_models.corpus import MODELS
from tests.oracle.encoding import Encoder


def _fed(tf: Any, info: Any) -> Any:
    """Returns an array for an input of a signature; dimensions that are unknown are 2."""
    shape = tf.TensorShape(info.tensor_shape)
    sizes = [] if shape.rank is None else [2 if size is None else size for size in shape.as_list()]
    dtype = tf.as_dtype(info.dtype)
    return np.full(sizes, b"a", object) if dtype == tf.string else np.ones(sizes, dtype.as_numpy_dtype)


def _computed(tf: Any, session: Any, signature: Any) -> Any:
    feeds = {info.name: _fed(tf, info) for info in signature.inputs.values()}
    fetches = {name: info.name for name, info in signature.outputs.items() if info.name}
    try:
        found = session.run(fetches, feeds) if fetches else {}
    except Exception as error:
        return type(error).__name__
    encoder = Encoder(tf)
    return {name: encoder.encode(np.asarray(found[name])) for name in sorted(found)}


def served(tf: Any, folder: Path) -> dict[str, Any]:
    """Returns what each signature computes, or the exception that loading raises."""
    v1 = tf.compat.v1
    try:
        with tf.Graph().as_default(), v1.Session() as session:
            meta_graph = v1.saved_model.load(session, ["serve"], str(folder))
            signatures = sorted(meta_graph.signature_def.items())
            return {key: _computed(tf, session, value) for key, value in signatures if not key.startswith("__")}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    folder = Path(sys.argv[1])
    print(json.dumps({name: served(tf, folder / name) for name in MODELS if (folder / name).is_dir()}))


if __name__ == "__main__":
    main()
