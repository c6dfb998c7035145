"""Loads SavedModels in TensorFlow and answers in JSON: run by the tests in a process of TensorFlow's own."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import traceback
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from tests.saved_model.answers import answer_of
from tests.saved_model.saved_programs import PROGRAMS, Saved


def check(name: str, folder: pathlib.Path) -> dict[str, Any]:
    """Returns what TensorFlow makes of a SavedModel that Millrace wrote, and saves the same program itself."""
    (folder / "tensorflow").mkdir(exist_ok=True)
    own = PROGRAMS[name](tf, folder / "tensorflow")
    answers: dict[str, Any] = {"calls": _calls(own, folder), "session": _session(own, folder)}
    options = tf.saved_model.SaveOptions(**own.options)
    try:
        tf.saved_model.save(own.root, str(folder / "tensorflow" / "saved"), signatures=own.signatures, options=options)
    except RuntimeError as error:  # what TensorFlow cannot save
        answers["refused"] = str(error)
    return answers


def _calls(own: Saved, folder: pathlib.Path) -> dict[str, Any]:
    loaded = tf.saved_model.load(str(folder / "saved"))
    answers = {key: answer_of(tf, call(loaded)) for key, call in own.calls.items()}
    for key, feed in own.feeds.items():
        function = loaded.signatures[key]
        _, specs = function.structured_input_signature
        answers[f"signature {key}"] = answer_of(tf, function(**{n: tf.constant(feed[n], specs[n].dtype) for n in feed}))
    return answers


def _session(own: Saved, folder: pathlib.Path) -> dict[str, Any]:
    """Runs the signatures as a program without objects does."""
    answers = {}
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tags = ["serve", *own.options.get("extra_tags", ())]
        meta_graph = tf.compat.v1.saved_model.load(session, tags, str(folder / "saved"))
        for key, feed in own.feeds.items():
            definition = meta_graph.signature_def[key]
            fetched = {name: info.name for name, info in definition.outputs.items()}
            values = session.run(fetched, {definition.inputs[n].name: value for n, value in feed.items()})
            answers[key] = answer_of(tf, values)
        saver = meta_graph.saver_def
        saved = session.run(saver.save_tensor_name, {saver.filename_tensor_name: str(folder / "saved_again")})
        session.run(saver.restore_op_name, {saver.filename_tensor_name: saved.decode()})
    return answers


def main() -> None:
    answers = {}
    for name in sys.argv[2:]:
        try:
            answers[name] = check(name, pathlib.Path(sys.argv[1]) / name)
        except Exception:
            answers[name] = {"error": traceback.format_exc()}
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
