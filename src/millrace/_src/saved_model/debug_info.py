"""Where in the program each operation of a SavedModel was made, in a file of its own.

Tools that report on a graph show the user's line rather than the name of a node. TensorFlow keeps whole stacks of
calls; an operation here knows the innermost line outside the library, and that is what the file has.
"""

from __future__ import annotations

from typing import Any

from millrace._src.proto import graph_debug_info_pb2
from millrace._src.saved_model.function_library import SavedFunctions


def debug_info_of(library: SavedFunctions) -> graph_debug_info_pb2.GraphDebugInfo:
    """Returns the message with a line of the program for each operation of each function."""
    proto = graph_debug_info_pb2.GraphDebugInfo()
    files: dict[str, int] = {}
    frames: dict[tuple[int, int, str], int] = {}
    for function, graph in library.bodies():
        for operation in graph.get_operations():
            if operation.source is not None:
                frame = _frame(operation.source, files)
                trace = frames.setdefault(frame, len(frames))
                proto.name_to_trace_id[f"{operation.name}@{library.name_of(function)}"] = trace
    proto.files.extend(files)
    for (file_index, line, name), trace in frames.items():
        frame_proto = proto.frames_by_id[trace]
        frame_proto.file_index, frame_proto.line, frame_proto.func = file_index, line, name
        proto.traces_by_id[trace].frame_id.append(trace)
    return proto


def _frame(source: Any, files: dict[str, int]) -> tuple[int, int, str]:
    return files.setdefault(source.filename, len(files)), source.line, source.function
