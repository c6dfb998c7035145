"""The lines of the program behind the operations of a SavedModel."""

from __future__ import annotations

import inspect
import pathlib
from typing import Any

import millrace as tf
from millrace._src.proto import graph_debug_info_pb2


def info_of(root: Any, target: pathlib.Path) -> Any:
    tf.saved_model.save(root, str(target), options=tf.saved_model.SaveOptions(save_debug_info=True))
    data = (target / "debug" / "saved_model_debug_info.pb").read_bytes()
    return graph_debug_info_pb2.GraphDebugInfo.FromString(data)


def body(x: Any) -> Any:
    return tf.sinh(x)


def test_an_operation_has_the_line_that_made_it(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    root.f = tf.function(body, input_signature=[tf.TensorSpec([], tf.float32)], autograph=False)
    info = info_of(root, tmp_path)
    (trace,) = (trace for name, trace in info.name_to_trace_id.items() if name.startswith("Sinh@__inference_body_"))
    (frame_id,) = info.traces_by_id[trace].frame_id
    frame = info.frames_by_id[frame_id]
    assert info.files[frame.file_index] == __file__
    assert (frame.line, frame.func) == (inspect.getsourcelines(body)[1] + 1, "body")


def test_without_the_option_there_is_no_such_file(tmp_path: pathlib.Path) -> None:
    tf.saved_model.save(tf.Module(), str(tmp_path))
    assert not (tmp_path / "debug").exists()
