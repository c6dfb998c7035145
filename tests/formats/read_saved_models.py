"""Prints what real TensorFlow answers about SavedModels.

python -m tests.formats.read_saved_models FOLDER      (with tensorflow-cpu==2.21.0)

Each folder in FOLDER that has the name of a program is loaded, in a process that saved none of them: a gradient that
was registered by a program would serve a file that does not hold it.
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

from tests.formats.saved_models.answers import answers_of
from tests.formats.saved_models.archive import files_below
from tests.formats.saved_models.corpus import MODELS


def object_graph(folder: Path) -> Any:
    """Returns the `SavedObjectGraph` of a SavedModel."""
    from google.protobuf import text_format
    from tensorflow.core.protobuf import saved_model_pb2

    path = folder / "saved_model.pb"
    if path.exists():
        saved = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    else:
        saved = text_format.Parse(path.with_suffix(".pbtxt").read_text(), saved_model_pb2.SavedModel())
    return saved.meta_graphs[0].object_graph_def


def read(tf: Any, name: str, folder: Path) -> dict[str, Any]:
    """Returns the files of a SavedModel and what it answers, or the exception that loading raises."""
    files = files_below(folder)
    try:
        return {"files": files, **answers_of(tf, MODELS[name], str(folder), object_graph(folder))}
    except Exception as error:
        return {"files": files, "error": f"{type(error).__name__}: {error}"}


def main() -> None:
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    folder = Path(sys.argv[1])
    answers = {name: read(tf, name, folder / name) for name in MODELS if (folder / name).is_dir()}
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
